{{- /* Which credentials a kind of process needs: the inference service and vLLM none */ -}}
{{- define "trivium.credentialsOf" -}}
{{- $stores := list "s3_access_key" "s3_secret_key" "redis_url" "broker_url" "milvus_token" "elasticsearch_api_key" "elasticsearch_user" "elasticsearch_password" "neo4j_user" "neo4j_password" -}}
{{- $more := dict "query" (list "llm_api_key" "api_keys" "link_secret") "control" (list "events_token") "ingest" (list "llm_api_key") "graph" (list "llm_api_key") "job" (list "llm_api_key") -}}
{{- if hasKey $more .kind }}
{{- range $key := concat $stores (get $more .kind) }}
{{- if has $key (include "trivium.credentialKeys" $.root | fromJsonArray) }}
- {{ $key }}
{{- end }}{{ end }}{{ end }}
{{- end }}

{{- define "trivium.credentialKeys" -}}
{{- if .Values.credentials.existingSecret }}{{ .Values.credentials.keys | toJson }}{{ else }}{{ keys .Values.credentials.create | sortAlpha | toJson }}{{ end }}
{{- end }}

{{- define "trivium.secretName" -}}
{{ .Values.credentials.existingSecret | default (printf "%s-credentials" (include "trivium.name" .)) }}
{{- end }}

{{- /* The volume of authorities to believe, or nothing */ -}}
{{- define "trivium.authorities" -}}
{{- $c := .Values.certificates -}}
{{- $items := list (dict "key" $c.key "path" "authorities.pem") -}}
{{- with $c.existingConfigMap }}{{ dict "name" "authorities" "configMap" (dict "name" . "items" $items) | toJson }}{{ end }}
{{- with $c.existingSecret }}{{ dict "name" "authorities" "secret" (dict "secretName" . "items" $items) | toJson }}{{ end }}
{{- end }}

{{- /* name: value, of what the chart decides for a kind of process */ -}}
{{- define "trivium.ownSettings" -}}
HOME: /tmp
TRIVIUM_CACHE_DIR: /tmp/trivium-cache
{{- if include "trivium.authorities" .root }}
TRIVIUM_CA_FILE: /run/trivium/authorities.pem
{{- end }}
{{- if eq .kind "query" }}
TRIVIUM_HTTP_HOST: 0.0.0.0
TRIVIUM_GRPC_HOST: 0.0.0.0
{{- if .root.Values.connect.credentials }}
TRIVIUM_CONNECT_SECRETS: /run/secrets/trivium-connect
{{- end }}
{{- with .root.Values.connect.folders }}
{{- $folders := list }}
{{- range $name, $of := . }}{{ $folders = append $folders (printf "%s/connect/%s" (empty $of.tenant | ternary "" (printf "%s=" $of.tenant)) $name) }}{{ end }}
TRIVIUM_CONNECT_FOLDERS: {{ join "," $folders | quote }}
{{- end }}
{{- else if eq .kind "control" }}
TRIVIUM_EVENTS_HOST: 0.0.0.0
{{- else if eq .kind "inference" }}
TRIVIUM_INFERENCE_HOST: 0.0.0.0
{{- else if has .kind (list "ingest" "graph") }}
TRIVIUM_WORKER_LANES: {{ .values.lanes }}
{{- with .values.queues }}
TRIVIUM_WORKER_QUEUES: {{ join "," . | quote }}
{{- end }}
TRIVIUM_ALIVE_FILE: /tmp/worker-alive
TRIVIUM_WORKER_METRICS_HOST: 0.0.0.0
TRIVIUM_WORKER_METRICS_PORT: "9100"
{{- end }}
{{- if and .root.Values.inference.enabled (has .kind (list "query" "ingest" "graph" "control")) }}
TRIVIUM_INFERENCE_URL: {{ include "trivium.name" .root }}-inference:9191
{{- end }}
{{- end }}

{{- define "trivium.ports" -}}
{{- if eq .kind "query" }}
- {name: http, containerPort: 8080}
- {name: grpc, containerPort: 9090}
{{- else if eq .kind "control" }}
- {name: events, containerPort: 8081}
{{- else if eq .kind "inference" }}
- {name: grpc, containerPort: 9191}
- {name: metrics, containerPort: 9192}
{{- else if has .kind (list "ingest" "graph") }}
- {name: metrics, containerPort: 9100}
{{- else if eq .kind "vllm" }}
- {name: http, containerPort: 8000}
{{- end }}
{{- end }}

{{- /* Query: ready when questions can be answered, if without a part. Control: it hears and hands out work. Inference: a batch
       went through. Worker: a canary task came to it through the broker, no longer ago than its longest task may take. */ -}}
{{- define "trivium.probes" -}}
{{- if eq .kind "query" }}
startupProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 2, failureThreshold: 150}
readinessProbe: {httpGet: {path: /readyz, port: http}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 3}
livenessProbe: {httpGet: {path: /healthz, port: http}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
{{- else if eq .kind "control" }}
startupProbe: {httpGet: {path: /healthz, port: events}, periodSeconds: 2, failureThreshold: 60}
readinessProbe: {httpGet: {path: /healthz, port: events}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
livenessProbe: {httpGet: {path: /healthz, port: events}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6}
{{- else if eq .kind "inference" }}
startupProbe: {grpc: {port: 9191}, periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 120}
readinessProbe: {grpc: {port: 9191}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
livenessProbe: {grpc: {port: 9191}, periodSeconds: 20, timeoutSeconds: 10, failureThreshold: 9}
{{- else if eq .kind "vllm" }}
startupProbe: {httpGet: {path: /health, port: http}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: {{ div .root.Values.vllm.startupSeconds 10 }}}
readinessProbe: {httpGet: {path: /health, port: http}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
livenessProbe: {httpGet: {path: /health, port: http}, periodSeconds: 20, timeoutSeconds: 10, failureThreshold: 9}
{{- else }}
{{- $minutes := eq .values.lanes "others" | ternary 31 241 }}
startupProbe: {exec: {command: [test, -f, /tmp/worker-alive]}, periodSeconds: 2, timeoutSeconds: 5, failureThreshold: 150}
readinessProbe: &alive {exec: {command: [sh, -c, 'test -n "$(find /tmp/worker-alive -mmin -{{ $minutes }})"']}, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3}
livenessProbe: *alive
{{- end }}
{{- end }}

{{- /* A pod of (root, component, kind, values[, args, restartPolicy, wholeSettings]).
       It needs no privilege: what reads strangers' files gives up the network by a seccomp filter of its own, which
       RuntimeDefault permits to a process without new privileges; namespaces are not needed. */ -}}
{{- define "trivium.pod" -}}
{{- $d := .root.Values.defaults -}}
{{- $gpus := int (.values.gpus | default 0) -}}
{{- $job := eq .kind "job" -}}
metadata:
  labels:
    {{- include "trivium.labels" . | nindent 4 }}
    {{- with $d.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    checksum/settings: {{ include "trivium.settings" .root | sha256sum }}
    checksum/credentials: {{ .root.Values.credentials.create | toJson | sha256sum }}
    {{- if and (eq .root.Values.monitoring.kind "annotations") (not $job) }}
    prometheus.io/scrape: "true"
    prometheus.io/port: {{ include "trivium.metricsPort" . | quote }}
    {{- end }}
    {{- with $d.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  serviceAccountName: {{ include "trivium.name" .root }}-{{ .account | default .component }}
  automountServiceAccountToken: false
  enableServiceLinks: false  # a Service's variables would read as settings
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  {{- if not $job }}
  terminationGracePeriodSeconds: {{ has .kind (list "query" "inference") | ternary 25 (eq .kind "vllm" | ternary 60 15) }}
  {{- end }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets: {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .values.priorityClassName | default $d.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .values.runtimeClassName | default $d.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- with merge (dict) (.values.nodeSelector | default $d.nodeSelector) (gt $gpus 0 | ternary .root.Values.gpu.nodeSelector dict) }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with concat (.values.tolerations | default $d.tolerations) (gt $gpus 0 | ternary .root.Values.gpu.tolerations list) }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and $d.topologySpread (not $job) }}
  topologySpreadConstraints:
    {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: {matchLabels: {{ include "trivium.selector" $ | fromYaml | toJson }}}
    {{- end }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: {{ $d.user }}
    runAsGroup: {{ $d.user }}
    fsGroup: {{ $d.user }}
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: {{ $job | ternary "trivium" .kind }}
      image: {{ include "trivium.image" (dict "root" .root "kind" .kind "image" .values.image) }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      {{- if eq .kind "vllm" }}
      {{- include "trivium.vllmContainer" . | nindent 6 }}
      {{- else }}
      {{- if $job }}
      command: {{ prepend .args "trivium" | toJson }}
      {{- else }}
      command: [{{ get (dict "query" "trivium-query-api" "control" "trivium-ingest-control" "ingest" "trivium-ingest-worker" "graph" "trivium-graph-worker" "inference" "trivium-gpu-inference") .kind }}]
      {{- end }}
      {{- if not .wholeSettings }}
      envFrom:
        - configMapRef: {name: {{ include "trivium.name" .root }}-settings}
      {{- end }}
      env:
        {{- range $name, $value := merge (include "trivium.ownSettings" . | fromYaml) (.wholeSettings | default false | ternary (include "trivium.settings" .root | fromYaml) dict) }}
        - {name: {{ $name }}, value: {{ $value | toString | quote }}}
        {{- end }}
        {{- range include "trivium.credentialsOf" . | fromYamlArray }}
        - {name: TRIVIUM_{{ . | upper }}_FILE, value: /run/secrets/trivium/{{ . }}}
        {{- end }}
      {{- end }}
      {{- with include "trivium.ports" . | trim }}
      ports: {{- . | nindent 8 }}
      {{- end }}
      {{- if not $job }}
      {{- include "trivium.probes" . | nindent 6 }}
      {{- if has .kind (list "query" "inference" "vllm") }}
      lifecycle: {preStop: {exec: {command: [sleep, "5"]}}}  # until nobody is sent here any more
      {{- end }}
      {{- end }}
      resources: {{- include "trivium.resources" . | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: scratch, mountPath: /tmp}
        {{- if eq .kind "vllm" }}
        - {name: shm, mountPath: /dev/shm}
        {{- end }}
        {{- if include "trivium.credentialsOf" . | trim }}
        - {name: credentials, mountPath: /run/secrets/trivium, readOnly: true}
        {{- end }}
        {{- if and (ne .kind "vllm") (include "trivium.authorities" .root) }}
        - {name: authorities, mountPath: /run/trivium, readOnly: true}
        {{- end }}
        {{- if .root.Values.models.existingClaim }}
        - {name: models, mountPath: /models, readOnly: true}
        {{- end }}
        {{- if eq .kind "query" }}
        {{- range $n, $tenant := keys .root.Values.connect.credentials | sortAlpha }}
        - {name: connect-secret-{{ $n }}, mountPath: {{ printf "/run/secrets/trivium-connect/%s" $tenant | quote }}, readOnly: true}
        {{- end }}
        {{- range $name, $_ := .root.Values.connect.folders }}
        - {name: connect-folder-{{ $name }}, mountPath: /connect/{{ $name }}, readOnly: true}
        {{- end }}
        {{- end }}
  volumes:
    - {name: scratch, emptyDir: {sizeLimit: {{ .values.scratch }}}}
    {{- if eq .kind "vllm" }}
    - {name: shm, emptyDir: {medium: Memory, sizeLimit: {{ .values.sharedMemory }}}}
    {{- end }}
    {{- with include "trivium.credentialsOf" . | trim }}
    - name: credentials
      secret:
        secretName: {{ $.secretName | default (include "trivium.secretName" $.root) }}
        defaultMode: 0440
        items: {{- range . | fromYamlArray }}
          - {key: {{ . }}, path: {{ . }}}
          {{- end }}
    {{- end }}
    {{- if ne .kind "vllm" }}{{ with include "trivium.authorities" .root }}
    - {{ . }}
    {{- end }}{{ end }}
    {{- if .root.Values.models.existingClaim }}
    - {name: models, persistentVolumeClaim: {claimName: {{ .root.Values.models.existingClaim }}, readOnly: true}}
    {{- end }}
    {{- if eq .kind "query" }}
    {{- range $n, $tenant := keys .root.Values.connect.credentials | sortAlpha }}
    - {name: connect-secret-{{ $n }}, secret: {secretName: {{ get $.root.Values.connect.credentials $tenant }}, defaultMode: 0440, optional: true}}
    {{- end }}
    {{- range $name, $of := .root.Values.connect.folders }}
    - {{ merge (dict "name" (printf "connect-folder-%s" $name)) $of.volume | toJson }}
    {{- end }}
    {{- end }}
{{- end }}

{{- define "trivium.resources" -}}
{{- $gpus := int (.values.gpus | default 0) -}}
{{- $extra := gt $gpus 0 | ternary (dict "limits" (dict .root.Values.gpu.resource $gpus)) dict -}}
{{- toYaml (mergeOverwrite (deepCopy .values.resources) $extra) -}}
{{- end }}

{{- define "trivium.metricsPort" -}}
{{- get (dict "query" 8080 "inference" 9192 "ingest" 9100 "graph" 9100 "vllm" 8000 "control" 8081) .kind -}}
{{- end }}

{{- define "trivium.servedName" -}}
{{ .Values.vllm.servedName | default (base .Values.vllm.model) }}
{{- end }}

{{- define "trivium.vllmContainer" -}}
args:
  - --model={{ .values.model }}
  - --served-model-name={{ include "trivium.servedName" .root }}
  - --host=0.0.0.0
  - --port=8000
  {{- range .values.args }}
  - {{ . | quote }}
  {{- end }}
env:
  - {name: HOME, value: /tmp}
  - {name: USER, value: trivium}  # the image knows no such user
  - {name: VLLM_CACHE_ROOT, value: /tmp/vllm}
  - {name: VLLM_NO_USAGE_STATS, value: "1"}
  - {name: DO_NOT_TRACK, value: "1"}
  - {name: HF_HUB_OFFLINE, value: "1"}
{{- end }}

{{- /* TRIVIUM_NAME: value, of what the values say for all processes; what is a credential comes as a file instead */ -}}
{{- define "trivium.settings" -}}
TRIVIUM_BACKEND: distributed
{{- range $name, $value := .Values.settings }}
{{- if not (or (kindIs "invalid" $value) (has $name (include "trivium.credentialKeys" $ | fromJsonArray))) }}
TRIVIUM_{{ $name | upper }}: {{ kindIs "float64" $value | ternary ($value | toJson) ($value | toString) | quote }}
{{- end }}
{{- end }}
{{- if .Values.vllm.enabled }}
TRIVIUM_LLM: vllm
TRIVIUM_LLM_URL: http://{{ include "trivium.name" . }}-vllm:8000/v1
TRIVIUM_LLM_MODEL: {{ include "trivium.servedName" . }}
{{- end }}
{{- end }}
