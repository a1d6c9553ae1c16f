#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""jail_audit.py TRACE PROGRAM LEAST [FOLDER...]: what the processes of a program did after their seccomp filter stood, from a trace
of strace -f. Fails when fewer than LEAST processes had a filter, when one made a socket, a program or a process, or when one
opened a file that is not beneath a FOLDER. Prints how many processes, and how many files they opened."""
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


def families(trace, program):
    """Which process of the program a thread belongs to. A thread may be seen before the call that made it has ended."""
    head = {t: t for t, name, words, result in trace
            if name == "execve" and result == "0" and words.split('"')[1].endswith("/" + program)}
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
    trace, program, least, folders = list(calls(sys.argv[1])), sys.argv[2], int(sys.argv[3]), sys.argv[4:]
    head, jailed, opened, bad = families(trace, program), set(), 0, []
    for thread, name, words, result in trace:
        process = head.get(thread)
        if process and name == "seccomp" and words.startswith("SECCOMP_SET_MODE_FILTER") and result == "0":
            jailed.add(process)
        elif process in jailed:
            opened += name in OPENS and result[0] not in "-?"
            if wrong(name, words, result, folders):
                bad.append("%s %s(%s) = %s" % (thread, name, words, result))
    print("%s: %d processes in the jail opened %d files" % (program, len(jailed), opened))
    print("\n".join(bad))
    if len(jailed) < least or bad:
        sys.exit("fewer than %d processes were in the jail" % least if not bad else "something was done in the jail")


main()
