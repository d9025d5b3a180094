{{- /* What scales (root, component, kind, values), or nothing. Workers follow the seconds of work that wait for them. */ -}}
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
{{- $of := eq .kind "query" | ternary $a.queryApi (eq .kind "inference" | ternary $a.inference (mergeOverwrite (deepCopy $a.workers) (.values.scaling | default dict))) }}
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
    {{- $backlog := printf "http://%s-control.%s.svc:8081/backlog?queues=%s" (include "trivium.name" .root) .root.Release.Namespace (include "trivium.queues" . | fromYamlArray | join ",") }}
    - type: metrics-api  # one worker for each so many seconds of measured work
      metadata: {url: {{ $backlog | quote }}, valueLocation: total.work_s, targetValue: {{ $of.backlogSeconds | quote }}}
    - type: metrics-api  # at least one while anything waits or is in hand, also when nobody has measured anything yet
      metadata: {url: {{ $backlog | quote }}, valueLocation: total.active_documents, targetValue: "1000000000"}
    {{- else if and (eq .kind "inference") $a.prometheus.address }}
    {{- $of_engine := printf "{namespace=%q}" .root.Release.Namespace }}
    - type: prometheus  # seconds of one replica: what waits, by the pace of the last five minutes
      metadata:
        serverAddress: {{ $a.prometheus.address }}
        query: >-
          sum(sum by (engine) (trivium_inference_queued{{ $of_engine }})
          * sum by (engine) (rate(trivium_inference_batch_seconds_sum{{ $of_engine }}[5m]))
          / (sum by (engine) (rate(trivium_inference_batch_cost_sum{{ $of_engine }}[5m])) > 0)) or vector(0)
        threshold: {{ $of.queueSeconds | quote }}
    {{- else if eq .kind "query" }}
    - type: metrics-api  # requests in flight of all replicas together
      metadata:
        url: http://{{ include "trivium.name" .root }}-query-api.{{ .root.Release.Namespace }}.svc:8080/metrics
        format: prometheus
        valueLocation: trivium_requests_inflight
        aggregateFromKubeServiceEndpoints: "true"
        aggregationType: sum
        targetValue: {{ $of.inFlight | quote }}
    {{- else }}
    - {type: cpu, metricType: Utilization, metadata: {value: {{ $of.cpuPercent | quote }}}}
    {{- end }}
{{- end }}
{{- end }}

{{- /* What each value of a worker's lanes looks into, as trivium.domain.documents.LANES_OF says: the ends of the queues' names */ -}}
{{- define "trivium.lanes" -}}
all: ["", .recording, .large, .backfill]
recordings: [.recording, .large]
others: ["", .backfill]
uploads: ["", .recording, .large]
{{- end }}

{{- /* The queues of a worker of (kind, values.lanes, values.queues), as trivium.flow.queues names them */ -}}
{{- define "trivium.queues" -}}
{{- $lanes := get (include "trivium.lanes" . | fromYaml) .values.lanes -}}
{{- $resources := eq .kind "ingest" | ternary (list "parse" "llm" "embed" "index") (list "graph" "llm.graph") -}}
{{- $chosen := .values.queues | default $resources -}}
{{- range $lane := $lanes }}{{ range $resource := $resources }}{{ if has $resource $chosen }}
- {{ $resource }}{{ $lane }}
{{- end }}{{ end }}{{ end }}
{{- end }}
