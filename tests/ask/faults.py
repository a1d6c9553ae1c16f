# SPDX-License-Identifier: Apache-2.0
"""Faults at every step of a call to a provider, by faults.tsv: connect, TLS, headers, middle of the body and of an event,
slow, reset, no bytes, garbage. Each ends typed and in bounded time, is tried again no more than twice, and leaves no process
and no descriptor behind. Through `fovea call` eight at a time; through MCP all at once, on one server a time-out."""
import json
import os
import signal
import subprocess
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from asking import FOVEA, SANITIZED, Home, Host, ask, call, finish, gone, like, make_files, result_of, table, test, wanted
from stdio import line

SLACK = 10 if SANITIZED else 1


def user_of(row):
    """The settings that it is asked with."""
    trust = f'; network.caFile: "{HOST.ca}"' if row["trust"] == "ca" else ""
    return f"images.questionTimeoutMs: {int(row['timeout']) * SLACK}{trust}"


def model_of(row, door):
    """A name of its own for each door and host, so that its requests can be told from the others'."""
    return f"{row['model']}+{door}{row['timeout']}{row['model'].split('/')[0]}"


def check(row, envelope, ms):
    words = envelope.get("error", "")
    assert envelope["ok"] is False and envelope["kind"] == "error" and envelope["code"] == "execution_failed", envelope
    assert any(like("LLM_ERROR: " + pattern, words) for pattern in row["words"].split("|")), words
    assert ms <= int(row["ms"]) * SLACK, f"{ms:.0f} ms"


def check_count(row, door):
    got = COUNTS.get(model_of(row, door).split("/")[1], 0)
    low, _, high = row["requests"].partition("-")
    assert int(low) <= got <= int(high or low), f"{got} requests, want {row['requests']}"


def session_of(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[3])
    except OSError:
        return None


def left_of(session):
    """Processes of that session which live on, half a second later."""
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit() and session_of(name) == session]
    return [pid for pid in pids if gone(pid, 0.5) is None]


def by_call(row):
    """(envelope, milliseconds, status, processes left)"""
    words = json.dumps(ask(model=model_of(row, "c")))
    start = time.monotonic()
    process = subprocess.Popen([FOVEA, "call", "vision_analyze", words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=HOMES[user_of(row)].env, start_new_session=True)
    out, err = process.communicate(timeout=120)
    ms = (time.monotonic() - start) * 1000
    return out, err, ms, process.returncode, left_of(process.pid)


def check_call(row, outcome):
    out, err, ms, status, left = outcome.result()
    assert status == 1 and not left, (status, left, out[:300], err[:300])
    check(row, json.loads(out), ms)
    check_count(row, "c")


def round_of(rows, server, door):
    """All of them at once: {name: (reply, milliseconds)}"""
    got, start = {}, time.monotonic()
    server.send(b"".join(call(f"{door}-{row['name']}", "vision_analyze", ask(model=model_of(row, door))) for row in rows))
    while len(got) < len(rows):
        reply = server.next(60)
        name = reply["id"].removeprefix(door + "-")
        assert name not in got, "answered twice"
        got[name] = reply, (time.monotonic() - start) * 1000
    return got


def descriptors(server):
    """Those of the server, without the three that each of its children costs: how many of them there are depends on luck."""
    return len(os.listdir(f"/proc/{server.process.pid}/fd")) - 3 * len(server.children())


def by_mcp(rows, home):
    """Twice, and how many descriptors there were after each: what is kept for the next question is kept once."""
    with home.server() as server:
        got = round_of(rows, server, "m")
        first, below = descriptors(server), set(server.children())
        round_of(rows, server, "n")
        second = descriptors(server)
        below |= set(server.children())
        rest, status = server.close()
        assert rest == [] and status == 0, (rest, status)
        assert not [pid for pid in below if gone(pid, 0.5) is None], "processes are left"
    return got, first, second


def check_mcp(row, reply, ms):
    envelope, result = result_of(reply)
    assert result["isError"] is True, result
    # They share two processors with all the others.
    check(row, envelope, ms / 4)
    check_count(row, "m")


def log():
    for request in HOST.requests():
        name = urllib.parse.unquote(request["model"])
        COUNTS[name] = COUNTS.get(name, 0) + 1


def cancelled_question_is_let_go_at_once_and_nothing_is_said_of_it():
    home = Home(HOST, "images.questionTimeoutMs: 60000", "wa/hang-start+x")
    with home.server() as server:
        server.send(call("long", "vision_analyze", ask(model="wa/hang-start+x")))
        while not HOST.requests():
            assert server.process.poll() is None, server.ending()
        start = time.monotonic()
        server.send(line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "long"}}))
        rest, status = server.close()
        took = time.monotonic() - start
    assert rest == [] and status == 0 and took < 1 * SLACK, (rest, status, took)
    return f"the server had nothing more to wait for after {took * 1000:.0f} ms"


def interrupted_command_ends_at_once_and_leaves_nothing():
    for words in (("ask", "red.png", "what"), ("call", "inspect_image", json.dumps({"path": "red.png", "question": "what"}))):
        home = Home(HOST, "images.questionTimeoutMs: 60000; modelRoles.vision: wa/hang-headers+x")
        process = subprocess.Popen([FOVEA, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=home.env,
                                   start_new_session=True)
        while not HOST.requests():
            assert process.poll() is None, process.communicate()
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=10)
        took = time.monotonic() - start
        assert took < 1 * SLACK and process.returncode != 0 and not left_of(process.pid), (took, process.returncode, out, err)
        assert words[0] == "ask" or json.loads(out)["error"] == "inspect_image request aborted.", out


def host_that_does_not_say_what_it_offers_holds_nobody_up():
    settings = f'providers: {{mute: {{wire: openai-chat, baseUrl: "http://127.0.0.1:{HOST.ports["mute"]}/v1", apiKey: none}}}}'
    start = time.monotonic()
    status, got = Home(HOST, settings, bare=True).call("vision_analyze", ask(model="mute/unknown-model"))
    took = time.monotonic() - start
    assert status == 1 and got["error"].startswith("VISION_NOT_SUPPORTED: ") and took < 5 * SLACK, (got, took)
    return f"{took:.1f} s"


def all_through_call():
    with ThreadPoolExecutor(8) as pool:
        outcomes = {row["name"]: pool.submit(by_call, row) for row in ROWS}
    log()
    for one in ROWS:
        def through_call(row=one):
            check_call(row, outcomes[row["name"]])
        through_call.__name__ = "fault_" + one["name"] + "_through_call"
        test(through_call)


def all_through_mcp(user, home):
    group, replies = [row for row in ROWS if user_of(row) == user], {}

    def server_outlives_them_and_keeps_no_descriptor():
        got, first, second = by_mcp(group, home)
        replies.update(got)
        log()
        # Connections are kept, more of them by the second time; one left of each question would be as many as there are questions.
        assert second <= first + max(24, len(got) * 9 // 10), f"{first} descriptors, then {second}"
        return f"{len(got)} at once, {first} descriptors afterwards, {second} after as many again"
    server_outlives_them_and_keeps_no_descriptor.__name__ += f"_{group[0]['timeout']}_{group[0]['trust']}"
    test(server_outlives_them_and_keeps_no_descriptor)
    for one in group:
        def through_mcp(row=one):
            check_mcp(row, *replies[row["name"]])
        through_mcp.__name__ = "fault_" + one["name"] + "_through_mcp"
        test(through_mcp)


make_files()
ROWS = [row for row in table("faults.tsv") if wanted(row)]
COUNTS = {}
with Host() as HOST:
    NAMED = " ".join(model_of(row, door) for row in ROWS for door in "cmn")
    HOMES = {user: Home(HOST, user, NAMED) for user in sorted({user_of(row) for row in ROWS})}
    all_through_call()
    for settings_, home_ in HOMES.items():
        all_through_mcp(settings_, home_)
    for function in (cancelled_question_is_let_go_at_once_and_nothing_is_said_of_it,
                     interrupted_command_ends_at_once_and_leaves_nothing,
                     host_that_does_not_say_what_it_offers_holds_nobody_up):
        if wanted({"name": function.__name__}):
            test(function)
finish()
