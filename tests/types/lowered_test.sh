# SPDX-License-Identifier: Apache-2.0
# What lowering writes must satisfy the vendors' own types, for all four wires: the cases of tests/cases/lower, conversations at
# random, and generated conversations at every turn. Needs npm and Node once, to install the types. One tsc judges all of it: to read
# the types takes longer than to apply them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${BUILD:-$top/build}
skip() {
    echo "skip types of lowered messages: $*"
    exit 0
}
command -v npm >/dev/null && command -v node >/dev/null || skip "no Node and npm here"
packages=$build/types-node
[ -e "$packages/installed" ] || BUILD=$build sh "$top/tests/types/requests_test.sh" >/dev/null 2>&1 # which installs them
packages=$(cd "$packages" 2>/dev/null && pwd) && [ -e "$packages/installed" ] || skip "npm cannot install them"
build=$(cd "$build" && pwd)
status=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 3
mkdir home cases conversations
export HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home" XDG_STATE_HOME="$scratch/home" XDG_CACHE_HOME="$scratch/home"
(cd "$top" && LOWERED=$scratch/cases "$build/tests/lower_rules_test" every >/dev/null 2>&1) || {
    echo "not ok types of lowered messages: no conversations"
    status=1
}
# Sections "== WIRE WORDS" hold one array each. Pictures in a chat host's tool messages are no part of OpenAI's types, nor are the
# members that other hosts add; and export gives back whatever came in.
for case in "$top"/tests/cases/lower/*.case; do
    awk -v name="$(basename "$case" .case)" '/^== /{out = ""
            if ($2 != "entries" && $2 != "report" && !/ asis/ && !/^== openai-chat.* native/ && !/ provider=other/) out = "cases/" $2 "." name "." ++n ".json"
            next}
        out != "" {print > out; close(out); out = ""}' "$case"
done
if "$build/tests/lowerall" "$build" conversations >counts; then
    sed 's/^\([^ ]*\) \(.*\)/ok \2 messages of generated conversations are lowered at every turn, \1/' counts
else
    echo "not ok generated conversations are lowered at every turn"
    status=1
fi
node "$top/tests/types/lowered.mjs" "$packages" cases conversations || status=1
exit $status
