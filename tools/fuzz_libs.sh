#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rebuilds the libraries that decode hostile bytes with the fuzzers' instrumentation, from Debian's own source packages in the
# version that is installed, as static libraries: tools/fuzz_libs.sh DIR [NAME ...]. The fuzzers link what lies in DIR/lib
# instead of the system's. Nothing outside of DIR is changed: apt runs on lists and a cache of its own. Exit status 1 where one of them was
# not built: a step failed, or what it should have made is not there, or has no checks in it.
#
# Of the undefined behaviour only what endangers memory is checked there: these libraries shift and wrap signed numbers in
# many places, harmlessly so far, and a run would end at the first of them.
set -eu
# What each of them makes.
MADE='jpeg libjpeg.a
webp libwebp.a
lcms liblcms2.a
deflate libdeflate.a
md4c libmd4c.a
tiff libtiff.a
de265 libde265.a
heif libheif.a
ffmpeg libavformat.a libavcodec.a libswscale.a libavutil.a'
dir=$1
shift
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/src" "$dir/lib"
dir=$(cd "$dir" && pwd)
# shellcheck disable=SC2317 # build_NAME is called by name
flags='-O1 -g -fPIC -fno-omit-frame-pointer -fsanitize=address,bounds,integer-divide-by-zero,unreachable,fuzzer-no-link -fno-sanitize-recover=all'
jobs=${JOBS:-1}
# shellcheck source=/dev/null # the system's
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
export CC=clang CXX=clang++

apt_here() {
    apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$dir/apt/parts" -o Dir::State="$dir/apt" \
        -o Dir::State::status=/var/lib/dpkg/status -o Dir::Cache="$dir/apt/cache" "$@"
}

# The sources of what the system has its packages from.
lists() {
    mkdir -p "$dir/apt/parts"
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$list" >"$dir/apt/parts/${list##*/}"
    done
    apt_here update
}

# unpack PACKAGE: the source that the installed library was made of, patched; prints its folder. A mirror may lack files: then as
# the suite was released, and last as it was published, without Debian's patches.
unpack() {
    rm -rf "$dir/src/$1"
    mkdir -p "$dir/src/$1"
    version=$(dpkg-query -W -f '${source:Package} ${source:Version}\n' | awk -v p="$1" '$1 == p { print $2; exit }')
    (
        cd "$dir/src/$1" || exit 1
        apt_here source --only-source "$1${version:+=$version}" || apt_here source --only-source "$1/$suite" || tar xf "$1"_*.orig.tar.*z
    ) >"$dir/src/$1.fetched" 2>&1 || return 1
    find "$dir/src/$1" -mindepth 1 -maxdepth 1 -type d | grep .
}

# with_cmake PACKAGE LIBRARIES OPTION ...: builds and takes the libraries that are named.
with_cmake() {
    from=$(unpack "$1")
    take=$2
    shift 2
    cmake -S "$from" -B "$from/fuzz" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
        -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@"
    for l in $take; do
        cmake --build "$from/fuzz" -j "$jobs" --target "$l"
    done
    find "$from/fuzz" -name '*.a' -exec cp {} "$dir/lib/" \;
}

with_configure() {
    from=$(unpack "$1")
    shift
    (cd "$from" && ./configure CFLAGS="$flags" CXXFLAGS="$flags" --disable-shared --enable-static "$@" && make -C src -j "$jobs")
    find "$from" -name '*.a' -exec cp {} "$dir/lib/" \;
}

build_jpeg() { with_cmake libjpeg-turbo 'jpeg-static' -DWITH_SIMD=0 -DENABLE_SHARED=0 -DWITH_TURBOJPEG=0; }
build_webp() {
    with_cmake libwebp 'webp' -DWEBP_BUILD_ANIM_UTILS=0 -DWEBP_BUILD_CWEBP=0 -DWEBP_BUILD_DWEBP=0 \
        -DWEBP_BUILD_GIF2WEBP=0 -DWEBP_BUILD_IMG2WEBP=0 -DWEBP_BUILD_VWEBP=0 -DWEBP_BUILD_WEBPINFO=0 -DWEBP_BUILD_WEBPMUX=0 \
        -DWEBP_BUILD_EXTRAS=0
}
build_lcms() { with_configure lcms2 --without-jpeg --without-tiff --without-zlib; }
build_deflate() {
    from=$(unpack libdeflate)
    make -C "$from" -j "$jobs" CFLAGS="$flags" libdeflate.a
    cp "$from/libdeflate.a" "$dir/lib/"
}
build_tiff() { with_cmake tiff 'tiff' -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-docs=OFF -Dtiff-contrib=OFF -Dcxx=OFF; }
build_md4c() { with_cmake md4c 'md4c'; }
build_de265() { with_cmake libde265 'de265' -DENABLE_SDL=OFF -DENABLE_ENCODER=OFF -DDISABLE_SSE=ON; }
build_heif() { with_cmake libheif 'heif' -DWITH_EXAMPLES=OFF -DENABLE_PLUGIN_LOADING=OFF -DWITH_X265=OFF; }

# opened KEY: what fovea-video's tables name in rows of MEDIA (demuxers) or AV_CODEC_ID (decoders), by the names that configure has for
# them, so that what is fuzzed is what is opened.
opened() {
    grep -o "{$1_[A-Z0-9_]*, \"[a-z0-9]*\"" "$top/render/video/container.c" | cut -d '"' -f 2 | sort -u |
        sed 's/^mpeg$/mpegps/; s/^msmpeg4$/msmpeg4v3/' | paste -sd , -
}

# All parsers, since the library opens those of sound too when it looks for what streams there are. Compressed heads are read with zlib.
# A name that configure does not know is only warned of.
build_ffmpeg() {
    demuxers=$(opened MEDIA) decoders=$(opened AV_CODEC_ID)
    [ -n "$demuxers" ] && [ -n "$decoders" ] || return 1
    from=$(unpack ffmpeg)
    (cd "$from" && ./configure --cc=clang --cxx=clang++ --ld=clang --extra-cflags="$flags" --extra-ldflags="$flags" \
        --disable-everything --disable-autodetect --disable-programs --disable-doc --disable-asm --disable-network \
        --disable-avdevice --disable-avfilter --disable-swresample --enable-libdav1d --enable-zlib --disable-stripping \
        --optflags=-O1 --enable-demuxer="$demuxers" --enable-decoder="$decoders" --enable-parsers &&
        ! grep 'did not match anything' ffbuild/config.log && make -j "$jobs")
    find "$from" -name 'lib*.a' -exec cp {} "$dir/lib/" \;
}

# In a shell of its own, where a step that fails ends it: as a condition of another command it would go on.
if [ "${1:-}" = --one ]; then
    made=$(echo "$MADE" | sed -n "s/^$2 //p")
    # shellcheck disable=SC2086 # names
    (cd "$dir/lib" && rm -f $made)
    "build_$2"
    bad=0
    for library in $made; do
        if [ ! -s "$dir/lib/$library" ]; then
            echo "fuzz_libs: $library was not made"
            bad=1
        elif ! nm "$dir/lib/$library" | grep -c ' U __asan_report'; then
            echo "fuzz_libs: $library has no checks in it"
            rm "$dir/lib/$library"
            bad=1
        fi
    done
    exit $bad
fi

# shellcheck disable=SC2046 # names
[ $# -gt 0 ] || set -- $(echo "$MADE" | cut -d ' ' -f 1)
for name in "$@"; do
    echo "$MADE" | grep -q "^$name " || { echo "fuzz_libs: there is no '$name' to be rebuilt" >&2; exit 2; }
done
lists >"$dir/apt.log" 2>&1 || { echo "fuzz_libs: no source packages to be had, see $dir/apt.log" >&2; exit 1; }
failed=0
for name in "$@"; do
    if "$0" "$dir" --one "$name" >"$dir/$name.log" 2>&1; then
        echo "built $name"
    else
        echo "not built $name, see $dir/$name.log"
        failed=1
    fi
done
exit $failed
