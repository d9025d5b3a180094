# MinIO, built from its Go module. Every upload and deletion in `trivium-uploads` is announced twice: to Redis (the list
# `trivium:events`) and to Trivium's webhook; what cannot be announced yet waits in the queue folders.
VERSION=$MINIO_VERSION
PORTS="$MINIO_PORT $MINIO_CONSOLE_PORT"
START_LIMIT_S=60

install_server() {
    need go "Install Go 1.24 or newer."
    GOBIN=$DIR/bin go install -ldflags "-s -w" "github.com/minio/minio@$VERSION"
}

run_server() {
    export MINIO_ROOT_USER=trivium MINIO_ROOT_PASSWORD; MINIO_ROOT_PASSWORD=$(secret minio)
    export MINIO_NOTIFY_REDIS_ENABLE_TRIVIUM=on
    export MINIO_NOTIFY_REDIS_ADDRESS_TRIVIUM=127.0.0.1:$REDIS_PORT
    export MINIO_NOTIFY_REDIS_KEY_TRIVIUM=trivium:events
    export MINIO_NOTIFY_REDIS_FORMAT_TRIVIUM=access
    export MINIO_NOTIFY_REDIS_QUEUE_DIR_TRIVIUM=$DIR/queue/redis
    export MINIO_NOTIFY_WEBHOOK_ENABLE_TRIVIUM=on
    export MINIO_NOTIFY_WEBHOOK_ENDPOINT_TRIVIUM=http://127.0.0.1:$EVENTS_PORT/events
    export MINIO_NOTIFY_WEBHOOK_QUEUE_DIR_TRIVIUM=$DIR/queue/webhook
    mkdir -p "$DIR/queue/redis" "$DIR/queue/webhook"
    exec "$DIR/bin/minio" server "$DIR/data" --address "127.0.0.1:$MINIO_PORT" --console-address "127.0.0.1:$MINIO_CONSOLE_PORT"
}

is_healthy() { curl -fsS --max-time 5 "http://127.0.0.1:$MINIO_PORT/minio/health/cluster"; }

s3() {  # s3 METHOD PATH [BODY]: an S3 request signed as the owner; prints the HTTP status
    local digest; digest=$(printf %s "${3:-}" | sha256sum | cut -d' ' -f1)
    curl -sS --max-time 30 --output /dev/stderr --write-out '%{http_code}' --aws-sigv4 aws:amz:us-east-1:s3 \
        --user "trivium:$(secret minio)" --header "x-amz-content-sha256: $digest" --request "$1" --data-binary "${3:-}" "http://127.0.0.1:$MINIO_PORT/$2"
}

configure_server() {
    local bucket
    for bucket in trivium trivium-uploads; do
        case $(s3 PUT "$bucket") in 200 | 409) ;; *) return 1 ;; esac  # 409: it is there
    done
    [ "$(s3 PUT "trivium-uploads?notification=" "$(notification)")" = 200 ]
}

notification() {
    echo '<NotificationConfiguration>'
    local target
    for target in redis webhook; do
        echo "<QueueConfiguration><Queue>arn:minio:sqs::TRIVIUM:$target</Queue><Event>s3:ObjectCreated:*</Event><Event>s3:ObjectRemoved:*</Event></QueueConfiguration>"
    done
    echo '</NotificationConfiguration>'
}
