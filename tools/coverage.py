# SPDX-License-Identifier: Apache-2.0
"""Reads what llvm-cov exported and prints lines and branches per room, for the parts that must be all but whole, and in all.
A branch is one outcome of one condition in the source; it counts as taken when any test took it. Code that a macro brings is
counted once for each place that uses the macro, as the compiler sees it.
A line that ends with "/* never: WHY */" says that one outcome of its conditions cannot come about; its untaken branches are left
out, and how many were is printed.
Usage: coverage.py EXPORT.json [--missing PREFIX...]: with --missing, the untaken branches of the files so named, one a line."""
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


def main(argv):
    files = load(argv[1])
    if "--missing" in argv:
        for name in sorted(f for f in files if f.startswith(tuple(argv[argv.index("--missing") + 1:]) or ROOMS)):
            for line, column, outcome in files[name].untaken():
                print(f"{name}:{line}:{column}: never {outcome}: {files[name].text[line - 1].strip()}")
        return 0
    for name in sorted({room(f) for f in files}):
        row(name, [f.sums() for f in files.values() if room(f.name) == name])
    held = True
    for title, want, prefixes in PARTS:
        held &= row(title, [f.sums() for f in files.values() if f.name.startswith(prefixes)], want)
    print(f"{sum(f.sums()[4] for f in files.values())} branches are marked as never taken, each with its reason")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
