# SPDX-License-Identifier: Apache-2.0
"""Pillow: decoded once, turned by EXIF, resized once for each scale, encoded from there."""
import io

from PIL import Image, ImageOps

import job


def look(path):
    with open(path, "rb") as f:
        data = f.read()
    source = Image.open(io.BytesIO(data))
    if job.may_pass(data, *source.size) and source.getexif().get(0x112, 1) == 1:
        return data, job.sniff(data)
    alpha = source.mode in ("RGBA", "LA", "PA") or "transparency" in source.info
    source = ImageOps.exif_transpose(source)
    if source.mode == "I":  # 16 bits
        source = source.point(lambda v: v / 256)
    source = source.convert("RGBA" if alpha else "RGB")
    scaled = {}

    def encode(media, quality, scale):
        if scale not in scaled:
            size = job.fit(*source.size, scale)
            scaled[scale] = source if size == source.size else source.resize(size, Image.LANCZOS)
        out = io.BytesIO()
        options = {} if media == "png" else {"quality": quality}
        scaled[scale].save(out, media, **options)
        return out.getvalue()

    return job.ladder(["png", "webp"] if alpha else ["png", "jpeg", "webp"], *source.size, encode)


job.main(look)
