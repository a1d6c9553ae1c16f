#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""http_probe.py WHAT PORT TOKEN [ARGUMENT...]: one thing that must hold of the HTTP server, over plain sockets, so that
a request can be as broken as it must be. Exit status 1 and words when it does not hold."""
import itertools
import json
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
import zlib

PORT = int(sys.argv[2])
TOKEN = sys.argv[3]


def connect():
    s = socket.create_connection(("127.0.0.1", PORT), timeout=60)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def head(method="POST", path="/mcp", host=None, token=TOKEN, more=(), version="1.1"):
    lines = [f"{method} {path} HTTP/{version}", f"Host: {host or f'127.0.0.1:{PORT}'}"]
    if token:
        lines.append(f"Authorization: Bearer {token}")
    return "\r\n".join(lines + list(more)) + "\r\n"


JSON = ("Content-Type: application/json", "Accept: application/json, text/event-stream")


def request(message, more=JSON, **kw):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return (head(more=tuple(more) + (f"Content-Length: {len(body)}",), **kw) + "\r\n").encode() + body


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body


def read_answer(s, timeout=60, bodyless=False):
    """One answer; None when the connection ended without one."""
    s.settimeout(timeout)
    data = b""
    while b"\r\n\r\n" not in data:
        piece = receive(s)
        if not piece:
            return None
        data += piece
    top, _, rest = data.partition(b"\r\n\r\n")
    lines = top.decode("latin-1").split("\r\n")
    headers = {}
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    status = int(lines[0].split()[1])
    if bodyless or status in (204, 100):
        return Answer(status, headers, rest)
    if headers.get("transfer-encoding") == "chunked":
        while not rest.endswith(b"0\r\n\r\n"):
            piece = receive(s)
            if not piece:
                break
            rest += piece
        return Answer(status, headers, rest)
    want = int(headers.get("content-length", 0))
    while len(rest) < want:
        piece = receive(s)
        if not piece:
            break
        rest += piece
    return Answer(status, headers, rest)


def read_one(s):
    """The status of one answer of a known length, and not a byte more."""
    s.settimeout(60)
    top = b""
    while not top.endswith(b"\r\n\r\n"):
        piece = s.recv(1)
        if not piece:
            return None
        top += piece
    left = next(int(line[15:]) for line in top.split(b"\r\n") if line.lower().startswith(b"content-length:"))
    while left:
        left -= len(s.recv(left))
    return int(top.split()[1])


def chunks(message):
    body = json.dumps(message).encode()
    return (head(more=JSON + ("Transfer-Encoding: chunked",)) + "\r\n").encode() + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


def receive(s):
    try:
        return s.recv(65536)
    except ConnectionError:
        return b""


def ask(raw, timeout=60, bodyless=False):
    with connect() as s:
        s.sendall(raw)
        return read_answer(s, timeout, bodyless)


def check(condition, *words):
    if not condition:
        print("failed:", *words)
        sys.exit(1)


def status_is(want, raw, *words, **kw):
    got = ask(raw, **kw)
    check(got is not None and got.status == want, *words, "want", want, "got", got and got.status)
    return got


INIT = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}}}


def ping(number=7):
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


def session(version="2025-11-25"):
    init = json.loads(json.dumps(INIT))
    init["params"]["protocolVersion"] = version
    got = status_is(200, request(init), "initialize")
    return got.headers["mcp-session-id"]


def of(name):
    return JSON + (f"Mcp-Session-Id: {name}",)


fresh = itertools.count(1000)


def call(tool, arguments, number=None, token=None):
    number = next(fresh) if number is None else number
    params = {"name": tool, "arguments": arguments}
    if token is not None:
        params["_meta"] = {"progressToken": token}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


# ---------------------------------------------------------------- what must hold

def gate(table):
    n = 0
    for line in open(table, encoding="utf-8"):
        if line.startswith("#"):
            continue
        kind, value, port, verdict = line.rstrip("\n").split("\t")
        if port != "8080" or kind.endswith("-tls"):
            continue
        value = value.replace("{}", str(PORT))
        raw = request(INIT, host=value) if kind == "host" else request(INIT, more=JSON + (f"Origin: {value}",))
        got = ask(raw)
        check(got is not None, kind, value, "no answer")
        check(got.status == (200 if verdict == "yes" else 403), kind, repr(value), verdict, got.status)
        n += 1
    check(n >= 60, n, "rows")
    body = json.dumps(INIT).encode()
    rest = "\r\n".join((f"Authorization: Bearer {TOKEN}",) + JSON + (f"Content-Length: {len(body)}", "", "")).encode() + body
    host = f"Host: 127.0.0.1:{PORT}\r\n".encode()
    for name, top in (("no Host", b""), ("Host twice", host + host), ("another Host first", b"Host: evil.example\r\n" + host),
                      ("Origin twice", host + f"Origin: http://localhost:{PORT}\r\n".encode() * 2)):
        got = ask(b"POST /mcp HTTP/1.1\r\n" + top + rest)
        check(got is None or got.status in (400, 403), name, got and got.status)


def verbs():
    known = session()
    status_is(404, request(INIT, path="/"), "path /")
    status_is(404, request(INIT, path="/mcp/"), "path /mcp/")
    status_is(404, request(INIT, path="/MCP"), "path /MCP")
    for method in ("GET", "PUT", "PATCH", "OPTIONS", "TRACE", "BREW"):
        got = status_is(405, (head(method) + "\r\n").encode(), method)
        check(got.headers.get("allow") == "POST, DELETE", "Allow", got.headers)
        check(not any(h.startswith("access-control") for h in got.headers), "CORS", got.headers)
    status_is(405, (head("HEAD") + "\r\n").encode(), "HEAD", bodyless=True)
    status_is(405, (head("GET", more=of(known)) + "\r\n").encode(), "GET with a session")
    status_is(415, request(INIT, more=("Accept: */*",)), "no type")
    status_is(415, request(INIT, more=("Content-Type: text/plain",)), "text/plain")
    status_is(415, request(INIT, more=("Content-Type: application/jsonp",)), "jsonp")
    status_is(200, request(INIT, more=("Content-Type: Application/JSON ; charset=utf-8",)), "charset")
    status_is(406, request(INIT, more=JSON[:1] + ("Accept: text/html",)), "text/html")
    status_is(406, request(INIT, more=JSON[:1] + ("Accept: text/event-stream",)), "event stream alone")
    status_is(200, request(INIT, more=JSON[:1] + ("Accept: text/event-stream", "Accept: application/json")), "two Accepts")
    status_is(200, request(INIT, more=JSON[:1]), "no Accept")
    status_is(200, request(INIT, more=JSON[:1] + ("Accept: */*",)), "Accept */*")
    status_is(400, request(b"{", more=of(known)), "broken JSON")
    status_is(400, request(b"", more=of(known)), "no JSON")
    got = status_is(202, request({"jsonrpc": "2.0", "method": "notifications/initialized"}, more=of(known)), "note")
    check(got.body == b"", "202 has a body")


def sessions():
    one, two = session(), session()
    check(one != two and len(one) == 32, one, two)
    status_is(200, request(ping(), more=of(one)), "ping")
    got = status_is(400, request(ping(), more=of(one) + ("MCP-Protocol-Version: 1999",)), "a version that there is not")
    error = json.loads(got.body)["error"]
    check(error["code"] == -32022 and error["data"] == {"requested": "1999", "supported": [
        "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]} and "2025-11-25" in error["message"], error)
    status_is(404, request(ping(), more=of("0" * 32)), "unknown session")
    got = status_is(404, request(ping(), more=of(one + "0")), "longer id")
    check("error" in json.loads(got.body), got.body)
    status_is(400, (head("DELETE") + "\r\n").encode(), "DELETE without a session")
    status_is(404, (head("DELETE", more=of("f" * 32)) + "\r\n").encode(), "DELETE of an unknown one")
    status_is(204, (head("DELETE", more=of(one)) + "\r\n").encode(), "DELETE")
    status_is(404, request(ping(), more=of(one)), "ping after DELETE")
    status_is(404, (head("DELETE", more=of(one)) + "\r\n").encode(), "DELETE twice")
    status_is(200, request(ping(), more=of(two)), "the other session")
    with connect() as s:
        for n in range(1100):
            s.sendall(request(INIT))
            got = read_answer(s)
            check(got and got.status == 200, "initialize", n)
            if n == 500:
                kept = got.headers["mcp-session-id"]
        s.sendall(request(ping(), more=of(two)))
        check(read_answer(s).status == 404, "the oldest session is still there")
        s.sendall(request(ping(), more=of(kept)))
        check(read_answer(s).status == 200, "a newer session is gone")


def token_first():
    """The answer comes although the body never does, and without a 100."""
    for token in (None, "x", TOKEN[:-1], TOKEN + "x", TOKEN.swapcase()):
        for more in ((), ("Expect: 100-continue",)):
            raw = head(token=token, more=JSON + ("Content-Length: 1000000",) + more) + "\r\n"
            got = status_is(401, raw.encode(), token, more, timeout=2)
            check("bearer" in got.headers.get("www-authenticate", "").lower(), got.headers)
    got = ask((head(more=JSON + ("Content-Length: 100", "Expect: 100-continue")) + "\r\n").encode(), 2)
    check(got.status == 100, "a good token gets its 100", got.status)
    twice = head(token="x", more=JSON + (f"Authorization: Bearer {TOKEN}", "Content-Length: 2")) + "\r\n{}"
    status_is(400, twice.encode(), "two tokens")


def too_long():
    status_is(413, (head(more=JSON + (f"Content-Length: {(32 << 20) + 1}",)) + "\r\n").encode(), "length", timeout=2)
    with connect() as s:
        s.sendall((head(more=JSON + ("Transfer-Encoding: chunked",)) + "\r\n").encode())
        piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
        sent = 0
        try:
            while sent < 40 << 20 and not select.select([s], [], [], 0)[0]:
                s.sendall(piece)
                sent += 65536
        except ConnectionError:
            pass
        got = read_answer(s, 5)
        check(got and got.status == 413, "chunks", got and got.status, sent)
        check(sent > 32 << 20, "cut too early", sent)
    got = ask((head(more=("X: " + "x" * 40000,)) + "\r\n").encode())
    check(got and got.status in (413, 431), "header block", got and got.status)
    got = ask((head(more=tuple(f"X-{i}: y" for i in range(5000))) + "\r\n").encode())
    check(got and got.status in (413, 431), "many headers", got and got.status)
    whole = request(INIT)
    big = whole[:-1] + b" " * (30 << 20) + b"}"
    body = len(big) - whole.index(b"\r\n\r\n") - 4
    big = (head(more=JSON + (f"Content-Length: {body}",)) + "\r\n").encode() + big[-body:]
    status_is(200, big, "30 MiB are fine")


def slow():
    """A slow request is cut with 408; others are served meanwhile."""
    start = time.monotonic()
    kinds = {
        "no end of headers": (head() + "X-Slow: ").encode(),
        "first byte only": b"P",
        "no body": (head(more=JSON + ("Content-Length: 100",)) + "\r\n").encode(),
        "body stops": (head(more=JSON + ("Content-Length: 100",)) + "\r\n{").encode(),
        "chunk stops": (head(more=JSON + ("Transfer-Encoding: chunked",)) + "\r\n5\r\n{").encode(),
        "trickle": (head(more=JSON + ("Content-Length: 100000",)) + "\r\n").encode(),
        "refused body": (head(path="/x", more=JSON + ("Content-Length: 100",)) + "\r\n").encode(),
        "half a header behind a request": request(INIT) + b"POST /mcp HTTP/1.1\r\nHo",
        "half a line behind a request": request(INIT) + b"POS",
        "half a header behind chunks": chunks(INIT) + b"POST /mcp HTTP/1.1\r\nHo",
    }
    socks = {}
    idle, silent = connect(), connect()
    idle.sendall(chunks(INIT))
    check(read_answer(idle).status == 200, "before it is idle")
    idle.sendall(request(INIT) * 2)
    for _ in range(2):
        check(read_one(idle) == 200, "before it is idle")
    for name, raw in kinds.items():
        socks[name] = connect()
        socks[name].sendall(raw)
        if "behind" in name:
            check(read_one(socks[name]) == 200, name)
    ended, worst = {}, 0
    while len(ended) < len(kinds) and time.monotonic() - start < 20:
        before = time.monotonic()
        status_is(200, request(INIT), "another client")
        worst = max(worst, time.monotonic() - before)
        try:
            socks["trickle"].send(b"x")
        except ConnectionError:
            pass
        for name, s in socks.items():
            if name not in ended and select.select([s], [], [], 0)[0]:
                got = read_answer(s, 1)
                check(got and got.status == 408, name, got and got.status)
                ended[name] = time.monotonic() - start
        time.sleep(0.2)
    check(len(ended) == len(kinds), "not cut:", set(kinds) - set(ended))
    check(all(9 < t < 13 for t in ended.values()), ended)
    check(worst < 1, "another client waited", worst)
    silent.settimeout(3)
    check(receive(silent) == b"", "a connection that never spoke is told something, or kept")
    idle.sendall(request(INIT))
    got = read_answer(idle)
    check(got and got.status == 200, "an idle connection is no slow one")
    print("cut after", {k: round(v, 1) for k, v in ended.items()}, "others at most", round(worst * 1000), "ms")


def rss(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def connections():
    """The server's: for each its state, and how many bytes it has not read yet. Asking it would make one of them give way."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in table.readlines()[1:]]
    return [(row[3], int(row[4].split(":")[1], 16)) for row in rows if int(row[1].split(":")[1], 16) == PORT]


def unheard():
    return sum(state == "01" and waiting > 0 for state, waiting in connections())


def wait_held(most):
    """Until it holds no more than so many, those that were hung up on included."""
    until = time.monotonic() + 60
    while sum(state in ("01", "08") for state, _ in connections()) > most:
        check(time.monotonic() < until, "connections that were hung up on are held")
        time.sleep(0.01)


def crowd(pid):
    before = rss(pid)
    socks = []
    for _ in range(1000):
        s = connect()
        s.sendall(request(INIT))
        check(read_answer(s).status == 200, "initialize", len(socks))
        socks.append(s)
    held = rss(pid) - before
    times = []
    for s in (socks[0], socks[500], socks[999]) * 5:
        start = time.monotonic()
        s.sendall(request(INIT))
        check(read_answer(s).status == 200, "a request in the crowd")
        times.append(time.monotonic() - start)
    strangers = [connect() for _ in range(24)]
    for _ in range(200):
        strangers.append(connect())
    start = time.monotonic()
    status_is(200, request(INIT), "one more than there is room for")
    check(time.monotonic() - start < 1, "a newcomer waited")
    strangers[0].settimeout(5)
    check(receive(strangers[0]) == b"", "the oldest stranger is still there")
    for i, s in enumerate(socks):
        s.sendall(request(ping()))
        got = read_answer(s)
        check(got is not None, "a client lost its connection to a stranger", i)
    for s in strangers:
        s.close()
    wait_held(len(socks))
    while len(socks) < 1024:
        socks.append(connect())
    for s in socks:
        s.sendall((head(more=JSON + ("Content-Length: 100",)) + "\r\n{").encode())
    until = time.monotonic() + 60
    while unheard() and time.monotonic() < until:
        time.sleep(0.01)
    for _ in range(20):
        s = connect()
        got = read_answer(s, 5)
        check(got and got.status == 503 and "retry-after" in got.headers, "all are at work", got and got.status)
        s.close()
    for s in socks:
        s.close()
    wait_held(0)
    status_is(200, request(INIT), "after the crowd")
    idle = []
    for _ in range(1030):
        s = connect()
        s.sendall(request(INIT))
        check(read_answer(s).status == 200, "initialize of an idle one", len(idle))
        idle.append(s)
    check(receive(idle[0]) == b"", "the one idle for longest is still there")
    idle[-1].sendall(request(INIT))
    check(read_answer(idle[-1]).status == 200, "the newest one is gone")
    check(max(times) < 1, times)
    print(f"1000 connections: {held} kB more ({held / 1000:.1f} each), a request {min(times) * 1000:.2f} ms")


def picture(path, side):
    """A picture that takes its time: sixteen bits, four channels."""
    side = int(side)
    row = b"\0" + (os.urandom(8 * 500) * (side // 500 + 1))[:side * 8]
    squeeze = zlib.compressobj(1)
    data = b"".join(squeeze.compress(row) for _ in range(side)) + squeeze.flush()

    def chunk(kind, what):
        return struct.pack(">I", len(what)) + kind + what + struct.pack(">I", zlib.crc32(kind + what))
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 16, 6, 0, 0, 0)))
        f.write(chunk(b"IDAT", data) + chunk(b"IEND", b""))


def timed(raw):
    start = time.monotonic()
    got = status_is(200, raw, "call")
    return time.monotonic() - start, got


def hang_up(slow_path, small_path):
    """Calls whose clients hang up make room at once."""
    name = session()
    edges = itertools.count(300)  # no two calls want the same, so none has its answer from another

    def slow_call():
        return request(call("view", {"path": slow_path, "max_edge": next(edges)}), more=of(name))
    long = min(timed(slow_call())[0] for _ in range(2))
    quick, got = min((timed(request(call("view", {"path": small_path}), more=of(name))) for _ in range(3)), key=lambda t: t[0])
    check(b'"image"' in got.body, "no picture", got.body[:300])
    rows = []
    for way in ("close", "reset"):
        socks = [connect() for _ in range(16)]
        for s in socks:
            s.sendall(slow_call())
        time.sleep(0.15)
        for s in socks:
            if way == "reset":
                s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            s.close()
        rows.append(timed(request(call("view", {"path": small_path}), more=of(name)))[0])
    print(f"slow {long * 1000:.0f} ms, small {quick * 1000:.0f} ms, small after 16 hang-ups",
          " and ".join(f"{t * 1000:.0f} ms" for t in rows))
    check(max(rows) < quick + max(0.3, long / 2), "the work went on", rows)


def full(slow_path):
    """More calls than the queue holds get 503; ending the session makes room."""
    name = session("2025-03-26")
    socks, edges = [], itertools.count(300)  # no two calls want the same, so none has its answer from another
    for _ in range(4):
        batch = [call("view", {"path": slow_path, "max_edge": next(edges)}) for _ in range(256)]
        socks.append(connect())
        socks[-1].sendall(request(batch, more=of(name)))
    other = session()
    late = []
    for _ in range(256):  # at once, and more than can be done meanwhile, however quick the machine is
        late.append(connect())
        late[-1].sendall(request(call("view", {"path": slow_path, "max_edge": next(edges)}), more=of(other)))
    got = None
    while not got or got.status != 503:
        ready = select.select(late, [], [], 60)[0]
        check(ready, "no 503")
        got = read_answer(ready[0])
        check(got, "a call without an answer")
        late.remove(ready[0])
    check("retry-after" in got.headers, "503 without a time", got.headers)
    status_is(200, request(ping(), more=of(other)), "ping while full")
    for one in (name, other):
        status_is(204, (head("DELETE", more=of(one)) + "\r\n").encode(), "DELETE")
    start = time.monotonic()
    status_is(200, request(call("read", {"path": slow_path}), more=of(session())), "a call after that")
    check(time.monotonic() - start < 2, "no room after the sessions ended")


def strange():
    """Nothing of this may end the server; what is answered at all is no 5xx."""
    known = session()
    two = request(ping(1), more=of(known)) + request(ping(2), more=of(known))
    with connect() as s:
        s.sendall(two)
        time.sleep(0.3)
        data = s.recv(65536)
        check(data.count(b"HTTP/1.1 200") == 2, "pipelined", data)
    with connect() as s:
        for n in range(50):
            s.sendall(request(ping(n), more=of(known)))
            check(json.loads(read_answer(s).body)["id"] == n, "keep-alive")
    status_is(200, request(INIT, version="1.0"), "HTTP/1.0")
    good = json.dumps(INIT).encode()
    chunked = (head(more=JSON + ("Transfer-Encoding: chunked",)) + "\r\n").encode()
    status_is(200, chunked + b"%x\r\n%s\r\n0\r\n\r\n" % (len(good), good), "chunked")
    raws = [
        chunked + b"zz\r\n{}\r\n0\r\n\r\n", chunked + b"-1\r\n", chunked + b"ffffffffffffffffff\r\n{}",
        chunked + b"2;x=y\r\n{}\r\n0\r\nTrailer: x\r\n\r\n", b"\0" * 100, b"\r\n" * 50, b"GET\r\n\r\n", b"\x16\x03\x01\x02",
        b"POST /mcp HTTP/9.9\r\n\r\n", b"POST /mcp\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        request(INIT, path=f"http://127.0.0.1:{PORT}/mcp"), request(INIT, path="/mcp%00"), request(INIT, path="/%6dcp"),
        request(INIT, path="*"), request(INIT, path="/mcp?" + "a=b&" * 500), request(INIT, more=JSON + ("Content-Length: 5",)),
        request(INIT, more=JSON + ("Transfer-Encoding: chunked",)), request(INIT, more=JSON + ("Content-Length: -1",)),
        head(more=JSON + ("Content-Length: 99999999999999999999999",)).encode() + b"\r\n",
        request(INIT, more=JSON + ("Mcp-Session-Id: ",)), request(INIT, more=JSON + ("Bad header",)),
        request(INIT, more=JSON + (": x",)), request(INIT, more=JSON + ("A: b\r\n c",)),
        request(INIT, more=JSON + (f"Mcp-Session-Id: {known}", f"Mcp-Session-Id: {known}")),
    ]
    for raw in raws:
        with connect() as s:
            s.sendall(raw)
            try:
                s.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            try:
                got = read_answer(s, 15)
            except TimeoutError:
                check(False, "no answer and no end:", raw[:500])
            check(got is None or got.status < 500 or got.status in (501, 505), raw[:60], got and got.status)
    status_is(200, request(ping(), more=of(known)), "afterwards")


def smuggle():
    """Where a request ends is never a matter of opinion: nothing behind a doubtful one is read."""
    inner = request(ping(77))
    for line, want in ((f"Content-Length : {len(inner)}", 400), (f"Content-Length\t: {len(inner)}", 400),
                       (f"Content\x01Length: {len(inner)}", 400), ("Transfer-Encoding: gzip", 501),
                       ("Transfer-Encoding: xchunked", 501), ("Transfer-Encoding: identity, chunked", 501),
                       ("Transfer-Encoding : chunked", 400), ("Transfer-Encoding: chunked, chunked", 501)):
        with connect() as s:
            s.sendall((head(more=JSON + (line,)) + "\r\n").encode() + inner)
            s.settimeout(5)
            data = b""
            while piece := receive(s):
                data += piece
            check(data.startswith(b"HTTP/1.1 %d" % want), line, data[:40])
            check(data.count(b"HTTP/1.1") == 1, "what followed was served", line, data)
    status_is(200, (head(more=JSON + ("Transfer-Encoding: Chunked",)) + "\r\n").encode() +
              b"%x\r\n%s\r\n0\r\n\r\n" % (len(json.dumps(INIT)), json.dumps(INIT).encode()), "Chunked")


def bodies():
    """Whoever fills the room for bodies and trickles keeps nobody out."""
    name, holders = session(), []
    for _ in range(4):
        s = connect()
        s.sendall((head(more=of(name) + (f"Content-Length: {32 << 20}",)) + "\r\n").encode())
        s.sendall(b" " * ((32 << 20) - 10))
        holders.append(s)
    time.sleep(0.5)
    big = b" " * (5 << 20) + json.dumps(INIT).encode()
    status_is(200, request(big), "a body while others hold the room")
    got = read_answer(holders[0], 5)
    check(got and got.status == 503, "the oldest body was not cut", got and got.status)
    holders[3].sendall(b" " * 10)
    got = read_answer(holders[3], 5)
    check(got and got.status == 400, "the newest body was cut", got and got.status)


def cors(origin):
    """A page of the allowed origin may read; nobody else hears of it."""
    def access(got):
        return {k: v for k, v in got.headers.items() if k.startswith("access-control")}
    asks = ("Access-Control-Request-Method: POST", "Access-Control-Request-Headers: authorization, content-type")
    raw = (head("OPTIONS", token=None, more=(f"Origin: {origin}",) + asks) + "\r\n").encode()
    got = status_is(204, raw, "preflight")
    check(got.headers["access-control-allow-origin"] == origin and got.headers["vary"] == "Origin", got.headers)
    check(got.headers["access-control-allow-methods"] == "POST, DELETE", got.headers)
    allowed = got.headers["access-control-allow-headers"].split(", ")
    for name in ("authorization", "content-type", "mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"):
        check(name in allowed, name, allowed)
    check("access-control-allow-credentials" not in got.headers and "access-control-max-age" in got.headers, got.headers)
    for want, raw in ((200, request(INIT, more=JSON + (f"Origin: {origin}",))),
                      (401, request(INIT, more=JSON + (f"Origin: {origin}",), token="x"))):
        got = status_is(want, raw, "answer")
        check(got.headers["access-control-allow-origin"] == origin and got.headers["vary"] == "Origin", got.headers)
        check(got.headers["access-control-expose-headers"] == "Mcp-Session-Id", got.headers)
    own = f"http://127.0.0.1:{PORT}"
    for want, raw in ((403, head("OPTIONS", token=None, more=("Origin: https://evil.example",) + asks)),
                      (403, head("OPTIONS", token=None, more=(f"Origin: {origin}.evil",) + asks)),
                      (403, head("OPTIONS", token=None, host="evil.example", more=(f"Origin: {origin}",) + asks)),
                      (401, head("OPTIONS", token=None, more=(f"Origin: {own}",) + asks)),
                      (401, head("OPTIONS", token=None, more=asks)),
                      (401, head("OPTIONS", path="/x", token=None, more=(f"Origin: {origin}",) + asks)),
                      (401, head("OPTIONS", token=None, more=(f"Origin: {origin}",)))):
        got = status_is(want, (raw + "\r\n").encode(), raw)
        check("Origin: " + origin + "\r" in raw and want == 401 or not access(got), raw, access(got))
    check(not access(status_is(200, request(INIT, more=JSON + (f"Origin: {own}",)), "our own page")), "our own page")
    check(not access(status_is(200, request(INIT), "no page")), "no page")


def ended_session():
    """A session that ends while a body comes in is not known at its end."""
    name = session()
    raw = request(ping(), more=of(name))
    with connect() as s:
        s.sendall(raw[:-1])
        time.sleep(0.1)
        status_is(204, (head("DELETE", more=of(name)) + "\r\n").encode(), "DELETE")
        s.sendall(raw[-1:])
        got = read_answer(s, 5)
        check(got and got.status == 404, got and got.status)


def hang_up_early(slow_path):
    """A hang-up while the message is still read cancels the call that it becomes."""
    name = session()
    held = [connect() for _ in range(16)]
    for n, s in enumerate(held):
        s.sendall(request(call("view", {"path": slow_path, "max_edge": 300 + n}), more=of(name)))
    for number in range(500, 505):
        message = json.dumps(call("view", {"path": slow_path}, number)).encode()
        raw = request(message[:-1] + b',"x":"' + b"x" * (20 << 20) + b'"}', more=of(name))
        with connect() as s:
            s.sendall(raw[:-1])
            time.sleep(0.3)
            s.sendall(raw[-1:])
            time.sleep(0.008)
        time.sleep(0.2)
        status_is(200, request(ping(number), more=of(name)), "the call goes on for nobody")


def stall():
    """One client's large message does not hold up the others."""
    name, times = session(), []
    body = json.dumps(ping()).encode()[:-1] + b',"x":"' + b"x" * (30 << 20) + b'"}'
    raw = request(body, more=of(name))
    going = threading.Thread(target=lambda: [ask(raw) for _ in range(5)])
    going.start()
    with connect() as s:
        while going.is_alive():
            start = time.monotonic()
            s.sendall(request(ping(), more=of(name)))
            check(read_answer(s).status == 200, "ping")
            times.append(time.monotonic() - start)
            time.sleep(0.002)
    print(f"ping beside messages of 30 MiB: at most {max(times) * 1000:.0f} ms, of {len(times)}")
    check(max(times) < 2, "stalled")


def stream(slow_path):
    """With a progress token a long call may be a stream of events that ends with the answer; otherwise it is plain."""
    name = session()
    got = status_is(200, request(call("view", {"path": slow_path}, 5), more=of(name)), "view")
    check(got.headers["content-type"] == "application/json", got.headers)
    got = status_is(200, request(call("view", {"path": slow_path}, 6, "t"), more=of(name)), "view with a token")
    if got.headers["content-type"] == "text/event-stream":
        check(b"data: " in got.body and b'"id":6' in got.body, got.body[:200])
        check(got.headers.get("cache-control") == "no-store" and got.headers.get("x-accel-buffering") == "no", got.headers)
    else:
        check(json.loads(got.body)["id"] == 6, got.body[:200])


def cancelled(slow_path):
    """A cancelled call ends its response without an answer."""
    name = session()
    s = connect()
    s.sendall(request(call("view", {"path": slow_path}, 9), more=of(name)))
    time.sleep(0.05)
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}
    status_is(202, request(note, more=of(name)), "cancel")
    start = time.monotonic()
    got = read_answer(s, 5)
    check(got and got.status == 200 and got.headers["content-type"] == "text/event-stream", got and got.headers)
    check(b"data" not in got.body, got.body)
    check(time.monotonic() - start < 0.3, "the response stayed open")


def stop(slow_path, pid):
    """A signal ends calls and connections at once."""
    name = session()
    socks = [connect() for _ in range(20)]
    for s in socks:
        s.sendall(request(call("view", {"path": slow_path}), more=of(name)))
    idle = connect()
    time.sleep(0.2)
    start = time.monotonic()
    os.kill(int(pid), signal.SIGTERM)
    for s in socks + [idle]:
        s.settimeout(5)
        while receive(s):
            pass
    check(time.monotonic() - start < 1, "connections stayed open", time.monotonic() - start)


def leaves(pid):
    """Workers hold nothing of ours, neither the listening socket nor a client's."""
    session()
    for child in open(f"/proc/{pid}/task/{pid}/children").read().split():
        for fd in os.listdir(f"/proc/{child}/fd"):
            try:
                where = os.readlink(f"/proc/{child}/fd/{fd}")
            except OSError:
                continue
            inodes = {line.split()[9] for line in open("/proc/net/tcp").readlines()[1:]}
            check(where[8:-1] not in inodes, "worker", child, "holds", where)


globals()[sys.argv[1]](*sys.argv[4:])
