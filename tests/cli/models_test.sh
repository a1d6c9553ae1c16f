#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `fovea models` and `fovea config`: the table, what the user's files add, who said what, and no key on any stream.
. "$(dirname "$0")/lib.sh"

unset ANTHROPIC_API_KEY OPENAI_API_KEY GEMINI_API_KEY OPENROUTER_API_KEY NOUS_API_KEY
SECRET=sk-canary-0123456789abcdefXYZW

# config TEXT: writes config.yaml here, for the owner only.
config() {
    printf '%s\n' "$1" >config.yaml
    chmod 600 config.yaml
}

test_models_lists_what_is_known_with_sources() {
    run "$FOVEA" models claude-opus-4-7
    want_status 0
    has out "anthropic/claude-opus-4-7"
    has out "5/25"
    has out "pi-ai 1.5.0 data 2026-11-02"
    run "$FOVEA" models
    want_status 0
    [ "$(wc -l <out)" -gt 450 ] || fail "too few rows"
    from=$(grep '^  anthropic/claude-opus-4-7 ' out | awk '{print $(NF - 2)}')
    grep -qE "^ +$from  pi-ai 1.5.0 data 2026-11-02$" out || fail "the source of a price is not told"
    tail -n 3 out | grep -qE '^ +[0-9]+  ' || fail "no legend"
}

test_models_as_json() {
    run "$FOVEA" models anthropic/claude-sonnet-4-6 --json
    want_status 0
    empty err
    has out '"provider":"anthropic","id":"claude-sonnet-4-6","available":false,"vision":true,"pdf":true,"video":false,"tool_image":true'
    has out '"usd_per_million":{"input":3,"output":15,"cache_read":0.3,"cache_write":3.75,"tiers":false}'
    run "$FOVEA" models moonshotai/kimi-k3 --json
    has out '"id":"moonshotai/kimi-k3","available":false'
    has out '"usd_per_million":{"input":null,"output":null'
}

test_models_without_a_match_is_refused() {
    run "$FOVEA" models no-such-model
    want_status 1
    empty out
    has err "no-such-model"
    run "$FOVEA" models no-such-model --json
    want_status 1
    [ "$(cat out)" = "[]" ] || fail "want an empty array"
}

test_a_key_makes_models_available() {
    run env ANTHROPIC_API_KEY=$SECRET "$FOVEA" models anthropic/claude-sonnet-4-6 --json
    has out '"available":true'
    run env ANTHROPIC_API_KEY=$SECRET "$FOVEA" config show
    has out "ANTHROPIC_API_KEY"
    has out "anthropic/claude-sonnet-4-6"
    hasnt out "$SECRET"
}

test_models_yaml_adds_and_overrides() {
    config "providers: {home: {baseUrl: 'http://127.0.0.1:8080/v1', auth: none}}"
    printf '%s\n' "anthropic/claude-opus-4-7: {input: 1.25}" "home/llava:13b: {vision: true}" >models.yaml
    run "$FOVEA" models --config config.yaml --json claude-opus-4-7
    has out '"input":1.25,"output":25'
    has out '"price":"models.yaml:1"'
    run "$FOVEA" models --config config.yaml --json home/llava:13b
    has out '"available":true,"vision":true'
    run "$FOVEA" config check --config config.yaml
    want_status 0
    has out "home/llava:13b"
}

test_a_mistake_names_itself_its_line_and_what_is_right() {
    config "providers: {home: {wier: gemini}}"
    run "$FOVEA" config check --config config.yaml
    want_status 3
    has err 'config.yaml:1: unknown key "providers.home.wier"; did you mean "wire"?'
    config "model: claude-opus-4-7"
    printf '%s\n' "" "anthropic/x: {visoin: true}" >models.yaml
    run "$FOVEA" config check --config config.yaml
    want_status 3
    has err 'models.yaml:2: unknown key "anthropic/x.visoin"; did you mean "vision"?'
    rm models.yaml
    config "providers: {home: {wire: gemini}}"
    run "$FOVEA" config check --config config.yaml
    want_status 3
    has err 'config.yaml:1: providers.home has no baseUrl'
    config "provider: anthropc"
    run "$FOVEA" config check --config config.yaml
    want_status 3
    has err 'config.yaml:1: provider "anthropc" names no provider; did you mean "anthropic"'
    run "$FOVEA" doctor --config config.yaml
    [ "$status" -ne 0 ]
    has out 'config.yaml:1: provider "anthropc" names no provider; did you mean "anthropic"'
}

test_show_says_where_each_value_came_from() {
    config "images: {maxBytes: 400000}
modelRoles.vision: anthropic/claude-opus-4-7:high"
    mkdir -p personalities/p
    echo "model: gpt-5" >personalities/p/config.yaml
    run "$FOVEA" config show --config config.yaml --personality p --json
    want_status 0
    has out '{"key":"images.maxBytes","value":"400000","from":"config.yaml:1"}'
    has out '{"key":"model","value":"gpt-5","from":"personalities/p/config.yaml:1"}'
    has out '{"key":"images.jpegQuality","value":"75","from":"default"}'
    has out '"value":"anthropic/claude-opus-4-7:high has no key; set apiKeyEnv or apiKey","from":"modelRoles.vision"'
}

test_keys_are_masked_everywhere() {
    config "provider: anthropic
model: claude-opus-4-7
apiKey: $SECRET
auxiliary.vision.apiKey: $SECRET
providers: {home: {baseUrl: 'http://127.0.0.1:1/v1', apiKey: $SECRET}}
record.store: postgresql://ann:$SECRET@db/fovea"
    for words in "config show" "config show --json" "config check" "models" "models --json"; do
        # shellcheck disable=SC2086 # words
        run "$FOVEA" $words --config config.yaml
        want_status 0
        hasnt out "sk-canary"
        hasnt err "sk-canary"
    done
    run "$FOVEA" config show --config config.yaml
    has out '****XYZW'
    has out 'postgresql://****@db/fovea'
}

test_a_config_with_a_key_is_for_its_owner_only() {
    config "providers: {home: {baseUrl: 'http://127.0.0.1:1/v1', apiKey: $SECRET}}"
    chmod 644 config.yaml
    run "$FOVEA" config check --config config.yaml
    want_status 3
    has err "chmod 600"
    hasnt err "sk-canary"
}

test_config_wants_check_or_show() {
    run "$FOVEA" config
    want_status 2
    run "$FOVEA" config chek
    want_status 2
    has err "check"
}

test_the_table_is_what_its_maker_makes() {
    figures=$TOP/../shared/data/models.csv
    [ -f "$figures" ] || skip "the collected figures are not here"
    awk -f "$TOP/tools/models.awk" "$figures" >made.tsv
    cmp made.tsv "$TOP/data/models.tsv"
}

test_a_host_that_is_not_there_is_said_so() {
    config "providers: {home: {baseUrl: 'http://127.0.0.1:1/v1', auth: none}}"
    run "$FOVEA" models --config config.yaml --host home
    want_status 1
    empty out
    has err "'home' does not answer at http://127.0.0.1:1/v1"
    run "$FOVEA" models --config config.yaml --host home --json
    want_status 1
    want_json kind fault
    run "$FOVEA" models --host nobody
    want_status 1
    has err "no host of that name"
    run env OPENAI_API_KEY= "$FOVEA" models --host openai
    want_status 1
    has err "no key for 'openai'"
    config "images.blockImages: true
providers: {home: {baseUrl: 'http://127.0.0.1:1/v1', auth: none}}"
    run "$FOVEA" models --config config.yaml --host home
    want_status 1
    empty out
    has err "images.blockImages is true, so 'home' is not asked"
}

test_a_host_says_what_it_offers() {
    command -v python3 >/dev/null || skip "python3 is not here"
    cat >server.py <<'END'
import http.server
LIST = b'{"data":[{"id":"sees","max_model_len":4096,"input_modalities":["text","image"]},{"id":"bl\\u001bind"}]}'


class Host(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        good = self.path == "/v1/models" and self.headers["Authorization"] == "Bearer sk-canary"
        self.send_response(200 if good else 403)
        self.end_headers()
        self.wfile.write(LIST if good else b"sk-canary")

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Host)
print(server.server_port, flush=True)
server.serve_forever()
END
    python3 server.py >port &
    server=$!
    trap 'kill "$server"' EXIT
    for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s port ] || sleep 0.2; done
    config "providers: {home: {baseUrl: 'http://127.0.0.1:$(cat port)/v1', apiKey: sk-canary}}"
    run "$FOVEA" models --config config.yaml --host home
    want_status 0
    has out "* home/sees"
    has out "4096"
    [ "$(grep -c "home/" out)" -eq 1 ] || fail "an id that cannot be printed is shown"
    run "$FOVEA" models --config config.yaml --host home --json sees
    want_status 0
    has out '"provider":"home","id":"sees","available":true,"vision":true'
    run "$FOVEA" models --config config.yaml --host home none
    want_status 1
    has err "--host home"
    config "providers: {home: {baseUrl: 'http://127.0.0.1:$(cat port)/v1', apiKey: sk-other}}"
    run "$FOVEA" models --config config.yaml --host home
    want_status 1
    has err "refused the key"
    hasnt err canary
}

run_tests "$@"
