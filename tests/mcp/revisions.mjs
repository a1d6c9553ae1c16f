// SPDX-License-Identifier: Apache-2.0
// Clients of our own that speak exactly one revision each, over stdio and HTTP: every answer is what that revision's
// JSON schema says, and HTTP's own rules hold (sessions of the older ones, status codes of the modern one).
import { spawn } from 'node:child_process';
import path from 'node:path';
import readline from 'node:readline';
import { CALLS, GOOD, META, MODERN, REVISIONS, bearer, finish, httpServer, messagesOf, recordFolder, recordingFetch, stdioCommand, test, wait, want,
  wantPicture, wantRefusal, wantText, writeTexts } from './lib.mjs';
import { checkRecords, haveSchemas, wrongWith } from './schema.mjs';

const CLIENT = { capabilities: {}, clientInfo: { name: 'fovea-test', version: '1' } };
const id = (() => { let last = 0; return () => ++last; })();

function stdioLink(folder) {
  const { command, args } = stdioCommand(folder);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = [], lines = [];
  readline.createInterface({ input: child.stdout }).on('line', line => {
    const message = JSON.parse(line);
    if (waiting.length) waiting.shift()(message); else lines.push(message);
  });
  const next = () => (lines.length ? lines.shift() : new Promise(yes => waiting.push(yes)));
  return {
    async send(message) { child.stdin.write(`${JSON.stringify(message)}\n`); return { status: 200, message: await next() }; },
    async tell(message) { child.stdin.write(`${JSON.stringify(message)}\n`); },
    async close() { child.stdin.end(); await new Promise(yes => child.on('close', yes)); },
  };
}

function httpLink(server, folder, revision) {
  const get = recordingFetch(folder);
  let session = null;
  const headers = message => ({
    'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...bearer(server), ...(session ? { 'Mcp-Session-Id': session } : {}),
    ...(revision >= '2025-06-18' && message.method !== 'initialize' ? { 'MCP-Protocol-Version': message.params?._meta?.['io.modelcontextprotocol/protocolVersion'] ?? revision } : {}),
    ...(revision === MODERN ? { 'Mcp-Method': message.method, ...(message.params?.name ? { 'Mcp-Name': message.params.name } : {}) } : {}),
  });
  const post = async (message, more = {}) => {
    const response = await get(server.url, { method: 'POST', headers: { ...headers(message), ...more }, body: JSON.stringify(message) });
    session = response.headers.get('mcp-session-id') ?? session;
    return { status: response.status, all: messagesOf(await response.text(), response.headers.get('content-type')) };
  };
  return {
    async send(message, more) { const { status, all } = await post(message, more); return { status, message: all.at(-1), all }; },
    async tell(message) { const { status } = await post(message); want(status === 202, 'status 202 for a notification', status); },
    async end() { return (await fetch(server.url, { method: 'DELETE', headers: { ...headers({}), Accept: '*/*' } })).status; },
    session: () => session,
    async close() {},
  };
}

// One revision's way to ask.
function speaker(link, revision) {
  const modern = revision === MODERN;
  const ask = async (method, params = {}, { meta = META, more } = {}) => {
    const message = { jsonrpc: '2.0', id: id(), method, params: modern ? { ...params, _meta: meta } : params };
    const answer = await link.send(message, more);
    want(answer.message?.jsonrpc === '2.0' && answer.message.id === message.id, 'an answer with its id', answer.message);
    return answer;
  };
  const result = async (...args) => {
    const { message, status } = await ask(...args);
    want('result' in message && status === 200, 'a result', message);
    return message.result;
  };
  return { ask, result, call: (name, args) => result('tools/call', { name, arguments: args }) };
}

async function talk(link, revision, name) {
  const { ask, result, call } = speaker(link, revision), modern = revision === MODERN;
  const prove = (what, body) => test(`${name}_${what}`, body, 20);
  await prove('opens', async () => {
    if (modern) {
      want((await result('server/discover')).supportedVersions.includes(MODERN), 'its version');
      return;
    }
    const answer = await result('initialize', { protocolVersion: revision, ...CLIENT });
    want(answer.protocolVersion === revision, revision, answer.protocolVersion);
    await link.tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
    want(Object.keys(await result('ping')).length === 0, 'an empty pong');
  });
  await prove('lists_and_calls_every_tool', async () => {
    for (const tool of (await result('tools/list')).tools) CALLS[tool.name][1](await call(tool.name, CALLS[tool.name][0]));
    wantPicture(await call('view', { path: path.join(GOOD, 'jpeg-exif-orientation-6.jpg') }));
    want(wantText(await call('read', { path: 'text.txt', offset: 10, limit: 2 })).text.trim() === 'line 10\nline 11', 'two lines');
    wantRefusal(await call('view', { path: 'nowhere.png' }));
    wantRefusal(await call('read', { path: path.join(GOOD, 'jpeg-baseline.jpg') }));
  });
  await prove('types_its_errors', async () => {
    const code = async (...args) => (await ask(...args)).message.error?.code;
    want(await code('tools/call', { name: 'veiw', arguments: {} }) === -32602, 'unknown tool');
    want(await code('no/such') === -32601, 'unknown method');
    want(await code('tools/call', { name: 7 }) === -32602, 'wrong params');
  });
}

async function batches(link, revision, name) {
  const pings = [id(), id()].map(one => ({ jsonrpc: '2.0', id: one, method: 'ping' }));
  await test(`${name}_${revision === '2025-03-26' ? 'answers' : 'refuses'}_a_batch`, async () => {
    const { message, all } = await link.send(pings);
    const got = all && !Array.isArray(message) ? all : message;
    if (revision !== '2025-03-26') return want(message?.error?.code === -32600, 'error -32600', message);
    want(Array.isArray(got) && got.map(one => one.id).sort().join() === pings.map(one => one.id).sort().join(), 'both answers', got);
  }, 20);
}

async function modernHttp(server, folder, name) {
  const link = httpLink(server, folder, MODERN), { ask } = speaker(link, MODERN);
  const VERSION = 'io.modelcontextprotocol/protocolVersion', CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
  const rows = [
    ['no_capabilities_is_400', 400, -32602, ['tools/list', {}, { meta: { [VERSION]: MODERN } }]],
    ['unknown_version_is_400', 400, -32022, ['tools/list', {}, { meta: { [VERSION]: '2099-01-01', [CAPABILITIES]: {} } }]],
    ['unknown_method_is_404', 404, -32601, ['no/such']],
    ['ping_is_404', 404, -32601, ['ping']],
    ['version_header_that_differs_is_400', 400, -32020, ['tools/list', {}, { more: { 'MCP-Protocol-Version': '2025-11-25' } }]],
    ['method_header_that_differs_is_400', 400, -32020, ['tools/list', {}, { more: { 'Mcp-Method': 'tools/call' } }]],
    ['name_header_that_differs_is_400', 400, -32020, ['tools/call', { name: 'read', arguments: { path: 'text.txt' } }, { more: { 'Mcp-Name': 'view' } }]],
  ];
  for (const [what, status, code, args] of rows) {
    await test(`${name}_${what}`, async () => {
      const answer = await ask(...args);
      want(answer.status === status && answer.message.error?.code === code, `${status} and ${code}`, [answer.status, answer.message]);
      if (haveSchemas) want(!wrongWith(MODERN, answer.message, args[0]), 'its schema', wrongWith(MODERN, answer.message, args[0]));
    }, 10);
  }
  await test(`${name}_has_no_session`, async () => {
    await ask('tools/list');
    want(link.session() === null, 'no session id', link.session());
  }, 10);
}

async function legacySession(link, name) {
  await test(`${name}_session_ends_by_DELETE`, async () => {
    want(/^[\x21-\x7e]+$/.test(link.session() ?? ''), 'a session id of visible ASCII', link.session());
    want([200, 202, 204].includes(await link.end()), 'DELETE is taken');
    const { status } = await link.send({ jsonrpc: '2.0', id: id(), method: 'tools/list' });
    want(status === 404, 'status 404 afterwards', status);
  }, 10);
}

async function guarded(server) {
  await test('http_without_the_token_is_401', async () => {
    for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: `Basic ${server.token}` }, { Authorization: `Bearer ${server.token}x` }]) {
      const { status } = await fetch(server.url, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: '{}' });
      want(status === 401, 'status 401', [status, headers]);
    }
  }, 10);
}

writeTexts();
const server = await httpServer('revisions');
for (const revision of REVISIONS) {
  const plain = revision.replaceAll('-', '_');
  for (const transport of server ? ['stdio', 'http'] : ['stdio']) {
    const name = `revision_${plain}_${transport}`, folder = recordFolder(name);
    const link = transport === 'stdio' ? stdioLink(folder) : httpLink(server, folder, revision);
    await talk(link, revision, name);
    if (revision !== MODERN) await batches(link, revision, name);
    await test(`${name}_closes`, () => link.close(), 10);
    if (transport === 'http') await wait(50);
    checkRecords(folder, name, { revision, least: 8 });
    if (transport === 'http' && revision !== MODERN) await legacySession(link, name);
    if (transport === 'http' && revision === MODERN) await modernHttp(server, folder, name);
  }
}
if (server) await guarded(server);
await finish();
