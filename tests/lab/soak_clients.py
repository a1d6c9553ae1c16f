# SPDX-License-Identifier: Apache-2.0
"""Clients of `fovea mcp` for the soak: one on pipes and one over HTTP, each for many threads at once. They count what was
asked and what came: a request has exactly one answer, a cancelled one at most one, and that soon, and nothing comes that nobody
asked for."""
import http.client
import itertools
import json
import os
import re
import signal
import subprocess
import threading
import time

INITIALIZE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "fovea-soak", "version": "1"}}
PATIENCE = 90  # seconds, after which an answer is lost
CROSSING = 1  # second, in which an answer may still come that was under way when its cancel did


def message(id, method, params=None):
    body = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        body["id"] = id
    if params is not None:
        body["params"] = params
    return body


def cancel_of(id):
    return message(None, "notifications/cancelled", {"requestId": id, "reason": "the soak wants it so"})


class Tally:
    """What both clients count."""
    def __init__(self):
        self.lock = threading.Lock()
        self.counts, self.complaints = {}, []

    def add(self, name, by=1):
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + by

    def complain(self, name, words):
        self.add(name)
        with self.lock:
            if len(self.complaints) < 40:
                self.complaints.append(f"{name}: {words}"[:600])

    def get(self, name):
        return self.counts.get(name, 0)


class Waiting:
    def __init__(self):
        self.came, self.reply, self.cancelled = threading.Event(), None, False
        self.given_up = None  # when, after a cancel, nobody waited for an answer any more


class Stdio:
    name = "stdio"

    def __init__(self, words, env, tally):
        self.tally, self.ids, self.lock = tally, itertools.count(1), threading.Lock()
        self.said = open("stdio.err", "wb")
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, env=env)
        self.waiting, self.taking = {}, threading.Lock()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        assert self.ask("initialize", INITIALIZE)["result"]["protocolVersion"] == INITIALIZE["protocolVersion"]
        self.send(message(None, "notifications/initialized"))

    def send(self, body):
        data = body if isinstance(body, bytes) else json.dumps(body, separators=(",", ":")).encode() + b"\n"
        with self.lock:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def _read(self):
        for line in self.process.stdout:
            try:
                self._take(json.loads(line))
            except ValueError:
                self.tally.complain("no_protocol", repr(line[:200]))

    def _take(self, reply):
        if "method" in reply:
            self.tally.add("notifications")
            return
        id = reply.get("id")
        if id is None:
            self.tally.add("nameless_answers")
            return
        with self.taking:
            entry = self.waiting.get(id)
            wrong = "unasked_answers" if entry is None else "double_answers" if entry.reply is not None else None
            if not wrong:
                entry.reply = reply
                entry.came.set()
                crossed = entry.given_up is not None
                if crossed and time.monotonic() - entry.given_up > CROSSING:
                    wrong = "late_answers"
                elif crossed:
                    self.tally.add("crossed_answers")
        if wrong:
            self.tally.complain(wrong, json.dumps(reply)[:300])

    def ask(self, method, params=None, cancel_after=None):
        """The answer; None where it was cancelled and none came."""
        id, entry = next(self.ids), Waiting()
        self.waiting[id] = entry
        self.tally.add("requests")
        self.send(message(id, method, params))
        if cancel_after is not None:
            if not entry.came.wait(cancel_after):
                self.send(cancel_of(id))
                self.tally.add("cancels")
                self.tally.add("cancels by a line")
                entry.cancelled = True
                # What comes is there before the answer to what is asked next, or with it: the server may have begun to send it
                # when the cancel came, and two that send wait in any order.
                self.ask("ping")
                entry.came.wait(0.05)
        if not entry.cancelled and not entry.came.wait(PATIENCE):
            self.tally.complain("lost_answers", f"{method} {json.dumps(params)[:300]}")
        with self.taking:
            answer = entry.reply
            if not entry.cancelled:
                self.waiting.pop(id, None)
            elif answer is None:
                entry.given_up = time.monotonic()
        if answer is not None:
            self.tally.add("answers")
        elif entry.cancelled:
            self.tally.add("cancelled_without_answer")
        return answer

    def break_line(self, data):
        """A line that is no message: one answer without an id."""
        self.tally.add("broken_lines")
        self.send(data)

    def close(self):
        self.process.stdin.close()
        status = self.process.wait(60)
        self.reader.join(10)
        self.said.close()
        return status


class Http:
    name = "http"

    def __init__(self, words, env, tally):
        self.tally, self.ids = tally, itertools.count(1)
        self.said = open("http.err", "wb")
        self.process = subprocess.Popen([*words, "--http", "127.0.0.1:0"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=self.said, env=env)
        self.port = self._port()
        with open(os.path.join(env["XDG_STATE_HOME"], "fovea", "token"), encoding="ascii") as file:
            self.token = file.read().strip()
        self.own = threading.local()

    def _port(self):
        for _ in range(500):
            with open("http.err", encoding="utf-8") as file:
                found = re.search(r"listening on \S+:(\d+)/mcp", file.read())
            if found:
                return int(found[1])
            assert self.process.poll() is None, "the HTTP server has ended"
            time.sleep(0.02)
        raise AssertionError("the HTTP server does not listen")

    def _post(self, body, connection, session):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json",
                   "Accept": "application/json, text/event-stream"}
        if session:
            headers["Mcp-Session-Id"] = session
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", "/mcp", data, headers)

    def _connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.connect()
        return connection

    def _session(self):
        """One for each thread, with a connection of its own."""
        if getattr(self.own, "session", None) is None:
            self.own.connection = self._connection()
            self._post(message(0, "initialize", INITIALIZE), self.own.connection, None)
            answer = self.own.connection.getresponse()
            self.own.session = answer.getheader("Mcp-Session-Id")
            assert answer.status == 200 and self.own.session, answer.status
            answer.read()
            self.own.answered = 0
        return self.own.session

    def _forget(self, end=False):
        if end:
            self.own.connection.request("DELETE", "/mcp", headers={"Authorization": f"Bearer {self.token}",
                                                                   "Mcp-Session-Id": self.own.session})
            answer = self.own.connection.getresponse()
            answer.read()
            if answer.status != 204:
                self.tally.complain("http_status", f"DELETE {answer.status}")
            self.tally.add("sessions_ended")
        self.own.connection.close()
        self.own.session = None

    @staticmethod
    def _messages(answer, body):
        if (answer.getheader("Content-Type") or "").startswith("text/event-stream"):
            return [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ") and line[6:].strip()]
        return [json.loads(body)] if body else []

    def _receive(self, id, cancelled, what):
        answer = self.own.connection.getresponse()
        body = answer.read()
        replies = [m for m in self._messages(answer, body) if "method" not in m]
        if answer.status != 200 or any(m.get("id") != id for m in replies):
            self.tally.complain("http_status", f"{answer.status} {body[:200]!r} {what}")
        if len(replies) > 1:
            self.tally.complain("double_answers", what)
        if not replies and not cancelled:
            self.tally.complain("lost_answers", what)
        if not replies and cancelled:
            self.tally.add("cancelled_without_answer")
        self.tally.add("answers", len(replies))
        return replies[0] if replies else None

    def ask(self, method, params=None, cancel_after=None):
        session, id = self._session(), next(self.ids)
        what = f"{method} {json.dumps(params)[:200]}"
        self.tally.add("requests")
        try:
            self._post(message(id, method, params), self.own.connection, session)
            if cancel_after is not None:
                time.sleep(cancel_after)
                self.tally.add("cancels")
                if id % 2:  # by hanging up
                    self.tally.add("cancels by hanging up")
                    self.tally.add("cancelled_without_answer")
                    self.own.connection.close()  # the next request opens it again: a server ends one that only waits
                    return None
                self.tally.add("cancels by a request")
                other = self._connection()
                self._post(cancel_of(id), other, session)
                other.getresponse().read()
                other.close()
            reply = self._receive(id, cancel_after is not None, what)
        except (OSError, http.client.HTTPException) as error:
            self.tally.complain("lost_answers", f"{what}: {error!r}")
            self._forget()
            return None
        self.own.answered += 1
        if self.own.answered >= 100:
            self._forget(end=True)
        return reply

    def break_line(self, data):
        self.tally.add("broken_lines")
        session = self._session()
        self._post(data, self.own.connection, session)
        answer = self.own.connection.getresponse()
        answer.read()
        if answer.status == 400:
            self.tally.add("nameless_answers")
        else:
            self.tally.complain("http_status", f"{answer.status} for {data[:60]!r}")

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(60)
        self.said.close()
        return status
