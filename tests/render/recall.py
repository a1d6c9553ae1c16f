#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""recall.py LEAST FILE NAME [FILE NAME...]: which share of the words of FILE's lines (those that NAME.lines says) is in NAME.txt,
of each and over all of them together. Exit status 1 below LEAST percent."""
import collections
import re
import sys


def words(text):
    return collections.Counter(re.findall(r"\w+", text))


def main():
    least, rest = float(sys.argv[1]), sys.argv[2:]
    found = total = 0
    missed = collections.Counter()
    for source, name in zip(rest[::2], rest[1::2]):
        first, last = map(int, open(name + ".lines").read().split())
        shown = open(source, encoding="utf-8").read().split("\n")[first - 1:last]
        want, got = words("\n".join(shown)), words(open(name + ".txt", encoding="utf-8").read())
        here, of = sum((want & got).values()), sum(want.values())
        print(f"{100 * here / of:6.2f} % {source.rsplit('/', 1)[-1]}")
        found += here
        total += of
        missed += want - got
    share = 100 * found / total
    print(f"{share:.2f} % of {total} words; not read: {' '.join(sorted(missed)[:40])}")
    sys.exit(share < least)


main()
