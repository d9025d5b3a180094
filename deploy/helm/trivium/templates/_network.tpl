{{- /* name: address, of every server that the values name */ -}}
{{- define "trivium.endpoints" -}}
{{- $s := .Values.settings -}}
s3: {{ $s.s3_url | quote }}
redis: {{ $s.redis_url | quote }}
milvus: {{ $s.milvus_url | quote }}
elasticsearch: {{ $s.elasticsearch_url | quote }}
neo4j: {{ $s.neo4j_url | quote }}
{{- with $s.broker_url }}
broker: {{ . | quote }}
{{- end }}
{{- if not .Values.vllm.enabled }}{{ with $s.llm_url | default (get (dict "openai" "https://api.openai.com/v1" "anthropic" "https://api.anthropic.com") ($s.llm | default "")) }}
llm: {{ . | quote }}
{{- end }}{{ end }}
{{- with $s.oidc_issuer }}
oidc: {{ . | quote }}
{{- end }}
{{- with $s.traces_url }}
traces: {{ . | quote }}
{{- end }}
{{- with $s.inference_url }}
inference: {{ printf "grpc://%s" . | quote }}
{{- end }}
{{- end }}

{{- /* The rules of egress to (root, names): an address, a service of the cluster, or what networkPolicy.egress says of it.
       An identity provider with a name of its own may be reached as the web is. */ -}}
{{- define "trivium.egress" -}}
{{- $web := .root.Values.networkPolicy.web -}}
{{- $endpoints := include "trivium.endpoints" .root | fromYaml -}}
{{- range $name := .names }}{{ with get $endpoints $name }}
{{- $told := get $.root.Values.networkPolicy.egress $name }}
{{- $url := urlParse . }}
{{- $host := $url.hostname }}
{{- $port := regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (get (dict "http" "80" "https" "443" "redis" "6379" "rediss" "6379" "bolt" "7687" "neo4j" "7687" "bolt+s" "7687" "neo4j+s" "7687") $url.scheme) }}
{{- $peer := "" }}
{{- if regexMatch "^[0-9.]+$" $host }}{{ $peer = printf "{ipBlock: {cidr: %s/32}}" $host }}
{{- else if regexMatch "^[^.]+[.][^.]+[.]svc([.].*)?$" $host }}{{ $peer = printf "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %s}}}" (index (splitList "." $host) 1) }}
{{- else if not (contains "." $host) }}{{ $peer = "{podSelector: {}}" }}
{{- end }}
{{- if $told }}
{{- range $told }}
- {{ toJson . }}
{{- end }}
{{- else if and $peer $port }}
- {to: [{{ $peer }}], ports: [{protocol: TCP, port: {{ $port }}}]}
{{- else if not (and (eq $name "oidc") $web.enabled (has $port ($web.ports | toStrings))) }}
{{- fail (printf "networkPolicy: %s is at %s, which is neither an address nor a service of the cluster (NAME.NAMESPACE.svc), so no policy can name it. Say in networkPolicy.egress.%s where it is: [{to: [{ipBlock: {cidr: ...}}], ports: [{port: ...}]}]; or set networkPolicy.enabled=false." $name . $name) }}
{{- end }}
{{- end }}{{ end }}
{{- end }}

{{- define "trivium.egressOf" -}}
{{- $stores := list "s3" "redis" "broker" "milvus" "elasticsearch" "neo4j" -}}
{{- $names := get (dict "query" (concat $stores (list "llm" "inference" "oidc")) "ingest" (concat $stores (list "llm" "inference")) "graph" (concat $stores (list "llm")) "control" $stores "job" (concat $stores (list "llm" "inference")) "inference" list "vllm" list) .kind -}}
{{- $v := .root.Values -}}
- {to: {{ $v.networkPolicy.dns | toJson }}, ports: [{protocol: UDP, port: 53}, {protocol: TCP, port: 53}]}
{{- include "trivium.egress" (dict "root" .root "names" (eq .kind "vllm" | ternary $names (append $names "traces"))) }}
{{- if and $v.inference.enabled (has .kind (list "query" "ingest" "graph" "control" "job")) }}
- {to: [{podSelector: {matchLabels: {{ include "trivium.selector" (dict "root" .root "component" "inference") | fromYaml | toJson }}}}], ports: [{protocol: TCP, port: 9191}]}
{{- end }}
{{- if and $v.vllm.enabled (has .kind (list "query" "ingest" "graph" "job")) }}
- {to: [{podSelector: {matchLabels: {{ include "trivium.selector" (dict "root" .root "component" "vllm") | fromYaml | toJson }}}}], ports: [{protocol: TCP, port: 8000}]}
{{- end }}
{{- if eq .kind "query" }}{{ range $v.networkPolicy.egress.connect }}
- {{ toJson . }}
{{- end }}{{ end }}
{{- if and (eq .kind "query") $v.networkPolicy.web.enabled }}
{{- $web := $v.networkPolicy.web }}
- to:
    - {ipBlock: {cidr: 0.0.0.0/0, except: {{ $web.except | toJson }}}}
    - {ipBlock: {cidr: "::/0", except: {{ $web.exceptV6 | toJson }}}}
  ports: {{- range $web.ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
{{- end }}
{{- end }}

{{- define "trivium.ingressOf" -}}
{{- $policy := .root.Values.networkPolicy -}}
{{- $ours := dict "podSelector" (dict "matchLabels" (dict "app.kubernetes.io/name" "trivium" "app.kubernetes.io/instance" .root.Release.Name)) -}}
{{- $scrape := $policy.monitoring | default (list (dict "namespaceSelector" dict)) -}}
{{- if eq .kind "query" }}
- {{ if $policy.clients }}from: {{ concat $policy.clients (list $ours) | toJson }}
  {{ end }}ports: [{protocol: TCP, port: 8080}, {protocol: TCP, port: 9090}]
- {from: {{ $scrape | toJson }}, ports: [{protocol: TCP, port: 8080}]}
{{- else if eq .kind "control" }}
{{- $peers := $policy.events }}
{{- if not $peers }}{{ range include "trivium.egress" (dict "root" .root "names" (list "s3")) | fromYamlArray }}{{ $peers = concat $peers (.to | default list) }}{{ end }}{{ end }}
- {from: {{ concat $peers $scrape | toJson }}, ports: [{protocol: TCP, port: 8081}]}
{{- else if eq .kind "inference" }}
- {from: [{{ $ours | toJson }}], ports: [{protocol: TCP, port: 9191}]}
- {from: {{ $scrape | toJson }}, ports: [{protocol: TCP, port: 9192}]}
{{- else if eq .kind "vllm" }}
- {from: {{ append $scrape $ours | toJson }}, ports: [{protocol: TCP, port: 8000}]}
{{- else if has .kind (list "ingest" "graph") }}
- {from: {{ $scrape | toJson }}, ports: [{protocol: TCP, port: 9100}]}
{{- end }}
{{- end }}

{{- define "trivium.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "trivium.metadata" . | nindent 2 }}
  {{- with .annotations }}
  annotations: {{- . | nindent 4 }}
  {{- end }}
spec:
  podSelector: {matchLabels: {{ include "trivium.selector" . | fromYaml | toJson }}}
  policyTypes: [Ingress, Egress]
  ingress: {{- include "trivium.ingressOf" . | trim | default "[]" | nindent 4 }}
  egress: {{- include "trivium.egressOf" . | trim | nindent 4 }}
{{- end }}
