// SPDX-License-Identifier: Apache-2.0
// agent_loop.ts SESSION PROVIDER/MODEL: an agent in TypeScript that keeps its conversation in fovea. No dependencies; Node 22.18 and
// later run it as it is, earlier 22 with --experimental-strip-types. Each line of stdin is the user's. Speaks Chat Completions
// with the host at BASE_URL; the key is in OPENAI_API_KEY. It holds no messages of its own: fovea makes every request.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

type Call = { id: string; function: { name: string; arguments: string } };
type Message = { content: string | null; tool_calls?: Call[] };
type Answer = { choices: { message: Message }[]; usage?: { prompt_tokens: number; completion_tokens: number } };

const [, , session, model] = process.argv;
const base = process.env.BASE_URL ?? 'https://api.openai.com/v1';
const tools = [{ type: 'function', function: { name: 'view', description: 'Look at a picture.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] } } }];

// Runs fovea. Exit status 1 is an answer too: a refusal, with words that say what to do.
function fovea(words: string[], input = ''): { status: number; out: string } {
    const done = spawnSync(process.env.FOVEA ?? 'fovea', words, { input, encoding: 'utf8', maxBuffer: 1 << 28,
        stdio: ['pipe', 'pipe', 'inherit'] });
    const status = done.status ?? 3;
    if (status > 1) process.exit(status);
    return { status, out: done.stdout };
}

function must(words: string[], input = ''): string {
    const { status, out } = fovea(words, input);
    if (status) process.exit(status);
    return out;
}

const append = (...entries: object[]) => must(['session', 'append', session], entries.map((e) => JSON.stringify(e)).join('\n'));

// The next request, made by fovea from all that was appended.
async function post(): Promise<Response> {
    const request = JSON.parse(must(['lower', session, '--model', model, '--wire', 'openai-chat', '--full']));
    return fetch(base + '/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer ' + (process.env.OPENAI_API_KEY ?? ''),
            ...request.headers },
        body: JSON.stringify({ model: model.slice(model.indexOf('/') + 1), tools, ...request.body }),
    });
}

// One answer. A request that was refused for a picture is repaired and sent again, once.
async function ask(): Promise<Answer> {
    let answer = await post();
    if (!answer.ok) {
        const words = await answer.text();
        const repair = ['session', 'reject', session, '--error', '-', '--model', model, '--wire', 'openai-chat'];
        if (fovea(repair, words).status === 0) answer = await post();
        else throw new Error(words); // not about a picture
    }
    return await answer.json() as Answer;
}

async function turn(text: string): Promise<string> {
    append({ kind: 'user', parts: [{ type: 'text', text }] });
    for (;;) {
        const answer = await ask();
        const { content, tool_calls: calls = [] } = answer.choices[0].message;
        append({ kind: 'assistant', parts: [
            ...(content ? [{ type: 'text', text: content }] : []),
            ...calls.map((c) => ({ type: 'tool_call', id: c.id, name: c.function.name, arguments: JSON.parse(c.function.arguments) })),
        ] }, { kind: 'usage', model, input: answer.usage?.prompt_tokens ?? 0, output: answer.usage?.completion_tokens ?? 0,
            cost_usd: null });
        // Recorded as the answer to that call by being made.
        for (const c of calls) fovea(['call', c.function.name, c.function.arguments, '--session', session, '--call', c.id]);
        if (!calls.length) return content ?? '';
    }
}

for (const line of readFileSync(0, 'utf8').split('\n').filter((l) => l)) console.log(await turn(line));
