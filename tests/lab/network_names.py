# SPDX-License-Identifier: Apache-2.0
"""The lab's resolver. A name such as pvm-12.flip.test says by its letters what its first, second and third lookup are told; by
its number, which of the private addresses are meant. Nobody may keep an answer: its time to live is 0."""
import os
import signal
import socket
import struct

import servers

NOBODY, NOBODY6 = servers.REFUSING, "2606:4700:4700::40"  # public, and refuses connections
PRIVATE4 = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "192.168.1.1", "172.16.0.1", "100.64.0.1", "0.0.0.0", "127.0.0.53",
            "100.100.100.200", "198.18.0.1"]
PRIVATE6 = ["::1", "::ffff:10.0.0.1", "fd00::1", "64:ff9b::a00:1", "2002:a00:1::1", "fe80::1", "::10.0.0.1", "2001:0:a00:1::1",
            "fd00:ec2::254", "ff02::1"]
PUBLIC = "pqbc"  # letters whose every answer is public
# letter: what an A and an AAAA lookup are told (P public, V private), and what the name is an alias of
TOLD = {
    "p": ("P", "", ""), "q": ("", "P", ""), "b": ("P", "P", ""), "c": ("P", "P", "chain"),
    "v": ("V", "", ""), "w": ("", "V", ""), "m": ("PV", "", ""), "n": ("VP", "", ""), "x": ("P", "V", ""), "y": ("V", "P", ""),
    "d": ("V", "", "chain"), "l": ("P", "", "localhost"),
}
asked = {}  # (name, kind): how often


def aliases(name, what):
    """Records that lead from the name to its last alias, and the owner of the addresses."""
    if not what:
        return [], b"\xc0\x0c"
    chain = ["localhost"] if what == "localhost" else ["c%d.%s" % (i, name) for i in range(5)]
    records, owner = [], b"\xc0\x0c"
    for alias in chain:
        target = servers.encode_name(alias)
        records.append(servers.record(5, target, owner))
        owner = target
    return records, owner


def flip_records(name, kind):
    letters, _, number = name.split(".")[0].partition("-")
    n = asked[(name, kind)] = asked.get((name, kind), -1) + 1
    told = TOLD[letters[n % len(letters)]]
    records, owner = aliases(name, told[2])
    served = name.endswith(".hop.test")
    for which in told[kind == 28]:
        if kind == 1:
            a = PRIVATE4[int(number) % len(PRIVATE4)] if which == "V" else servers.PUBLIC if served else NOBODY
        else:
            a = PRIVATE6[int(number) % len(PRIVATE6)] if which == "V" else servers.PUBLIC6 if served else NOBODY6
        records.append(servers.record(kind, socket.inet_pton(socket.AF_INET if kind == 1 else socket.AF_INET6, a), owner))
    return records


def answer(query):
    name, end = servers.name_at(query, 12)
    if not name.endswith((".flip.test", ".hop.test")):
        return servers.dns_answer(query, False)
    kind = struct.unpack(">H", query[end:end + 2])[0]
    records = flip_records(name, kind) if kind in (1, 28) else []
    return query[:2] + struct.pack(">HHHHH", 0x8180, 1, len(records), 0, 0) + query[12:end + 4] + b"".join(records)


def start_resolver():
    """A process of its own, so that it never waits for the other servers; it ends with the lab."""
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    udp.bind(("127.0.0.53", 53))
    child = os.fork()
    if child:
        udp.close()
        return child
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    servers.start(servers.accept_all, servers.listen("127.0.0.53", 53), servers.dns_tcp_one)
    while True:
        query, peer = udp.recvfrom(4096)
        said = answer(query)
        if said:
            udp.sendto(said, peer)
