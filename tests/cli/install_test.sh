# SPDX-License-Identifier: Apache-2.0
# What is installed is enough for others: header, libraries, pkg-config, manual, completions.
. "${0%/*}/lib.sh"

# Only below make: on its own another make could have other flags in mind and build everything anew.
# BUILD as make knows it: another way to write the same folder is another flag, and would build everything anew under running tests.
install_all() {
    [ -n "${MAKELEVEL:-}" ] || skip "run by 'make test' only"
    ! nm -D "$BUILD/libfovea.so" | grep -q '__asan\|__tsan\|__ubsan' || skip "a sanitized build is not installed"
    ! counted || skip "a build that counts its branches is not installed: another make would build it anew, without"
    BUILD=${BUILD#"$TOP"/} make -s -C "$TOP" install DESTDIR="$PWD/root" PREFIX=/usr/local
    prefix=$PWD/root/usr/local
}

test_install_puts_everything_where_it_belongs() {
    install_all
    for file in bin/fovea libexec/fovea/fovea-worker libexec/fovea/fovea-ocr lib/libfovea.a lib/libfovea.so include/fovea.h \
        lib/pkgconfig/fovea.pc share/man/man1/fovea.1 share/man/man3/fovea.3 \
        share/bash-completion/completions/fovea share/zsh/site-functions/_fovea \
        share/fish/vendor_completions.d/fovea.fish; do
        [ -s "$prefix/$file" ] || fail "$file is missing"
    done
    BUILD=${BUILD#"$TOP"/} make -s -C "$TOP" uninstall DESTDIR="$PWD/root" PREFIX=/usr/local
    [ "$(find root -type f -o -type l | wc -l)" -eq 0 ] || fail "left behind: $(find root -type f -o -type l)"
}

test_the_example_compiles_against_what_is_installed() {
    command -v pkg-config >/dev/null || skip "no pkg-config"
    install_all
    flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$PWD/root pkg-config --cflags --libs fovea)
    ${CC:-cc} -Wall -Wextra -Werror "$TOP/examples/view.c" $flags -o view
    cp "$prefix/libexec/fovea/fovea-worker" .
    cp "$GOOD/jpeg-baseline.jpg" a.jpg
    run env LD_LIBRARY_PATH="$prefix/lib" ./view a.jpg b.out
    want_status 0
    has out 96x64
    [ -s b.out ]
    [ "$(wc -l <"$TOP/examples/view.c")" -le 30 ]
}

test_only_fovea_symbols_are_exported() {
    ! counted || skip "what counts branches exports symbols of its own"
    nm -D --defined-only "$BUILD/libfovea.so" | awk '$2 != "A" && $3 !~ /^fovea_/ {print; bad = 1} END {exit bad}'
}

test_manual_of_the_library_names_every_function() {
    awk -f "$TOP/tools/man3.awk" "$TOP/include/fovea.h" >fovea.3
    grep -o 'fovea_[a-z_]*(' "$TOP/include/fovea.h" | sort -u >names
    [ "$(wc -l <names)" -gt 10 ]
    while read -r name; do has fovea.3 "${name%(}"; done <names
    command -v groff >/dev/null || skip "no groff"
    groff -ww -man -Tutf8 fovea.3 >page 2>complaints
    empty complaints
}

run_tests "$@"
