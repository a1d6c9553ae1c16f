# SPDX-License-Identifier: Apache-2.0
"""Runs fetchlab, then fovea itself, against the servers of servers.py, inside the private network that net_test.sh made.
One line a test."""
import concurrent.futures
import os
import ssl
import subprocess
import sys
import time
import warnings

import servers
from harness import BUILD, CA, FOLDER, ONLY, failures, report, same, test
from product import product
from questions import questions
from servers import LITERAL, PUBLIC6, SECOND

FETCHLAB = BUILD + "/tests/fetchlab"


def context(name, **settings):
    c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    c.load_cert_chain("%s/%s.pem" % (FOLDER, name), FOLDER + "/key.pem")
    for k, v in settings.items():
        setattr(c, k, v)
    return c


def contexts():
    return {"": context("good"), "wrong.test": context("other"), "expired.test": context("expired"),
            "selfsigned.test": context("self")}


def lab(url, *options, env=None, ca=CA):
    """Runs it; gives (verdict, ms, bytes, redirects, head of the body) for each fetch."""
    out = subprocess.run([FETCHLAB, "-a", ca, *map(str, options), url], stdout=subprocess.PIPE, timeout=120,
                         env={**os.environ, **(env or {})}, check=False)
    rows = [line.split("\t") for line in out.stdout.decode().splitlines()]
    if out.returncode or not rows:
        raise AssertionError("fetchlab ended with status %d" % out.returncode)
    return [(r[0], int(r[1]), int(r[2]), int(r[3]), r[4]) for r in rows]


def row(name, url, want, at_most=None, at_least=None, size=None):
    if ONLY not in name:
        return
    try:
        verdict, ms, got, _, _ = lab(url)[0]
        same(verdict, want, url[:100])
        assert at_most is None or ms <= at_most, "%s took %d ms, at most %d" % (url[:100], ms, at_most)
        assert at_least is None or ms >= at_least, "%s took %d ms, at least %d" % (url[:100], ms, at_least)
        assert size is None or got == size, "%s gave %d bytes, want %d" % (url[:100], got, size)
        report(name, None)
    except Exception as e:
        report(name, "%s: %s" % (type(e).__name__, e))


# name, URL, verdict, and what else must hold; a clock has struck when it did within 2 s, for a machine may be busy
ROWS = [
    ("dns_public_is_fetched", "https://a.test/ok", "ALLOW", dict(size=10)),
    ("dns_ipv6_is_fetched", "https://v6.test/ok", "ALLOW", dict(size=10)),
    ("dns_final_dot_is_the_same_host", "https://a.test./ok", "ALLOW", dict(size=10)),
    ("dns_idn_is_asked_for_as_a_label", "https://b\u00fccher.a.test/ok", "ALLOW", dict(size=10)),
    ("literal_ipv4_is_fetched", "https://%s/ok" % LITERAL, "ALLOW", dict(size=10)),
    ("literal_ipv6_is_fetched", "https://[%s]/ok" % PUBLIC6, "ALLOW", dict(size=10)),
    ("dns_metadata", "https://metadata.test/", "DENY:dns_private", {}),
    ("dns_mixed_public_first", "https://mixed.test/ok", "DENY:dns_private", {}),
    ("dns_mixed_private_first", "https://mixed2.test/ok", "DENY:dns_private", {}),
    ("dns_mixed_families", "https://mixed6.test/ok", "DENY:dns_private", {}),
    ("dns_mapped", "https://mapped.test/", "DENY:dns_private", {}),
    ("dns64_of_a_public_address_is_fetched", "https://dns64.test/ok", "ALLOW", dict(size=10)),
    ("dns64_of_a_private_address", "https://nat64priv.test/", "DENY:dns_private", {}),
    ("dns_6to4", "https://sixtofour.test/", "DENY:dns_private", {}),
    ("dns_broadcast", "https://broadcast.test/", "DENY:dns_private", {}),
    ("dns_zero", "https://zero.test/", "DENY:dns_private", {}),
    ("dns_alias_of_localhost", "https://alias.test/", "DENY:dns_private", {}),
    ("dns_alias_loop", "https://loop.test/", "DENY:dns_fail", dict(at_most=7500)),
    ("dns_no_such_name", "https://nx.test/", "DENY:dns_fail", {}),
    ("dns_no_address", "https://empty.test/", "DENY:dns_fail", {}),
    ("dns_server_fails", "https://servfail.test/", "DENY:dns_fail", {}),
    ("dns_64_answers_the_last_private", "https://last.test/", "DENY:dns_private", {}),
    ("dns_too_many_answers", "https://many.test/", "DENY:dns_fail", {}),
    ("dns_own_interface", "https://own.test/ok", "DENY:self", {}),
    ("dns_silent", "https://silent.test/", "DENY:timeout_dns", dict(at_least=4900, at_most=7500)),
    ("second_judged_address_when_the_first_refuses", "https://failover.test/ok", "ALLOW", dict(size=10)),
    ("connection_refused", "https://refused.test/", "DENY:connect", {}),
    ("redirect_one_hop", "https://a.test/hop", "ALLOW", dict(size=10)),
    ("redirect_five_hops", "https://a.test/loop5", "ALLOW", dict(size=10)),
    ("redirect_six_hops", "https://a.test/loop6", "DENY:redirect_limit", {}),
    ("redirect_to_itself", "https://a.test/self", "DENY:redirect_limit", {}),
    ("redirect_loopback", "https://a.test/to?https://127.0.0.1/", "DENY:redirect_private", {}),
    ("redirect_scheme_relative", "https://a.test/to?//169.254.169.254/", "DENY:redirect_private", {}),
    ("redirect_second_hop_private", "https://a.test/two-steps", "DENY:redirect_private", {}),
    ("redirect_name_with_private_address", "https://a.test/to?https://mixed.test/", "DENY:redirect_private", {}),
    ("redirect_private_name", "https://a.test/to?https://localhost/", "DENY:redirect_private", {}),
    ("redirect_http", "https://a.test/to?http://b.test/", "DENY:redirect_scheme", {}),
    ("redirect_file", "https://a.test/to?file:///etc/passwd", "DENY:redirect_scheme", {}),
    ("redirect_data", "https://a.test/to?data:image/png;base64,AA", "DENY:redirect_scheme", {}),
    ("redirect_userinfo", "https://a.test/to?https://u:p@b.test/", "DENY:userinfo", {}),
    ("redirect_port", "https://a.test/to?https://b.test:6379/", "DENY:port", {}),
    ("redirect_relative", "https://a.test/to?ok", "ALLOW", dict(size=10)),
    ("redirect_without_location", "https://a.test/none", "DENY:http_status", {}),
    ("redirect_with_empty_location", "https://a.test/empty-location", "DENY:http_status", {}),
    ("redirect_with_two_locations", "https://a.test/twice", "DENY:http_status", {}),
    ("redirect_with_bare_cr", "https://a.test/bare-cr", "DENY:url_syntax", {}),
    ("redirect_with_folded_location", "https://a.test/folded", "DENY:url_syntax", {}),
    ("redirect_with_escaped_line_end", "https://a.test/escaped-crlf", "DENY:url_syntax", {}),
    ("redirect_300_is_not_followed", "https://a.test/300", "DENY:http_status", {}),
    ("redirect_304_is_not_followed", "https://a.test/304", "DENY:http_status", {}),
    ("redirect_305_is_not_followed", "https://a.test/305", "DENY:http_status", {}),
    ("redirect_301", "https://a.test/301", "ALLOW", dict(size=10)),
    ("redirect_303", "https://a.test/303", "ALLOW", dict(size=10)),
    ("redirect_307", "https://a.test/307", "ALLOW", dict(size=10)),
    ("redirect_308", "https://a.test/308", "ALLOW", dict(size=10)),
    ("refresh_is_ignored", "https://a.test/refresh", "ALLOW", dict(size=10)),
    ("redirects_share_one_budget", "https://a.test/slow-hops", "DENY:timeout_total", dict(at_least=29500, at_most=32500)),
    ("tls_wrong_name", "https://wrong.test/ok", "DENY:tls", {}),
    ("tls_expired", "https://expired.test/ok", "DENY:tls", {}),
    ("tls_self_signed", "https://selfsigned.test/ok", "DENY:tls", {}),
    ("tls_too_old", "https://old.test/ok", "DENY:tls", {}),
    ("tls_plain_http", "https://plain.test/ok", "DENY:tls", {}),
    ("tls_handshake_that_never_ends", "https://mute.test/ok", "DENY:timeout_connect", dict(at_least=4900, at_most=7500)),
    ("syn_black_hole", "https://blackhole.test/", "DENY:timeout_connect", dict(at_least=4900, at_most=7500)),
    ("alternative_service_is_ignored", "https://a.test/altsvc", "ALLOW", dict(size=10)),
    ("cookie_of_1_mib", "https://a.test/cookie-1m", "DENY:header_too_large", {}),
    ("header_of_1_mib", "https://a.test/header-1m", "DENY:header_too_large", {}),
    ("header_of_99_kb", "https://a.test/header-99k", "DENY:header_too_large", {}),
    ("headers_of_65_kb", "https://a.test/headers-65k", "DENY:header_too_large", {}),
    ("headers_100000", "https://a.test/headers-100000", "DENY:header_too_large", {}),
    ("headers_300", "https://a.test/headers-300", "DENY:header_too_large", {}),
    ("interim_answers_without_end", "https://a.test/interim-forever", "DENY:header_too_large", {}),
    ("interim_answer", "https://a.test/interim", "ALLOW", dict(size=10)),
    ("http_0_9", "https://a.test/http09", "DENY:http_status", {}),
    ("status_that_is_no_number", "https://a.test/bad-status", "DENY:http_status", {}),
    ("header_with_nul", "https://a.test/nul", "DENY:http_status", {}),
    ("header_without_colon", "https://a.test/no-colon", "DENY:http_status", {}),
    ("status_206", "https://a.test/206", "DENY:http_status", {}),
    ("status_204", "https://a.test/204", "DENY:http_status", {}),
    ("status_401", "https://a.test/401", "DENY:http_status", {}),
    ("status_404", "https://a.test/404", "DENY:http_status", {}),
    ("status_101", "https://a.test/101", "DENY:http_status", {}),
    ("declared_type_is_ignored", "https://a.test/html", "ALLOW", dict(size=12)),
    ("declared_name_is_ignored", "https://a.test/disposition", "ALLOW", dict(size=10)),
    ("length_over_the_cap", "https://a.test/33m", "DENY:too_large", dict(at_most=2000)),
    ("endless_chunks", "https://a.test/endless-chunks", "DENY:too_large", {}),
    ("one_byte_over_the_cap", "https://a.test/one-more", "DENY:too_large", {}),
    ("exactly_the_cap", "https://a.test/exact", "ALLOW", dict(size=32 << 20)),
    ("shorter_than_declared", "https://a.test/short", "DENY:truncated", {}),
    ("longer_than_declared", "https://a.test/long", "ALLOW", dict(size=10)),
    ("length_negative", "https://a.test/negative", "DENY:http_status", {}),
    ("length_with_sign", "https://a.test/plus", "DENY:http_status", {}),
    ("length_as_list", "https://a.test/list", "DENY:http_status", {}),
    ("two_lengths", "https://a.test/two-lengths", "DENY:http_status", {}),
    ("length_and_chunks", "https://a.test/both", "DENY:http_status", {}),
    ("length_overflow", "https://a.test/overflow", "DENY:http_status", {}),
    ("chunk_overflow", "https://a.test/chunk-overflow", "DENY:http_status", {}),
    ("chunk_of_nonsense", "https://a.test/chunk-bad", "DENY:http_status", {}),
    ("chunks", "https://a.test/chunks", "ALLOW", dict(size=5)),
    ("a_trailer_without_colon_was_a_fault_of_libcurl", "https://a.test/trailer-no-colon", "DENY:http_status", {}),
    ("a_head_that_begins_with_a_fold_was_a_fault_of_libcurl", "https://a.test/fold-first", "DENY:http_status", {}),
    ("chunk_cut_short", "https://a.test/chunks-cut", "DENY:truncated", {}),
    ("chunks_without_their_end", "https://a.test/chunks-no-end", "DENY:truncated", {}),
    ("gzip_bomb", "https://a.test/gzip", "DENY:encoding", {}),
    ("gzip_nested", "https://a.test/gzip3", "DENY:encoding", {}),
    ("brotli", "https://a.test/br", "DENY:encoding", {}),
    ("zstd", "https://a.test/zstd", "DENY:encoding", {}),
    ("transfer_encoding_gzip", "https://a.test/te-gzip", "DENY:encoding", {}),
    ("identity", "https://a.test/identity", "ALLOW", dict(size=10)),
    ("empty_body", "https://a.test/empty", "DENY:type", {}),
    ("no_answer_at_all", "https://a.test/nothing", "DENY:truncated", {}),
    ("half_a_head", "https://a.test/half-head", "DENY:truncated", {}),
    ("body_until_close", "https://a.test/until-close", "ALLOW", dict(size=10)),
    ("slow_head", "https://a.test/slow-head", "DENY:timeout_slow", dict(at_least=9500, at_most=12600)),
    ("no_head", "https://a.test/no-head", "DENY:timeout_slow", dict(at_least=9500, at_most=12600)),
    ("slow_body", "https://a.test/slow-body", "DENY:timeout_slow", dict(at_most=8000)),
    ("slow_but_steady_body", "https://a.test/steady", "ALLOW", dict(size=90000)),
    ("body_that_stops", "https://a.test/stall", "DENY:timeout_slow", dict(at_most=8000)),
    ("reset_in_the_body", "https://a.test/reset", "DENY:truncated", {}),
    ("reset_in_the_head", "https://a.test/reset-head", "DENY:truncated", {}),
]


def special():
    @test("rebinding_is_fetched_from_the_first_answer_with_one_lookup")
    def _():
        before = servers.lookups.count("rebind.test")
        same(lab("https://rebind.test/ok")[0][0], "ALLOW")
        same(servers.lookups.count("rebind.test") - before, 1, "lookups")

    @test("a_resolver_that_flips_30_times_never_leads_inside")  # 100,000 times: tests/lab
    def _():
        verdicts = [r[0] for r in lab("https://flips.test/ok", "-n", 30)]
        same(len(verdicts), 30)
        same(set(verdicts), {"ALLOW", "DENY:dns_private"})

    @test("the_address_we_listen_on_is_ourselves")
    def _():
        same(lab("https://self.test/ok", "-s", SECOND)[0][0], "DENY:self")
        same(lab("https://self.test/ok")[0][0], "ALLOW")

    @test("a_second_fetch_makes_its_own_lookup_and_connection")
    def _():
        servers.lookups.clear()
        same([r[0] for r in lab("https://a.test/ok", "-n", 3)], ["ALLOW"] * 3)
        same(servers.lookups.count("a.test"), 3)

    @test("no_search_list_is_used")
    def _():
        servers.lookups.clear()
        lab("https://gone.example.org/")
        same(set(servers.lookups), {"gone.example.org"})

    @test("redirect_to_an_address_in_an_address")
    def _():
        servers.PATHS["/mapped"] = servers.redirect("https://[::ffff:169.254.169.254]/")
        same(lab("https://a.test/mapped")[0][0], "DENY:redirect_private")

    @test("hosts_by_the_lists_on_every_hop")
    def _():
        same(lab("https://a.test/ok", "-A", "b.test")[0][0], "DENY:host_not_allowed")
        same(lab("https://a.test/ok", "-D", "*.test")[0][0], "DENY:host_denied")
        same(lab("https://a.test/hop", "-A", "a.test")[0][0], "DENY:host_not_allowed")
        same(lab("https://mixed.test/ok", "-A", "mixed.test")[0][0], "DENY:dns_private")

    @test("nothing_of_ours_is_sent")
    def _():
        servers.requests.clear()
        home = FOLDER + "/home"
        os.makedirs(home, exist_ok=True)
        with open(home + "/.netrc", "w", encoding="ascii") as f:
            f.write("default login canary password canary\n")
        os.chmod(home + "/.netrc", 0o600)
        same(lab("https://a.test/hop-cookie", env={"HOME": home})[0][0], "ALLOW")
        same(len(servers.requests), 2)
        for head in servers.requests:
            names = sorted(line.split(":")[0].lower() for line in head.split("\r\n")[1:] if line)
            same(names, ["accept", "accept-encoding", "host", "user-agent"])
            assert "\r\nAccept-Encoding: identity\r\n" in head and "canary" not in head
            same(head.split(" ")[0], "GET")

    @test("no_proxy_from_the_environment")
    def _():
        for proxy in ("http://127.0.0.1:443", "socks5h://127.0.0.1:443"):
            env = {k: proxy for k in ("ALL_PROXY", "all_proxy", "HTTPS_PROXY", "https_proxy")}
            same(lab("https://a.test/ok", env=env)[0][0], "ALLOW")

    @test("a_redirects_body_is_not_read")
    def _():
        same(lab("https://a.test/hop-big")[0][0], "ALLOW")
        time.sleep(0.5)
        assert servers.bytes_sent.get("/hop-big", 0) < 8 << 20, servers.bytes_sent

    @test("an_endless_body_ends_at_the_cap")
    def _():
        same(lab("https://a.test/endless")[0][0], "DENY:too_large")
        same(lab("https://a.test/ok", "-c", 9)[0][0], "DENY:too_large")
        same(lab("https://a.test/ok", "-c", 10)[0][0], "ALLOW")

    @test("an_unreadable_ca_file_closes_the_gate")
    def _():
        same(lab("https://a.test/ok", ca=FOLDER + "/none.pem")[0][0], "DENY:tls")
        same(lab("https://a.test/ok", ca="/dev/null")[0][0], "DENY:tls")
        same(lab("https://a.test/ok", ca=FOLDER + "/other.pem")[0][0], "DENY:tls")

    @test("a_cancel_ends_it_within_100_ms")
    def _():
        for url in ("https://a.test/stall", "https://silent.test/", "https://a.test/no-head", "https://mute.test/",
                    "https://blackhole.test/"):
            took = []
            while len(took) < 4 and min(took, default=1000) > 600:  # a busy machine is asked again
                verdict, ms, *_ = lab(url, "-k", 500)[0]
                same(verdict, "FAULT:125", url)
                took.append(ms)
            assert min(took) <= 600, "%s took %s ms" % (url, took)

    @test("a_hundred_slow_fetches_leave_room_for_an_honest_one")
    def _():
        verdict, ms, *_ = lab("https://a.test/ok", "-C", 100, "-u", "https://slow.test/stall")[0]
        same(verdict, "ALLOW")
        assert ms < 1000, "took %d ms" % ms

    @test("nobody_ever_called_a_private_address")
    def _():
        same(servers.trapped, [])


def other_servers():
    """On addresses of their own: one that speaks plain HTTP, one that says nothing, one that knows TLS 1.1 only."""
    warnings.simplefilter("ignore", DeprecationWarning)  # of TLS 1.1, which is the point
    old = context("good", minimum_version=ssl.TLSVersion.TLSv1, maximum_version=ssl.TLSVersion.TLSv1_1)
    old.set_ciphers("ALL:@SECLEVEL=0")
    for name, address, *work in (
            ("plain.test", "93.184.216.50", lambda c: (c.sendall(servers.ok(b"x")), c.close())),
            ("mute.test", "93.184.216.51", lambda c: time.sleep(60)),
            ("old.test", "93.184.216.52", servers.serve, old)):
        servers.ZONE[name] = [address]
        servers.start(servers.accept_all, servers.listen(address), *work)


# Those that end by a clock: they wait, each for itself, while the others are run.
WAITING = {"dns_silent", "redirects_share_one_budget", "tls_handshake_that_never_ends", "syn_black_hole", "slow_head", "no_head",
           "slow_body", "slow_but_steady_body", "body_that_stops"}


def rows():
    with concurrent.futures.ThreadPoolExecutor(len(WAITING)) as beside:
        waiting = [beside.submit(row, name, url, want, **more) for name, url, want, more in ROWS if name in WAITING]
        for name, url, want, more in ROWS:
            if name not in WAITING:
                row(name, url, want, **more)
        for w in waiting:
            w.result()


def main():
    hold = servers.start_servers(contexts())
    other_servers()
    rows()
    product()
    questions()
    special()
    del hold
    sys.stdout.flush()
    os._exit(1 if failures else 0)


main()
