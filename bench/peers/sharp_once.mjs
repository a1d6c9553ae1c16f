// SPDX-License-Identifier: Apache-2.0
// sharp with care: decoded and resized once to raw pixels, then encoded from those.
import sharp from 'sharp';
import { fit, ladder, main, mayPass, sniff } from './job.mjs';

sharp.cache(false);

const encoders = {
  'image/png': (s) => s.png(),
  'image/jpeg': (s, quality) => s.jpeg({ quality }),
  'image/webp': (s, quality) => s.webp({ quality }),
};

await main(async (bytes) => {
  const meta = await sharp(bytes).metadata();
  const turned = meta.orientation >= 5;
  const [width, height] = turned ? [meta.height, meta.width] : [meta.width, meta.height];
  if (mayPass(bytes, width, height)) return { data: bytes, media: sniff(bytes), width, height };
  const media = Object.keys(encoders).filter((m) => m !== 'image/jpeg' || !meta.hasAlpha);
  const made = new Map();
  const pixels = (w, h) => {
    const key = `${w}x${h}`;
    if (!made.has(key))
      made.set(key, sharp(bytes).rotate().resize(w, h, { fit: 'fill', kernel: 'lanczos3' })
        .toColourspace('srgb').raw().toBuffer({ resolveWithObject: true }));
    return made.get(key);
  };
  return ladder(media, width, height, async (m, quality, scale) => {
    const [w, h] = fit(width, height, scale);
    const { data, info } = await pixels(w, h);
    return { data: await encoders[m](sharp(data, { raw: info }), quality).toBuffer(), media: m, width: w, height: h };
  });
});
