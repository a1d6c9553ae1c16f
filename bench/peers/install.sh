#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Puts the peers of the benchmark where they can be found: npm packages into $BENCH_DIR/peers (outside the repo), the
# rest from apt. What cannot be had is skipped; the benchmark then says "not installed".
set -u
dir=${BENCH_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/fovea-bench}/peers
mkdir -p "$dir"
if command -v npm >/dev/null; then
    cd "$dir" || exit 1
    [ -f package.json ] || echo '{"private":true,"type":"module"}' >package.json
    for package in sharp @silvia-odwyer/photon-node jimp; do
        [ -d "node_modules/$package" ] || npm install --no-audit --no-fund --loglevel=error "$package" || echo "skipped: $package"
    done
else
    echo "skipped: sharp, photon, jimp (no npm)"
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
for package in python3-pil imagemagick tesseract-ocr; do
    dpkg -s "$package" >/dev/null 2>&1 || $sudo apt-get install -y --no-install-recommends "$package" || echo "skipped: $package"
done
