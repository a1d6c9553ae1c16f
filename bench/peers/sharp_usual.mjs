// SPDX-License-Identifier: Apache-2.0
// sharp as it is usually written: one pipeline per encode, each from the file's bytes.
import sharp from 'sharp';
import { fit, ladder, main, mayPass, sniff } from './job.mjs';

sharp.cache(false); // the same files come again; a result kept from before would be no measurement

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
  return ladder(media, width, height, async (m, quality, scale) => {
    const [w, h] = fit(width, height, scale);
    const pipeline = sharp(bytes).rotate().resize(w, h, { fit: 'fill', kernel: 'lanczos3' });
    return { data: await encoders[m](pipeline, quality).toBuffer(), media: m, width: w, height: h };
  });
});
