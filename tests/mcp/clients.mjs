// SPDX-License-Identifier: Apache-2.0
// The official clients, 1.x and 2.x in each of its eras, over stdio and HTTP: they list and call every tool, and what
// they get is of the shape that every agent can use.
import fs from 'node:fs';
import path from 'node:path';
import { CALLS, GOOD, bearer, finish, holdWorkers, httpServer, recordFolder, recordingFetch, said, stdioCommand, test, use, wait, want,
  wantPicture, wantRefusal, wantText, workersOf, writeTexts } from './lib.mjs';
import { checkRecords } from './schema.mjs';

const one = { ...use('@modelcontextprotocol/sdk/client/index.js'), ...use('@modelcontextprotocol/sdk/client/stdio.js'),
  ...use('@modelcontextprotocol/sdk/client/streamableHttp.js') };
const two = { ...use('@modelcontextprotocol/client'), ...use('@modelcontextprotocol/client/stdio') };
const INFO = { name: 'fovea-test', version: '1' };

const KINDS = {
  sdk_1: { sdk: one, make: () => new one.Client(INFO), call: (client, params, options) => client.callTool(params, undefined, options), era: 'legacy' },
  client_2_legacy: { sdk: two, make: () => new two.Client(INFO, { versionNegotiation: { mode: 'legacy' } }), era: 'legacy' },
  client_2_auto: { sdk: two, make: () => new two.Client(INFO, { versionNegotiation: { mode: 'auto' } }), era: 'modern' },
  client_2_modern: { sdk: two, make: () => new two.Client(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), era: 'modern' },
};

async function connect(kind, transport, folder, server) {
  const { sdk, make, call = (client, params, options) => client.callTool(params, options) } = KINDS[kind];
  const client = make();
  const link = transport === 'stdio'
    ? new sdk.StdioClientTransport({ ...stdioCommand(folder), env: process.env, stderr: 'ignore' })
    : new sdk.StreamableHTTPClientTransport(new URL(server.url), { fetch: recordingFetch(folder), requestInit: { headers: bearer(server) } });
  await client.connect(link);
  const pid = () => (transport === 'stdio' ? link.pid : server.process.pid);
  return { client, kind, transport, pid, folder, call: (name, args, options) => call(client, { name, arguments: args }, options) };
}

// ---------------------------------------------------------------- what each must be able to do

const NEEDED = { view: ['path'], read: ['path'], inspect_image: ['path', 'question'], vision_analyze: ['prompt'], video_analyze: [] };

const checks = {
  async lists_every_tool({ client }) {
    const { tools } = await client.listTools();
    want(tools.map(tool => tool.name).sort().join() === Object.keys(CALLS).sort().join(), 'the tools', tools.map(tool => tool.name));
    for (const tool of tools) {
      want(/^[a-z0-9_]+$/.test(tool.name), 'a plain name', tool.name);
      want(!('outputSchema' in tool), 'no outputSchema', tool.name);
      want(Buffer.byteLength(tool.description) < 2048 && tool.description.length > 40, 'a description under 2 KB', tool.description.length);
      want(tool.inputSchema.type === 'object' && NEEDED[tool.name].join() === tool.inputSchema.required.join(), 'a plain object schema', tool.inputSchema);
      want(tool.annotations.readOnlyHint === true && tool.annotations.openWorldHint === !['view', 'read'].includes(tool.name), 'annotations', tool.annotations);
      want(tool.title && tool.annotations.title === tool.title, 'a title', tool.title);
    }
  },
  async calls_every_tool({ client, call }) {
    for (const { name } of (await client.listTools()).tools) CALLS[name][1](await call(name, CALLS[name][0]));
  },
  async view_of_a_png_is_text_then_one_picture({ call }) {
    const small = wantPicture(await call('view', { path: path.join(GOOD, 'png-rgb-8.png') }));
    const screen = wantPicture(await call('view', { path: path.join(GOOD, 'png-screen-2560x1600.png') }));
    want(Math.max(screen.width, screen.height) <= 1568 && small.width >= 28, 'fitted', [screen.width, screen.height]);
    want(Math.ceil(screen.width / 28) * Math.ceil(screen.height / 28) <= 1568, 'within 1,568 patches', [screen.width, screen.height]);
  },
  async view_of_a_jpeg_is_text_then_one_picture({ call }) {
    wantPicture(await call('view', { path: path.join(GOOD, 'jpeg-baseline.jpg') }));
    wantPicture(await call('view', { path: path.join(GOOD, 'jpeg-photo-3000x2000.jpg') }));
  },
  async view_of_a_webp_is_no_webp({ call }) {
    wantPicture(await call('view', { path: path.join(GOOD, 'webp-animated-3-frames.webp') }));
  },
  async a_view_can_be_seen_again_by_its_id_and_zoomed({ call }) {
    const { text } = wantPicture(await call('view', { path: path.join(GOOD, 'png-screen-2560x1600.png') }));
    const id = /view:[0-9a-f]{12}/.exec(text)[0];
    wantPicture(await call('view', { path: id }));
    const part = wantPicture(await call('view', { path: id, region: [100, 100, 200, 100] }));
    want(part.width === 200 && part.height === 100, 'the region itself', [part.width, part.height]);
  },
  async read_gives_pages_that_every_agent_keeps({ call }) {
    let text = '', offset = 1, pages = 0;
    for (; offset && pages < 100; pages++) {
      const page = wantText(await call('read', { path: 'long.txt', offset }));
      want(page.size < 8000, 'a page below 8 kB', page.size);
      text += (pages ? '\n' : '') + page.text.replace(/\n$/, '');
      offset = page.next;
    }
    want(pages > 1 && `${text}\n` === fs.readFileSync('long.txt', 'utf8'), 'the pages are the text', [pages, text.length]);
  },
  async refusals_are_text_with_isError({ call }) {
    wantRefusal(await call('view', { path: 'nowhere.png' }), /nowhere\.png/);
    wantRefusal(await call('view', { path: '/etc/passwd' }), /passwd/);
    wantRefusal(await call('view', {}), /path/);
    wantRefusal(await call('view', { path: 'text.txt', colour: 'red' }), /colour/);
    wantRefusal(await call('read', { path: path.join(GOOD, 'png-rgb-8.png') }), /view/);
    wantRefusal(await call('read', { path: 'text.txt', offset: 1000 }), /100/);
  },
  async errors_of_asking_are_text_with_isError({ call }) {
    wantRefusal(await call('inspect_image', { path: 'nowhere.png', question: '?' }), /^Image file not found: nowhere\.png\.$/);
    wantRefusal(await call('inspect_image', { path: 'text.txt', question: '?' }), /^inspect_image only supports PNG/);
    wantRefusal(await call('vision_analyze', { file_path: 'nowhere.png', prompt: '?' }), /"code":"input_invalid","error":"FILE_NOT_FOUND: /);
    wantRefusal(await call('vision_analyze', { file_path: 'a', file_url: 'https://x/', prompt: '?' }), /INVALID_INPUT: /);
    wantRefusal(await call('vision_analyze', { file_url: 'http://127.0.0.1/', prompt: '?' }), /URL_BLOCKED: /);
    wantRefusal(await call('vision_analyze', { file_base64: '!', prompt: '?', colour: 'red' }), /colour/);
  },
  async an_unknown_tool_is_error_32602({ call }) {
    const error = await call('veiw', {}).then(() => null, error_ => error_);
    want(error?.code === -32602, 'error -32602', error && [error.code, error.message]);
  },
};

// A picture at a size that nobody asked for yet, so that a worker must make it.
let unseenEdge = 600;
const unseen = () => ({ path: path.join(GOOD, 'png-screen-2560x1600.png'), max_edge: unseenEdge++ });

async function progress({ call, pid }) {
  const seen = [];
  const letGo = holdWorkers(pid());
  setTimeout(letGo, 5500);
  wantPicture(await call('view', unseen(), { onprogress: one_ => seen.push(one_.progress), timeout: 30000 }));
  want(seen.length >= 1, 'progress within 5.5 s', seen);
  want(seen.every((value, at) => at === 0 || value > seen[at - 1]), 'it grows', seen);
}

async function cancel({ call, pid }) {
  const letGo = holdWorkers(pid());
  const stop = new AbortController();
  const answer = call('view', unseen(), { signal: stop.signal, timeout: 30000 }).then(() => 'an answer', error => error);
  await wait(300);
  const before = workersOf(pid());
  stop.abort('enough');
  want((await answer) instanceof Error, 'the call ends');
  for (let ms = 0; ms < 1000 && before.every(worker => workersOf(pid()).includes(worker)); ms += 20) await wait(20);
  const left = workersOf(pid());
  letGo();
  want(before.length > 0 && before.some(worker => !left.includes(worker)), 'a worker ended', [before, left]);
  wantPicture(await call('view', { path: path.join(GOOD, 'png-rgb-8.png') }));
}

// ---------------------------------------------------------------- all of them

writeTexts();
const folders = { stdio: recordFolder('stdio'), http: recordFolder('http') };
const server = await httpServer('clients');
if (server) said('http_makes_a_token_that_only_its_owner_reads', server.token?.length >= 32 &&
  (fs.statSync(path.join(process.env.XDG_STATE_HOME, 'fovea', 'token')).mode & 0o777) === 0o600, server.token?.length);
const links = [];
for (const transport of server ? ['stdio', 'http'] : ['stdio']) {
  for (const kind of Object.keys(KINDS)) {
    await test(`${kind}_${transport}_connects`, async () => {
      const link = await connect(kind, transport, folders[transport], server);
      links.push(link);
      const version = link.client.getNegotiatedProtocolVersion?.() ?? link.client.transport?.protocolVersion;
      if (version) want((version === '2026-07-28') === (KINDS[kind].era === 'modern'), `${KINDS[kind].era} era`, version);
      want(link.client.getServerVersion()?.name, 'the server says its name', link.client.getServerVersion());
    }, 20);
  }
}
for (const link of links) {
  for (const [name, check] of Object.entries(checks)) await test(`${link.kind}_${link.transport}_${name}`, () => check(link));
}
// Work that lasts takes seconds: all at once. Those that share a server are held still together.
await Promise.all(links.map(link => test(`${link.kind}_${link.transport}_shows_progress_while_work_lasts`, () => progress(link))));
for (const link of links) await test(`${link.kind}_${link.transport}_cancels_work`, () => cancel(link));
for (const link of links) await test(`${link.kind}_${link.transport}_closes`, () => link.client.close(), 10);
await wait(200);
checkRecords(folders.stdio, 'clients_stdio', { least: 60 });
if (server) {
  checkRecords(folders.http, 'clients_http', { least: 60 });
  said('http_server_ends_by_SIGTERM', [0, 143, 'SIGTERM'].includes(await server.stop()));
}
await finish();
