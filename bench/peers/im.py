# SPDX-License-Identifier: Apache-2.0
"""ImageMagick's command line: one run of convert per candidate, as scripts call it."""
import os
import subprocess

import job

CONVERT = os.environ.get("BENCH_CONVERT", "/usr/bin/convert")


def run(*args):
    return subprocess.run(args, check=True, capture_output=True).stdout


def look(path):
    with open(path, "rb") as f:
        data = f.read()
    first = path + "[0]"
    width, height, opaque = run(CONVERT, first, "-auto-orient", "-format", "%w %h %[opaque]\n", "info:").split()
    size = int(width), int(height)
    if job.may_pass(data, *size):
        return data, job.sniff(data)

    def encode(media, quality, scale):
        w, h = job.fit(*size, scale)
        options = [] if media == "png" else ["-quality", str(quality)]
        return run(CONVERT, first, "-auto-orient", "-colorspace", "sRGB", "-filter", "Lanczos", "-resize", f"{w}x{h}!",
                   "-strip", *options, media + ":-")

    return job.ladder(["png", "jpeg", "webp"] if opaque.lower() == b"true" else ["png", "webp"], *size, encode)


job.main(look)
