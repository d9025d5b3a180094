{{- /* Values that contradict each other, each refused with what to do. What one value alone may be stands in values.schema.json. */ -}}
{{- define "trivium.check" -}}
{{- $v := .Values -}}
{{- $held := include "trivium.credentialKeys" . | fromJsonArray -}}
{{- $secrets := include "trivium.secretSettings" . | fromYamlArray -}}
{{- range $name, $value := $v.settings }}
  {{- if and $value (has $name $secrets) }}
    {{- fail (printf "settings.%s is a credential, and would be readable by everybody who sees the ConfigMap. Put it into a Secret named by credentials.existingSecret, or into credentials.create." $name) }}
  {{- end }}
  {{- if and (has $name (list "redis_url" "broker_url")) (contains "@" (toString $value)) }}
    {{- fail (printf "settings.%s holds a password. Give the whole address as credential %s as well, and leave user and password out here." $name $name) }}
  {{- end }}
{{- end }}
{{- if and $v.credentials.existingSecret $v.credentials.create }}
  {{- fail "credentials.existingSecret and credentials.create are both given. Keep one: the Secret that you made, or the values." }}
{{- end }}
{{- if not (or $v.credentials.existingSecret $v.credentials.create) }}
  {{- fail "No credentials are given. Make a Secret (docs/kubernetes.md shows its keys) and name it in credentials.existingSecret." }}
{{- end }}
{{- range $name := list "s3_access_key" "s3_secret_key" "api_keys" "events_token" }}
  {{- if not (has $name $held) }}
    {{- fail (printf "The credential %s is missing: add it to the Secret and to credentials.keys (or to credentials.create)." $name) }}
  {{- end }}
{{- end }}
{{- range $name := list "backend" "http_host" "http_port" "grpc_host" "grpc_port" "events_host" "events_port" "inference_host" "inference_port" "inference_metrics_port" "alive_file" "worker_lanes" "worker_queues" "worker_metrics_host" "worker_metrics_port" "worker_processes" "cache_dir" "ca_file" "data_dir" "url" "connect_folders" "connect_secrets" }}
  {{- if hasKey $v.settings $name }}
    {{- fail (printf "settings.%s is decided by the chart, process by process. Leave it out." $name) }}
  {{- end }}
{{- end }}
{{- if and $v.certificates.existingConfigMap $v.certificates.existingSecret }}
  {{- fail "certificates.existingConfigMap and certificates.existingSecret are both given. Keep one, with all authorities under its key." }}
{{- end }}
{{- include "trivium.checkHeld" (dict "root" . "says" "credentials.existingSecret" "kind" "Secret" "name" $v.credentials.existingSecret "keys" $v.credentials.keys "missing" "Add it, or leave it out of credentials.keys where no server asks for it.") }}
{{- range $says, $kind := dict "certificates.existingConfigMap" "ConfigMap" "certificates.existingSecret" "Secret" }}
  {{- include "trivium.checkHeld" (dict "root" $ "says" $says "kind" $kind "name" (get $v.certificates (trimPrefix "certificates." $says)) "keys" (list $v.certificates.key) "missing" "Add it, or name another in certificates.key.") }}
{{- end }}
{{- range $kind, $resources := dict "ingest" (list "parse" "llm" "embed" "index") "graph" (list "graph" "llm.graph") }}
  {{- range $name, $worker := $v.workers }}{{ if and $worker (eq $worker.kind $kind) }}{{ range $queue := $worker.queues }}
    {{- if not (has $queue $resources) }}
      {{- fail (printf "workers.%s looks into the queue %s, which is none of a worker of kind %s. Name some of: %s." $name $queue $kind (join ", " $resources)) }}
    {{- end }}
  {{- end }}{{ end }}{{ end }}
  {{- range $resource := $resources }}
  {{- $taken := list }}
  {{- range $v.workers }}{{ if and . (eq .kind $kind) (has $resource (.queues | default $resources)) (or (gt (int .replicas) 0) (eq $v.autoscaling.kind "keda")) }}{{ $taken = concat $taken (get (include "trivium.lanes" $ | fromYaml) .lanes) }}{{ end }}{{ end }}
  {{- range $lane := list (dict "end" ".recording" "what" "recordings and large files" "one" "recordings") (dict "end" "" "what" "uploads" "one" "uploads") (dict "end" ".backfill" "what" "backfills" "one" "others") }}
  {{- if not (has $lane.end $taken) }}
    {{- fail (printf "No %s worker takes %s from the queue %s, which would wait for ever. Give one under workers lanes: all, or lanes: %s." $kind $lane.what $resource $lane.one) }}
  {{- end }}
  {{- end }}
  {{- end }}
{{- end }}
{{- range $kind, $name := $v.images }}
  {{- if and $v.image.digest $name (not (contains "@" $name)) }}
    {{- fail (printf "image.digest names one image, and images.%s is another of them. Give each its own (images.%s: %s@sha256:...), or one image for all (every entry of images empty)." $kind $kind $name) }}
  {{- end }}
{{- end }}
{{- if $v.vllm.enabled }}
  {{- if not $v.vllm.model }}{{ fail "vllm.enabled needs vllm.model: a folder below /models." }}{{ end }}
  {{- if not $v.models.existingClaim }}{{ fail "vllm.enabled needs models.existingClaim: nothing is fetched from a hub, so a claim has to hold the model." }}{{ end }}
  {{- range $name := list "llm" "llm_url" "llm_model" }}
    {{- if get $v.settings $name }}{{ fail (printf "vllm.enabled and settings.%s contradict each other. Keep the model of this chart, or yours." $name) }}{{ end }}
  {{- end }}
{{- end }}
{{- if and $v.inference.enabled $v.settings.inference_url }}
  {{- fail "inference.enabled and settings.inference_url contradict each other. Set inference.enabled=false to use the service of that address." }}
{{- end }}
{{- range $name := list "embed_model" "rerank_model" "speech_model" "visual_model" }}
  {{- if and (hasPrefix "/models" (toString (get $v.settings $name))) (not $v.models.existingClaim) }}
    {{- fail (printf "settings.%s names a folder in /models, which nothing is mounted at. Set models.existingClaim." $name) }}
  {{- end }}
{{- end }}
{{- range $name, $of := dict "queryApi" $v.autoscaling.queryApi "inference" $v.autoscaling.inference "workers" $v.autoscaling.workers }}
  {{- if gt (int $of.min) (int $of.max) }}{{ fail (printf "autoscaling.%s.min is greater than its max." $name) }}{{ end }}
{{- end }}
{{- if and (eq $v.autoscaling.kind "hpa") (lt (int $v.autoscaling.queryApi.min) 1) }}
  {{- fail "autoscaling.queryApi.min must be 1 at least: an HPA does not scale to nothing." }}
{{- end }}
{{- range $name, $process := include "trivium.processes" . | fromYaml }}
  {{- $budget := ($process.values.disruption | default dict).minAvailable }}
  {{- if and $budget (not (contains "%" (toString $budget))) (not (include "trivium.scaler" (dict "root" $ "component" $name "kind" $process.kind "values" $process.values) | trim)) (ge (int $budget) (int $process.values.replicas)) }}
    {{- fail (printf "%s has %d replicas and a disruption budget that keeps %d: no node could ever be drained. Raise the replicas, or set its disruption to null." $name (int $process.values.replicas) (int $budget)) }}
  {{- end }}
{{- end }}
{{- range $name, $of := $v.ingress }}
  {{- if and $of.enabled (not $of.host) }}{{ fail (printf "ingress.%s.enabled needs ingress.%s.host." $name $name) }}{{ end }}
{{- end }}
{{- if and $v.ingress.http.enabled $v.ingress.grpc.enabled (eq $v.ingress.http.host $v.ingress.grpc.host) }}
  {{- fail "ingress.http and ingress.grpc share a host, and both own its paths. Give gRPC a host of its own." }}
{{- end }}
{{- if $v.networkPolicy.enabled }}{{ $_ := include "trivium.egress" (dict "root" . "names" (include "trivium.endpoints" . | fromYaml | keys)) }}{{ end }}
{{- end }}

{{- /* Whether what the value `says` names is there with its keys (root, says, kind, name, keys, missing). On a live cluster alone:
       `helm template` and `helm lint` look nothing up, and find no account in the namespace either. */ -}}
{{- define "trivium.checkHeld" -}}
{{- $namespace := .root.Release.Namespace -}}
{{- if and .name (lookup "v1" "ServiceAccount" $namespace "default") }}
  {{- $held := lookup "v1" .kind $namespace .name }}
  {{- if not $held }}
    {{- fail (printf "%s names the %s %s, which is not in the namespace %s. Make it there first (docs/kubernetes.md shows its keys)." .says .kind .name $namespace) }}
  {{- end }}
  {{- range $key := .keys }}
    {{- if not (hasKey ($held.data | default dict) $key) }}
      {{- fail (printf "The %s %s has no key %s. %s" $.kind $.name $key $.missing) }}
    {{- end }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "trivium.secretSettings" -}}
[api_key, api_keys, elasticsearch_api_key, elasticsearch_password, events_token, link_secret, llm_api_key, milvus_token, neo4j_password, s3_secret_key]
{{- end }}
