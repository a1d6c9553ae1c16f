// SPDX-License-Identifier: Apache-2.0
// Legibility: Tesseract reads the original and what each contender made of it; recall is the share of the original's
// words that are still read. The words that were really drawn (corpus/truth) are a second measure.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';

const PARALLEL = 2;

const read = (path) => new Promise((resolve, reject) => {
  const options = { encoding: 'utf8', maxBuffer: 1 << 26, env: { ...process.env, OMP_THREAD_LIMIT: '1' } };
  execFile('tesseract', [path, '-', '--psm', '11'], options, (error, stdout) => (error ? reject(error) : resolve(stdout)));
});

const words = (text) => text.toLowerCase().split(/[^a-z0-9]+/).filter((w) => w.length >= 3);

function recall(want, got) {
  const left = new Map();
  for (const w of got) left.set(w, (left.get(w) ?? 0) + 1);
  let found = 0;
  for (const w of want) if (left.get(w) > 0) { left.set(w, left.get(w) - 1); found++; }
  return want.length ? (100 * found) / want.length : 100;
}

// The original is read once and kept: it takes the longest.
async function readOriginal(dir, file) {
  const source = `${dir}/corpus/${file}`, kept = `${dir}/ocr/${file}.txt`;
  if (!existsSync(kept) || statSync(kept).mtimeMs < statSync(source).mtimeMs) writeFileSync(kept, await read(source));
  return words(readFileSync(kept, 'utf8'));
}

async function one(dir, file, names) {
  const original = await readOriginal(dir, file), truth = words(readFileSync(`${dir}/corpus/truth/${file}.txt`, 'utf8'));
  const row = { file, words: original.length, original: { truth: recall(truth, original) } };
  for (const name of names) {
    const out = `${dir}/out/${name}`, made = existsSync(out) && readdirSync(out).find((f) => f.startsWith(`${file}.`));
    if (!made) continue;
    const got = words(await read(`${out}/${made}`));
    row[name] = { recall: recall(original, got), truth: recall(truth, got) };
  }
  process.stderr.write(`ocr ${JSON.stringify(row)}\n`);
  return row;
}

export async function ocrAll(dir, files, names) {
  mkdirSync(`${dir}/ocr`, { recursive: true });
  const rows = [], queue = [...files];
  const work = async () => { while (queue.length) rows.push(await one(dir, queue.shift(), names)); };
  await Promise.all(Array.from({ length: PARALLEL }, work));
  return rows.sort((a, b) => files.indexOf(a.file) - files.indexOf(b.file));
}
