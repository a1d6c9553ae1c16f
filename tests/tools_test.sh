#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scripts behind `make check`, `make fuzz`, `make lab` and the runs: each kind of trespass is found, and what is allowed is not.
# shellcheck disable=SC2016
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
bad=0

fresh() {
    rm -rf "${tree:?}"/*
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
layers 0 let_the_server_use_the_public_header mcp/x.c '"fovea.h"'
layers 1 stop_the_server_from_reaching_inside mcp/x.c '"api/config.h"'
layers 1 stop_a_codec_in_the_server mcp/x.c '<jpeglib.h>'
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
for room in include worker render/new ocr mcp cmd; do
    fresh
    mkdir -p "$tree/$room"
    function_of 101 > "$tree/$room/x.c"
    expect 1 "measure_looks_into_${room%%/*}" "$root/tools/measure.sh" "$tree"
done

# A fuzz target that has had its seconds, and would crash if it ran: it runs again when it is another. With FUZZES=1 it takes a second and
# is fine. A rebuilt library is in it, and one of the system's.
target() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/tools" "$tree/fuzz/corpus" "$tree/tests/unit" "$tree/src/base" "$tree/build/fuzz" "$tree/build/fuzzed" \
        "$tree/build/fuzz-libs/lib"
    cp "$root"/tools/fuzz*.sh "$root/tools/fuzz_pick.awk" "$tree/tools/"
    printf '#include "claim.h"\n#include "base/x.h"\n' > "$tree/fuzz/x.c"
    printf '#include <stdio.h>\n#  include "lab.h"\n' > "$tree/fuzz/claim.h"
    echo 'int lab;' > "$tree/tests/unit/lab.h"
    echo 'int tested;' > "$tree/src/base/x.h"
    touch "$tree/build/fuzz-libs/lib/libwebp.a" "$tree/build/fuzz-libs/lib/libjpeg.a"
    echo 'int made_up(void); int made_up(void) { return 0; }' > "$tree/made.c"
    cat > "$tree/x.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int jpeg_quality_scaling(int);
int made_up(void);
int main(int argc, char **argv)
{
    const char *skips = getenv("SKIPS");
    if (!getenv("FUZZES"))
        return 77 + 0 * jpeg_quality_scaling(1);
    if (argc > 1 && !strncmp(argv[1], "-set_cover_merge", 16))
        return made_up();
    while (clock() < 11 * CLOCKS_PER_SEC / 10)
        ;
    if (skips)
        fprintf(stderr, "skipped: %s\n", skips);
    fprintf(stderr, "#5 DONE cov: 7 ft: 8 corp: 1/1b\nstat::number_of_executed_units: 5\n");
    return 0;
}
END
    gcc -c "$tree/made.c" -o "$tree/made.o" && ar rcs "$tree/build/fuzz-libs/lib/libmade.a" "$tree/made.o" &&
        gcc "$tree/x.c" -O0 -o "$tree/build/fuzz/x" "$tree/build/fuzz-libs/lib/libmade.a" -Wl,--no-as-needed -ljpeg || bad=1
    had 600 made
}
# had SECONDS [LIBRARIES]: without them as they were written once.
had() {
    echo "9 $1 1 1 1 0 $(cd "$tree" && tools/fuzz_mark.sh x)${2:+ $2}" > "$tree/build/fuzzed/x.had"
}
# fuzz STATUS NAME SECONDS [SETTING...]
fuzz() {
    want=$1 name=$2 most=$3
    shift 3
    expect "$want" "fuzz_$name" env -u FUZZ_STATIC -u FUZZ_KEEP -u FUZZ_AGAIN -u FUZZ_CORPUS -u FUZZ_MERGE "$@" "$tree/tools/fuzz.sh" build "$most" x
    mv "$tree/out" "$tree/out.fuzzed"
}
# fuzzed STATUS NAME [FILE]: after FILE was changed
fuzzed() {
    target
    [ $# -lt 3 ] || echo '/* changed */' >> "$tree/$3"
    fuzz "$1" "$2" 600
}
fuzzed 0 leaves_what_had_its_seconds
expect 0 fuzz_tells_what_was_rebuilt_with_checks grep -qx "fuzz: rebuilt with checks: made webp; the system's: jpeg" "$tree/out.fuzzed"
expect 0 fuzz_tells_what_of_it_was_in_a_target grep -q '^x .* fine  rebuilt: made$' "$tree/out.fuzzed"
fuzzed 0 leaves_it_when_what_is_tested_changed src/base/x.h
fuzzed 1 starts_anew_when_the_target_changed fuzz/x.c
fuzzed 1 starts_anew_when_its_header_changed fuzz/claim.h
fuzzed 1 starts_anew_when_a_header_of_its_header_changed tests/unit/lab.h

# Which rebuilt libraries the seconds were of: all of them, and what is written of old and new ones together.
target
had 600 -
fuzz 1 starts_anew_when_there_was_no_rebuilt_library 600
had 600 webp,other
fuzz 1 starts_anew_when_there_was_another_one 600
had 600 jpeg,made
fuzz 0 leaves_what_had_more_rebuilt_libraries 600
had 600
fuzz 0 leaves_what_nobody_wrote_libraries_of 600
expect 0 fuzz_tells_that_nobody_did grep -q 'rebuilt: ?$' "$tree/out.fuzzed"
# adds NAME WANT [LIBRARIES]: 600 seconds of those, and one more: WANT are the runs, edges, features and libraries.
adds() {
    had 600 ${3:+"$3"}
    fuzz 0 "$1" 601 FUZZES=1
    expect 0 "fuzz_$1_and_writes_it" [ "$(cut -d ' ' -f 1,3,4,8 "$tree/build/fuzzed/x.had")" = "$2" ]
}
adds adds_to_what_had_the_same '14 7 8 made' made
adds adds_to_what_had_more '14 7 8 made' jpeg,made
adds adds_to_what_nobody_wrote_libraries_of '14 7 8 ?'
had 600 -
fuzz 0 counts_its_own_seconds_only 1 FUZZES=1
expect 0 fuzz_counts_its_own_seconds_only_and_writes_it [ "$(cut -d ' ' -f 1,8 "$tree/build/fuzzed/x.had")" = '5 made' ]

# A target that says that it skipped a part.
target
rm "$tree/build/fuzzed/x.had"
fuzz 0 runs_a_target_that_skips_a_part 1 FUZZES=1 SKIPS='no suite'
expect 0 fuzz_tells_what_was_skipped grep -qx 'skipped: no suite' "$tree/out.fuzzed"
fuzz 1 does_not_keep_what_skipped_a_part 1 FUZZES=1 SKIPS='no suite' FUZZ_KEEP=1
expect 0 fuzz_keeps_nothing_of_it [ -z "$(ls "$tree/fuzz/corpus")" ]
fuzz 0 keeps_what_skipped_nothing 1 FUZZES=1 FUZZ_KEEP=1
expect 0 fuzz_adds_nothing_to_what_skipped [ "$(cut -d ' ' -f 1,8 "$tree/fuzz/corpus/x.had")" = '5 made' ]

# A build of next to nothing, of which all that is wrong is told: told WORDS, or that they are not.
small_build() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/obj/mcp" "$tree/obj/cmd" "$tree/obj/worker" "$tree/obj/tests"
    echo 'gcc -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 ' > "$tree/obj/flags"
    echo 'int f(void); int f(void) { return 0; }' > "$tree/f.c"
    printf 'int jpeg_quality_scaling(int); const char *n = "libpng16.so.16", *o = "libcurl.so.4";\nint main(void) { return jpeg_quality_scaling(*n); }\n' > "$tree/main.c"
    gcc -g -c "$tree/f.c" -o "$tree/f.o" &&
        ar rcs "$tree/libfovea.a" "$tree/f.o" &&
        gcc -shared "$tree/f.o" -o "$tree/libfovea.so" -Wl,--no-as-needed -lcrypto &&
        gcc "$tree/main.c" -o "$tree/fovea" -ljpeg &&
        gcc "$tree/main.c" -o "$tree/fovea-worker" -ljpeg || bad=1
    hard="-g -fstack-protector-strong -fstack-clash-protection -ftrivial-auto-var-init=zero -fcf-protection=full"
    [ "$(uname -m)" = x86_64 ] || hard=${hard% *}
    # shellcheck disable=SC2086 # a list of words
    gcc $hard -c "$tree/f.c" -o "$tree/obj/worker/hard.o"
    for room in mcp cmd tests; do
        gcc -g -fno-stack-protector -fno-stack-clash-protection -fcf-protection=none -c "$tree/f.c" -o "$tree/obj/$room/soft.o"
    done
    "$root/tools/check_binaries.sh" "$tree" > "$tree/said" 2>&1 && bad=1
}
told() {
    expect "$1" "binaries_$2" awk -v words="$3" 'index($0, words) { found = 1 } END { exit !found }' "$tree/said"
}
small_build
told 0 stop_an_image_library_where_keys_are 'fovea links libjpeg.so'
told 0 stop_one_that_is_loaded 'fovea names libpng16.so.16'
told 1 let_one_be_loaded_that_a_row_names 'names libcurl.so'
told 1 let_one_be_linked_that_a_row_names 'libcrypto'
told 1 let_a_worker_link_what_it_decodes_with 'fovea-worker links'
tr '\n' ' ' < "$tree/said" > "$tree/one_line" && mv "$tree/one_line" "$tree/said"
told 0 look_at_objects_of_the_server "built without -fstack-protector-strong: $tree/obj/mcp/soft.o $tree/obj/cmd/soft.o check"
told 0 look_at_how_the_stack_grows "built without -fstack-clash-protection: $tree/obj/mcp/soft.o $tree/obj/cmd/soft.o check"
told 0 look_at_what_was_taken_back "built with -fno-stack-protector: $tree/obj/mcp/soft.o $tree/obj/cmd/soft.o check"
if [ "$(uname -m)" = x86_64 ]; then
    told 0 look_at_branch_targets_of_the_server "-fcf-protection=full: $tree/obj/mcp/soft.o $tree/obj/cmd/soft.o check"
    told 0 look_at_their_notes 'built without -fcf-protection: '
fi
told 1 let_tests_be_soft /obj/tests/

# labs STATUS NAME QUICK LINE...: a lab that prints these lines and ends well
labs() {
    want=$1 name=$2 quick=$3
    shift 3
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/tests/lab" "$tree/build"
    cp "$root/tests/lab/run" "$tree/tests/lab/"
    { echo 'cat <<END'; printf '%s\n' "$@"; echo END; } > "$tree/tests/lab/x_lab.sh"
    expect "$want" "lab_$name" env LAB_QUICK="$quick" "$tree/tests/lab/run" build
}
labs 0 holds_when_all_is_done '' 'ok one' 'figure n 1'
labs 0 may_skip_what_has_its_reason '' 'ok one' 'skip power_loss_of_postgresql its server sees to its disk'
labs 1 must_not_skip_the_rest_in_full '' 'ok one' 'skip url_lab: no private network: neither root nor user namespaces'
labs 1 must_not_skip_all_in_full '' 'skip privacy no python3 here'
labs 0 may_skip_the_rest_when_quick 1 'ok one' 'skip url_lab: no private network: neither root nor user namespaces'

# A whole run of one test that takes a second, where none may.
runs() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/tests/cli" "$tree/build/tests"
    cp "$root/tests/run" "$tree/tests/"
    printf 'sleep 1.1\necho ok one\n' > "$tree/tests/cli/one_test.sh"
    expect 0 "run_$1_whatever_it_took" env WHOLE_SECONDS="$2" "$tree/tests/run" build
    mv "$tree/out" "$tree/said"
    expect "$3" "run_$1" grep -q 'tests: warning: the run took [1-9]' "$tree/said"
}
runs warns_of_a_whole_run_that_took_too_long 0 0
runs warns_of_no_other 600 1

# Tests that are named: named STATUS NAME TEST...
named() {
    want=$1 name=$2
    shift 2
    expect "$want" "run_$name" "$tree/tests/run" build "$@"
    mv "$tree/out" "$tree/said"
}
named 0 takes_a_test_that_is_named tests/cli/one_test.sh
named 1 fails_where_a_named_test_is_not_there tests/cli/one_test.sh no_such_test
expect 0 run_tells_which_it_is grep -qx "not ok no_such_test (there is no 'no_such_test')" "$tree/said"
expect 0 run_counts_it grep -q '^1 passed, 1 failed, 0 skipped' "$tree/said"
named 1 fails_where_a_named_test_was_not_built build/tests/some_test
rm "$tree/tests/cli/one_test.sh"
named 1 fails_where_nothing_ran

# The rebuilding of libraries, with stand-ins for apt-get and cmake: what the latter does is said in MAKES.
mkdir -p "$tree/bin"
cat > "$tree/bin/apt-get" <<'END'
#!/bin/sh
case " $* " in
    *' update ') exit 0 ;;
    *' source --only-source libjpeg-turbo'*) [ "$MAKES" = unfetched ] || mkdir libjpeg-turbo-1 ;;
    *' source --only-source ffmpeg'*) mkdir ffmpeg-1 && cp "$STANDS_IN/configure" "$STANDS_IN/Makefile" ffmpeg-1/ ;;
esac
[ "$MAKES" != unfetched ]
END
cat > "$tree/bin/cmake" <<'END'
#!/bin/sh
case $1 in
    -S) mkdir -p "$4"; [ "$MAKES" != unconfigured ] ;;
    --build)
        case $MAKES in
            failure) exit 1 ;;
            nothing) ;;
            empty) : > "$2/libjpeg.a" ;;
            unchecked) ar rcs "$2/libjpeg.a" "$STANDS_IN/plain.o" ;;
            all) ar rcs "$2/libjpeg.a" "$STANDS_IN/checked.o" ;;
        esac
        ;;
esac
END
cat > "$tree/bin/configure" <<'END'
#!/bin/sh
mkdir ffbuild
case $MAKES in
    unknown) echo 'WARNING: Option --enable-demuxer=none did not match anything' > ffbuild/config.log ;;
    *) echo fine > ffbuild/config.log ;;
esac
END
printf 'all:\n\tfor l in avformat avcodec swscale avutil; do ar rcs lib$$l.a "$(STANDS_IN)/checked.o"; done\n' > "$tree/bin/Makefile"
chmod +x "$tree/bin/apt-get" "$tree/bin/cmake" "$tree/bin/configure"
echo 'int f(const int *p); int f(const int *p) { return p[1]; }' > "$tree/bin/f.c"
gcc -c "$tree/bin/f.c" -o "$tree/bin/plain.o" && gcc -fsanitize=address -c "$tree/bin/f.c" -o "$tree/bin/checked.o" || bad=1
# rebuilds STATUS NAME MAKES LIBRARY
rebuilds() {
    rm -rf "$tree/libs"
    expect "$1" "fuzz_libs_$2" env PATH="$tree/bin:$PATH" STANDS_IN="$tree/bin" MAKES="$3" "$root/tools/fuzz_libs.sh" "$tree/libs" "$4"
}
rebuilds 0 build_what_can_be_built all jpeg
rebuilds 1 say_so_when_there_is_no_source unfetched jpeg
rebuilds 1 say_so_when_it_cannot_be_configured unconfigured jpeg
rebuilds 1 say_so_when_a_step_fails failure jpeg
rebuilds 1 say_so_when_nothing_was_made nothing jpeg
rebuilds 1 say_so_when_what_was_made_is_empty empty jpeg
rebuilds 1 say_so_when_what_was_made_has_no_checks unchecked jpeg
rebuilds 2 know_what_there_is all none
rebuilds 0 build_ffmpeg_with_what_is_opened all ffmpeg
rebuilds 1 say_so_when_ffmpeg_has_none_of_a_name unknown ffmpeg

# measured GATE OVERALL: a tree of 20 files of five lines, whose coverage is on record: so many of 1000 branches of the gate and in all.
measured() {
    rm -rf "${tree:?}"/*
    mkdir -p "$tree/src/base" "$tree/include" "$tree/render/text" "$tree/docs" "$tree/tests"
    for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do printf '1\n2\n3\n4\n5\n' > "$tree/src/base/f$n.c"; done
    printf '1\n2\n3\n4\n5\n' | tee "$tree/include/x.h" > "$tree/render/text/x.c"
    {
        echo '# made up'
        printf 'room\tsrc/base\t2000\t1900\t1000\t%s\t0\n' "$2"
        for part in framing record sandbox; do printf 'part\t%s\t100\t99\t1000\t980\t0\n' "$part"; done
        printf 'part\tgate\t100\t99\t1000\t%s\t0\npart\toverall\t2000\t1900\t1000\t%s\t0\n' "$1" "$2"
        (cd "$tree" && python3 "$root/tools/coverage.py" --sources)
    } > "$tree/docs/coverage.tsv"
}
# coverage STATUS NAME [WORDS]: and what must be told
coverage() {
    expect "$1" "coverage_$2" env -C "$tree" python3 "$root/tools/coverage.py" --check
    [ $# -lt 3 ] || { mv "$tree/out" "$tree/said" && expect 0 "coverage_$2_and_says_so" grep -q "$3" "$tree/said"; }
}
measured 980 900
coverage 0 holds_as_it_was_measured 'coverage is that of these sources'
echo 6 >> "$tree/src/base/f1.c"
coverage 0 holds_when_little_changed 'since coverage was measured 1 of 20 files that ship changed, with 5.9 % of the lines'
rm "$tree/src/base/f2.c"
coverage 1 is_to_be_measured_again_when_much_changed 'more than 10 % of the lines changed'
measured 980 900
for n in 1 2 3; do cp "$tree/include/x.h" "$tree/render/text/new$n.c"; done
coverage 1 is_to_be_measured_again_when_much_is_new 'more than 10 % of the lines changed'
measured 980 900
for n in 1 2 3; do cp "$tree/include/x.h" "$tree/tests/new$n.c"; done
coverage 0 is_not_of_tests 'coverage is that of these sources'
measured 979 900
coverage 1 holds_the_bound_of_a_part '97.9 % of   1000 branches   want 98 %: NOT REACHED'
measured 980 899
coverage 1 holds_the_bound_in_all '89.9 % of   1000 branches   want 90 %: NOT REACHED'
measured 980 900
sed -i '/sandbox/d' "$tree/docs/coverage.tsv"
coverage 1 misses_no_part 'sandbox .* NOT REACHED'
rm "$tree/docs/coverage.tsv"
coverage 1 is_missed_where_none_is_on_record 'no coverage is on record; run make coverage'

# What is measured is written as it is read: of one file of each part, four of five lines and one of two branches.
measured 980 900
for file in src/source/gate.c mcp/lines.c src/record/x.c src/sandbox/x.c; do
    mkdir -p "$tree/$(dirname "$file")"
    printf '1\n2\n3\n4\n5\n' > "$tree/$file"
    echo "{\"filename\": \"$tree/$file\", \"branches\": [[2, 1, 2, 9, 3, 0, 0, 0, 4]],
        \"segments\": [[1, 1, 1, true, true, false], [4, 1, 0, true, true, false], [5, 1, 0, false, false, false]]}"
done | sed 's/^{/,{/; 1s/^,//' > "$tree/files"
echo "{\"data\": [{\"files\": [$(cat "$tree/files")]}]}" > "$tree/all.json"
(cd "$tree" && python3 "$root/tools/coverage.py" --sources > sources && rm docs/coverage.tsv)
coverage_of() {
    expect "$1" "coverage_$2" env -C "$tree" python3 "$root/tools/coverage.py" all.json "$3" "$4"
}
coverage_of 1 is_put_on_record_below_its_bounds_too --record sources
printf 'room\tsrc/record\t5\t4\t2\t1\t50.00\npart\toverall\t20\t16\t8\t4\t50.00\n' > "$tree/want"
expect 0 coverage_on_record_has_lines_and_branches [ "$(grep -cxf "$tree/want" "$tree/docs/coverage.tsv")" -eq 2 ]
coverage 1 on_record_is_compared 'coverage is that of these sources'
coverage 1 on_record_has_its_bounds 'gate .* want 98 %: NOT REACHED'

expect 0 each_thing_that_a_lab_found_has_its_case "$root/tools/check_found.sh"
printf 'fuzz\ta thing\ttests/tools_test.sh\tno_such_''case\n' > "$tree/found.tsv"
expect 1 a_case_that_is_gone_is_told "$root/tools/check_found.sh" "$tree/found.tsv"
printf 'fuzz\ta thing\tfuzz/seeds/none\t-\n' > "$tree/found.tsv"
expect 1 a_seed_that_is_gone_is_told "$root/tools/check_found.sh" "$tree/found.tsv"
exit $bad
