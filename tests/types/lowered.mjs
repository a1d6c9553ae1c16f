// SPDX-License-Identifier: Apache-2.0
// lowered.mjs PACKAGES WIRE FILE...: lets tsc judge every message of the files (each a JSON array, as lowering prints it) by the
// vendor's own types. Messages of one shape are judged once: a string is as good as any other, but where a type asks for words.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , packages, wire, ...files] = process.argv;
const types = {
    anthropic: 'Anthropic.MessageParam',
    'openai-chat': 'OpenAI.ChatCompletionMessageParam',
    'openai-responses': 'OpenAI.Responses.ResponseInputItem',
    gemini: 'Plain<Content>',
};
const head = `import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type { Content } from '@google/genai';
type Plain<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Plain<U>[]
    : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
`;
const words = new Set(['type', 'role', 'media_type', 'mimeType', 'detail', 'status', 'phase', 'ttl', 'mode', 'format', 'level', 'name',
    'oversized_image']);
const seen = new Map();
let count = 0;
for (const file of files) {
    JSON.parse(readFileSync(file, 'utf8')).forEach((message, i) => {
        const text = JSON.stringify(message, (key, value) => (typeof value === 'string' && !words.has(key) ? 'x' : value));
        count++;
        if (!seen.has(text)) seen.set(text, `${file} message ${i}`);
    });
}
const wrong = wire === 'gemini' ? '{"role":"user","part":[]}' : '{"role":"user","contents":"x"}';
const lines = [...seen.keys(), wrong].map((text, i) => `export const m${i}: ${types[wire]} = ${text};`);
const name = `lowered-${wire}.ts`;
writeFileSync(name, head + lines.join('\n') + '\n');
if (!existsSync('node_modules')) symlinkSync(join(packages, 'node_modules'), 'node_modules');
let output = '';
try {
    execFileSync(process.execPath, [join(packages, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck',
        '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', name],
        { encoding: 'utf8', maxBuffer: 1 << 28 });
} catch (error) {
    output = error.stdout ?? String(error);
}
const first = head.split('\n').length;
const bad = new Map();
for (const [, line, said] of output.matchAll(/^lowered-[^(]*\((\d+),\d+\): (.*)$/gm))
    if (!bad.has(Number(line) - first)) bad.set(Number(line) - first, said);
const found = bad.delete(lines.length - 1);
const texts = [...seen.entries()];
for (const [i, said] of [...bad].slice(0, 10))
    console.log(`not ok types of lowered ${wire}: ${texts[i]?.[1]}: ${said.slice(0, 300)}\n# ${texts[i]?.[0].slice(0, 400)}`);
if (!found) console.log(`not ok types of lowered ${wire}: a wrong message is not found: ${output.slice(0, 300)}`);
if (found && bad.size === 0) console.log(`ok types of lowered ${wire}: ${count} messages of ${files.length} files, ${seen.size} shapes`);
process.exit(found && bad.size === 0 && seen.size > 0 ? 0 : 1);
