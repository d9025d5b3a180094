# Milvus standalone, which its PyPI package carries as a program; message queue and metadata are inside it.
VERSION=$MILVUS_VERSION
PORTS="$MILVUS_PORT $MILVUS_HEALTH_PORT"
START_LIMIT_S=180

install_server() {
    need python3 "Install Python 3.11 or newer with venv."
    rm -rf "$DIR/venv"
    python3 -m venv "$DIR/venv"
    "$DIR/venv/bin/python" -m pip install --quiet --disable-pip-version-check "setuptools<80" "milvus==$VERSION"
}

run_server() {
    "$DIR/venv/bin/python" "$HERE/milvus_config.py" "$DIR/data" "$MILVUS_PORT"
    cd "$DIR/data"
    export DEPLOY_MODE=STANDALONE METRICS_PORT=$MILVUS_HEALTH_PORT MILVUS_RUN_DIR=$DIR/data/run LD_LIBRARY_PATH=$DIR/data/bin
    exec "$DIR/data/bin/milvus" run standalone
}

is_healthy() { [ "$(curl -fsS --max-time 5 "http://127.0.0.1:$MILVUS_HEALTH_PORT/healthz")" = OK ]; }
