// SPDX-License-Identifier: Apache-2.0
// The official conformance suite: every scenario that a revision requires passes, and none is left out.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { MCP_NODE, NODE, SCRATCH, finish, httpServer, said } from './lib.mjs';

const SUITE = path.join(MCP_NODE, 'node_modules', '@modelcontextprotocol', 'conformance');
const SCORED = { '2025-11-25': 30, '2026-07-28': 37 };

// The scenarios of a requirements file, by its two lists; it is plain enough to be read line by line.
function requirements(revision) {
  const scored = [], unscored = [];
  let list = '', scenario = '';
  for (const line of fs.readFileSync(path.join(SUITE, 'requirements', `${revision}.yaml`), 'utf8').split('\n')) {
    const head = /^(\w+):/.exec(line), item = /^ {2}- (?:scenario: )?(\S+)/.exec(line);
    if (head) list = head[1];
    else if (item && list === 'server') scored.push(item[1]);
    else if (item) scenario = item[1];
    else if (list === 'not_scored' && /^ {4}leg: server/.test(line)) unscored.push(scenario);
  }
  return { scored, unscored };
}

async function run(revision, url) {
  const folder = path.join(SCRATCH, `results-${revision}`);
  const child = spawn(NODE, [path.join(SUITE, 'dist', 'index.js'), 'server', '--url', url, '--requirements', revision, '-o', folder],
    { stdio: ['ignore', 'pipe', 'pipe'] });
  let words = '';
  child.stdout.on('data', data => { words += data; });
  child.stderr.on('data', data => { words += data; });
  const timer = setTimeout(() => child.kill('SIGKILL'), 150000);
  const status = await new Promise(yes => child.on('close', yes));
  clearTimeout(timer);
  return { status, words, results: fs.existsSync(folder) ? fs.readdirSync(folder).map(name => path.join(folder, name)) : [] };
}

// The checks of a scenario; its folder is named for it and for the time.
function checksOf(results, scenario) {
  const folder = results.find(name => path.basename(name).replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '') === scenario);
  return folder && JSON.parse(fs.readFileSync(path.join(folder, 'checks.json'), 'utf8'));
}
const bad = check => !['SUCCESS', 'INFO'].includes(check.status);
function why(checks) {
  if (!checks) return 'it did not run';
  const words = checks.filter(bad).map(check => `${check.status} ${check.id}: ${check.errorMessage ?? check.description ?? ''}`);
  return words.length ? words.join('; ') : 'no check passed';
}
const passes = checks => Boolean(checks) && !checks.some(bad) && checks.some(check => check.status === 'SUCCESS');

const server = await httpServer('conformance', '--no-token', '--conformance');
for (const [revision, count] of Object.entries(server ? SCORED : {})) {
  const { scored, unscored } = requirements(revision);
  const { status, words, results } = await run(revision, server.url);
  for (const scenario of scored) {
    const checks = checksOf(results, scenario);
    said(`conformance_${revision}_${scenario}`, passes(checks), why(checks));
  }
  said(`conformance_${revision}_scores_all_${count}`, scored.length === count && status === 0, `${scored.length} scored, status ${status}: ${words.slice(-1500)}`);
  for (const scenario of unscored) {
    const checks = checksOf(results, scenario);
    console.log(`# conformance_${revision}_${scenario} (not scored): ${passes(checks) ? 'passes' : why(checks).slice(0, 160)}`);
  }
}
if (server) said('conformance_server_ends_well', await server.stop() === 0, server.stderr.slice(-1000));
await finish();
