# SPDX-License-Identifier: Apache-2.0
"""What the tests of the lab share: where things are, how one is run and what it prints."""
import sys
import threading

BUILD, FOLDER = sys.argv[1], sys.argv[2]
ONLY = sys.argv[3] if len(sys.argv) > 3 else ""
CA = FOLDER + "/ca.pem"
failures = []
reporting = threading.Lock()


def report(name, trouble):
    with reporting:
        if trouble:
            failures.append(name)
            print("  " + trouble, file=sys.stderr)
        print(("not ok " if trouble else "ok ") + name, flush=True)


def test(name):
    """A test is a function that raises an exception, named for what it proves. Any must be told: one that ended a thread would
    take its line with it."""
    def run(f):
        if ONLY not in name:
            return
        try:
            f()
            report(name, None)
        except Exception as e:
            report(name, "%s: %s" % (type(e).__name__, e))
    return run


def same(got, want, what=""):
    assert got == want, "%s: got %r, want %r" % (what, got, want)
