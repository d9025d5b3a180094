{{- /* What scales (root, component, kind, values), or nothing. Workers follow the batches that wait in their Redis lists. */ -}}
{{- define "trivium.scaler" -}}
{{- $a := .root.Values.autoscaling -}}
{{- $target := dict "apiVersion" "apps/v1" "kind" "Deployment" "name" (printf "%s-%s" (include "trivium.name" .root) .component) -}}
{{- if and (eq $a.kind "hpa") (has .kind (list "query" "inference")) }}
{{- $of := eq .kind "query" | ternary $a.queryApi $a.inference }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{- include "trivium.metadata" . | nindent 2 }}
spec:
  scaleTargetRef: {{ $target | toJson }}
  minReplicas: {{ $of.min }}
  maxReplicas: {{ $of.max }}
  metrics:
    - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: {{ $of.cpuPercent }}}}}
{{- else if and (eq $a.kind "keda") (has .kind (list "query" "inference" "ingest" "graph")) }}
{{- $of := eq .kind "query" | ternary $a.queryApi (eq .kind "inference" | ternary $a.inference $a.workers) }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {{- include "trivium.metadata" . | nindent 2 }}
spec:
  scaleTargetRef: {{ $target | toJson }}
  minReplicaCount: {{ $of.min }}
  maxReplicaCount: {{ $of.max }}
  {{- with $of.cooldownSeconds }}
  cooldownPeriod: {{ . }}
  {{- end }}
  triggers:
    {{- if has .kind (list "ingest" "graph") }}
    {{- $redis := include "trivium.redis" .root | fromYaml }}
    {{- range $queue := include "trivium.queues" . | fromYamlArray }}
    - type: redis
      metadata: {address: {{ $redis.address | quote }}, databaseIndex: {{ $redis.database | quote }}, listName: {{ $queue }}, listLength: {{ $of.batchesWaiting | quote }}{{ if $redis.tls }}, enableTLS: "true"{{ end }}}
      {{- with $a.redis.authentication }}
      authenticationRef: {name: {{ . }}}
      {{- end }}
    {{- end }}
    {{- else if and (eq .kind "inference") $a.prometheus.address }}
    - type: prometheus
      metadata:
        serverAddress: {{ $a.prometheus.address }}
        query: sum(trivium_inference_queued{namespace="{{ .root.Release.Namespace }}"})
        threshold: {{ $of.queuedTokens | quote }}
    {{- else }}
    - {type: cpu, metricType: Utilization, metadata: {value: {{ $of.cpuPercent | quote }}}}
    {{- end }}
{{- end }}
{{- end }}

{{- /* The queues of a worker of (kind, values.lanes), as trivium.flow.queues names them */ -}}
{{- define "trivium.queues" -}}
{{- $lanes := get (dict "all" (list "" ".recording" ".large" ".backfill") "others" (list "" ".backfill") "recordings" (list ".recording" ".large")) .values.lanes -}}
{{- $resources := eq .kind "ingest" | ternary (list "parse" "llm" "embed" "index") (list "graph" "llm.graph") -}}
{{- range $lane := $lanes }}{{ range $resource := $resources }}
- {{ $resource }}{{ $lane }}
{{- end }}{{ end }}
{{- end }}

{{- define "trivium.redis" -}}
{{- $url := urlParse (.Values.settings.broker_url | default .Values.settings.redis_url) -}}
address: {{ .Values.autoscaling.redis.address | default (contains ":" $url.host | ternary $url.host (printf "%s:6379" $url.host)) | quote }}
database: {{ trimPrefix "/" $url.path | default "0" | quote }}
tls: {{ eq $url.scheme "rediss" }}
{{- end }}
