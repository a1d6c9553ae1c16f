// SPDX-License-Identifier: Apache-2.0
// The job that every peer does: file -> picture within the limits -> JSON with the picture as base64. The ladder is the
// seed's: PNG, JPEG and WebP at the first quality, the smallest within the budget wins; then lower qualities, then
// smaller scales. With a file as argument the process does that one and ends (cold start); otherwise it takes paths
// from stdin and answers each with one line: file, milliseconds, bytes, media type (warm).
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';

export const MAX_EDGE = 1568, MAX_BYTES = 512000, FIRST = 75;
const QUALITIES = [70, 60, 50, 40], SCALES = [1, 0.75, 0.5, 0.35, 0.25], LEAST_EDGE = 100;

export function fit(width, height, scale = 1) {
  const s = Math.min(1, MAX_EDGE / Math.max(width, height)) * scale;
  return [Math.max(1, Math.round(width * s)), Math.max(1, Math.round(height * s))];
}

export const mayPass = (bytes, width, height) =>
  bytes.length <= MAX_BYTES / 4 && width <= MAX_EDGE && height <= MAX_EDGE;

const smallest = (made) => made.reduce((a, b) => (b.data.length < a.data.length ? b : a));

// encode(media, quality, scale) gives { data, media, width, height }; media names what may be tried.
export async function ladder(media, width, height, encode) {
  const attempt = async (which, quality, scale) =>
    smallest(await Promise.all(which.map((m) => encode(m, quality, scale))));
  let best = await attempt(media, FIRST, 1);
  const lossy = media.filter((m) => m !== 'image/png');
  for (const scale of SCALES) {
    if (Math.min(...fit(width, height, scale)) < LEAST_EDGE && scale < 1) break;
    for (const quality of scale < 1 ? [FIRST, ...QUALITIES] : QUALITIES) {
      if (best.data.length <= MAX_BYTES) return best;
      const made = await attempt(lossy.length ? lossy : media, quality, scale);
      if (made.data.length < best.data.length) best = made;
    }
  }
  return best;
}

export function sniff(b) {
  if (b[0] === 0x89) return 'image/png';
  if (b[0] === 0xff) return 'image/jpeg';
  return b[0] === 0x47 ? 'image/gif' : 'image/webp';
}

// EXIF orientation of a JPEG, for peers that do not look at it themselves.
export function orientation(b) {
  for (let at = 2; b[0] === 0xff && at + 4 < b.length && b[at] === 0xff && b[at + 1] !== 0xda;) {
    const end = at + 2 + b.readUInt16BE(at + 2);
    if (b[at + 1] === 0xe1 && b.toString('latin1', at + 4, at + 8) === 'Exif') {
      const tiff = b.subarray(at + 10, end), little = tiff[0] === 0x49;
      const u16 = (o) => (little ? tiff.readUInt16LE(o) : tiff.readUInt16BE(o));
      const first = little ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
      for (let i = 0; i < u16(first); i++)
        if (u16(first + 2 + 12 * i) === 0x112) return u16(first + 10 + 12 * i);
    }
    at = end;
  }
  return 1;
}

async function once(look, path) {
  const r = await look(readFileSync(path));
  return { r, json: JSON.stringify({ media_type: r.media, width: r.width, height: r.height, data: r.data.toString('base64') }) };
}

async function warm(look, path, dump) {
  try {
    const start = process.hrtime.bigint();
    const { r } = await once(look, path);
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    if (dump) writeFileSync(`${dump}/${basename(path)}.${r.media.slice(6)}`, r.data);
    return { file: basename(path), ms, bytes: r.data.length, media: r.media };
  } catch (e) {
    return { file: basename(path), error: String(e.message ?? e).split('\n')[0].slice(0, 120) };
  }
}

export async function main(look) {
  const path = process.argv[2];
  if (path) {
    process.stdout.write((await once(look, path)).json + '\n');
    return;
  }
  for await (const line of createInterface({ input: process.stdin }))
    process.stdout.write(JSON.stringify(await warm(look, line, process.env.BENCH_DUMP)) + '\n');
}
