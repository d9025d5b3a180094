# Redis from the distribution's packages, unpacked into its own folder: nothing is installed into the system.
VERSION=$REDIS_VERSION
PORTS=$REDIS_PORT
START_LIMIT_S=20

install_server() {
    need apt-get "This recipe knows Debian's and Ubuntu's packages; elsewhere run a Redis $REDIS_VERSION of your own on port $REDIS_PORT."
    local packages folder=$DIR/packages
    simulate() { apt-get install --simulate --no-install-recommends "redis-server=$REDIS_VERSION" | awk '/^Inst/ {print $2}'; }
    packages=$(simulate) || { apt-get update && packages=$(simulate); }
    packages=$(grep -v '^redis-' <<<"$packages" || true)
    rm -rf "$folder" "$DIR/root"
    mkdir -p "$folder" "$DIR/root"
    chmod 777 "$folder"  # apt-get downloads as a user of its own
    (cd "$folder" && apt-get download "redis-server=$REDIS_VERSION" "redis-tools=$REDIS_VERSION" $packages)
    for package in "$folder"/*.deb; do dpkg -x "$package" "$DIR/root"; done
    rm -rf "$folder"
}

libraries() { echo "LD_LIBRARY_PATH=$(echo "$DIR"/root/usr/lib/*-linux-gnu)"; }

run_server() {
    exec env "$(libraries)" "$DIR/root/usr/bin/redis-server" --bind 127.0.0.1 --port "$REDIS_PORT" --dir "$DIR/data" \
        --appendonly yes --appendfsync everysec --maxmemory 512mb --maxmemory-policy noeviction
}

is_healthy() { [ "$(env "$(libraries)" "$DIR/root/usr/bin/redis-cli" -p "$REDIS_PORT" ping)" = PONG ]; }
