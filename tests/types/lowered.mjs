// SPDX-License-Identifier: Apache-2.0
// lowered.mjs PACKAGES FOLDER...: lets tsc judge every message of the files WIRE.*.json of the folders (each a JSON array, as lowering
// prints it) by the vendor's own types, all of them in one run. Messages of one shape are judged once: a string is as good as any
// other, but where a type asks for words.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const [, , packages, ...folders] = process.argv;
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
const lines = []; // what tsc reads, in order: whose message it is, where it comes from, its text
const groups = [];

function take(folder, wire) {
    const group = { name: `${wire} of ${basename(folder)}`, seen: new Set(), count: 0, bad: [], found: false };
    const files = readdirSync(folder).filter((file) => file.startsWith(`${wire}.`) && file.endsWith('.json')).sort();
    const add = (text, from) => lines.push({ group, from, text, line: `export const m${lines.length}: ${types[wire]} = ${text};` });
    for (const file of files) {
        JSON.parse(readFileSync(join(folder, file), 'utf8')).forEach((message, i) => {
            const text = JSON.stringify(message, (key, value) => (typeof value === 'string' && !words.has(key) ? 'x' : value));
            group.count++;
            if (!group.seen.has(text)) add(text, `${file} message ${i}`);
            group.seen.add(text);
        });
    }
    // What the check itself is worth: this must be found.
    add(wire === 'gemini' ? '{"role":"user","part":[]}' : '{"role":"user","contents":"x"}', null);
    group.files = files.length;
    groups.push(group);
}

for (const folder of folders) Object.keys(types).forEach((wire) => take(folder, wire));
writeFileSync('lowered.ts', head + lines.map((l) => l.line).join('\n') + '\n');
symlinkSync(join(packages, 'node_modules'), 'node_modules');
let output = '';
try {
    execFileSync(process.execPath, [join(packages, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck',
        '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', 'lowered.ts'],
        { encoding: 'utf8', maxBuffer: 1 << 28 });
} catch (error) {
    output = error.stdout ?? String(error);
}
const first = head.split('\n').length;
for (const [, number, said] of output.matchAll(/^lowered\.ts\((\d+),\d+\): (.*)$/gm)) {
    const l = lines[Number(number) - first];
    if (l?.from) l.group.bad.push(`${l.from}: ${said.slice(0, 300)}\n# ${l.text.slice(0, 400)}`);
    else if (l) l.group.found = true;
}
let failed = 0;
for (const { name, bad, found, files, count, seen } of groups) {
    for (const what of bad.slice(0, 10)) console.log(`not ok types of lowered ${name}: ${what}`);
    if (!found) console.log(`not ok types of lowered ${name}: a wrong message is not found: ${output.slice(0, 300)}`);
    const good = found && bad.length === 0 && seen.size > 0;
    if (good) console.log(`ok types of lowered ${name}: ${count} messages of ${files} files, ${seen.size} shapes`);
    else if (found && bad.length === 0) console.log(`not ok types of lowered ${name}: there are none`);
    failed += !good;
}
process.exit(failed ? 1 : 0);
