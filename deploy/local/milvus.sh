# Milvus standalone, which its PyPI package carries as a program; message queue and metadata are inside it.
# This version listens on all interfaces, without a password, and cannot be told otherwise; some of its ports are those that
# the kernel gives to any program's outgoing connections. So it has a network of its own (own_network.py).
VERSION=$MILVUS_VERSION
PORTS="$MILVUS_PORT $MILVUS_HEALTH_PORT"
START_LIMIT_S=180

install_server() {
    need python3 "Install Python 3.11 or newer with venv."
    rm -rf "$DIR/venv"
    python3 -m venv "$DIR/venv"
    "$DIR/venv/bin/python" -m pip install --quiet --disable-pip-version-check "setuptools<80" "milvus==$VERSION"
}

write_etcd_configuration() {
    cat >"$DIR/etcd.yaml" <<END
listen-client-urls: http://127.0.0.1:$MILVUS_ETCD_PORT
advertise-client-urls: http://127.0.0.1:$MILVUS_ETCD_PORT
listen-peer-urls: http://127.0.0.1:$MILVUS_ETCD_PEER_PORT
initial-advertise-peer-urls: http://127.0.0.1:$MILVUS_ETCD_PEER_PORT
initial-cluster: default=http://127.0.0.1:$MILVUS_ETCD_PEER_PORT
END
}

run_server() {
    write_etcd_configuration
    "$DIR/venv/bin/python" "$HERE/milvus_config.py" "$DIR/data" "$MILVUS_PORT"
    cd "$DIR/data"
    export ETCD_CONFIG_PATH=$DIR/etcd.yaml
    export DEPLOY_MODE=STANDALONE METRICS_PORT=$MILVUS_HEALTH_PORT
    export COMMON_GRACEFULSTOPTIMEOUT=5  # seconds; else half an hour, for another query node to take what it holds
    exec "$DIR/venv/bin/python" "$HERE/own_network.py" $PORTS -- env "LD_LIBRARY_PATH=$DIR/data/bin" "$DIR/data/bin/milvus" run standalone
}

is_healthy() { [ "$(curl -fsS --max-time 5 "http://127.0.0.1:$MILVUS_HEALTH_PORT/healthz")" = OK ]; }
