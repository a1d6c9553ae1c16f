# SPDX-License-Identifier: Apache-2.0
"""Good lines, broken at random from a fixed seed: the server answers a ping after each chunk of them, never ends, and
ends well at last (a sanitized build says so only when nothing leaked). FOVEA_MUTATIONS says how many lines."""
import os
import random
import time

from stdio import FIXTURES, META, Server, call, finish, initialize, line, request, test

LINES = int(os.environ.get("FOVEA_MUTATIONS", "100000"))
CHUNK = 500
SEED = 20260728
PICTURE = os.path.join(FIXTURES, "good", "png-rgb-8.png")
BYTES = b'\x00\x01\t\r "\\{}[]:,0129-+.eEntf/u\x7f\x80\xbf\xc0\xe2\xed\xef\xf0\xff'

GOOD = [
    initialize(1),
    initialize("two", "2025-03-26"),
    request(2, "ping"),
    request("a-long-name-for-an-id", "tools/list", {"cursor": "none"}),
    request(3, "server/discover", {"_meta": META}),
    request(4, "tools/list", {"_meta": META}),
    call(5, "read", {"path": "text.txt", "offset": 2, "limit": 3}),
    call(6, "read", {"path": "text.txt"}, _meta={**META, "progressToken": "p"}),
    call(7, "read", {"path": "nowhere"}),
    line({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5, "reason": "x"}}),
    line({"jsonrpc": "2.0", "id": 8, "result": {"roots": [{"uri": "file:///tmp"}]}}),
    line({"jsonrpc": "2.0", "id": 9, "error": {"code": -32601, "message": "no"}}),
    line([{"jsonrpc": "2.0", "id": 10, "method": "ping"}, {"jsonrpc": "2.0", "id": 11, "method": "tools/list"}]),
    request(12, "resources/list"), request(13, "prompts/get", {"name": "x", "arguments": {}}),
    request(14, "completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}}),
    request(15, "logging/setLevel", {"level": "debug"}),
]
# Pixels are work; a few of them are enough.
COSTLY = [call(16, "view", {"path": PICTURE, "region": [1, 2, 30, 20], "max_edge": 64}, _meta={"progressToken": 1})]


def mutate(random_, text):
    data = bytearray(text[:-1])
    for _ in range(random_.choice((1, 1, 1, 2, 3, 8))):
        at = random_.randrange(len(data) + 1)
        kind = random_.randrange(7)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << random_.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = random_.choice(BYTES)
        elif kind == 2:
            data[at:at] = bytes(random_.choice(BYTES) for _ in range(random_.choice((1, 1, 2, 40))))
        elif kind == 3:
            del data[at:at + random_.choice((1, 1, 2, 20))]
        elif kind == 4:
            del data[at:]
        elif kind == 5:
            other = random_.choice(GOOD)
            data[at:at] = other[random_.randrange(len(other)):random_.randrange(len(other))]
        elif at < len(data):
            to = random_.randrange(len(data))
            data[at], data[to] = data[to], data[at]
    return bytes(data.replace(b"\n", b" ")) + b"\n"


def mutated_lines_never_end_the_server():
    random_ = random.Random(SEED)
    with open("text.txt", "w", encoding="utf-8") as file:
        file.write("line\n" * 10)
    start, spoken = time.monotonic(), 0
    with Server() as server:
        server.hello()
        for first in range(0, LINES, CHUNK):
            some = [mutate(random_, random_.choice(COSTLY if random_.random() < 0.005 else GOOD)) for _ in range(CHUNK)]
            server.send(b"".join(some), 60)
            answer = server.ask(request(f"after-{first}", "ping"), f"after-{first}", 60)
            assert "result" in answer, answer
            spoken += CHUNK
        rest, status = server.close(30)
        assert status == 0, server.ending()
    return f"{spoken} lines in {time.monotonic() - start:.1f} s"


test(mutated_lines_never_end_the_server)
finish()
