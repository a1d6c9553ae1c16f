// SPDX-License-Identifier: Apache-2.0
// jimp (JavaScript alone). It turns by EXIF itself; it neither reads nor writes WebP.
import { Jimp } from 'jimp';
import { fit, ladder, main, mayPass, sniff } from './job.mjs';

await main(async (bytes) => {
  const source = await Jimp.read(bytes), { width, height } = source.bitmap;
  if (mayPass(bytes, width, height)) return { data: bytes, media: sniff(bytes), width, height };
  const scaled = new Map();
  const at = (scale) => {
    const [w, h] = fit(width, height, scale);
    if (!scaled.has(scale)) scaled.set(scale, w === width && h === height ? source : source.clone().resize({ w, h }));
    return scaled.get(scale);
  };
  const media = source.hasAlpha() ? ['image/png'] : ['image/png', 'image/jpeg'];
  return ladder(media, width, height, async (m, quality, scale) => {
    const image = at(scale), options = m === 'image/jpeg' ? { quality } : undefined;
    const data = await image.getBuffer(m, options);
    return { data, media: m, width: image.bitmap.width, height: image.bitmap.height };
  });
});
