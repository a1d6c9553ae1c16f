// SPDX-License-Identifier: Apache-2.0
// The section of docs/benchmarks.md on the MCP server, from what mcp.mjs measured. A rate is the best of the rounds and
// a latency the least, for each contender alike; no round is picked for one and not for the other.
const KIB = 1024, OURS = 'view', PEER = 'read_media_file';
const fixed = (n, digits = 2) => (Number.isFinite(n) ? n.toFixed(digits) : '–');
const table = (head, rows) => [head, head.map((_, i) => (i ? '--:' : '---')), ...rows].map((r) => `| ${r.join(' | ')} |`).join('\n');
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1] ?? NaN;
const PHASES = { first: 'first look', again: 'again' };

export function mcpSection(M) {
  if (!M) return '## MCP server\n\nNot measured.\n';
  // Best over the rounds of one figure of a phase; NaN where nothing was measured or a round failed.
  const best = (run, who, phase, key, pick = Math.min) => {
    const rounds = M.results[run]?.[who] ?? [];
    return rounds.length && rounds.every((r) => r[phase]) ? pick(...rounds.map((r) => r[phase][key])) : NaN;
  };
  const rate = (run, who, phase) => best(run, who, phase, 'calls_per_s', Math.max);
  const p50 = (file, who, phase) => best(`view ${file}`, who, phase, 'p50_ms');
  const large = M.files.filter((f) => f.large).map((f) => f.name), small = M.files.filter((f) => !f.large).map((f) => f.name);
  const total = (files, who, phase) => sum(files.map((f) => p50(f, who, phase)));
  const slowest = (files, of) => files.reduce((a, b) => (of(b) > of(a) ? b : a), files[0]);
  const start = (question, who) => M.results[`start ${question}`]?.[who]?.[0];

  function asked() {
    const reads = ['read_text_file', PEER].map((tool) => [`calls of \`read\` a second, pipelined, ÷ \`${tool}\``, 'at least', 5,
      rate('reads pipelined', 'read', 'again') / rate('reads pipelined', tool, 'again')]);
    const views = Object.entries(PHASES).flatMap(([phase, words]) => {
      const ratio = (f) => p50(f, OURS, phase) / p50(f, PEER, phase), worst = slowest(large, ratio), slow = slowest(small, (f) => p50(f, OURS, phase));
      return [
        [`${words}: calls of \`view\` a second, PNGs of 500 kB or more, pipelined, ÷ \`${PEER}\``, 'at least', 1,
          rate('views pipelined', OURS, phase) / rate('views pipelined', PEER, phase)],
        [`${words}: \`view\` of PNGs of 500 kB or more one after the other, sum of p50, time ÷ \`${PEER}\``, 'at most', 1, total(large, OURS, phase) / total(large, PEER, phase)],
        [`${words}: the worst one of them, ${worst}`, 'at most', 1, ratio(worst)],
        [`${words}: \`view\` of smaller PNGs, median of their p50, ms`, 'at most', 20, median(small.map((f) => p50(f, OURS, phase)))],
        [`${words}: the slowest one of them, ${slow}, ms`, 'at most', 20, p50(slow, OURS, phase)],
      ];
    });
    const begin = ['initialize', 'discover'].map((q) => [`process start to the answer to \`${q === 'discover' ? 'server/discover' : q}\`, median, ms`,
      'at most', 20, start(q, 'fovea')?.p50_ms]);
    return table(['', '', 'asked', 'measured', ''], [...reads, ...views, ...begin].map(([what, way, limit, got]) => [what, way, limit, fixed(got),
      !Number.isFinite(got) ? 'not measured' : (way === 'at least' ? got >= limit : got <= limit) ? 'holds' : '**missed**']));
  }

  function loadTable(runs, phases) {
    const rows = runs.flatMap((run) => phases.flatMap((phase) => Object.keys(M.results[run] ?? {}).filter((who) => best(run, who, phase, 'calls') > 0).map((who) => [
      `${run}${phases.length > 1 ? `, ${PHASES[phase]}` : ''}: \`${who}\``, best(run, who, phase, 'calls'), fixed(rate(run, who, phase), 0),
      ...['p50_ms', 'p99_ms', 'cpu_ms'].map((key) => fixed(best(run, who, phase, key), key === 'cpu_ms' ? 3 : 2)),
      fixed(best(run, who, phase, 'bytes') / best(run, who, phase, 'calls') / KIB, 1)])));
    return table(['', 'calls', 'calls a second', 'p50 ms', 'p99 ms', 'processor ms a call', 'KiB an answer'], rows);
  }

  function fileTable() {
    const cells = (f, phase) => [fixed(p50(f, OURS, phase), 1), fixed(p50(f, PEER, phase), 1), fixed(p50(f, OURS, phase) / p50(f, PEER, phase))];
    const rows = M.files.map(({ name, bytes }) => [name, bytes, ...cells(name, 'first'), ...cells(name, 'again')]);
    const line = (words, files) => [`**${words}**`, '', ...Object.keys(PHASES).flatMap((phase) => [fixed(total(files, OURS, phase), 1),
      fixed(total(files, PEER, phase), 1), fixed(total(files, OURS, phase) / total(files, PEER, phase))])];
    rows.push(line('500 kB or more', large), line('smaller', small));
    return table(['p50 ms, one after the other', 'bytes', 'first look: fovea', 'it', 'fovea ÷ it', 'again: fovea', 'it', 'fovea ÷ it'], rows);
  }

  function lifeTable() {
    const rows = [['fovea', 'fovea', OURS], ['server-filesystem', 'peer', PEER]].map(([words, who, tool]) => {
      const starts = ['initialize', 'discover'].flatMap((q) => ['min_ms', 'p50_ms'].map((key) =>
        fixed(start(q, who)?.[key], 1) + (start(q, who)?.refused ? ' (refused)' : '')));
      const run = M.results['views sequential']?.[tool]?.[0];
      return [words, ...starts, fixed(run?.rss_kib / KIB, 1), fixed(run?.tree_kib / KIB, 1)];
    });
    return table(['', '`initialize`: least ms', 'median', '`server/discover`: least ms', 'median', 'MiB after the views', 'with its children'], rows);
  }

  const peer = M.peer ? `server-filesystem ${M.peer.version} on node ${M.peer.node}` : 'server-filesystem (not installed)';
  return `## MCP server

\`fovea mcp\` and ${peer}, each over stdio with one cheap client that shares the machine's cores with them; measured on ${M.date},
the servers in turn, best of ${M.rounds} rounds for each (one for the views of many files). \`view\` decodes, fits and encodes; \`${PEER}\` copies the file as base64. Both are asked for the
same files. "First look": the server has not seen a picture of these bytes before (copies that differ in a text chunk). "Again": it has been asked for
this very file before, and may remember. All files are in the page cache. Every call is checked to be answered once and by no error.

${asked()}

### Reads

One text file of ${M.text_bytes} bytes, again and again; pipelined: all calls are written at once, and the latency is mostly time in the queue.

${loadTable(['reads pipelined', 'reads sequential'], ['again'])}

### Views

PNGs of ${M.large_bytes} bytes or more, in mixed order.

${loadTable(['views pipelined', 'views sequential'], ['first', 'again'])}

${fileTable()}

### Start and memory

From the start of the process to its first answer; memory is the resident set once the sequential views are done.

${lifeTable()}
`;
}
