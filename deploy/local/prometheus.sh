# Prometheus and promtool from the distribution's packages. PROMETHEUS_CONFIG names its prometheus.yml: what it reads, and which rules.
VERSION=$PROMETHEUS_VERSION
PORTS=$PROMETHEUS_PORT
START_LIMIT_S=20

install_server() { unpack_packages "prometheus=$VERSION"; }

run_server() {
    [ -s "${PROMETHEUS_CONFIG:-}" ] || die "Set PROMETHEUS_CONFIG to a prometheus.yml."
    exec "$DIR/root/usr/bin/prometheus" --config.file "$PROMETHEUS_CONFIG" --storage.tsdb.path "$DIR/data" \
        --web.listen-address "127.0.0.1:$PROMETHEUS_PORT"
}

is_healthy() { curl -fsS --max-time 5 "http://127.0.0.1:$PROMETHEUS_PORT/-/ready"; }
