# Redis from the distribution's packages.
VERSION=$REDIS_VERSION
PORTS=$REDIS_PORT
START_LIMIT_S=20

install_server() { unpack_packages "redis-server=$VERSION" "redis-tools=$VERSION"; }

libraries() { echo "LD_LIBRARY_PATH=$(echo "$DIR"/root/usr/lib/*-linux-gnu)"; }

run_server() {
    exec env "$(libraries)" "$DIR/root/usr/bin/redis-server" --bind 127.0.0.1 --port "$REDIS_PORT" --dir "$DIR/data" \
        --appendonly yes --appendfsync everysec --maxmemory 512mb --maxmemory-policy noeviction
}

is_healthy() { [ "$(timeout 5 env "$(libraries)" "$DIR/root/usr/bin/redis-cli" -p "$REDIS_PORT" ping)" = PONG ]; }
