# SPDX-License-Identifier: Apache-2.0
"""The lab's servers: DNS by rules, HTTPS that behaves as the path asks, and traps that must never be called."""
import gzip
import socket
import ssl
import struct
import threading
import time

PUBLIC = "93.184.216.34"
SECOND = "93.184.216.35"
REFUSING = "93.184.216.40"
BLACKHOLE = "93.184.216.41"
OWN = "93.184.218.1"
PUBLIC6 = "2606:4700:4700::1111"
DNS64 = "64:ff9b::808:808"
LITERAL = "8.8.8.8"
TRAPS = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"]

requests = []  # heads as received, newest last
trapped = []   # (address, peer)
lookups = []   # names asked for, once for each A query
bytes_sent = {}


def start(work, *args):
    threading.Thread(target=work, args=args, daemon=True).start()


# ---------------------------------------------------------------- DNS

FLIPS = {}


def flip(name, first, then):
    """first on the first lookup of the name, then ever after; lookups come as A and AAAA, the A counts"""
    FLIPS[name] = FLIPS.get(name, 0) + 1
    return [first] if FLIPS[name] == 1 else [then]


def alternate(name):
    FLIPS[name] = FLIPS.get(name, 0) + 1
    return [PUBLIC] if FLIPS[name] % 2 else ["127.0.0.1"]


# name: addresses, or a function that says them, or the words below
ZONE = {
    "metadata.test": ["169.254.169.254"], "mixed.test": [PUBLIC, "10.0.0.1"], "mixed2.test": ["10.0.0.1", PUBLIC],
    "mixed6.test": [PUBLIC, "fd00:ec2::254"], "mapped.test": ["::ffff:127.0.0.1"], "dns64.test": [DNS64],
    "nat64priv.test": ["64:ff9b::a00:1"], "sixtofour.test": ["2002:7f00:1::"], "broadcast.test": ["255.255.255.255"],
    "zero.test": ["0.0.0.0"], "v6.test": [PUBLIC6], "own.test": [OWN], "self.test": [SECOND],
    "failover.test": [REFUSING, PUBLIC], "refused.test": [REFUSING], "blackhole.test": [BLACKHOLE],
    "last.test": ["93.184.216.%d" % i for i in range(100, 163)] + ["10.9.9.9"],
    "many.test": ["93.%d.%d.1" % (i // 200, i % 200) for i in range(3000)],
    "rebind.test": lambda: flip("rebind.test", PUBLIC, "127.0.0.1"), "flips.test": lambda: alternate("flips.test"),
    "nx.test": "nxdomain", "silent.test": "silent", "loop.test": "loop", "alias.test": "alias", "empty.test": [],
    "garbage.test": "garbage", "servfail.test": "servfail",
}


def name_at(packet, at):
    labels = []
    while packet[at]:
        labels.append(packet[at + 1:at + 1 + packet[at]].decode("latin-1"))
        at += packet[at] + 1
    return ".".join(labels).lower(), at + 1


def encode_name(name):
    return b"".join(bytes([len(x)]) + x.encode() for x in name.split(".")) + b"\0"


def record(kind, data, owner=b"\xc0\x0c"):
    return owner + struct.pack(">HHIH", kind, 1, 0, len(data)) + data


def addresses(name, kind):
    said = ZONE.get(name, [PUBLIC] if name.endswith(".test") else "nxdomain")
    if callable(said):
        said = said() if kind == 1 else []
    return said


def dns_answer(query, tcp):
    name, end = name_at(query, 12)
    kind = struct.unpack(">H", query[end:end + 2])[0]
    if kind == 1:
        lookups.append(name)
    said, code, records = addresses(name, kind), 0, []
    if said == "silent":
        return None
    if said == "garbage":
        return query[:2] + b"\xff" * 20
    if said in ("nxdomain", "servfail"):
        code, said = (3 if said == "nxdomain" else 2), []
    if said == "loop":
        records, said = [record(5, encode_name("loop.test"))], []
    if said == "alias":
        target = encode_name("localhost")
        records, said = [record(5, target)], []
        if kind == 1:
            records.append(record(1, socket.inet_aton("127.0.0.1"), target))
    family, size = (socket.AF_INET6, 16) if kind == 28 else (socket.AF_INET, 4)
    for a in said:
        if (":" in a) == (size == 16) and kind in (1, 28):
            records.append(record(kind, socket.inet_pton(family, a)))
    cut = not tcp and sum(map(len, records)) > 450
    flags = 0x8180 | code | (0x0200 if cut else 0)
    if cut:
        records = []
    head = query[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0)
    return head + query[12:end + 4] + b"".join(records)


def dns_udp(sock):
    while True:
        query, peer = sock.recvfrom(4096)
        answer = dns_answer(query, False)
        if answer:
            sock.sendto(answer, peer)


def dns_tcp_one(conn):
    with conn:
        while True:
            head = conn.recv(2)
            if len(head) < 2:
                return
            answer = dns_answer(conn.recv(struct.unpack(">H", head)[0]), True)
            if answer:
                conn.sendall(struct.pack(">H", len(answer)) + answer)


def accept_all(sock, work, *args):
    while True:
        conn, _ = sock.accept()
        start(work, conn, *args)


# ---------------------------------------------------------------- HTTPS

def ok(body, *headers):
    lines = ["HTTP/1.1 200 OK", "Content-Length: %d" % len(body), *headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def redirect(where, status=302):
    return b"HTTP/1.1 %d Moved\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (status, where.encode("latin-1"))


def drip(conn, data, step, pause):
    for i in range(0, len(data), step):
        conn.sendall(data[i:i + step])
        time.sleep(pause)


def endless(conn, head, key, limit=1 << 31):
    conn.sendall(head)
    sent, block = 0, b"\0" * 65536
    try:
        while sent < limit:
            conn.sendall(block)
            sent += len(block)
    finally:
        bytes_sent[key] = sent


def hang(conn, data):
    conn.sendall(data)
    time.sleep(40)


def reset(conn, data):
    conn.sendall(data)
    time.sleep(0.1)
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    conn.close()


H200 = b"HTTP/1.1 200 OK\r\n"
CHUNKED = H200 + b"Transfer-Encoding: chunked\r\n\r\n"
BIG = 32 << 20

# path: bytes to send, or a function of the connection
PATHS = {
    "/ok": ok(b"0123456789"),
    "/hop": redirect("https://b.test/ok"),
    "/self": redirect("/self"),
    "/loop6": redirect("/loop5"), "/loop5": redirect("/loop4"), "/loop4": redirect("/loop3"),
    "/loop3": redirect("/loop2"), "/loop2": redirect("/loop1"), "/loop1": redirect("/ok"),
    "/two-steps": redirect("/to-private"), "/to-private": redirect("https://10.0.0.1/"),
    "/none": b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n",
    "/empty-location": b"HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 0\r\n\r\n",
    "/twice": b"HTTP/1.1 302 Found\r\nLocation: /ok\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n",
    "/bare-cr": b"HTTP/1.1 302 Found\r\nLocation: https://b.test/ok\rHost: c.test\r\nContent-Length: 0\r\n\r\n",
    "/folded": b"HTTP/1.1 302 Found\r\nLocation: https://b.test/ok\r\n Host: c.test\r\nContent-Length: 0\r\n\r\n",
    "/escaped-crlf": redirect("https://b.test/%0d%0aHost:c.test"),
    "/300": redirect("/ok", 300), "/304": redirect("/ok", 304), "/305": redirect("/ok", 305),
    "/301": redirect("/ok", 301), "/303": redirect("/ok", 303), "/307": redirect("/ok", 307),
    "/308": redirect("/ok", 308),
    "/refresh": ok(b"0123456789", "Refresh: 0;url=https://127.0.0.1/"),
    "/hop-cookie": b"HTTP/1.1 302 Found\r\nSet-Cookie: a=b\r\nLocation: /ok\r\nContent-Length: 0\r\n\r\n",
    "/hop-big": lambda c: endless(c, b"HTTP/1.1 302 Found\r\nLocation: /ok\r\nContent-Length: 1000000000\r\n\r\n",
                                  "/hop-big", 1000000000),
    "/slow-hops": lambda c: (time.sleep(9), c.sendall(redirect("/slow-hops"))),
    "/altsvc": ok(b"0123456789", 'Alt-Svc: h2="127.0.0.1:443"'),
    "/cookie-1m": ok(b"x", "Set-Cookie: a=" + "b" * (1 << 20)),
    "/header-1m": ok(b"x", "X: " + "b" * (1 << 20)),
    "/header-99k": ok(b"x", "X: " + "b" * 99000),
    "/headers-65k": ok(b"x", *["X%d: %s" % (i, "b" * 1000) for i in range(66)]),
    "/headers-100000": ok(b"x", *["X: y"] * 100000),
    "/headers-300": ok(b"x", *["X: y"] * 300),
    "/interim-forever": lambda c: drip(c, b"HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n" * 2000, 2900, 0.001),
    "/interim": b"HTTP/1.1 100 Continue\r\n\r\n" + ok(b"0123456789"),
    "/http09": b"\x89PNG....................", "/bad-status": b"HTTP/1.1 2x0 OK\r\n\r\n",
    "/nul": ok(b"x", "X: a\0b"), "/no-colon": ok(b"x", "nonsense"),
    "/206": b"HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-9/20\r\nContent-Length: 10\r\n\r\n0123456789",
    "/404": b"HTTP/1.1 404 No\r\nContent-Length: 1\r\n\r\nx", "/204": b"HTTP/1.1 204 No\r\n\r\n",
    "/401": b"HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=x\r\nContent-Length: 1\r\n\r\nx",
    "/101": b"HTTP/1.1 101 Switch\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    "/html": ok(b"\x89PNG\r\n\x1a\nrest", "Content-Type: text/html"),
    "/disposition": ok(b"0123456789", "Content-Disposition: attachment; filename=../../x"),
    "/33m": H200 + b"Content-Length: %d\r\n\r\n" % (33 << 20),
    "/endless": lambda c: endless(c, H200 + b"\r\n", "/endless"),
    "/endless-chunks": lambda c: drip(c, CHUNKED + (b"10000\r\n" + b"\0" * 65536 + b"\r\n") * 600, 1 << 20, 0),
    "/exact": lambda c: c.sendall(H200 + b"Content-Length: %d\r\n\r\n" % BIG + b"\0" * BIG),
    "/one-more": lambda c: c.sendall(CHUNKED + b"%x\r\n" % (BIG + 1) + b"\0" * (BIG + 1) + b"\r\n0\r\n\r\n"),
    "/short": H200 + b"Content-Length: 100\r\n\r\n0123456789",
    "/long": H200 + b"Content-Length: 10\r\n\r\n" + b"0123456789" * 10,
    "/negative": H200 + b"Content-Length: -1\r\n\r\nx", "/plus": H200 + b"Content-Length: +1\r\n\r\nx",
    "/list": H200 + b"Content-Length: 1, 1\r\n\r\nx",
    "/two-lengths": H200 + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    "/both": H200 + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    "/overflow": H200 + b"Content-Length: 18446744073709551616\r\n\r\nx",
    "/chunk-overflow": CHUNKED + b"ffffffffffffffff\r\nabc", "/chunk-bad": CHUNKED + b"zz\r\nabc",
    "/chunks": CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n",
    "/trailer-no-colon": CHUNKED + b"3\r\nabc\r\n0\r\nXP y\r\n\r\n",
    "/fold-first": H200 + b" b: c\r\nContent-Length: 1\r\n\r\nx",
    "/chunks-cut": CHUNKED + b"3\r\nabc\r\n5\r\nde", "/chunks-no-end": CHUNKED + b"3\r\nabc\r\n",
    "/gzip": ok(gzip.compress(b"\0" * (10 << 20)), "Content-Encoding: gzip"),
    "/gzip3": ok(b"x", "Content-Encoding: gzip, gzip, gzip"), "/br": ok(b"x", "Content-Encoding: br"),
    "/zstd": ok(b"x", "Content-Encoding: zstd"), "/identity": ok(b"0123456789", "Content-Encoding: identity"),
    "/te-gzip": H200 + b"Transfer-Encoding: gzip, chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
    "/empty": ok(b""), "/nothing": b"", "/half-head": b"HTTP/1.1 200 OK\r\nContent-",
    "/until-close": H200 + b"\r\n0123456789",
    "/slow-head": lambda c: drip(c, ok(b"x", "X: " + "y" * 60), 1, 1),
    "/slow-body": lambda c: (c.sendall(H200 + b"Content-Length: 60\r\n\r\n"), drip(c, b"z" * 60, 1, 1)),
    "/steady": lambda c: (c.sendall(H200 + b"Content-Length: 90000\r\n\r\n"), drip(c, b"z" * 90000, 1500, 0.1)),
    "/stall": lambda c: hang(c, H200 + b"Content-Length: 200000\r\n\r\n" + b"z" * 100000),
    "/no-head": lambda c: hang(c, b""),
    "/reset": lambda c: reset(c, H200 + b"Content-Length: 100\r\n\r\n0123456789"),
    "/reset-head": lambda c: reset(c, b"HTTP/1.1 200"),
}


def close_politely(conn):
    try:
        conn.unwrap()
    except (OSError, ValueError):
        pass
    conn.close()


def respond(conn, path):
    if path.startswith("/to?"):
        answer = redirect(path[4:])
    else:
        answer = PATHS.get(path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    if callable(answer):
        answer(conn)
    else:
        conn.sendall(answer)


def serve(raw, context):
    try:
        raw.settimeout(60)
        conn = context.wrap_socket(raw, server_side=True)
        head = b""
        while b"\r\n\r\n" not in head:
            piece = conn.recv(4096)
            if not piece:
                return
            head += piece
        requests.append(head.decode("latin-1"))
        path = requests[-1].split(" ")[1]
        respond(conn, path)
        close_politely(conn)
    except OSError:
        pass
    finally:
        raw.close()


def listen(address, port=443, backlog=256):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((address, port))
    sock.listen(backlog)
    return sock


def trap(conn, address):
    trapped.append(address)
    conn.close()


def fill(address):
    """A listener whose queue is full: whoever else comes gets no answer."""
    sock, held = listen(address, backlog=0), []
    for _ in range(4):
        c = socket.socket()
        c.setblocking(False)
        c.connect_ex((address, 443))
        held.append(c)
    return sock, held


def start_servers(contexts):
    """contexts: one for each name that has a certificate of its own, and "" for the rest"""
    main = contexts[""]

    def choose(conn, name, _):
        if name in contexts:
            conn.context = contexts[name]
    main.sni_callback = choose
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.53", 53))
    start(dns_udp, udp)
    start(accept_all, listen("127.0.0.53", 53), dns_tcp_one)
    for a in (PUBLIC, SECOND, PUBLIC6, DNS64, LITERAL, OWN):
        start(accept_all, listen(a), serve, main)
    for a in TRAPS:
        start(accept_all, listen(a), trap, a)
    return fill(BLACKHOLE)
