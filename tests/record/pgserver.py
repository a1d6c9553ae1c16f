# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of our own on a unix socket, and a proxy before it that cuts connections around a COMMIT."""
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

LATE = 60  # seconds for anything of the server's


def state(pid):
    """Its state and the process that started it, by the kernel's list; Z and 0 when it is gone."""
    try:
        with open("/proc/%s/stat" % pid, encoding="ascii", errors="replace") as file:
            words = file.read().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return "Z", 0
    return words[0], int(words[1])


def children(pid):
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and state(name)[1] == pid]


def place():
    """In memory where there is room: what dies is killed, not cut off from power, and a start that has to sync a thousand files
    waits for whatever else the disk does."""
    try:
        room = shutil.disk_usage("/dev/shm").free
    except OSError:
        room = 0
    return "/dev/shm" if room > 1 << 30 and os.access("/dev/shm", os.W_OK) else None


class Server:
    """The server refuses to run as root: then it is nobody's."""

    def __init__(self, programs):
        self.programs = programs
        self.folder = tempfile.mkdtemp(prefix="fovea-pg-", dir=place())  # a socket's path must be short
        self.data = os.path.join(self.folder, "data")
        self.socket = os.path.join(self.folder, ".s.PGSQL.5432")
        self.process = None
        self.user = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.run("initdb", "-D", self.data, "-N", "-A", "trust", "-U", "fovea", "-E", "UTF8", "--locale=C")
        with open(os.path.join(self.data, "postgresql.conf"), "a", encoding="ascii") as file:
            file.write("listen_addresses = ''\nunix_socket_directories = '%s'\nshared_buffers = 16MB\nfsync = on\n"
                       "synchronous_commit = off\n" % self.folder)  # ours is to be on all the same

    def demote(self):
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}

    def run(self, program, *args):
        done = subprocess.run([os.path.join(self.programs, program), *args], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LATE, check=False, **self.demote())
        if done.returncode:
            raise RuntimeError("%s: %s" % (program, done.stdout.decode(errors="replace")))
        return done.stdout.decode()

    def start(self):
        log = open(os.path.join(self.folder, "log"), "ab")
        self.process = subprocess.Popen([os.path.join(self.programs, "postgres"), "-D", self.data], cwd=self.folder,
                                        stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self.demote())
        log.close()
        self.wait()

    def wait(self):
        until = time.monotonic() + LATE
        while time.monotonic() < until:
            try:
                self.sql("SELECT 1")
                return
            except RuntimeError:
                time.sleep(0.05)
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as file:
            raise RuntimeError("the server does not start: " + file.read()[-2000:])

    def sql(self, words, database="postgres"):
        return self.run("psql", "-X", "-q", "-A", "-t", "-h", self.folder, "-U", "fovea", "-d", database, "-c", words).strip()

    def kill(self):
        """All of it at once, as when the power goes."""
        mine = children(self.process.pid)
        for pid in [self.process.pid, *mine]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        until = time.monotonic() + LATE
        while any(state(pid)[0] != "Z" for pid in mine) and time.monotonic() < until:
            time.sleep(0.01)

    def url(self, database="postgres", folder=None):
        return "postgresql:///%s?host=%s&user=fovea" % (database, folder or self.folder)


class Proxy:
    """Passes bytes on between a socket of its own and the server's. Every time a COMMIT comes by, it does what the next word of
    the plan says: pass; before (cut, the server never sees it); after (the server has answered, the client never hears);
    blind (passed on and cut at once); kill (passed on, and the server's process killed)."""

    def __init__(self, server, plan):
        self.server = server
        self.plan = list(plan)
        self.done = {}
        self.lock = threading.Lock()
        self.folder = os.path.join(server.folder, "proxy")
        os.makedirs(self.folder, exist_ok=True)
        path = os.path.join(self.folder, ".s.PGSQL.5432")
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def next_word(self):
        with self.lock:
            word = self.plan.pop(0) if self.plan else "pass"
            self.done[word] = self.done.get(word, 0) + 1
            return word

    def serve(self, client):
        upstream = socket.socket(socket.AF_UNIX)
        try:
            upstream.connect(self.server.socket)
            Line(self, client, upstream).run()
        except OSError:
            pass
        finally:
            client.close()
            upstream.close()

    def close(self):
        self.listener.close()


class Line:
    def __init__(self, proxy, client, upstream):
        self.proxy, self.client, self.upstream = proxy, client, upstream
        self.pid = 0
        self.deaf = False  # nothing more for the client
        self.answered = threading.Event()

    def run(self):
        back = threading.Thread(target=self.pump_back, daemon=True)
        back.start()
        self.pump()
        self.cut()
        back.join(LATE)

    def cut(self):
        for side in (self.client, self.upstream):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def pump_back(self):
        first = b""
        try:
            while data := self.upstream.recv(65536):
                if not self.pid:
                    first += data
                    self.pid = backend_pid(first)
                if self.deaf:
                    self.answered.set()
                else:
                    self.client.sendall(data)
        except OSError:
            pass
        self.answered.set()
        if not self.deaf:
            self.cut()

    def pump(self):
        """Messages of the client: whole ones, so that a COMMIT is seen whatever the pieces are."""
        rest, greeted = b"", False
        while data := self.client.recv(65536):
            rest += data
            out = b""
            while True:
                head = 1 if greeted else 0
                if len(rest) < head + 4:
                    break
                size = head + struct.unpack(">I", rest[head:head + 4])[0]
                if len(rest) < size:
                    break
                message, rest = rest[:size], rest[size:]
                greeted = greeted or message[4:8] == b"\0\3\0\0"
                if greeted and message[:1] == b"P" and b"\0COMMIT\0" in message[4:]:
                    word = self.proxy.next_word()
                    if word != "pass":
                        self.upstream.sendall(out)
                        self.end(word, message + rest)
                        return
                out += message
            self.upstream.sendall(out)

    def end(self, word, last):
        if word == "before":
            return
        # the rest of the commit (bind, execute, sync) may be in another piece
        while b"S\0\0\0\4" not in last:
            last += self.client.recv(65536)
        self.deaf = word != "kill"
        self.upstream.sendall(last)
        if word == "kill":
            os.kill(self.pid, signal.SIGKILL)
        if word == "after":
            self.answered.wait(LATE)


def backend_pid(data):
    """From the server's greeting (K); 0 when it has not come yet."""
    at = 0
    while at + 5 <= len(data):
        if data[:1] in (b"S", b"N", b"G") and at == 0 and data[1:2] != b"\0":
            at = 1  # the answer to a request for TLS
            continue
        kind, size = data[at:at + 1], struct.unpack(">I", data[at + 1:at + 5])[0]
        if kind == b"K" and at + 9 <= len(data):
            return struct.unpack(">I", data[at + 5:at + 9])[0]
        at += 1 + size
    return 0


def main(words):
    """BIN COMMAND...: runs the command beside a server of its own, whose address FOVEA_TEST_STORE has."""
    server = Server(words[0])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        server.start()
        return subprocess.run(words[1:], env=dict(os.environ, FOVEA_TEST_STORE=server.url()), stdin=subprocess.DEVNULL, check=False).returncode
    finally:
        if server.process and server.process.poll() is None:
            server.kill()  # its files go anyway
        shutil.rmtree(server.folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
