# SPDX-License-Identifier: Apache-2.0
"""A client of `fovea mcp` on pipes that knows nothing of the protocol but lines: it can send any bytes, never blocks
on a full pipe, and looks at the server from outside (its children, their state). Also what the tests print."""
import json
import os
import select
import signal
import subprocess
import time

BUILD, FOVEA, FIXTURES = os.environ["BUILD"], os.environ["FOVEA"], os.environ["FIXTURES"]
SANITIZED = b"__asan_init" in open(FOVEA, "rb").read()
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "fovea-test", "version": "1"},
}


class Died(Exception):
    """The server ended when it should not have."""


class Late(Exception):
    """No line came in time."""


def line(message):
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def request(id, method, params=None):
    message = {"jsonrpc": "2.0", "id": id, "method": method}
    if params is not None:
        message["params"] = params
    return line(message)


def call(id, tool, arguments, **params):
    return request(id, "tools/call", {"name": tool, "arguments": arguments, **params})


def initialize(id, version="2025-11-25"):
    return request(id, "initialize", {"protocolVersion": version, "capabilities": {},
                                      "clientInfo": {"name": "fovea-test", "version": "1"}})


class Server:
    def __init__(self, *arguments):
        self.said = open("server.err", "wb")
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            [FOVEA, "mcp", "--root", FIXTURES, "--root", os.getcwd(), *arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, bufsize=0)
        self.into, self.outof = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.into, False)
        os.set_blocking(self.outof, False)
        self.parts, self.lines, self.ended = [], [], False

    def _take(self):
        """Reads what is there. Lines are cut as they come, so a long one costs no more than its length."""
        try:
            data = os.read(self.outof, 1 << 20)
        except BlockingIOError:
            return
        if not data:
            self.ended = True
            return
        pieces = data.split(b"\n")
        for piece in pieces[:-1]:
            self.lines.append(b"".join(self.parts) + piece)
            self.parts = []
        if pieces[-1]:
            self.parts.append(pieces[-1])

    def send(self, data, seconds=30):
        """Writes all of it, and takes what the server says meanwhile."""
        rest, end = memoryview(data), time.monotonic() + seconds
        while rest:
            readable = [] if self.ended else [self.outof]
            ready = select.select(readable, [self.into], [], max(0, end - time.monotonic()))
            if ready[0]:
                self._take()
            if ready[1]:
                try:
                    rest = rest[os.write(self.into, rest[:1 << 16]):]
                except BrokenPipeError:
                    raise Died(f"the server closed its input: {self.ending()}") from None
            if not ready[0] and not ready[1]:
                raise Late("the server does not read")

    def next(self, seconds=10):
        """The next line that the server says, parsed; it must be JSON, whatever it is."""
        end = time.monotonic() + seconds
        while not self.lines:
            if self.ended:
                raise Died(f"the server ended: {self.ending()}")
            if not select.select([self.outof], [], [], max(0, end - time.monotonic()))[0]:
                raise Late(f"nothing came within {seconds} s")
            self._take()
        text = self.lines.pop(0)
        try:
            return json.loads(text)
        except ValueError:
            raise AssertionError(f"no protocol on stdout: {text[:200]!r}") from None

    def until(self, id, seconds=10):
        """What comes before the answer to id, and that answer."""
        before = []
        while True:
            message = self.next(seconds)
            if isinstance(message, dict) and message.get("id") == id and "method" not in message:
                return before, message
            before.append(message)

    def ask(self, data, id, seconds=10):
        self.send(data)
        return self.until(id, seconds)[1]

    def hello(self, version="2025-11-25"):
        answer = self.ask(initialize("hello", version), "hello")
        assert answer["result"]["protocolVersion"] == version, answer
        self.send(line({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        return answer

    def close(self, seconds=10):
        """Ends its input; gives all that it still says and its exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        end, rest = time.monotonic() + seconds, []
        while not self.ended:
            if not select.select([self.outof], [], [], max(0, end - time.monotonic()))[0]:
                self.process.kill()
                raise Late("the server does not end")
            self._take()
        while self.lines:
            rest.append(self.next())
        assert not self.parts, f"half a line at the end: {b''.join(self.parts)[:200]!r}"
        return rest, self.process.wait(seconds)

    def ending(self):
        try:
            status = self.process.wait(2)
        except subprocess.TimeoutExpired:
            status = "still running"
        self.said.flush()
        return f"status {status}, stderr {open('server.err', 'rb').read()[-600:]!r}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self.said):
            pipe.close()

    # ------------------------------------------------------------ seen from outside

    def children(self):
        """All processes beneath the server: {pid: (name, state, CPU ticks)}."""
        table = {}
        for name in os.listdir("/proc"):
            if name.isdigit():
                stat = process_stat(int(name))
                if stat:
                    table[int(name)] = stat
        below, grew = {self.process.pid}, True
        while grew:
            more = {pid for pid, stat in table.items() if stat[3] in below} - below
            grew = bool(more)
            below |= more
        return {pid: table[pid][:3] for pid in below - {self.process.pid}}

    def workers(self):
        return {pid: row for pid, row in self.children().items() if row[0] == "fovea-worker" and row[1] != "Z"}

    def busy_worker(self, seconds=5):
        """The worker that computes: the one whose CPU time grows."""
        end, first = time.monotonic() + seconds, self.workers()
        while time.monotonic() < end:
            for pid, row in self.workers().items():
                if row[2] >= first.get(pid, row)[2] + 3 or (pid not in first and row[2] >= 3):
                    return pid
            time.sleep(0.005)
        raise Late("no worker computes")


def process_stat(pid):
    """(name, state, CPU ticks, parent) of a process, or None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            text = file.read()
    except OSError:
        return None
    name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
    return name, rest[0], int(rest[11]) + int(rest[12]), int(rest[1])


def gone(pid, seconds):
    """How long until the process is gone (a zombie is), in seconds; None when it is not by then."""
    start = time.monotonic()
    while time.monotonic() - start < seconds:
        stat = process_stat(pid)
        if stat is None or stat[1] in "ZX":
            return time.monotonic() - start
        time.sleep(0.001)
    return None


# ---------------------------------------------------------------- tests

failed = False


def said(name, good, why=""):
    global failed
    print(f"ok {name}" if good else f"not ok {name}", flush=True)
    if not good:
        failed = True
        if why:
            os.write(2, f"  {name}: {str(why)[:2000]}\n".encode(errors="replace"))
    return good


def test(function):
    """Runs a function that is named for what it proves, at once."""
    try:
        note = function()
    except Exception as error:
        at = error.__traceback__
        while at.tb_next and at.tb_next.tb_frame.f_code.co_filename == function.__code__.co_filename:
            at = at.tb_next
        said(function.__name__, False, f"line {at.tb_lineno}: {type(error).__name__}: {error}")
        return
    said(function.__name__, True)
    if note:
        os.write(2, f"  {function.__name__}: {note}\n".encode())


def finish():
    raise SystemExit(1 if failed else 0)


# A server that is gone must be an error of the call, not the end of the test.
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
