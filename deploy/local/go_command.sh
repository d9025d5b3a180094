# shellcheck shell=bash
# To be sourced. go_command NAME MODULE@VERSION: the path of a command that is built from its Go module the first time,
# which may take minutes, into .services/NAME (TRIVIUM_SERVICES_DIR).
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/versions.env"
go_command() {
    local folder command
    folder=$(realpath -m "${TRIVIUM_SERVICES_DIR:-$here/../../.services}")/$1/${2#*@}
    command=${2%@*}
    command=$folder/${command##*/}
    if [ ! -x "$command" ]; then
        command -v go >/dev/null || { echo "'go' is not installed. Install Go 1.24 or newer." >&2; return 1; }
        echo "Building ${2%@*} ${2#*@}: some minutes, once." >&2
        mkdir -p "$folder"
        GOBIN=$folder nice go install -trimpath -ldflags "-s -w" "$2" || return 1
    fi
    echo "$command"
}
