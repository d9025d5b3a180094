# Redis from the distribution's packages, unpacked into its own folder: nothing is installed into the system.
VERSION=$REDIS_VERSION
PORTS=$REDIS_PORT
START_LIMIT_S=20

install_server() {
    need apt-get "This recipe knows Debian's and Ubuntu's packages; elsewhere run a Redis $REDIS_VERSION of your own on port $REDIS_PORT."
    local package
    rm -rf "$DIR/packages" "$DIR/root"
    mkdir -p "$DIR/packages" "$DIR/root"
    chmod 777 "$DIR/packages"  # as root, apt-get downloads as a user of its own
    download || { apt-get update && download; }
    for package in "$DIR"/packages/*.deb; do dpkg -x "$package" "$DIR/root"; done
    rm -rf "$DIR/packages"
}

download() {  # Redis and those of its libraries that the system lacks
    local packages
    packages=$(apt-get install --simulate --no-install-recommends "redis-server=$REDIS_VERSION" | awk '/^Inst/ && $2 !~ /^redis-/ {print $2}') || return 1
    (cd "$DIR/packages" && apt-get download "redis-server=$REDIS_VERSION" "redis-tools=$REDIS_VERSION" $packages)
}

libraries() { echo "LD_LIBRARY_PATH=$(echo "$DIR"/root/usr/lib/*-linux-gnu)"; }

run_server() {
    exec env "$(libraries)" "$DIR/root/usr/bin/redis-server" --bind 127.0.0.1 --port "$REDIS_PORT" --dir "$DIR/data" \
        --appendonly yes --appendfsync everysec --maxmemory 512mb --maxmemory-policy noeviction
}

is_healthy() { [ "$(timeout 5 env "$(libraries)" "$DIR/root/usr/bin/redis-cli" -p "$REDIS_PORT" ping)" = PONG ]; }
