// SPDX-License-Identifier: Apache-2.0
// The MCP server against the reference file server, both driven by mcp_load over stdio: node mcp.mjs BUILD BENCH_DIR
// prints what it measured; run.mjs takes it as a module. Every run starts a server of its own, and within a round the
// servers take turns. A picture is looked at for the first time only once in the life of a server: the copies that
// this makes of each picture differ in a text chunk, so that none of them can be known already.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { crc32 } from 'node:zlib';

const ROUNDS = Number(process.env.BENCH_MCP_ROUNDS ?? 3), LARGE = 500000;
const TEXT_BYTES = 7000, PIPED_READS = 2000, READS = 300, STARTS = 20;
const VIEWS = Number(process.env.BENCH_MCP_VIEWS ?? 200);
const LARGE_COPIES = 25, COPIES = 3;
const say = (...words) => process.stderr.write(words.join(' ') + '\n');

function peer(folder) {
  const home = folder && `${folder}/node_modules/@modelcontextprotocol/server-filesystem`;
  if (!home || !existsSync(`${home}/package.json`)) return null;
  const node = [`${folder}/node`, `${folder}/node_modules/node/bin/node`, process.execPath].find((path) => existsSync(path));
  return { version: JSON.parse(readFileSync(`${home}/package.json`)).version, command: [node, `${home}/dist/index.js`],
    node: spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim() };
}

// ---- what is looked at

function textFile(dir) {
  const lines = Array.from({ length: 200 }, (_, i) => `line ${i + 1}: what a program wrote into its log, ${i * i} bytes of it\n`);
  writeFileSync(`${dir}/text.txt`, lines.join('').slice(0, TEXT_BYTES));
  return `${dir}/text.txt`;
}

function withComment(png, text) {
  const body = Buffer.from(`tEXtComment\0${text}`), chunk = Buffer.alloc(body.length + 8), end = png.lastIndexOf('IEND') - 4;
  chunk.writeUInt32BE(body.length - 4, 0);
  body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(body), body.length + 4);
  return Buffer.concat([png.subarray(0, end), chunk, png.subarray(end)]);
}

function pictures(corpus, dir) {
  const names = readdirSync(corpus).filter((name) => name.endsWith('.png'));
  return names.map((name) => {
    const bytes = statSync(`${corpus}/${name}`).size, large = bytes >= LARGE;
    const copies = Array.from({ length: large ? LARGE_COPIES : COPIES }, (_, i) => `${dir}/${i}-${name}`);
    const png = readFileSync(`${corpus}/${name}`);
    copies.forEach((path, i) => writeFileSync(path, withComment(png, `copy ${i}`))); // and they are in the page cache now
    return { name, bytes, large, copies };
  }).sort((a, b) => a.bytes - b.bytes);
}

// ---- runs

class Bench {
  constructor(build, dir, folder) {
    const root = realpathSync(dir);
    mkdirSync(`${root}/empty`, { recursive: true });
    this.build = build;
    this.env = { ...process.env, XDG_CONFIG_HOME: `${root}/empty`, XDG_STATE_HOME: `${root}/empty` };
    this.peer = peer(folder);
    this.servers = { fovea: [`${build}/fovea`, 'mcp', '--root', root] };
    if (this.peer) this.servers.peer = [...this.peer.command, root];
    this.results = {};
  }
  load(server, args) {
    const r = spawnSync(`${this.build}/bench/mcp_load`, [...args, '--', ...this.servers[server]],
      { encoding: 'utf8', env: this.env, maxBuffer: 1 << 24 });
    if (r.status === 0) return JSON.parse(r.stdout);
    say(`mcp ${server}: ${r.stderr.trim()}`);
    return { error: r.stderr.trim() };
  }
  // One turn for each [server, tool] under one name; every answer is kept, the report takes its pick.
  turn(name, contenders, args) {
    for (const [server, tool] of contenders) {
      if (!this.servers[server]) continue;
      const made = this.load(server, [...(tool ? ['-t', tool] : []), ...args]);
      ((this.results[name] ??= {})[tool ?? server] ??= []).push(made);
      const shown = ['first', 'again'].map((k) => made[k] && `${k} ${made[k].calls_per_s}/s p50 ${made[k].p50_ms} p99 ${made[k].p99_ms}`);
      say(`mcp ${name}: ${tool ?? server} ${shown.filter(Boolean).join(', ') || made.p50_ms}`);
    }
  }
}

const READERS = [['fovea', 'read'], ['peer', 'read_text_file'], ['peer', 'read_media_file']];
const VIEWERS = [['fovea', 'view'], ['peer', 'read_media_file']];

// Each picture by itself: COPIES first looks and as many again, in a new server.
function eachView(bench, list) {
  for (const { name, copies } of list.slice(1))
    bench.turn(`view ${name}`, VIEWERS, ['-n', String(COPIES), '-p', '1', '-w', list[0].copies[0], ...copies.slice(0, COPIES)]);
}

function manyViews(bench, list) {
  const numbered = list.filter((p) => p.large).flatMap((p) => p.copies.map((path, i) => [i, path]));
  const mixed = numbered.sort((a, b) => a[0] - b[0]).map(([, path]) => path).slice(0, VIEWS); // copy by copy, not file by file
  const args = ['-w', list[0].copies[0], ...mixed];
  bench.turn('views pipelined', VIEWERS, ['-p', '0', '-n', String(VIEWS), ...args]);
  bench.turn('views sequential', VIEWERS, ['-p', '1', '-n', '0', ...args]); // eachView has looked again, one after the other
}

export function mcpAll(build, dir) {
  mkdirSync(`${dir}/mcp`, { recursive: true });
  const bench = new Bench(build, `${dir}/mcp`, process.env.BENCH_MCP_PEERS);
  const text = textFile(realpathSync(`${dir}/mcp`)), list = pictures(`${dir}/corpus`, realpathSync(`${dir}/mcp`));
  for (let round = 0; round < ROUNDS; round++) {
    bench.turn('reads pipelined', READERS, ['-n', String(PIPED_READS), '-p', '0', '-w', text, text]);
    bench.turn('reads sequential', READERS, ['-n', String(READS), '-p', '1', '-w', text, text]);
    eachView(bench, list);
  }
  manyViews(bench, list); // hundreds of calls: long enough to need no second round
  for (const question of ['initialize', 'discover'])
    bench.turn(`start ${question}`, [['fovea'], ['peer']], ['-s', question, '-n', String(STARTS)]);
  return { date: new Date().toISOString().slice(0, 10), rounds: ROUNDS, large_bytes: LARGE, text_bytes: TEXT_BYTES,
    peer: bench.peer && { version: bench.peer.version, node: bench.peer.node },
    files: list.slice(1).map(({ name, bytes, large }) => ({ name, bytes, large })), results: bench.results };
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(JSON.stringify(mcpAll(...process.argv.slice(2, 4)), null, 1) + '\n');
