# SPDX-License-Identifier: Apache-2.0
"""Reads what llvm-cov exported and prints lines and branches per room, for the parts that must be all but whole, and in all.
A branch is one outcome of one condition in the source; it counts as taken when any test took it. Code that a macro brings is
counted once for each place that uses the macro, as the compiler sees it.
A line that ends with "/* never: WHY */" says that one outcome of its conditions cannot come about; its untaken branches are left
out, and how many were is printed.
What was measured is put on record in docs/coverage.tsv, with the hash of each file that ships, as it was when it was built; measuring
takes half an hour, so that `make check` reads the record: the bounds hold there, and it is of what ships now, but for so many lines in
files that changed since.
Usage: coverage.py EXPORT.json: prints; coverage.py EXPORT.json --record SOURCES: and puts it on record;
coverage.py EXPORT.json --missing PREFIX...: the untaken branches of the files so named, one a line;
coverage.py --sources: each file that ships, its lines and its hash; coverage.py --check: prints the record, and compares."""
import hashlib
import json
import os
import sys

ROOMS = ("src/", "mcp/", "cmd/", "worker/", "render/", "ocr/")
# What the house promises: the share of branches taken, in percent.
PARTS = (
    ("gate", 98, ("src/source/gate", "src/source/ref", "src/source/folder", "src/source/reader", "src/source/url",
                  "src/source/host", "src/source/netaddr", "src/source/net_reason", "src/source/fetch", "mcp/http_gate")),
    ("framing", 98, ("mcp/lines", "mcp/message", "mcp/find_id", "mcp/batch", "mcp/http_request")),
    ("record", 98, ("src/record/",)),
    ("sandbox", 98, ("src/sandbox/",)),
    ("overall", 90, ROOMS),
)
SHIPS = ("include", "src", "mcp", "cmd", "worker", "render", "ocr")
RECORD = "docs/coverage.tsv"
CHANGED = 10  # percent of the lines that ship may be in files that changed since they were measured
UNDERFLOW = 1 << 62  # a count that others were taken from: the process forked or was killed in between


class File:
    """One source file: its lines and branches, and which were taken."""

    def __init__(self, name):
        self.name = name
        with open(name, encoding="utf-8") as f:
            self.text = f.read().split("\n")
        self.lines = {}
        self.branches = {}

    def excused(self, line):
        return "/* never: " in self.text[line - 1]

    def branch(self, region):
        """Adds what one translation unit saw of a condition; inline functions are seen by many."""
        line, column, _, _, yes, no = region[:6]
        for outcome, count in (("true", yes), ("false", no)):
            taken = 0 < count < UNDERFLOW
            key = (line, column, outcome)
            self.branches[key] = self.branches.get(key, False) or taken

    def segments(self, segments):
        """Lines, from where regions begin and end."""
        last = None
        for line, _, count, has_count, *_ in segments:
            if last and last[1]:
                for n in range(last[0], line + 1):
                    self.lines[n] = max(self.lines.get(n, 0), last[2])
            last = (line, has_count, count if count < UNDERFLOW else 0)

    def untaken(self):
        return sorted(k for k, taken in self.branches.items() if not taken and not self.excused(k[0]))

    def sums(self):
        excused = sum(1 for k, taken in self.branches.items() if not taken and self.excused(k[0]))
        taken = sum(self.branches.values())
        return (sum(1 for c in self.lines.values() if c), len(self.lines), taken, len(self.branches) - excused, excused)


def load(path):
    top = os.getcwd() + "/"
    files = {}
    with open(path, encoding="utf-8") as f:
        data = json.load(f)["data"]
    for part in data:
        for entry in part["files"]:
            name = os.path.normpath(entry["filename"]).removeprefix(top)
            if not name.startswith(ROOMS):
                continue
            file = files.setdefault(name, File(name))
            file.segments(entry["segments"])
            for region in entry["branches"]:
                file.branch(region)
    return files


def room(name):
    parts = name.split("/")
    return "/".join(parts[:2]) if parts[0] in ("src", "render") else parts[0]


def row(title, sums, want=None):
    lines, all_lines, taken, branches, _ = (sum(column) for column in zip(*sums))
    share = 100 * taken / branches if branches else 100
    words = "" if want is None else f"   want {want} %{'' if share >= want else ': NOT REACHED'}"
    print(f"{title:16} {100 * lines / max(all_lines, 1):6.1f} % of {all_lines:6} lines  {share:6.1f} % of {branches:6} branches{words}")
    return want is None or share >= want


def sources():
    """Each file that ships: its lines and its hash."""
    found = {}
    for top in SHIPS:
        for folder, _, names in os.walk(top):
            for name in names:
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as f:
                        data = f.read()
                    found[path] = (data.count(b"\n"), hashlib.sha256(data).hexdigest()[:16])
    return dict(sorted(found.items()))


def listed(found):
    return "".join(f"file\t{path}\t{lines}\t{digest}\n" for path, (lines, digest) in found.items())


def write_record(rows, built):
    """rows: kind, title, sums. built: the files as they were when they were built, as listed."""
    with open(RECORD + ".new", "w", encoding="utf-8") as f:
        f.write("# Written by make coverage, read by make check.\n"
                f"# Of the sources {hashlib.sha256(built.encode()).hexdigest()[:16]}, which are the files below.\n"
                "#\tname\tlines\tlines taken\tbranches\tbranches taken\tpercent of branches\n")
        for kind, title, sums in rows:
            lines, all_lines, taken, branches, _ = (sum(column) for column in zip(*sums))
            f.write(f"{kind}\t{title}\t{all_lines}\t{lines}\t{branches}\t{taken}\t{100 * taken / max(branches, 1):.2f}\n")
        f.write(built)
    os.rename(RECORD + ".new", RECORD)


def read_record():
    """What is on record: the sums of rooms, those of parts, and the files."""
    found = {"room": {}, "part": {}, "file": {}}
    with open(RECORD, encoding="utf-8") as f:
        for kind, name, *rest in (line.rstrip("\n").split("\t") for line in f if not line.startswith("#")):
            if kind == "file":
                found[kind][name] = (int(rest[0]), rest[1])
            else:
                all_lines, lines, branches, taken = (int(word) for word in rest[:4])
                found[kind][name] = (lines, all_lines, taken, branches, 0)
    return found["room"], found["part"], found["file"]


def check():
    if not os.path.exists(RECORD):
        print("check: no coverage is on record; run make coverage", file=sys.stderr)
        return 1
    rooms, parts, then = read_record()
    held = True
    for name, sums in rooms.items():
        row(name, [sums])
    for title, want, _ in PARTS:
        held &= row(title, [parts.get(title, (0, 0, 0, 1, 0))], want)
    now = sources()
    changed = [name for name in now | then if now.get(name) != then.get(name)]
    lines = sum(now.get(name, then.get(name))[0] for name in changed)
    share = 100 * lines / max(sum(n for n, _ in now.values()), 1)
    if not changed:
        print("check: coverage is that of these sources")
    else:
        print(f"check: since coverage was measured {len(changed)} of {len(now)} files that ship changed, with {share:.1f} % of the lines")
    if share > CHANGED:
        print(f"check: more than {CHANGED} % of the lines changed since coverage was measured; run make coverage", file=sys.stderr)
    return 0 if held and share <= CHANGED else 1


def main(argv):
    if argv[1:] == ["--sources"]:
        print(listed(sources()), end="")
        return 0
    if argv[1:] == ["--check"]:
        return check()
    files = load(argv[1])
    if "--missing" in argv:
        for name in sorted(f for f in files if f.startswith(tuple(argv[argv.index("--missing") + 1:]) or ROOMS)):
            for line, column, outcome in files[name].untaken():
                print(f"{name}:{line}:{column}: never {outcome}: {files[name].text[line - 1].strip()}")
        return 0
    rooms = [("room", name, [f.sums() for f in files.values() if room(f.name) == name]) for name in sorted({room(f) for f in files})]
    parts = [("part", title, [f.sums() for f in files.values() if f.name.startswith(prefixes)]) for title, _, prefixes in PARTS]
    for _, name, sums in rooms:
        row(name, sums)
    held = True
    for (_, title, sums), (_, want, _) in zip(parts, PARTS):
        held &= row(title, sums, want)
    print(f"{sum(f.sums()[4] for f in files.values())} branches are marked as never taken, each with its reason")
    if "--record" in argv:
        with open(argv[argv.index("--record") + 1], encoding="utf-8") as f:
            write_record(rooms + parts, f.read())
        print(f"on record in {RECORD}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
