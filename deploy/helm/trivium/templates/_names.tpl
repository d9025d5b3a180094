{{- define "trivium.name" -}}
{{- if contains "trivium" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-trivium{{ end -}}
{{- end }}

{{- /* of (root, component): what one component's objects are found by; never changes */ -}}
{{- define "trivium.selector" -}}
app.kubernetes.io/name: trivium
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "trivium.labels" -}}
{{ include "trivium.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "trivium.metadata" -}}
name: {{ include "trivium.name" .root }}-{{ .component }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "trivium.labels" . | nindent 2 }}
{{- end }}

{{- /* of (root, kind, image): an image of its own below the repository, unless `image` names another. Where no inference
       service is, every process runs the models itself, and has the image that holds all. */ -}}
{{- define "trivium.image" -}}
{{- $own := .image | default dict -}}
{{- $v := .root.Values -}}
{{- $alone := and (not $v.inference.enabled) (not $v.settings.inference_url) (has .kind (list "query" "ingest" "graph")) -}}
{{- $name := get $v.images ($alone | ternary "job" .kind) | default "" -}}
{{- $repository := $own.repository | default (empty $name | ternary $v.image.repository (printf "%s/%s" $v.image.repository (splitList "@" $name | first))) -}}
{{- $named := contains "@" $name | ternary (splitList "@" $name | last) $v.image.digest -}}
{{- $digest := $own.digest | default (empty (coalesce $own.tag $own.repository) | ternary $named "") -}}
{{ $repository }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ $own.tag | default $v.image.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{- /* name -> {values, kind}: every process that is always there, for what each of them has one of */ -}}
{{- define "trivium.processes" -}}
query-api: {{ dict "kind" "query" "values" .Values.queryApi | toJson }}
control: {{ dict "kind" "control" "values" .Values.control | toJson }}
{{- range $name, $worker := .Values.workers }}{{ if $worker }}
worker-{{ $name }}: {{ dict "kind" $worker.kind "values" $worker | toJson }}
{{- end }}{{ end }}
{{- if .Values.inference.enabled }}
inference: {{ dict "kind" "inference" "values" .Values.inference | toJson }}
{{- end }}
{{- if .Values.vllm.enabled }}
vllm: {{ dict "kind" "vllm" "values" .Values.vllm | toJson }}
{{- end }}
{{- end }}
