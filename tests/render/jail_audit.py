#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jail_audit.py TRACE LEAST PROGRAM[:FOLDER...]...: what the processes of some programs did after their seccomp filter stood, from a
trace of strace -f. Fails when fewer than LEAST processes had a filter, when one made a socket, a program or a process, or when one
opened a file that is not beneath a FOLDER of its program. Prints how many processes, and how many files they opened."""
import collections
import re
import sys

NEVER = {"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "execve", "execveat", "fork", "vfork", "ptrace"}
OPENS = {"open", "openat", "openat2", "creat"}
LINE = re.compile(r"(\d+) +(.*)")
CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+|\?)")


def calls(path):
    """Each call when it ended: its thread, its name, its arguments, its result."""
    begun = {}
    for line in open(path, errors="replace"):
        thread, words = LINE.match(line).groups()
        if words.endswith("<unfinished ...>"):
            begun[thread] = words[:-len("<unfinished ...>")]
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>(.*)", words)
        if resumed:
            words = begun.pop(thread, "") + resumed.group(1)
        call = CALL.match(words)
        if call:
            yield (thread, *call.groups())


def families(trace, programs):
    """Which process a thread belongs to, and of which program. A thread may be seen before the call that made it has ended."""
    head = {}
    for thread, name, words, result in trace:
        program = words.split('"')[1].rsplit("/", 1)[-1] if name == "execve" and result == "0" else None
        if program in programs:
            head[thread] = (thread, program)
    made = [(t, result) for t, name, _, result in trace if name in ("clone", "clone3") and result[0] not in "-0?"]
    for thread, new in made:
        if thread in head:
            head.setdefault(new, head[thread])
    return head


def wrong(name, words, result, folders):
    if name in NEVER:
        return True
    if name in ("clone", "clone3"):
        return result[0] not in "-?" and "CLONE_THREAD" not in words
    if name not in OPENS or result[0] in "-?":
        return False
    path = words.split('"')[1]
    return not any((path + "/").startswith(folder.rstrip("/") + "/") for folder in folders) or "/../" in path


def main():
    trace, least = list(calls(sys.argv[1])), int(sys.argv[2])
    programs = {words[0]: words[1:] for words in (word.split(":") for word in sys.argv[3:])}
    head, jailed, opened, bad = families(trace, programs), set(), 0, []
    for thread, name, words, result in trace:
        process = head.get(thread)
        if process and name == "seccomp" and words.startswith("SECCOMP_SET_MODE_FILTER") and result == "0":
            jailed.add(process)
        elif process in jailed:
            opened += name in OPENS and result[0] not in "-?"
            if wrong(name, words, result, programs[process[1]]):
                bad.append("%s %s %s(%s) = %s" % (process[1], thread, name, words, result))
    count = collections.Counter(program for _, program in jailed)
    print("%d jails (%s) opened %d files" % (len(jailed), ", ".join("%s %d" % pair for pair in sorted(count.items())), opened))
    print("\n".join(bad))
    if len(jailed) < least or bad:
        sys.exit("fewer than %d processes were in the jail" % least if not bad else "something was done in the jail")


main()
