# SPDX-License-Identifier: Apache-2.0
"""warm.py FOVEA FOLDER ROUNDS FILE...: how long `fovea mcp` takes to show each file, from the request written to the answer read, in
milliseconds: the least of so many rounds, a line "MS FILE" for each, or "refused FILE". No round shows bytes that were shown before
(a remark at the end differs), and before each the server has time to ready a worker."""
import json
import os
import subprocess
import sys
import time

REMARKS = {".svg": "<!-- %d -->\n", ".md": "\n<!-- %d -->\n", ".pdf": "\n%% %d\n", ".c": "\n// %d\n"}
REST = 0.15  # seconds; a worker readies itself in less


class Server:
    def __init__(self, fovea, folder):
        self.process = subprocess.Popen([fovea, "mcp", "--root", folder], cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.last = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "warm", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(dict(message, jsonrpc="2.0")).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.last += 1
        self.send({"id": self.last, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the server has ended")
            if b'"id":%d' % self.last in line[:200] or b'"id":%d' % self.last in line[-200:]:
                return line

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def shown_in(server, folder, file, count):
    kind = os.path.splitext(file)[1]
    with open(file, "rb") as source, open(os.path.join(folder, "page" + kind), "wb") as page:
        page.write(source.read() + (REMARKS[kind] % count).encode())
    time.sleep(REST)
    start = time.perf_counter()
    line = server.ask("tools/call", {"name": "view", "arguments": {"path": "page" + kind}})
    ms = (time.perf_counter() - start) * 1e3
    return ms if b'"type":"image"' in line else None


def main():
    fovea, folder, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    server, count = Server(fovea, folder), 0
    for file in sys.argv[4:]:
        took = []
        for _ in range(rounds):
            count += 1
            took.append(shown_in(server, folder, file, count))
        print("refused" if None in took else "%.1f" % min(took), file, flush=True)
    server.end()


main()
