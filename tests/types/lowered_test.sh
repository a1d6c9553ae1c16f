# SPDX-License-Identifier: Apache-2.0
# What lowering writes must satisfy the vendors' own types: the cases of tests/cases/lower, and conversations at random.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
skip() {
    echo "skip types of lowered messages: $*"
    exit 0
}
command -v npm >/dev/null && command -v node >/dev/null || skip "no Node and npm here"
packages=$build/types-node
[ -d "$packages/node_modules" ] || BUILD=$build sh "$top/tests/types/requests_test.sh" >/dev/null 2>&1
[ -d "$packages/node_modules" ] || skip "npm cannot install them"
packages=$(cd "$packages" && pwd)
build=$(cd "$build" && pwd)
status=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$top" && LOWERED=$scratch "$build/tests/lower_rules_test" every >/dev/null 2>&1) || {
    echo "not ok types of lowered messages: no conversations"
    status=1
}
cd "$scratch" || exit 3
# Sections "== WIRE WORDS" hold one array each. Pictures in a chat host's tool messages are no part of OpenAI's types, nor are the
# members that other hosts add; and export gives back whatever came in.
for case in "$top"/tests/cases/lower/*.case; do
    awk -v name="$(basename "$case" .case)" '/^== /{out = ""
            if ($2 != "entries" && $2 != "report" && !/ asis/ && !/^== openai-chat.* native/ && !/ provider=other/) out = $2 "." name "." ++n ".json"
            next}
        out != "" {print > out; close(out); out = ""}' "$case"
done
for wire in anthropic openai-chat openai-responses gemini; do
    node "$top/tests/types/lowered.mjs" "$packages" "$wire" "$wire".*.json || status=1
done
exit $status
