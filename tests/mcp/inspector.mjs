// SPDX-License-Identifier: Apache-2.0
// The official inspector's command line, over stdio and HTTP, in each era: it lists the tools without a word against
// their schemas (--strict, which goes with that method only) and calls each of them.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { CALLS, MCP_NODE, NODE, bearer, finish, httpServer, recordFolder, recordingProxy, stdioCommand, test, want, writeTexts } from './lib.mjs';
import { checkRecords } from './schema.mjs';

const PROGRAM = path.join(MCP_NODE, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');

async function inspect(target, ...options) {
  const child = spawn(NODE, [PROGRAM, '--cli', '--format', 'json', ...options, ...target], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '', words = '';
  child.stdout.on('data', data => { out += data; });
  child.stderr.on('data', data => { words += data; });
  const timer = setTimeout(() => child.kill('SIGKILL'), 30000);
  const status = await new Promise(yes => child.on('close', yes));
  clearTimeout(timer);
  // 5: the tool says that it failed, which is a result too.
  want(status === 0 || (status === 5 && /tool_is_error/.test(words)), `exit status 0, not ${status}`, words.slice(-500) + out.slice(-200));
  return JSON.parse(out).result;
}

writeTexts();
const folders = { stdio: recordFolder('stdio'), http: recordFolder('http') };
const server = await httpServer('inspector');
const proxy = server && await recordingProxy(folders.http, server);
const stdio = stdioCommand(folders.stdio);
const targets = {
  stdio: ['--', stdio.command, ...stdio.args],
};
if (proxy) targets.http = ['--transport', 'http', '--server-url', proxy.url, '--header', `Authorization: ${bearer(server).Authorization}`];

const jobs = [];
for (const [transport, target] of Object.entries(targets)) {
  for (const era of ['legacy', 'auto', 'modern']) {
    const name = `inspector_${era}_${transport}`;
    jobs.push([`${name}_lists_every_tool_and_finds_nothing`, async () => {
      const { tools } = await inspect(target, '--strict', '--protocol-era', era, '--method', 'tools/list');
      want(tools.map(tool => tool.name).sort().join() === Object.keys(CALLS).sort().join(), 'the tools', tools);
    }]);
    for (const [tool, [args, check]] of Object.entries(CALLS)) {
      jobs.push([`${name}_calls_${tool}`, async () =>
        check(await inspect(target, '--protocol-era', era, '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)))]);
    }
  }
}
async function lane() {
  for (let job = jobs.shift(); job; job = jobs.shift()) await test(...job);
}
await Promise.all([lane(), lane()]);
proxy?.stop();
checkRecords(folders.stdio, 'inspector_stdio', { least: 18 });
if (proxy) checkRecords(folders.http, 'inspector_http', { least: 18 });
await finish();
