# A collector of OpenTelemetry, made from its Go modules by its own builder. What comes by OTLP over HTTP it writes into its log,
# and sends on by OTLP to COLLECTOR_FORWARDS, where that names an address.
VERSION=$COLLECTOR_VERSION
PORTS=$COLLECTOR_PORT
START_LIMIT_S=20

install_server() {
    need go "Install Go 1.24 or newer."
    cat >"$DIR/builder.yaml" <<END
dist: {name: collector, output_path: $DIR/build}
receivers: [{gomod: go.opentelemetry.io/collector/receiver/otlpreceiver $VERSION}]
exporters: [{gomod: go.opentelemetry.io/collector/exporter/debugexporter $VERSION}, {gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter $VERSION}]
END
    nice go run "go.opentelemetry.io/collector/cmd/builder@$VERSION" --config "$DIR/builder.yaml"
    mkdir -p "$DIR/bin"
    mv "$DIR/build/collector" "$DIR/bin/"
    rm -rf "$DIR/build"
}

run_server() {
    local exporters="debug"
    [ -z "${COLLECTOR_FORWARDS:-}" ] || exporters="debug, otlp_http"
    cat >"$DIR/collector.yaml" <<END
receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:$COLLECTOR_PORT"}}}}
exporters:
  debug: {verbosity: normal}
  otlp_http: {endpoint: "${COLLECTOR_FORWARDS:-http://127.0.0.1}", compression: none}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [$exporters]}}
END
    exec "$DIR/bin/collector" --config "$DIR/collector.yaml"
}

is_healthy() {
    curl -fsS --max-time 5 -H 'content-type: application/json' -d '{}' "http://127.0.0.1:$COLLECTOR_PORT/v1/traces"
}
