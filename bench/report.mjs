// SPDX-License-Identifier: Apache-2.0
// Writes docs/benchmarks.md from results.json: node report.mjs results.json > benchmarks.md. A contender's time for a
// file is the least over its rounds; where two are compared, over the rounds and the files that both did.
import { readFileSync } from 'node:fs';
import { mcpSection } from './report_mcp.mjs';

const R = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const OURS = 'fovea', USUAL = 'sharp, usual', ONCE = 'sharp, resized once';
const MAX_BYTES = 512000, KIB = 1024;
const files = R.list.filter((f) => f.use !== 'series').map((f) => f.file);
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const mean = (numbers) => sum(numbers) / numbers.length;
const fixed = (n, digits = 2) => (Number.isFinite(n) ? n.toFixed(digits) : '–');
const table = (head, rows) => [head, head.map((_, i) => (i ? '--:' : '---')), ...rows].map((r) => `| ${r.join(' | ')} |`).join('\n');

const done = (name, file) => R.warm[name]?.[file]?.ms?.length > 0;
const ms = (name, file, rounds = Infinity) => Math.min(...R.warm[name][file].ms.slice(0, rounds));

// Two contenders over what both did: times, ratio a/b, bytes.
function compare(a, b) {
  const both = files.filter((f) => done(a, f) && done(b, f));
  if (!both.length) return null;
  const rounds = Math.min(...[a, b].map((n) => R.warm[n][both[0]].ms.length));
  const total = (n) => sum(both.map((f) => ms(n, f, rounds))), bytes = (n) => sum(both.map((f) => R.warm[n][f].bytes));
  return { files: both.length, time: total(a) / total(b), bytes: bytes(a) / bytes(b), ms: total(b) };
}

function warmTable() {
  const rows = R.contenders.map(({ name, version }) => {
    if (version === null) return [name, 'not installed', '', '', '', ''];
    const c = compare(OURS, name);
    if (!c) return [name, 'no result', '', '', '', ''];
    const over = files.filter((f) => done(name, f) && R.warm[name][f].bytes > MAX_BYTES).length;
    return [`${name} ${version}`.trim(), c.files, fixed(c.ms, 0), fixed(c.time), fixed(c.bytes, 3), over];
  });
  return table(['', 'files', 'total ms', 'fovea’s time ÷ its time', 'fovea’s bytes ÷ its bytes', 'over budget'], rows);
}

const coldOf = (file, name) => R.cold[file]?.[name];
const MEMORY = [['largest_kib', 'largest process'], ['tree_kib', 'all processes']];

function coldTable(file) {
  const ours = coldOf(file, OURS);
  const rows = R.contenders.filter((c) => c.version !== '').map(({ name, version }) => {
    const c = coldOf(file, name);
    if (version === null || !c) return [name, version === null ? 'not installed' : 'no result', '', '', ''];
    return [name, fixed(c.ms, 1), fixed(ours?.ms / c.ms), ...MEMORY.map(([k]) => `${fixed(c[k] / KIB, 1)} (${fixed(ours?.[k] / c[k])})`)];
  });
  return table(['', 'ms', 'fovea ÷ it', ...MEMORY.map(([, words]) => `peak MiB, ${words} (fovea ÷ it)`)], rows);
}

function worstBytes() {
  const both = files.filter((f) => done(OURS, f) && done(USUAL, f));
  const ratio = (f) => R.warm[OURS][f].bytes / R.warm[USUAL][f].bytes;
  const file = both.reduce((a, b) => (ratio(b) > ratio(a) ? b : a), both[0]);
  return { file, ratio: file ? ratio(file) : NaN };
}

const recalls = (name) => (R.ocr ?? []).filter((r) => r[OURS] && r[USUAL]).map((r) => r[name].recall);

// Asked and measured: the first line of what the project promised itself.
function asked() {
  const time = (peer, limit) => ['warm time ÷ ' + peer, limit, compare(OURS, peer)?.time];
  const cold = (file, key, limit, what) => [`cold ${file}, ${what} ÷ sharp, usual`, limit, coldOf(file, OURS)?.[key] / coldOf(file, USUAL)?.[key]];
  const ui = 'ui-2560x1600.png', jpeg = 'photo-4032x3024.jpg', worst = worstBytes();
  const biggest = Math.max(...files.filter((f) => done(OURS, f)).map((f) => R.warm[OURS][f].bytes));
  const lost = mean(recalls(USUAL)) - mean(recalls(OURS));
  return [
    time(USUAL, 0.45), time(ONCE, 0.55), time('Pillow', 0.25), time('photon', 0.2),
    cold(ui, 'ms', 1 / 4, 'time'), cold(ui, 'largest_kib', 1 / 5, 'memory of the largest process'),
    cold(ui, 'tree_kib', 1 / 5, 'memory of all processes'),
    cold(jpeg, 'ms', 1 / 2.5, 'time'), cold(jpeg, 'largest_kib', 1 / 5, 'memory of the largest process'),
    cold(jpeg, 'tree_kib', 1 / 5, 'memory of all processes'),
    [`bytes of one file ÷ sharp, usual (worst: ${worst.file})`, 1.08, worst.ratio],
    ['bytes in total ÷ sharp, usual', 1, compare(OURS, USUAL)?.bytes],
    ['largest output ÷ budget', 1, biggest / MAX_BYTES],
    ['files that fovea did not show', 0, files.filter((f) => !done(OURS, f)).length],
    ['points of OCR word recall below the seed’s ladder', 0.5, lost],
  ];
}

const askedTable = () => table(['', 'at most', 'measured', ''], asked().map(([what, limit, got]) =>
  [what, fixed(limit), fixed(got, 3), !Number.isFinite(got) ? 'not measured' : got <= limit ? 'holds' : '**missed**']));

function growth(kind) {
  const rows = R.list.filter((f) => f.use === 'series' && f.file.includes(kind));
  const names = [OURS, USUAL, ONCE, 'Pillow'].filter((n) => rows.some((f) => done(n, f.file)));
  return table(['megapixels', ...names.map((n) => `${n}, ms`), 'fovea ÷ sharp, usual'], rows.map((f) => [
    fixed((f.w * f.h) / 1e6, 1), ...names.map((n) => (done(n, f.file) ? fixed(ms(n, f.file), 1) : '–')),
    done(OURS, f.file) && done(USUAL, f.file) ? fixed(ms(OURS, f.file) / ms(USUAL, f.file)) : '–']));
}

function ocrTable() {
  if (!R.ocr) return 'Tesseract is not installed.';
  const rows = R.ocr.map((r) => [r.file, r.words, ...[OURS, USUAL].map((n) => fixed(r[n]?.recall, 1)),
    ...['original', OURS, USUAL].map((n) => fixed(r[n]?.truth, 1))]);
  const of = (n, key) => fixed(mean(R.ocr.filter((r) => r[n]).map((r) => r[n][key])), 1);
  rows.push(['**mean**', '', of(OURS, 'recall'), of(USUAL, 'recall'), of('original', 'truth'), of(OURS, 'truth'), of(USUAL, 'truth')]);
  return table(['', 'words read in the original', 'fovea', 'seed’s ladder (sharp)', 'of the words drawn: original', 'fovea', 'seed’s ladder'], rows);
}

function fileTable() {
  const cell = (n, f) => (done(n, f) ? `${fixed(ms(n, f), 1)} | ${R.warm[n][f].bytes} ${R.warm[n][f].media.slice(6)}` : `${R.warm[n]?.[f]?.error ?? '–'} | `);
  return table(['', 'fovea ms', 'bytes', 'sharp ms', 'bytes', 'time', 'bytes'], files.map((f) => {
    const both = done(OURS, f) && done(USUAL, f);
    return [f, cell(OURS, f), cell(USUAL, f), both ? fixed(ms(OURS, f) / ms(USUAL, f)) : '',
      both ? fixed(R.warm[OURS][f].bytes / R.warm[USUAL][f].bytes) : ''];
  }));
}

function failures() {
  const rows = Object.entries(R.warm).flatMap(([name, made]) =>
    files.filter((f) => made[f] && !made[f].ms.length).map((f) => `- ${name}: ${f}: ${made[f].error}`));
  return rows.length ? `Files that a contender could not do (left out of its comparison):\n\n${rows.join('\n')}\n` : '';
}

const m = R.machine;
process.stdout.write(`# Benchmarks

Made by \`make bench\` on ${m.date}: one run, all contenders side by side. Do not edit.

Machine: ${m.cpu}, ${m.cores} cores, ${m.memory_gib} GiB; ${m.system}, Linux ${m.kernel}; ${m.compiler}, node ${m.node}${m.tesseract ? `, Tesseract ${m.tesseract}` : ''}.

The job: a file on disk becomes a picture that a model takes (long edge ${1568}, at most ${MAX_BYTES} bytes, upright, sRGB, first frame) as base64 in
JSON. Peers do it by the seed's ladder: PNG, JPEG and WebP at quality 75, the smallest within the budget; then qualities 70 to 40; then smaller
scales; a small original passes as it is. photon has no lossy WebP, jimp none at all. fovea's figures include its confined worker: one new process for each picture.
The corpus is made by the generators in \`bench/\`: ${files.length} files, screenshots, photos, charts, icons, scans, and one of each odd kind.

## Asked and measured

${askedTable()}

Memory of all processes is the highest sum of their resident sets that was seen in any run, sampled every 0.4 ms; pages that two processes share count
twice. Other figures are the least of several runs.

## Warm

One process each, files one after the other; the least of ${R.rounds} rounds for each file (${R.slow_rounds} for Pillow, photon, jimp and ImageMagick, and fovea's same
rounds against them). \`fovea\` keeps 1 worker ready.

${warmTable()}

${failures()}
## Cold

A whole process, from start to the JSON on its standard output: \`fovea view --json --data FILE\`, or a script for the peer.

### ui-2560x1600.png

${coldTable('ui-2560x1600.png')}

### photo-4032x3024.jpg

${coldTable('photo-4032x3024.jpg')}

## How cost grows

One picture at five sizes, warm. The smallest passes as it is: peers hand it on after a look at its header, fovea only after a worker decoded all of it.

### A screen, PNG

${growth('screen')}

### A photo, JPEG

${growth('photo')}

${mcpSection(R.mcp)}
${R.retention ?? ''}## Legibility

Share of the words that Tesseract reads in the original and still reads in what the model is shown, in per cent; noise is about one point. The
right half counts the words that the generator drew (those cut off at the edge of the picture too).

${ocrTable()}

## Each file

sharp is its usual pipeline; the last two columns are fovea ÷ sharp.

${fileTable()}
`);
