// SPDX-License-Identifier: Apache-2.0
// check.mjs CASES PACKAGES: writes the body of every wire case, which wire_test proves to be what is built, as a typed
// constant and lets tsc judge it by the vendor's own types: a field that they do not know is an error. Hosts that add
// fields of their own to a vendor's wire (OpenRouter) are not judged by them.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const [, , cases, packages] = process.argv;
const types = {
    anthropic: 'Anthropic.MessageCreateParams',
    'openai-chat': 'OpenAI.ChatCompletionCreateParams',
    'openai-responses': 'OpenAI.Responses.ResponseCreateParams',
    gemini: 'Gemini',
};
// The SDK's enums are strings on the wire; its own request type is not the wire's, but all the parts are.
const head = `import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import type { Content, GenerationConfig } from '@google/genai';
type Plain<T> = T extends string ? \`\${T}\` : T extends (infer U)[] ? Plain<U>[]
    : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type Gemini = { contents: Plain<Content>[]; systemInstruction?: Plain<Content>; generationConfig?: Plain<GenerationConfig> };
`;

const names = [];
let text = head;
for (const [wire, type] of Object.entries(types)) {
    for (const name of readdirSync(join(cases, wire)).sort()) {
        const file = readFileSync(join(cases, wire, name), 'utf8');
        const body = /\n== body\n(.*)\n/.exec(file);
        if (!body || /^host openrouter$/m.test(file)) continue;
        names.push(`${wire}/${name}`);
        text += `export const request${names.length}: ${type} = ${body[1]};\n`;
    }
}
// What the check itself is worth: one wrong field for each type must be found.
const wrong = names.length;
for (const type of Object.values(types)) text += `export const wrong_${type.replace(/\W/g, '')}: ${type} = {"temprature":1};\n`;

writeFileSync('requests.ts', text);
symlinkSync(join(packages, 'node_modules'), 'node_modules');
let output = '';
try {
    execFileSync(process.execPath, [join(packages, 'node_modules/typescript/bin/tsc'), '--noEmit', '--strict', '--skipLibCheck',
        '--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022', 'requests.ts'], { encoding: 'utf8' });
} catch (error) {
    output = error.stdout ?? String(error);
}
const first = head.split('\n').length;
const bad = new Map();
for (const [, line, words] of output.matchAll(/^requests\.ts\((\d+),\d+\): (.*)$/gm)) bad.set(Number(line) - first, words);
let failed = 0;
names.forEach((name, i) => {
    if (bad.has(i)) failed++;
    console.log(bad.has(i) ? `not ok types ${name}: ${bad.get(i)}` : `ok types ${name}`);
});
Object.values(types).forEach((type, i) => {
    if (!bad.has(wrong + i)) failed++;
    console.log(`${bad.has(wrong + i) ? 'ok' : 'not ok'} types a wrong field of ${type} is found`);
});
if (/error/.test(output) && bad.size === 0) console.log(`not ok types tsc: ${output.slice(0, 300)}`);
process.exit(failed ? 1 : 0);
