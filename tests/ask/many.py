# SPDX-License-Identifier: Apache-2.0
"""64 questions at once on one server: the provider answers none before all of them are there, so they are all under way
together; each is answered once, and what needs no provider is answered meanwhile."""
import time

from asking import TOKENS_OUT, Home, Host, ask, call, finish, make_files, result_of, test

COUNT = 64


def questions(server, tool):
    for number in range(COUNT):
        if tool == "vision_analyze":
            yield call(number, tool, ask(model=f"wa/hold-{COUNT}", prompt=f"question {number}"))
        else:
            yield call(number, tool, {"path": "red.png", "question": f"question {number}"})


def all_answered_once(tool, settings):
    home = Home(HOST, settings + "; images.questionTimeoutMs: 20000", f"wa/hold-{COUNT}")
    with home.server() as server:
        start = time.monotonic()
        lines = list(questions(server, tool))
        server.send(b"".join(lines[:-1]))
        # One is missing, so they all wait; others need not.
        server.send(call("text", "read", {"path": "words.txt"}))
        before, _ = server.until("text")
        assert before == [], before
        server.send(lines[-1])
        seen = {}
        while len(seen) < COUNT:
            reply = server.next(30)
            assert reply["id"] not in seen, f"{reply['id']} is answered twice"
            seen[reply["id"]] = reply
        took = time.monotonic() - start
        rest, status = server.close()
    assert rest == [] and status == 0, (rest, status)
    for reply in seen.values():
        envelope, result = result_of(reply)
        assert not result.get("isError"), result
        assert tool != "vision_analyze" or envelope["output_tokens"] == TOKENS_OUT, envelope
    asked = HOST.requests()
    assert len(asked) == COUNT and len({request["body"][-200:] for request in asked}) == COUNT, len(asked)
    return f"{COUNT} in {took * 1000:.0f} ms"


def each_of_64_asks_at_once_is_answered_once():
    with_host(lambda: all_answered_once("vision_analyze", ""))
    return NOTES[-1]


def each_of_64_inspections_at_once_is_answered_once():
    with_host(lambda: all_answered_once("inspect_image", f"modelRoles.vision: wa/hold-{COUNT}"))
    return NOTES[-1]


def with_host(run):
    """A host of its own: it counts what it holds."""
    global HOST
    with Host(f"host-{len(NOTES)}") as HOST:
        NOTES.append(run())


NOTES = []
make_files()
test(each_of_64_asks_at_once_is_answered_once)
test(each_of_64_inspections_at_once_is_answered_once)
finish()
