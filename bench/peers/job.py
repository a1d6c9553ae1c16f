# SPDX-License-Identifier: Apache-2.0
"""The job of job.mjs for the peers in Python: same ladder, same two ways to be called."""
import base64
import json
import os
import sys
import time

MAX_EDGE, MAX_BYTES, FIRST = 1568, 512000, 75
QUALITIES, SCALES, LEAST_EDGE = [70, 60, 50, 40], [1, 0.75, 0.5, 0.35, 0.25], 100


def fit(width, height, scale=1):
    s = min(1, MAX_EDGE / max(width, height)) * scale
    return max(1, round(width * s)), max(1, round(height * s))


def may_pass(data, width, height):
    return len(data) <= MAX_BYTES / 4 and max(width, height) <= MAX_EDGE


def ladder(media, width, height, encode):
    """encode(media, quality, scale) gives bytes; returns (bytes, media)."""
    def attempt(which, quality, scale):
        return min(((encode(m, quality, scale), m) for m in which), key=lambda made: len(made[0]))
    best = attempt(media, FIRST, 1)
    lossy = [m for m in media if m != "png"] or media
    for scale in SCALES:
        if scale < 1 and min(fit(width, height, scale)) < LEAST_EDGE:
            break
        for quality in QUALITIES if scale == 1 else [FIRST] + QUALITIES:
            if len(best[0]) <= MAX_BYTES:
                return best
            best = min(best, attempt(lossy, quality, scale), key=lambda made: len(made[0]))
    return best


def sniff(data):
    return {0x89: "png", 0xFF: "jpeg", 0x47: "gif"}.get(data[0], "webp")


def once(look, path):
    data, media = look(path)
    return data, media, json.dumps({"media_type": "image/" + media, "data": base64.b64encode(data).decode()})


def warm(look, path):
    name = os.path.basename(path)
    try:
        start = time.perf_counter()
        data, media, _ = once(look, path)
        ms = (time.perf_counter() - start) * 1000
    except Exception as e:  # a peer that cannot do a file says so and goes on
        return {"file": name, "error": str(e)[:120]}
    dump = os.environ.get("BENCH_DUMP")
    if dump:
        with open(f"{dump}/{name}.{media}", "wb") as f:
            f.write(data)
    return {"file": name, "ms": ms, "bytes": len(data), "media": "image/" + media}


def main(look):
    if len(sys.argv) > 1:
        print(once(look, sys.argv[1])[2])
        return
    for line in sys.stdin:
        print(json.dumps(warm(look, line.strip())), flush=True)
