// SPDX-License-Identifier: Apache-2.0
// Whether what the server said is what a revision's JSON schema allows: results by the method they answer, errors by
// their code, notifications and requests by their method.
import fs from 'node:fs';
import path from 'node:path';
import { MODERN, REVISIONS, SHARED, messagesOf, said, skip, use } from './lib.mjs';

const FOLDER = path.join(SHARED, 'corpora', 'mcp-schema');
export const haveSchemas = fs.existsSync(FOLDER);
const VERSION = 'io.modelcontextprotocol/protocolVersion';

function load(revision) {
  const schema = JSON.parse(fs.readFileSync(path.join(FOLDER, `${revision}.schema.json`), 'utf8'));
  const Ajv = (schema.$schema.includes('2020-12') ? use('ajv/dist/2020.js') : use('ajv')).default;
  const ajv = new Ajv({ strict: false, allErrors: false });
  use('ajv-formats').default(ajv);
  ajv.addSchema(schema, revision);
  const part = schema.$defs ? '$defs' : 'definitions', types = schema[part];
  const byMethod = new Map(), byCode = new Map();
  for (const [name, type] of Object.entries(types)) {
    const method = type.properties?.method?.const;
    if (method) byMethod.set(method, name);
    const code = type.properties?.error?.allOf?.[1]?.properties?.code?.const;
    if (code) byCode.set(code, name);
  }
  const check = (name, value) => {
    const validate = ajv.getSchema(`${revision}#/${part}/${name}`);
    return validate(value) ? null : `${name}: ${ajv.errorsText(validate.errors)}`;
  };
  return { types, byMethod, byCode, check };
}
const loaded = new Map();
const schemaOf = revision => {
  if (!loaded.has(revision)) loaded.set(revision, load(revision));
  return loaded.get(revision);
};

// The words of what is wrong with a message, or null. method: that of the request which a response answers.
export function wrongWith(revision, message, method) {
  const { types, byMethod, byCode, check } = schemaOf(revision);
  const first = (...names) => names.find(name => name in types);
  if (Array.isArray(message)) return revision === '2025-03-26' ? check('JSONRPCBatchResponse', message) : 'a batch';
  if ('id' in message && message.id === null) return 'id is null';
  if ('method' in message) {
    const name = byMethod.get(message.method), kind = 'id' in message ? 'ServerRequest' : 'ServerNotification';
    if (!name || !types[kind]?.anyOf.some(one => one.$ref.endsWith(`/${name}`))) return `${message.method} is nothing a server may send`;
    return check('id' in message ? 'JSONRPCRequest' : 'JSONRPCNotification', message) ?? check(name, message);
  }
  // Before 2025-11-25 the schema had no error without an id, though one whose request cannot be read has none to give.
  if ('error' in message) return check(byCode.get(message.error.code) ?? first('JSONRPCErrorResponse', 'JSONRPCError'), { id: 0, ...message });
  const base = byMethod.get(method)?.replace(/Request$/, '');
  if (!base) return `an answer to ${method}, which the revision does not have`;
  return check(first('JSONRPCResultResponse', 'JSONRPCResponse'), message) ?? check(first(`${base}Result`, 'EmptyResult'), message.result) ??
    (revision === MODERN ? null : modernOnly(message.result));
}
const modernOnly = result => ('resultType' in result || 'ttlMs' in result ? 'a modern member in a legacy result' : null);

// Of one connection: who asked what in which revision.
function wrongIn(sent, got, given) {
  const asked = new Map(), wrong = [];
  let agreed = given;
  const flat = sent.flat().filter(message => message && typeof message === 'object');
  for (const message of flat) if ('method' in message && 'id' in message) asked.set(JSON.stringify(message.id), message);
  const methodOf = message => asked.get(JSON.stringify(message.id))?.method;
  for (const message of got.flat()) if (methodOf(message) === 'initialize' && message.result) agreed = message.result.protocolVersion;
  for (const message of got) {
    const question = Array.isArray(message) ? undefined : asked.get(JSON.stringify(message.id));
    const version = question?.params?._meta?.[VERSION];
    const revision = version ? MODERN : agreed ?? (flat.some(one => one.params?._meta?.[VERSION]) ? MODERN : '2025-11-25');
    const words = wrongWith(REVISIONS.includes(revision) ? revision : MODERN, message, question?.method);
    if (words) wrong.push(`${revision} ${question?.method ?? message.method}: ${words}`);
    for (const one of Array.isArray(message) ? message : []) {
      const inner = wrongWith(revision, one, methodOf(one));
      if (inner) wrong.push(`in a batch: ${inner}`);
    }
  }
  return wrong;
}
const lines = file => fs.readFileSync(file, 'utf8').split('\n').filter(line => line.trim()).map(line => JSON.parse(line));

// Prints whether every message that was recorded in the folder is right, and whether each recorded server ended well.
export function checkRecords(folder, name, { revision, least = 1 } = {}) {
  const wrong = [], statuses = [];
  let count = 0;
  for (const entry of fs.readdirSync(folder)) {
    if (entry.startsWith('stdio.')) {
      const [sent, got] = ['in', 'out'].map(file => lines(path.join(folder, entry, file)));
      count += got.length;
      const file = path.join(folder, entry, 'status');
      statuses.push(fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim() : 'none');
      if (haveSchemas) wrong.push(...wrongIn(sent, got, revision));
    } else if (entry === 'http.jsonl') {
      for (const exchange of lines(path.join(folder, entry))) {
        if (exchange.cut || !exchange.in) continue;
        const got = messagesOf(exchange.text, exchange.type);
        count += got.length;
        if (haveSchemas) wrong.push(...wrongIn([exchange.in], got, exchange.version ?? revision));
      }
    }
  }
  if (statuses.length) said(`${name}_servers_end_with_status_0`, statuses.every(status => status === '0'), statuses.join(' '));
  if (!haveSchemas) return skip(`${name}_messages_fit_the_schema`, 'no ../shared/corpora/mcp-schema here');
  said(`${name}_messages_fit_the_schema`, wrong.length === 0 && count >= least,
    `${count} messages, ${wrong.length} wrong: ${[...new Set(wrong)].slice(0, 5).join('; ')}`);
}
