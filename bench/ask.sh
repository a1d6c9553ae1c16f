#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a question costs beyond fitting its picture: inspect_image, answered at once by a provider on the loopback, beside
# view of the same picture for the same model, each on a warm server of its own that knows the fitted picture. Prints a line
# of JSON a picture: the least of many calls of both in milliseconds, and their difference.
# Usage: bench/ask.sh BUILD CALLS PICTURE... (absolute); needs `make tests` for askhost.
set -eu
build=$(cd "$1" && pwd)
calls=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
get() {
    "$build/tests/jsonget" "$folder/$1" "$2"
}

# The provider lives as long as its stdin.
mkfifo "$folder/stdin"
"$build/tests/askhost" "$folder" quiet <"$folder/stdin" >"$folder/ports" &
host=$!
exec 9>"$folder/stdin"
end() {
    exec 9>&-
    wait "$host" || :
    rm -rf "$folder"
}
trap end EXIT
until [ -s "$folder/ports" ]; do
    kill -0 "$host"
done
cat >"$folder/config.yaml" <<END
modelRoles.vision: w/ok
vision.cacheBytes: 0
providers: {w: {wire: anthropic, baseUrl: "http://127.0.0.1:$(get ports http)", apiKeyEnv: ASK_KEY, webp: false, models: {ok: {vision: true}}}}
END
export ASK_KEY=none XDG_STATE_HOME="$folder/state" XDG_CACHE_HOME="$folder/cache"

load() { # NAME TOOL MORE PICTURE
    "$build/bench/mcp_load" -t "$2" -a "$3" -n "$calls" -w "$warm" "$4" -- \
        "$build/fovea" mcp --config "$folder/config.yaml" --root / >"$folder/$1"
}
warm=$1
for picture in "$@"; do
    load view view ',"model":"w/ok"' "$picture"
    load ask inspect_image ',"question":"what is it"' "$picture"
    view=$(get view again.min_ms) ask=$(get ask again.min_ms)
    awk -v name="${picture##*/}" -v ask="$ask" -v view="$view" 'BEGIN {
        printf "{\"picture\":\"%s\",\"view_ms\":%.3f,\"ask_ms\":%.3f,\"more_ms\":%.3f}\n", name, view, ask, ask - view }'
done
