# A Kubernetes control plane for the chart's tests, built from its Go modules: API server, controllers, scheduler, etcd, and
# kwok, which plays the nodes: pods are admitted, scheduled and become ready, no container runs. Beside it lie Helm, the CRDs
# of KEDA and of the Prometheus Operator, and the API documents of older versions.
VERSION="$KUBERNETES_VERSION $ETCD_VERSION $KWOK_VERSION $HELM_VERSION $KEDA_VERSION $PROMETHEUS_OPERATOR_VERSION $KUBERNETES_SCHEMAS"
PORTS="$KUBERNETES_PORT $KUBERNETES_ETCD_PORT $KUBERNETES_ETCD_PEER_PORT"
START_LIMIT_S=60
NODES=3

install_server() {
    need go "Install Go 1.24 or newer."
    need openssl "Install it."
    mkdir -p "$DIR/bin" "$DIR/build"
    GOBIN=$DIR/bin go install -trimpath -ldflags "-s -w" "helm.sh/helm/v3/cmd/helm@$HELM_VERSION"
    GOBIN=$DIR/bin go install -trimpath -ldflags "-s -w" "sigs.k8s.io/kwok/cmd/kwok@$KWOK_VERSION"
    build_from go.etcd.io/etcd/server/v3 "$ETCD_VERSION" .
    build_from k8s.io/kubernetes "$KUBERNETES_VERSION" ./cmd/kube-apiserver ./cmd/kube-controller-manager ./cmd/kube-scheduler
    mv "$DIR/bin/server" "$DIR/bin/etcd"
    keep_documents
    rm -rf "$DIR/build"
}

build_from() {  # build_from MODULE VERSION PACKAGE...: what `go install` refuses because of the module's own replace lines
    local module=$1 version=$2; shift 2
    local work=$DIR/build/${module##*/}
    mkdir -p "$work"
    (
        cd "$work"
        printf 'module build\n\ngo 1.24\n\nrequire %s %s\n' "$module" "$version" >go.mod
        replace_staging "$(folder_of "$module" "$version")/go.mod" "v0.${version#v1.}" >>go.mod
        local names=(); for package in "$@"; do names+=("$module/${package#./}"); done
        local stamp=k8s.io/component-base/version
        nice go build -mod=mod -trimpath -o "$DIR/bin/" \
            -ldflags "-s -w -X $stamp.gitVersion=$version -X $stamp.gitMajor=1 -X $stamp.gitMinor=$(cut -d. -f2 <<<"$version")" "${names[@]%/.}"
    )
}

replace_staging() {  # replace_staging GO.MOD VERSION: what lies in Kubernetes' own tree is published under a version of its own
    sed -nE "s#^[[:space:]]*(k8s\.io/[a-z0-9-]+) => \./staging/.*#replace \1 => \1 $2#p" "$1"
}

folder_of() {  # folder_of MODULE VERSION: fetch it; prints where it lies
    go mod download -json "$1@$2" | sed -nE 's/^[[:space:]]*"Dir": "(.*)",?$/\1/p'
}

keep() { cp --no-preserve=mode "$@"; }  # modules are read-only

keep_documents() {
    local version folder
    rm -rf "$DIR/crds" "$DIR/stages" "$DIR/openapi"; mkdir -p "$DIR/crds" "$DIR/stages" "$DIR/openapi"
    for version in $KUBERNETES_SCHEMAS "$KUBERNETES_VERSION"; do
        folder=$(folder_of k8s.io/kubernetes "$version")
        keep "$folder/api/openapi-spec/swagger.json" "$DIR/openapi/$version.json"
    done
    folder=$(folder_of sigs.k8s.io/kwok "$KWOK_VERSION")/kustomize/stage
    keep $(ls "$folder"/{node/fast,node/heartbeat,pod/fast}/*.yaml | grep -v kustomization) "$DIR/stages"
    keep "$(folder_of github.com/kedacore/keda/v2 "$KEDA_VERSION")"/config/crd/bases/*.yaml "$DIR/crds"
    folder=$(folder_of github.com/prometheus-operator/prometheus-operator "$PROMETHEUS_OPERATOR_VERSION")/example/prometheus-operator-crd
    keep "$folder"/monitoring.coreos.com_{podmonitors,servicemonitors,prometheusrules}.yaml "$DIR/crds"
}

run_server() {
    local data=$DIR/data kubeconfig=$DIR/kubeconfig
    rm -rf "$data"; mkdir -p "$data/etcd" "$data/certificates"  # nothing of an earlier run stays
    openssl genrsa -out "$data/accounts.key" 2048 2>/dev/null
    (umask 077 && echo "$(secret kubernetes),admin,admin,system:masters" >"$data/tokens")
    write_kubeconfig
    "$DIR/bin/etcd" --data-dir "$data/etcd" --unsafe-no-fsync --log-level warn \
        --listen-client-urls "http://127.0.0.1:$KUBERNETES_ETCD_PORT" --advertise-client-urls "http://127.0.0.1:$KUBERNETES_ETCD_PORT" \
        --listen-peer-urls "http://127.0.0.1:$KUBERNETES_ETCD_PEER_PORT" &
    "$DIR/bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$KUBERNETES_ETCD_PORT" --cert-dir "$data/certificates" \
        --bind-address 127.0.0.1 --secure-port "$KUBERNETES_PORT" --service-cluster-ip-range 10.0.0.0/24 \
        --token-auth-file "$data/tokens" --authorization-mode RBAC --allow-privileged=false \
        --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$data/accounts.key" \
        --service-account-signing-key-file "$data/accounts.key" &
    until is_healthy >/dev/null 2>&1; do sleep 0.2; done
    "$DIR/bin/kube-controller-manager" --kubeconfig "$kubeconfig" --secure-port 0 --leader-elect=false \
        --service-account-private-key-file "$data/accounts.key" --root-ca-file "$data/certificates/apiserver.crt" &
    "$DIR/bin/kube-scheduler" --kubeconfig "$kubeconfig" --secure-port 0 --leader-elect=false &
    "$DIR/bin/kwok" --kubeconfig "$kubeconfig" --manage-all-nodes=true $(printf -- '--config %s ' "$DIR"/stages/*.yaml) &
    wait -n  # without one of them it is no cluster
}

write_kubeconfig() {
    (umask 077 && cat >"$DIR/kubeconfig" <<KUBECONFIG
apiVersion: v1
kind: Config
clusters: [{name: local, cluster: {server: "https://127.0.0.1:$KUBERNETES_PORT", certificate-authority: $DIR/data/certificates/apiserver.crt}}]
users: [{name: admin, user: {token: $(secret kubernetes)}}]
contexts: [{name: local, context: {cluster: local, user: admin}}]
current-context: local
KUBECONFIG
    )
}

api() {  # api PATH [curl's arguments]
    curl -fsS --max-time 10 --cacert "$DIR/data/certificates/apiserver.crt" --oauth2-bearer "$(secret kubernetes)" "https://127.0.0.1:$KUBERNETES_PORT$1" "${@:2}"
}

is_healthy() { api /readyz; }

configure_server() {
    local number crd
    for ((number = 1; number <= NODES; number++)); do
        api "/api/v1/nodes/node-$number" >/dev/null 2>&1 || api /api/v1/nodes -H 'content-type: application/yaml' --data-binary "$(node "$number")" >/dev/null
    done
    for crd in "$DIR"/crds/*.yaml; do
        api "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/$(sed -nE '/^metadata:/,/^spec:/s/^  name: (.*)/\1/p' "$crd")?fieldManager=recipe" \
            -X PATCH -H 'content-type: application/apply-patch+yaml' --data-binary "@$crd" >/dev/null
    done
}

node() {  # node NUMBER: one that kwok plays; each is a zone, and the last has GPUs, as a GPU operator labels and taints it
    local label="" taint="" gpus=0
    if [ "$1" = "$NODES" ]; then
        label=', nvidia.com/gpu.present: "true"' taint=', spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}' gpus=8
    fi
    echo "{apiVersion: v1, kind: Node, metadata: {name: node-$1, labels: {kubernetes.io/hostname: node-$1, topology.kubernetes.io/zone: zone-$1$label}}$taint,"
    echo " status: {capacity: &all {cpu: 64, memory: 512Gi, ephemeral-storage: 2Ti, pods: 110, nvidia.com/gpu: $gpus}, allocatable: *all}}"
}
