# SPDX-License-Identifier: Apache-2.0
"""Every way that we know of to write a private place in a URL, in ways that some parser takes for an address and some not."""

HOSTS4 = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "172.16.0.1", "172.31.255.255", "100.64.0.1", "0.0.0.0",
          "127.0.0.53", "127.255.255.254", "100.100.100.200", "168.63.129.16", "169.254.170.2", "192.0.0.192", "198.18.0.1",
          "203.0.113.7", "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.88.99.1"]
HOSTS6 = ["::1", "::", "fe80::1", "fec0::1", "fc00::1", "fd00::1", "fd00:ec2::254", "fd20:ce::254", "ff02::1", "2001:db8::1",
          "3fff::1", "100::1", "5f00::1", "2001:10::1", "4000::1", "64:ff9b:1::1"]
NAMES = ["localhost", "LOCALHOST", "localhost.", "x.localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback",
         "intranet", "router.lan", "nas.local", "db.internal", "metadata.google.internal", "metadata.google.internal.",
         "metadata.goog", "kubernetes.default.svc", "x.corp", "x.home.arpa", "1.0.0.127.in-addr.arpa", "host.docker.internal",
         "loc\u0430lhost", "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3", "local\u00adhost", "%6cocalhost",
         "localhost%00.a.test", "localhost%2ea.test", "\uff4c\uff4f\uff43\uff41\uff4c\uff48\uff4f\uff53\uff54"]
PLACES = ["http://{}/", "ftp://{}/", "gopher://{}/_x", "file://{}/etc/passwd", "dict://{}/d", "ldap://{}/", "ws://{}/",
          "https:{}", "https:/{}/", "https:///{}/", "https:\\\\{}/", "\\\\{}/", "/\\{}/", "//{}/", "///{}/", "https://{}:80/",
          "https://{}:22/", "https://{}:0443/", "https://{}:65536/", "https://{}:", "https://a.test@{}/",
          "https://a.test:443@{}/", "https://{}\\@a.test/", "https://a.test%40{}/", "https://a.test#@{}/",
          "https://{}#@a.test/", "https://{}?@a.test/", "https://{}%2f@a.test/", "HTTPS://{}/", "https://{}/",
          "https://\t{}/", "https:// {}/"]


def numbers(text):
    return [int(x) for x in text.split(".")]


def spellings4(text):
    a, b, c, d = numbers(text)
    n = a << 24 | b << 16 | c << 8 | d
    wide = {ord(x): ord(x) - 48 + 0xFF10 for x in "0123456789"}
    circled = {ord(x): (0x2460 + int(x) - 1 if x != "0" else 0x24EA) for x in "0123456789"}
    arabic = {ord(x): 0x660 + int(x) for x in "0123456789"}
    bold = {ord(x): 0x1D7CE + int(x) for x in "0123456789"}
    high, low = a << 8 | b, c << 8 | d
    return [
        text, text + ".", text + "..", "." + text, "+" + text, text + " ", text + "%00", text + "%0d%0a",
        "%d" % n, "%d." % n, "0x%x" % n, "0X%X" % n, "0%o" % n, "00%o" % n, "%d" % (n + (1 << 32)), "0x1%08x" % n,
        "%d.%d" % (a, n & 0xFFFFFF), "%d.%d.%d" % (a, b, low), "0x%x.0x%x.0x%x.0x%x" % (a, b, c, d),
        "0%o.0%o.0%o.0%o" % (a, b, c, d), "%03d.%03d.%03d.%03d" % (a, b, c, d), "0x%x.%d" % (a, n & 0xFFFFFF),
        "0%o.%d.%d.0x%x" % (a, b, c, d), "%d.%d.%d.%d" % (a + 256, b, c, d), "%d.%d.%d.%d.0" % (a, b, c, d),
        text.replace(".", "%2e"), text.replace(".", "%2E", 1), "".join("%%%02x" % ord(x) for x in text),
        text.replace(".", "%252e"), text.translate(wide), text.translate(circled), text.translate(arabic),
        text.translate(bold), text.replace(".", "\u3002"), text.replace(".", "\uff0e"), text.replace(".", "\uff61"),
        text.replace(".", "\u00ad."), "[%s]" % text, "[::ffff:%s]" % text, "[::%s]" % text, "[0:0:0:0:0:ffff:%s]" % text,
        "[::ffff:%x:%x]" % (high, low), "[64:ff9b::%s]" % text, "[64:ff9b:1::%s]" % text, "[::ffff:0:%s]" % text,
        "[2002:%x:%x::]" % (high, low), "[2002:%x:%x::1]" % (high, low), "[2001:0:%x:%x::1]" % (high, low),
        "[2001:0:808:808::%x:%x]" % (high ^ 0xFFFF, low ^ 0xFFFF), "[2606:4700::5efe:%s]" % text,
        "[2606:4700::200:5efe:%s]" % text, "[::ffff:%s%%25lo]" % text, "[::ffff:%s%%lo]" % text,
    ]


def spellings6(text):
    full = ":".join("%04x" % x for x in groups(text))
    return ["[%s]" % text, "[%s]" % text.upper(), "[%s]" % full, "[%s%%25lo]" % text, "[%s%%lo]" % text, "[%s%%251]" % text, text,
            "[%s" % text, "%s]" % text, "[[%s]]" % text, "[%s]." % text, "%%5b%s%%5d" % text, "[v1.%s]" % text]


def groups(text):
    head, _, tail = text.partition("::")
    left = [int(x, 16) for x in head.split(":") if x]
    right = [int(x, 16) for x in tail.split(":") if x]
    return left + [0] * (8 - len(left) - len(right)) + right if "::" in text else left


def hosts(quick):
    some = slice(0, 3) if quick else slice(None)
    for h in HOSTS4[some]:
        yield from spellings4(h)
    for h in HOSTS6[some]:
        yield from spellings6(h)
    yield from NAMES


def forms(quick):
    """URLs: each spelling in the ordinary place, and the first one of each kind in every other place."""
    seen = {"https://%s/" % h for h in hosts(quick)}
    for h in ("10.0.0.1", "[::1]", "localhost", "2130706433", "0x7f000001", "[::ffff:169.254.169.254]"):
        seen.update(p.format(h) for p in PLACES)
    return sorted(seen)
