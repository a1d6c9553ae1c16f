// SPDX-License-Identifier: Apache-2.0
// For the tests of the MCP server that use the official packages: how to start it, record what it says, look at what
// it gives, and print what was proved. From outside: BUILD, FOVEA, FIXTURES, SHARED, MCP_NODE (tests/mcp/lib.sh).
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';

export const { FOVEA, FIXTURES, SHARED, MCP_NODE, NODE } = process.env;
export const GOOD = path.join(FIXTURES, 'good');
export const SCRATCH = process.cwd();
export const here = import.meta.dirname;
// The packages live in the build folder, not beside this file.
export const use = createRequire(path.join(MCP_NODE, 'package.json'));

export const MODERN = '2026-07-28';
export const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'fovea-test', version: '1' },
};
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', MODERN];

// ---------------------------------------------------------------- tests

let failed = false;
export function said(name, good, why = '') {
  console.log(`${good ? 'ok' : 'not ok'} ${name}`);
  if (good) return;
  failed = true;
  if (why) console.error(`  ${name}: ${String(why).slice(0, 2000)}`);
}
export const skip = (name, why) => console.log(`skip ${name}: ${why}`);
export async function test(name, body, seconds = 60) {
  let timer;
  const late = new Promise((_, no) => { timer = setTimeout(() => no(new Error(`took longer than ${seconds} s`)), seconds * 1000); });
  try {
    await Promise.race([body(), late]);
    said(name, true);
  } catch (error) {
    said(name, false, error?.stack?.split('\n').filter(line => !line.includes('node:')).slice(0, 4).join('\n    ') ?? error);
  } finally {
    clearTimeout(timer);
  }
}
export function want(good, what, seen) {
  if (!good) throw new Error(`${what}${seen === undefined ? '' : `; got ${JSON.stringify(seen)?.slice(0, 600)}`}`);
}
export async function finish() {
  for (const server of running) await server.stop();
  process.exit(failed ? 1 : 0);
}
export const wait = ms => new Promise(yes => setTimeout(yes, ms));

// ---------------------------------------------------------------- servers

export const ROOTS = ['--root', FIXTURES, '--root', SCRATCH];
const running = new Set();
process.on('exit', () => { for (const server of running) server.process.kill('SIGKILL'); });

// The command of a server on stdio, recorded in the folder.
export const stdioCommand = folder => ({ command: 'sh', args: [path.join(here, 'record.sh'), folder, FOVEA, 'mcp', ...ROOTS] });

export function recordFolder(name) {
  const folder = path.join(SCRATCH, `record-${name}`);
  fs.mkdirSync(folder, { recursive: true });
  return folder;
}

// Starts `fovea mcp --http` on a free port; {url, token, stop}.
export async function startHttp(...options) {
  const child = spawn(FOVEA, ['mcp', '--http', '127.0.0.1:0', ...ROOTS, ...options], { stdio: ['ignore', 'ignore', 'pipe'] });
  const server = { process: child, stderr: '', token: null };
  const ended = new Promise(yes => child.on('exit', (code, signal) => yes(signal ?? code)));
  server.stop = async () => {
    running.delete(server);
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    const status = await ended;
    clearTimeout(timer);
    return status;
  };
  running.add(server);
  server.url = await new Promise((yes, no) => {
    child.stderr.on('data', data => {
      server.stderr += data;
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(server.stderr);
      if (found) yes(found[0]);
    });
    ended.then(status => no(new Error(`fovea mcp --http ended with ${status}: ${server.stderr}`)));
    setTimeout(() => no(new Error(`no URL on stderr: ${server.stderr}`)), 10000).unref();
  });
  const file = path.join(process.env.XDG_STATE_HOME, 'fovea', 'token');
  if (!options.includes('--no-token')) server.token = fs.readFileSync(file, 'utf8').trim();
  return server;
}
// The same, as a test; null when it fails, so that what needs no HTTP goes on.
export async function httpServer(name, ...options) {
  let server = null;
  await test(`${name}_http_server_starts`, async () => { server = await startHttp(...options); }, 20);
  return server;
}
export const bearer = server => (server.token ? { Authorization: `Bearer ${server.token}` } : {});

// Every worker beneath a process.
export function workersOf(pid) {
  const table = new Map();
  for (const name of fs.readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = fs.readFileSync(`/proc/${name}/stat`, 'utf8');
      const rest = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      table.set(Number(name), { name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')), state: rest[0], parent: Number(rest[1]) });
    } catch { /* it ended meanwhile */ }
  }
  const below = new Set([pid]);
  for (let grew = true; grew;) {
    grew = false;
    for (const [child, row] of table) if (below.has(row.parent) && !below.has(child)) grew = Boolean(below.add(child));
  }
  return [...below].filter(child => table.get(child)?.name === 'fovea-worker' && table.get(child).state !== 'Z');
}

// Holds all workers beneath a process still, so that work lasts; the function it gives lets them go.
export function holdWorkers(pid) {
  const held = new Set();
  const signal = (child, what) => { try { process.kill(child, what); } catch { /* gone */ } };
  const hold = () => { for (const child of workersOf(pid)) { held.add(child); signal(child, 'SIGSTOP'); } };
  hold();
  const timer = setInterval(hold, 20);
  return () => {
    clearInterval(timer);
    for (const child of held) signal(child, 'SIGCONT');
  };
}

// ---------------------------------------------------------------- recordings of HTTP

export function messagesOf(text, type) {
  if (!text.trim()) return [];
  if (!type?.startsWith('text/event-stream')) return [JSON.parse(text)];
  const data = text.split(/\r?\n\r?\n/).map(event => event.split(/\r?\n/).filter(line => line.startsWith('data:'))
    .map(line => line.slice(5).replace(/^ /, '')).join('\n'));
  return data.filter(Boolean).map(one => JSON.parse(one));
}
function keep(folder, exchange) {
  fs.appendFileSync(path.join(folder, 'http.jsonl'), `${JSON.stringify(exchange)}\n`);
}
const tryParse = text => { try { return JSON.parse(text); } catch { return null; } };

// A fetch that keeps what it sent and what came back.
export function recordingFetch(folder, extra = {}) {
  return async (url, init = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(extra)) headers.set(name, value);
    const response = await fetch(url, { ...init, headers });
    const exchange = { in: typeof init.body === 'string' ? tryParse(init.body) : null, version: headers.get('mcp-protocol-version'), status: response.status };
    response.clone().text().then(text => keep(folder, { ...exchange, type: response.headers.get('content-type'), text }),
      () => keep(folder, { ...exchange, cut: true }));
    return response;
  };
}

// A proxy that keeps likewise, for clients that bring their own fetch.
export async function recordingProxy(folder, server) {
  const target = new URL(server.url);
  const proxy = http.createServer((request, response) => {
    const sent = [], got = [];
    const onward = http.request({ host: target.hostname, port: target.port, path: request.url, method: request.method,
      headers: { ...request.headers, host: target.host } }, answer => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.on('data', data => { got.push(data); response.write(data); });
      answer.on('end', () => {
        response.end();
        keep(folder, { in: tryParse(Buffer.concat(sent).toString()), version: request.headers['mcp-protocol-version'], status: answer.statusCode,
          type: answer.headers['content-type'], text: Buffer.concat(got).toString() });
      });
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => response.destroy());
    request.on('data', data => { sent.push(data); onward.write(data); });
    request.on('end', () => onward.end());
    response.on('close', () => onward.destroy());
  });
  await new Promise(yes => proxy.listen(0, '127.0.0.1', yes));
  return { url: `http://127.0.0.1:${proxy.address().port}${target.pathname}`, stop: () => { proxy.closeAllConnections(); proxy.close(); } };
}

// ---------------------------------------------------------------- what a tool gave

const MAGIC = { 'image/png': '89504e470d0a1a0a', 'image/jpeg': 'ffd8ff' };
function sizeOf(bytes, type) {
  if (type === 'image/png') return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  for (let at = 2; at + 9 < bytes.length;) {
    const mark = bytes[at + 1];
    if (mark >= 0xc0 && mark <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(mark)) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  throw new Error('no size in the JPEG');
}

// Text first, at most one image, nothing that some client would show instead of them.
export function wantShape(result) {
  want(!('structuredContent' in result), 'structuredContent', result);
  want(Array.isArray(result.content) && result.content.length >= 1 && result.content.length <= 2, 'one or two blocks', result.content?.length);
  want(result.content[0].type === 'text' && result.content[0].text.length > 0, 'text comes first', result.content[0]);
  want(!/data:image|;base64,/.test(result.content[0].text), 'no pixels in the text');
  for (const block of result.content) want(!block.annotations?.audience || block.annotations.audience.includes('assistant'), 'audience', block.annotations);
  return result.content[0].text;
}
export function wantPicture(result, types = Object.keys(MAGIC)) {
  const text = wantShape(result), image = result.content[1];
  want(!result.isError, 'no error', text);
  want(image?.type === 'image', 'an image comes second', image?.type);
  const bytes = Buffer.from(image.data, 'base64');
  want(bytes.toString('base64') === image.data, 'canonical base64');
  want(types.includes(image.mimeType), `one of ${types}`, image.mimeType);
  want(bytes.toString('hex').startsWith(MAGIC[image.mimeType]), 'MIME type is that of the bytes', [image.mimeType, bytes.subarray(0, 8).toString('hex')]);
  const [width, height] = sizeOf(bytes, image.mimeType);
  want(new RegExp(`${width} ?[x×] ?${height}`).test(text), `the text says ${width}x${height}`, text);
  want(/view:[0-9a-f]{12}/.test(text), 'the text says its view: id', text);
  want(/\b(1|one) image\b/i.test(text), 'the text says how many images follow', text);
  return { text, bytes, width, height, type: image.mimeType };
}
export function wantText(result) {
  const text = wantShape(result);
  want(!result.isError && result.content.length === 1, 'one text', result.content);
  const trailer = /\n?\[lines (\d+)[–-](\d+) of (\d+)(?:, next offset (\d+))?\]\n?$/.exec(text);
  return { text: trailer ? text.slice(0, trailer.index) : text, size: Buffer.byteLength(text), next: Number(trailer?.[4] ?? 0), total: Number(trailer?.[3] ?? 0) };
}
export function wantRefusal(result, words) {
  const text = wantShape(result);
  want(result.isError === true && result.content.length === 1, 'a refusal is an error of text alone', result);
  if (words) want(words.test(text.split('\n')[0]), `the first line says ${words}`, text);
}

// Asking, with no key: local/ocr reads the words.
const WORDS = path.join(GOOD, 'png-words.png');
export function wantEnvelope(result) {
  const text = wantShape(result), envelope = JSON.parse(text);
  want(!result.isError && result.content.length === 1, 'one text', result);
  want(envelope.ok === true && envelope.kind === 'answer' && envelope.output_is_untrusted === true, 'an envelope', envelope);
  want(/DISK FULL/.test(envelope.text) && envelope.provider === 'local' && envelope.cost_usd === 0, 'what the picture says', envelope);
  return envelope;
}
export function wantInspected(result) {
  const text = wantShape(result);
  want(!result.isError && result.content.length === 1, 'one text', result);
  want(/^<untrusted source="vision model local\/ocr" tool="inspect_image">\n[^]*DISK FULL[^]*\n<\/untrusted>\nlocal\/ocr · image\/[a-z]+$/.test(text), 'a fenced answer', text);
}

// What each tool is called with. A tool without a row here is a tool without a test.
export const CALLS = {
  view: [{ path: path.join(GOOD, 'png-screen-1280x800.png') }, result => wantPicture(result)],
  read: [{ path: 'text.txt' }, result => want(wantText(result).text.startsWith('line 1\nline 2\n'), 'the text', result)],
  inspect_image: [{ path: WORDS, question: 'what error is shown?' }, wantInspected],
  vision_analyze: [{ file_path: WORDS, prompt: 'what error is shown?' }, wantEnvelope],
  video_analyze: [{ file_path: 'text.txt' }, result => wantRefusal(result, /VIDEO_NOT_SUPPORTED/)],
};
export function writeTexts() {
  const lines = n => Array.from({ length: n }, (_, at) => `line ${at + 1}`);
  fs.writeFileSync('text.txt', `${lines(100).join('\n')}\n`);
  fs.writeFileSync('long.txt', `${lines(3000).map(line => `${line} ${'äö€'.repeat(9)}`).join('\n')}\n`);
}
