#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts behind `make check`: each kind of trespass is found, and what is allowed is not.
# shellcheck disable=SC2016
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
bad=0

fresh() {
    rm -rf "$tree/src" "$tree/worker" "$tree/cmd" "$tree/tests" "$tree/tools"
    mkdir -p "$tree/src/base" "$tree/src/fit" "$tree/src/api" "$tree/worker" "$tree/cmd" "$tree/tests" "$tree/tools"
    cp "$root/tools/layers.txt" "$tree/tools/"
    printf '#include <stdio.h>\n#include "base/buf.h"\n\nint f(void)\n{\n    return 0;\n}\n' > "$tree/src/base/a.c"
}

# expect STATUS NAME COMMAND...
expect() {
    want=$1 name=$2
    shift 2
    "$@" > "$tree/out" 2>&1
    got=$?
    if [ "$got" = "$want" ]; then
        echo "ok $name"
    else
        echo "not ok $name: exit $got, want $want"
        cat "$tree/out"
        bad=1
    fi
}

# layers STATUS NAME FILE INCLUDE: a tree in which FILE has that include
layers() {
    fresh
    mkdir -p "$tree/$(dirname "$3")"
    printf '#include %s\n' "$4" > "$tree/$3"
    expect "$1" "layers_$2" "$root/tools/check_layers.sh" "$tree"
}

layers 0 let_api_use_a_room src/api/x.c '"fit/plan.h"'
layers 0 let_a_worker_use_a_codec worker/x.c '<jpeglib.h>'
layers 0 let_a_worker_use_the_protocol worker/x.c '"sandbox/proto.h"'
layers 0 let_the_hash_use_libcrypto src/base/sha256.c '<openssl/sha.h>'
layers 0 let_a_command_use_the_public_header cmd/x.c '"fovea.h"'
layers 1 stop_base_from_using_a_room src/base/x.c '"fit/plan.h"'
layers 1 stop_base_from_using_libcrypto_elsewhere src/base/x.c '<openssl/sha.h>'
layers 1 stop_fit_from_using_source src/fit/x.c '"source/gate.h"'
layers 1 stop_a_command_from_reaching_inside cmd/x.c '"api/config.h"'
layers 1 stop_a_worker_from_using_the_pool worker/x.c '"sandbox/pool.h"'
layers 1 stop_a_worker_from_using_source worker/x.c '"source/gate.h"'
layers 1 stop_a_worker_from_using_tesseract worker/x.c '<tesseract/capi.h>'
layers 1 stop_codecs_outside_workers src/api/x.c '<jpeglib.h>'
layers 1 stop_codec_folders_outside_workers src/fit/x.h ' <webp/decode.h>'
layers 1 stop_a_codec_in_a_command cmd/x.c '<lcms2.h>'
layers 1 stop_a_library_that_no_row_names src/api/x.c '<curl/curl.h>'
layers 1 stop_a_way_around_by_dots src/fit/x.c '"../source/gate.h"'
layers 1 stop_an_include_by_macro src/fit/x.c 'HEADER'
layers 1 stop_a_file_in_no_room src/new/x.c '<stdio.h>'

function_of() {
    awk -v n="$1" 'BEGIN { print "int g(void)\n{"; for (i = 3; i < n; i++) print "    f();"; print "}" }'
}

fresh
function_of 18 > "$tree/src/fit/x.c"
function_of 18 > "$tree/src/fit/y.c"
expect 0 measure_passes_at_the_limit "$root/tools/measure.sh" "$tree"
function_of 19 > "$tree/src/fit/x.c"
function_of 19 > "$tree/src/fit/y.c"
expect 1 measure_stops_a_median_above_18 "$root/tools/measure.sh" "$tree"
fresh
function_of 101 > "$tree/src/fit/x.c"
for i in 1 2 3 4; do function_of 5 > "$tree/src/fit/y$i.c"; done
expect 1 measure_stops_two_percent_over_100 "$root/tools/measure.sh" "$tree"
fresh
for i in 1 2 3; do
    awk 'BEGIN { for (i = 0; i < 60; i++) print "int f" i "(void)\n{\n    return 0;\n}\n\n" }' > "$tree/src/fit/y$i.c"
done
expect 1 measure_stops_a_median_file_above_350 "$root/tools/measure.sh" "$tree"

expect 0 each_thing_that_a_lab_found_has_its_case "$root/tools/check_found.sh"
printf 'fuzz\ta thing\ttests/tools_test.sh\tno_such_''case\n' > "$tree/found.tsv"
expect 1 a_case_that_is_gone_is_told "$root/tools/check_found.sh" "$tree/found.tsv"
printf 'fuzz\ta thing\tfuzz/seeds/none\t-\n' > "$tree/found.tsv"
expect 1 a_seed_that_is_gone_is_told "$root/tools/check_found.sh" "$tree/found.tsv"
exit $bad
