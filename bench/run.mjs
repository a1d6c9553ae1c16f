// SPDX-License-Identifier: Apache-2.0
// Measures: node run.mjs BUILD BENCH_DIR writes BENCH_DIR/results.json. Every contender lives in one process for the
// whole run; a round sends the list of files through each of them in turn, so that a slow minute of the machine falls
// on all alike. Slow contenders take part in the first rounds only, and are compared over those.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { createInterface } from 'node:readline';
import { mcpAll } from './mcp.mjs';
import { ocrAll } from './ocr.mjs';

const [build, dir] = process.argv.slice(2);
const corpus = `${dir}/corpus`, peers = `${dir}/peers`, empty = `${dir}/empty`;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5), SLOW_ROUNDS = Number(process.env.BENCH_SLOW_ROUNDS ?? 2);
const COLD_FILES = ['ui-2560x1600.png', 'photo-4032x3024.jpg'], COLD_ROUNDS = 3, COLD_RUNS = 3;
const python = '/usr/bin/python3', convert = '/usr/bin/convert';
const say = (...words) => process.stderr.write(words.join(' ') + '\n');

const first = (command, args, pattern) => {
  const r = spawnSync(command, args, { encoding: 'utf8', cwd: peers });
  return (r.stdout + r.stderr).match(pattern)?.[1] ?? null;
};
const npm = (name) => {
  const at = `${peers}/node_modules/${name}/package.json`;
  return existsSync(at) ? JSON.parse(readFileSync(at)).version : null;
};

// version null: not installed. slow: first rounds only. series: also measured over megapixels.
const warmed = (ready) => [`${build}/bench/fovea_bench`, build, String(ready), corpus];
const contenders = [
  { name: 'fovea', version: first(`${build}/fovea`, ['version'], /(\d+\.\d+\.\d+)/), warm: warmed(1), series: true, dump: true,
    cold: [`${build}/fovea`, 'view', '--json', '--data'] },
  { name: 'fovea, 2 ready workers', version: '', warm: warmed(2) },
  { name: 'fovea, no ready worker', version: '', warm: warmed(0) },
  { name: 'sharp, usual', version: npm('sharp'), warm: ['node', 'sharp_usual.mjs'], series: true, dump: true },
  { name: 'sharp, resized once', version: npm('sharp'), warm: ['node', 'sharp_once.mjs'], series: true },
  { name: 'Pillow', version: first(python, ['-c', 'import PIL; print(PIL.__version__)'], /^(\d[\d.]*)/), slow: true,
    warm: [python, 'pillow.py'], series: true },
  { name: 'photon', version: npm('@silvia-odwyer/photon-node'), slow: true, warm: ['node', 'photon.mjs'] },
  { name: 'jimp', version: npm('jimp'), slow: true, warm: ['node', 'jimp.mjs'] },
  { name: 'ImageMagick', version: first(convert, ['-version'], /ImageMagick (\S+)/), slow: true, warm: [python, 'im.py'] },
];

class Runner {
  constructor(contender) {
    const out = `${dir}/out/${contender.name}`;
    if (contender.dump) {
      rmSync(out, { recursive: true, force: true });
      mkdirSync(out, { recursive: true });
    }
    const [command, ...args] = contender.warm;
    this.child = spawn(command, args, { cwd: peers, stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, BENCH_DUMP: contender.dump ? out : '' } });
    this.child.stdin.on('error', () => {}); // a contender that died shows as one that answers nothing
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async pass(files) {
    this.child.stdin.write(files.map((f) => `${corpus}/${f}\n`).join(''));
    const answers = [];
    for (const file of files) {
      const { value, done } = await this.lines.next();
      answers.push(done ? { file, error: 'the process ended' } : JSON.parse(value));
    }
    return answers;
  }
  end() {
    this.child.stdin.end();
  }
}

async function warm(list) {
  const results = {}, runners = new Map();
  const totals = list.filter((f) => f.use !== 'series').map((f) => f.file);
  const all = list.map((f) => f.file);
  for (let round = 0; round < ROUNDS; round++)
    for (const c of contenders) {
      if (c.version === null || (c.slow && round >= SLOW_ROUNDS)) continue;
      if (!runners.has(c)) runners.set(c, new Runner(c));
      say(`round ${round + 1}: ${c.name}`);
      for (const a of await runners.get(c).pass(c.series ? all : totals)) {
        const kept = ((results[c.name] ??= {})[a.file] ??= { ms: [] });
        if (a.error) kept.error = a.error;
        else Object.assign(kept, { bytes: a.bytes, media: a.media }).ms.push(a.ms);
      }
    }
  for (const r of runners.values()) r.end();
  return results;
}

function cold() {
  const results = {};
  mkdirSync(empty, { recursive: true });
  for (let round = 0; round < COLD_ROUNDS; round++)
    for (const file of COLD_FILES)
      for (const c of contenders) {
        if (!c.version || (c.slow && round)) continue;
        const command = [...(c.cold ?? c.warm), `${corpus}/${file}`];
        const r = spawnSync(`${build}/bench/meter`, [String(COLD_RUNS), ...command],
          { cwd: c.cold ? corpus : peers, encoding: 'utf8', env: { ...process.env, XDG_CONFIG_HOME: empty } });
        say(`cold ${file}: ${c.name} ${r.stdout.trim()}${r.stderr.trim()}`);
        const made = r.status === 0 ? JSON.parse(r.stdout) : null, kept = ((results[file] ??= {})[c.name] ??= made);
        for (const key in made) kept[key] = (key === 'tree_kib' ? Math.max : Math.min)(kept[key], made[key]);
      }
  return results;
}

const list = readFileSync(`${corpus}/list.tsv`, 'utf8').trim().split('\n').map((line) => {
  const [file, use, w, h] = line.split('\t');
  return { file, use, w: Number(w), h: Number(h) };
});
const machine = {
  cpu: first('lscpu', [], /Model name:\s*(.+)/) ?? cpus()[0].model, cores: cpus().length,
  memory_gib: Math.round(totalmem() / 2 ** 30), kernel: release(),
  system: readFileSync('/etc/os-release', 'utf8').match(/PRETTY_NAME="(.+)"/)?.[1], node: process.version,
  compiler: first('gcc', ['--version'], /^(.+)/), tesseract: first('tesseract', ['--version'], /tesseract (\S+)/),
  date: new Date().toISOString().slice(0, 10),
};
async function measureAll() {
  const results = { machine, rounds: ROUNDS, slow_rounds: SLOW_ROUNDS, list,
    contenders: contenders.map(({ name, version, slow }) => ({ name, version, slow })) };
  results.warm = await warm(list);
  results.cold = cold();
  results.ocr = machine.tesseract ? await ocrAll(dir, list.filter((f) => f.use === 'text').map((f) => f.file), ['fovea', 'sharp, usual']) : null;
  return results;
}

const results = process.env.BENCH_ONLY === 'mcp' ? JSON.parse(readFileSync(`${dir}/results.json`)) : await measureAll();
results.mcp = mcpAll(build, dir);
const retention = spawnSync(`${build}/bench/retention`, { encoding: 'utf8' });
if (retention.status !== 0) throw new Error(`bench/retention: ${retention.error ?? retention.stderr}`);
results.retention = retention.stdout; // a section as it stands
writeFileSync(`${dir}/results.json`, JSON.stringify(results, null, 1));
