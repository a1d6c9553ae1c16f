#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that building fovea needs, where they are missing. Says which; does nothing when all are
# there. `make demo` and `make test` call it. Further packages may be named.
set -eu

packages="gcc make pkg-config libc6-dev binutils
libjansson-dev libyaml-dev libunistring-dev libidn2-dev libpcre2-dev libsqlite3-dev libpq-dev libcurl4-openssl-dev libssl-dev libseccomp-dev
libjpeg62-turbo-dev libwebp-dev libgif-dev liblcms2-dev libdeflate-dev libspng-dev
libtiff-dev libheif-dev libgdk-pixbuf-2.0-dev librsvg2-dev libpango1.0-dev libfontconfig-dev libmd4c-dev libpoppler-glib-dev
libavformat-dev libavcodec-dev libswscale-dev libavutil-dev poppler-data fonts-liberation
libtesseract-dev libleptonica-dev tesseract-ocr-eng
libmicrohttpd-dev libchafa-dev libglib2.0-dev $*"

missing=
for p in $packages; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$p" 2>/dev/null) || state=none
    [ "$state" = installed ] || missing="$missing $p"
done
[ -n "$missing" ] || exit 0

echo "fovea needs these Debian packages:$missing"
if ! command -v apt-get >/dev/null; then
    echo "apt-get is not here: install their like by hand, then run make again" >&2
    exit 1
fi
as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "run as root: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # words are meant to split
$as_root apt-get install -y -q --no-install-recommends $missing ||
    { $as_root apt-get update -q && $as_root apt-get install -y -q --no-install-recommends $missing; }
