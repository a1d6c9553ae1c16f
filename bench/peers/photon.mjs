// SPDX-License-Identifier: Apache-2.0
// photon (Rust in WebAssembly). It has no lossy WebP, so PNG and JPEG are the candidates; it does not look at EXIF, so
// pixels are turned here.
import { PhotonImage, SamplingFilter, resize } from '@silvia-odwyer/photon-node';
import { fit, ladder, main, mayPass, orientation, sniff } from './job.mjs';

// For each orientation, which source pixel an upright (x, y) shows; w and h are the source's.
const from = {
  2: (x, y, w) => [w - 1 - x, y], 3: (x, y, w, h) => [w - 1 - x, h - 1 - y], 4: (x, y, w, h) => [x, h - 1 - y],
  5: (x, y) => [y, x], 6: (x, y, w, h) => [y, h - 1 - x], 7: (x, y, w, h) => [w - 1 - y, h - 1 - x],
  8: (x, y, w) => [w - 1 - y, x],
};

function upright(image, turn) {
  if (!from[turn]) return image;
  const w = image.get_width(), h = image.get_height(), [uw, uh] = turn >= 5 ? [h, w] : [w, h];
  const source = new Uint32Array(image.get_raw_pixels().buffer), pixels = new Uint32Array(uw * uh);
  for (let y = 0; y < uh; y++)
    for (let x = 0; x < uw; x++) {
      const [sx, sy] = from[turn](x, y, w, h);
      pixels[y * uw + x] = source[sy * w + sx];
    }
  image.free();
  return new PhotonImage(new Uint8Array(pixels.buffer), uw, uh);
}

function opaque(image) {
  const pixels = image.get_raw_pixels();
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 255) return false;
  return true;
}

await main(async (bytes) => {
  const source = PhotonImage.new_from_byteslice(bytes), turn = orientation(bytes);
  const size = [source.get_width(), source.get_height()], [width, height] = turn >= 5 ? size.reverse() : size;
  if (mayPass(bytes, width, height)) {
    source.free();
    return { data: bytes, media: sniff(bytes), width, height };
  }
  const scaled = new Map(); // each size once; turned when small
  const at = (scale) => {
    const [w, h] = fit(width, height, scale), [sw, sh] = turn >= 5 ? [h, w] : [w, h];
    if (!scaled.has(scale)) scaled.set(scale, upright(resize(source, sw, sh, SamplingFilter.Lanczos3), turn));
    return scaled.get(scale);
  };
  const media = opaque(at(1)) ? ['image/png', 'image/jpeg'] : ['image/png'];
  const best = await ladder(media, width, height, async (m, quality, scale) => {
    const image = at(scale);
    const data = m === 'image/png' ? image.get_bytes() : image.get_bytes_jpeg(quality);
    return { data: Buffer.from(data), media: m, width: image.get_width(), height: image.get_height() };
  });
  for (const image of [source, ...scaled.values()]) image.free();
  return best;
});
