# SPDX-License-Identifier: Apache-2.0
"""What the tests of the lab share: where things are, how one is run and what it prints."""
import subprocess
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
    """A test is a function that raises AssertionError, named for what it proves."""
    def run(f):
        if ONLY not in name:
            return
        try:
            f()
            report(name, None)
        except (AssertionError, subprocess.TimeoutExpired) as e:
            report(name, str(e) or repr(e))
    return run


def same(got, want, what=""):
    assert got == want, "%s: got %r, want %r" % (what, got, want)
