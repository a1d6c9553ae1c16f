# SPDX-License-Identifier: Apache-2.0
"""The network lab, inside its own network: many fetches in one process (network_fetch) against the servers of tests/net and
those here, while network_watch sees every connection that is tried. Every address there is belongs to this network, so that
nothing is refused for want of a way: what is sent is seen, and what stands on a private address counts who calls."""
import itertools
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../net"))

import network_names as names  # noqa: E402
import servers  # noqa: E402
from harness import BUILD, CA, FOLDER, failures, same, test  # noqa: E402
from network_forms import forms  # noqa: E402

QUICK = bool(os.environ.get("LAB_QUICK"))
REBINDINGS = 1500 if QUICK else 100000
GRACE = 2000  # ms that a busy machine may add to a limit
DRIP = "93.184.216.50"
TRAPS4 = [a for a in names.PRIVATE4 if a not in ("0.0.0.0", "127.0.0.53")]
TRAPS6 = ["::1", "fd00::1", "2002:a00:1::1", "fd00:ec2::254", "64:ff9b::a00:1"]
said = threading.Lock()


def figure(what, value, unit):
    with said:
        print("figure %s %s %s" % (what, value, unit), flush=True)


# ---------------------------------------------------------------- servers

def drip_hello(conn):
    """A handshake that brings one byte a second."""
    try:
        conn.recv(4096)
        for byte in b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03" + b"\0" * 60:
            conn.sendall(bytes([byte]))
            time.sleep(1)
    except OSError:
        pass
    finally:
        conn.close()


def forever(conn, head, piece):
    try:
        conn.sendall(head)
        while True:
            conn.sendall(piece)
    except OSError:
        pass


def pour(head, piece):
    return lambda conn: forever(conn, head, piece)


H200, CHUNKED = servers.H200, servers.CHUNKED
FLOODS = {  # path: (what is sent, how it must end)
    "/endless-line": (pour(H200 + b"X: ", b"y" * 4096), "header_too_large"),
    "/endless-status": (pour(b"HTTP/1.1 200 ", b"y" * 4096), "header_too_large"),
    "/endless-headers": (pour(H200, b"X: y\r\n" * 500), "header_too_large"),
    "/endless-folds": (pour(H200 + b"X: y\r\n", b" y\r\n" * 500), "header_too_large"),
    "/endless-interim": (pour(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 100), "header_too_large"),
    "/endless-interim-heads": (pour(b"", b"HTTP/1.1 103 Early Hints\r\n" + b"X: y\r\n" * 100 + b"\r\n"), "header_too_large"),
    "/endless-cookies": (pour(H200, b"Set-Cookie: a=" + b"b" * 3000 + b"\r\n"), "header_too_large"),
    "/endless-locations": (pour(b"HTTP/1.1 302 Found\r\n", b"Location: /ok\r\n" * 100), "header_too_large"),
    "/endless-location": (pour(b"HTTP/1.1 302 Found\r\nLocation: /", b"x" * 4096), "header_too_large"),
    "/endless-trailers": (pour(CHUNKED + b"3\r\nabc\r\n0\r\n", b"X: y\r\n" * 500), "!"),
    "/endless-extension": (pour(CHUNKED + b"3;", b"x=y;" * 1000), "!"),
    "/endless-size": (pour(CHUNKED, b"0" * 4096), "!"),
    "/endless-tiny-chunks": (pour(CHUNKED, b"1\r\nx\r\n" * 1000), "!"),
    "/endless-body": (pour(H200 + b"\r\n", b"\0" * 65536), "too_large"),
    "/headers-100000": (servers.PATHS["/headers-100000"], "header_too_large"),
    "/header-1m": (servers.PATHS["/header-1m"], "header_too_large"),
    "/endless-hops": (lambda c: c.sendall(servers.redirect("https://p-%d.hop.test/endless-hops" % random.getrandbits(60))),
                      "redirect_limit"),
}
LIES = {  # path of servers.py: how it must end
    "/short": "truncated", "/long": "ALLOW", "/negative": "http_status", "/plus": "http_status", "/list": "http_status",
    "/two-lengths": "http_status", "/both": "http_status", "/overflow": "http_status", "/chunk-overflow": "http_status",
    "/chunk-bad": "http_status", "/chunks": "ALLOW", "/chunks-cut": "truncated", "/chunks-no-end": "truncated",
    "/trailer-no-colon": "http_status", "/fold-first": "http_status", "/gzip": "encoding", "/gzip3": "encoding",
    "/br": "encoding", "/zstd": "encoding", "/te-gzip": "encoding", "/33m": "too_large", "/empty": "type",
    "/nothing": "truncated", "/half-head": "truncated", "/reset": "truncated", "/reset-head": "truncated",
    "/http09": "http_status", "/bad-status": "http_status", "/nul": "http_status", "/no-colon": "http_status",
    "/206": "http_status", "/101": "http_status", "/html": "ALLOW", "/refresh": "ALLOW", "/altsvc": "ALLOW",
    "/until-close": "ALLOW", "/endless-chunks": "too_large",
}


def mutant(seed):
    """An honest answer, with some of its bytes changed, lost, doubled, or its end cut off."""
    dice = random.Random(seed)
    data = bytearray(dice.choice([servers.PATHS["/ok"], servers.PATHS["/chunks"], servers.PATHS["/hop"], servers.PATHS["/both"],
                                  servers.redirect("https://10.0.0.1/"), servers.PATHS["/interim"]]))
    for _ in range(dice.randint(1, 4)):
        at = dice.randrange(len(data))
        what = dice.randrange(4)
        if what == 0:
            data[at] = dice.randrange(256)
        elif what == 1:
            del data[at:at + dice.randint(1, 8)]
        elif what == 2:
            data[at:at] = data[at:at + dice.randint(1, 8)]
        else:
            data[at:at] = dice.choice([b"\r\n", b"\n", b"\r", b"\0", b":", b"0", b"f", b"-", b" ", b"\r\n\r\n",
                                       b"Location: //10.0.0.1/\r\n"])
        data = data or bytearray(b"x")
    return bytes(data)


def trap(conn, address):
    servers.trapped.append(address)
    conn.close()


def listen_anywhere(address):
    """On an address that no interface has: all of them lead here."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_IPV6 if ":" in address else socket.IPPROTO_IP, 78 if ":" in address else 15, 1)  # FREEBIND
    sock.bind((address, 443))
    sock.listen(1024)
    return sock


def start_servers():
    for words in ("route", "-6 route"):
        subprocess.run(["ip", *words.split(), "add", "local", "default", "dev", "lo"], check=True)
    servers.ZONE.update({"drip%d.test" % i: [DRIP] for i in range(200)})
    servers.PATHS.update({"/again": servers.redirect("/ok"), **{k: v[0] for k, v in FLOODS.items()}})
    resolver = names.start_resolver()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(FOLDER + "/good.pem", FOLDER + "/key.pem")
    for a in (servers.PUBLIC, servers.SECOND, servers.PUBLIC6):
        servers.start(servers.accept_all, servers.listen(a, backlog=1024), servers.serve, context)
    servers.start(servers.accept_all, servers.listen(DRIP), drip_hello)
    for a in TRAPS4 + TRAPS6:
        servers.start(servers.accept_all, listen_anywhere(a), trap, a)
    return resolver


# ---------------------------------------------------------------- the watcher and the fetches

class Watch:
    """What was sent while it stood, by the kernel's own account."""

    def __enter__(self):
        self.child = subprocess.Popen([BUILD + "/tests/lab/network_watch", HERE], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE)
        same(self.child.stdout.readline(), b"ready\n", "the watcher")
        self.called = len(servers.trapped)
        return self

    def __exit__(self, *_):
        time.sleep(0.2)
        out = self.child.communicate()[0].decode().splitlines()
        self.sent = [line for line in out if line.startswith("sent ")]
        self.of = {k: int(v) for k, v in (line.split() for line in out if not line.startswith("sent "))}
        self.called = len(servers.trapped) - self.called

    def nothing_private(self):
        same((self.of["private_syns"], self.of["private_datagrams"], self.called, self.of["missed"]), (0, 0, 0, 0),
             "sent to private addresses, calls there, packets missed; %s" % self.sent)


def fetch(lines, threads=16, program="network_fetch", beside=0):
    """lines: (verdicts, at most so many ms, URL). What network_fetch counts, with ended as a dict."""
    text = "".join("%s %d %s\n" % line for line in lines).encode()
    run = subprocess.run([BUILD + "/tests/lab/" + program, CA, str(threads), str(GRACE), str(beside)], input=text,
                         stdout=subprocess.PIPE, check=False, timeout=900)
    out = run.stdout.decode("utf-8", "replace").splitlines()
    same(run.returncode, 0, "%s ended with" % program)
    got = {"ended": {}, "lines": [line for line in out if ": " in line]}
    for line in out:
        words = line.split(" ")
        if words[0] == "ended":
            got["ended"][words[1]] = int(words[2])
        elif len(words) == 2:
            got[words[0]] = int(words[1])
    return got


def as_wanted(got, fetches=None):
    same(got["wrong"], 0, "\n  ".join(got["lines"]))
    same((got["faults"], got["descriptors"], got["threads"]), (0, 0, 0),
         "faults, descriptors and threads left; %s" % got["lines"])
    if fetches is not None:
        same(got["fetches"], fetches, "fetches")


# ---------------------------------------------------------------- rebinding

def rebinding_lines():
    """Every order of three kinds of answer; each name is fetched three times, and each time by one lookup."""
    orders = ["".join(o) for o in itertools.product(names.TOLD, repeat=3)]
    random.Random(1).shuffle(orders)
    for i in range(REBINDINGS // 3 + 1):
        order = orders[i % len(orders)]
        host = "%s-%d.%s.test" % (order, i, "hop" if i % 20 == 0 else "flip")
        public = "ALLOW" if i % 20 == 0 else "connect"
        yield ",".join(public if letter in names.PUBLIC else "dns_private" for letter in order), 30000, "https://%s/ok" % host


def hop_lines():
    """The second lookup is that of a redirect to the same host."""
    for i, (a, b) in enumerate(itertools.product(names.TOLD, repeat=2)):
        for again in range(1 if QUICK else 5):
            want = "dns_private" if a not in names.PUBLIC else "ALLOW" if b in names.PUBLIC else "redirect_private"
            yield want, 30000, "https://%s%s-%d.hop.test/again" % (a, b, 100000 + i * 100 + again)


def rebinding():
    @test("a_resolver_that_flips_on_every_query_never_leads_inside")
    def _():
        lines = list(rebinding_lines())
        began = time.time()
        with Watch() as watch:
            got = fetch(lines)
        watch.nothing_private()
        as_wanted(got, 3 * len(lines))
        figure("rebinding_fetches", got["fetches"], "fetches")
        figure("rebinding_refused", got["ended"]["dns_private"], "fetches")
        figure("rebinding_connections_tried", watch.of["syns"], "connections, none to a private address")
        figure("rebinding_seconds", "%.0f" % (time.time() - began), "s")

    @test("a_name_that_flips_between_two_hops_never_leads_inside")
    def _():
        lines = list(hop_lines())
        with Watch() as watch:
            got = fetch(lines)
        watch.nothing_private()
        as_wanted(got, len(lines))
        figure("rebinding_at_a_redirect", got["fetches"], "fetches")


# ---------------------------------------------------------------- the observer

def observer():
    @test("with_the_gate_broken_the_lab_sees_the_calls")
    def _():
        places = ["https://%s/" % a for a in TRAPS4] + ["https://[%s]/" % a for a in TRAPS6] + ["https://192.168.77.7/"]
        names_too = ["https://v-1.flip.test/", "https://m-1.flip.test/", "https://wv-2.flip.test/"]
        lines = [("-", 0, url) for url in places + names_too]
        with Watch() as watch:
            got = fetch(lines, program="network_open")
            for _ in range(50):  # a busy machine counts late
                if len(servers.trapped) < len(places) - 1:
                    time.sleep(0.1)
        same(got["faults"], 0)
        assert watch.of["private_syns"] >= len(places), "SYNs: %r" % watch.of
        assert watch.called >= len(places) - 1, "%d calls" % watch.called
        figure("observer_calls_seen_with_the_gate_broken", watch.of["private_syns"], "connections")
        with Watch() as watch:
            as_wanted(fetch([("!", 0, line[2]) for line in lines]), len(lines))
        watch.nothing_private()


# ---------------------------------------------------------------- redirects to every private form

# How a URL and a redirect may be refused before anyone is called; not by a server's fault or a clock.
BY_FORM = "url_syntax|userinfo|host_syntax|port_syntax|port|"
BY_ADDRESS = "|".join("ip_" + a for a in ("unspecified", "loopback", "private", "cgnat", "linklocal", "metadata", "multicast",
                                          "broadcast", "reserved", "embedded"))
REFUSED = BY_FORM + "scheme|host_name|" + BY_ADDRESS
REFUSED_HOP = BY_FORM + "redirect_scheme|redirect_private"


def spelled():
    @test("no_spelling_of_a_private_place_is_called")
    def _():
        all_forms, lines, hops = forms(QUICK), [], set()
        servers.PATHS["/"] = servers.ok(b"0123456789")
        for i, url in enumerate(all_forms):
            public = "ALLOW" if url.startswith("https://a.test#") else None  # the place is a fragment: a.test is meant, and answers
            lines.append((public or REFUSED, 30000, url))
            if QUICK and i % 4:
                continue
            path = "/r/%d" % i
            hops.add(path)
            servers.PATHS[path] = servers.redirect(url.encode().decode("latin-1"), (301, 302, 303, 307, 308)[i % 5])
            lines.append((public or REFUSED_HOP, 30000, "https://p-%d.hop.test%s" % (300000 + i, path)))
        with Watch() as watch:
            got = fetch(lines)
        watch.nothing_private()
        as_wanted(got, len(lines))
        same(hops - {head.split(" ")[1] for head in servers.requests}, set(), "redirects that nobody was told")
        figure("spellings_of_private_places", len(all_forms), "URLs")
        figure("redirects_to_private_places", len(hops), "redirects, each asked for")


# ---------------------------------------------------------------- slow servers

def slow_lines(count, several):
    """Heads, bodies and handshakes of a byte a second: on three hosts, or each on a host of its own."""
    for i in range(count):
        host = "p-%d.hop.test" % (200000 + i) if several else ("slow.test", "b.test", "")[i % 3]
        path = ("slow-head", "slow-body", "")[i % 3]
        yield "!", 30000, "https://%s/%s" % (host if path else "drip%d.test" % (i if several else 0), path)


def slow():
    count = 12 if QUICK else 100

    @test("slow_servers_are_left_and_honest_ones_still_served")
    def _():
        honest = [("ALLOW", 5000, "https://a.test/ok")] * (20 if QUICK else 400)
        with Watch() as watch:
            got = fetch([*slow_lines(count, False), *honest], threads=count, beside=2)
        watch.nothing_private()
        as_wanted(got, count + len(honest))
        figure("slow_servers_at_once", count, "fetches on three hosts, %d honest ones beside them" % len(honest))
        figure("slow_servers_longest", got["longest"], "ms")

    if not QUICK:
        @test("slow_servers_of_a_hundred_names_are_left")
        def _():
            got = fetch(slow_lines(count, True), threads=count)
            as_wanted(got, count)
            figure("slow_servers_of_a_hundred_names_longest", got["longest"], "ms")


# ---------------------------------------------------------------- floods and lies

def floods():
    @test("floods_end_at_their_limits")
    def _():
        # Those without a limit of their own go on until the clocks end them.
        lines = [(want, 30000, "https://a.test" + path) for path, (_, want) in FLOODS.items() if want != "!" or not QUICK]
        with Watch() as watch:
            got = fetch(lines, threads=4)
        watch.nothing_private()
        as_wanted(got, len(lines))
        figure("floods", len(lines), "kinds")
        figure("floods_longest", got["longest"], "ms")

    @test("lies_about_a_body_are_found")
    def _():
        lines = [(want, 30000, "https://a.test" + path) for path, want in LIES.items()]
        lines *= 1 if QUICK else 10
        got = fetch(lines, threads=8)
        as_wanted(got, len(lines))
        figure("lies_about_a_body", len(lines), "fetches")

    @test("answers_with_changed_bytes_lead_nowhere_private")
    def _():
        count = 60 if QUICK else 2000
        servers.PATHS.update({"/m/%d" % i: mutant(i) for i in range(count)})
        with Watch() as watch:
            got = fetch([("-", 11000, "https://p-%d.hop.test/m/%d" % (400000 + i, i)) for i in range(count)])
        watch.nothing_private()
        as_wanted(got, count)
        figure("answers_with_changed_bytes", count, "fetches")


def main():
    resolver = start_servers()
    observer()
    # Slow servers take their time whoever waits; the work goes on beside them.
    waiting = threading.Thread(target=slow)
    waiting.start()
    try:
        spelled()
        floods()
        rebinding()
    finally:
        waiting.join()
        os.kill(resolver, signal.SIGTERM)
    sys.stdout.flush()
    os._exit(1 if failures else 0)


main()
