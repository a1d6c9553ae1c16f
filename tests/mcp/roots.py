# SPDX-License-Identifier: Apache-2.0
"""A client's roots narrow what its calls reach, and never widen it: whichever way they are spelled, and however late
they are named."""
import os
import sys

from stdio import Server, call, finish, line, request, test

HERE = os.getcwd()
INSIDE, OUTSIDE = "inside/a.txt", "outside/b.txt"
for name in (INSIDE, OUTSIDE):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "w", encoding="utf-8") as file_:
        file_.write("words\n")


def hello(server):
    server.ask(request("hello", "initialize", {
        "protocolVersion": "2025-06-18", "capabilities": {"roots": {"listChanged": True}},
        "clientInfo": {"name": "fovea-test", "version": "1"}}), "hello")
    server.send(line({"jsonrpc": "2.0", "method": "notifications/initialized"}))


def answer(server, question, uris):
    assert question.get("method") == "roots/list", question
    server.send(line({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [{"uri": uri} for uri in uris]}}))


def readable(answered):
    return not answered["result"].get("isError")


def reads(server, path, uris=None):
    """Whether path can be read; answers the question for roots if it is asked and there is an answer."""
    server.send(call("x", "read", {"path": path}))
    message = server.next()
    if message.get("method") == "roots/list":
        answer(server, message, uris)
        message = server.next()
    return readable(message)


def narrows(uris, inside, outside):
    with Server() as server:
        hello(server)
        assert reads(server, INSIDE, uris) == inside, "inside"
        assert reads(server, os.path.join(HERE, OUTSIDE), uris) == outside, "outside"


def a_root_narrows():
    narrows([f"file://{HERE}/inside"], False, False)  # a relative path starts in the root then
    with Server() as server:
        hello(server)
        assert reads(server, os.path.join(HERE, INSIDE), [f"file://{HERE}/inside"])
        assert reads(server, "a.txt")
        assert not reads(server, os.path.join(HERE, OUTSIDE))


def every_spelling_of_a_file_uri_narrows():
    for uri in (f"file:{HERE}/inside", f"FILE://{HERE}/inside", f"file://localhost{HERE}/inside",
                f"file://{HERE}/%69nside", f"file://{HERE}/inside/"):
        with Server() as server:
            hello(server)
            assert reads(server, os.path.join(HERE, INSIDE), [uri]), uri
            assert not reads(server, os.path.join(HERE, OUTSIDE), [uri]), uri


def roots_that_are_no_folders_here_leave_nothing_in_reach():
    for uris in (["https://example.com/"], ["file://elsewhere/x"], ["nonsense"], ["file:///nowhere/at/all"]):
        narrows(uris, False, False)


def roots_beyond_the_reach_do_not_widen_it():
    with Server() as server:
        hello(server)
        assert not reads(server, "/etc/hostname", ["file:///"])
        assert reads(server, INSIDE, ["file:///"])


def no_roots_at_all_narrow_nothing():
    narrows([], True, True)


def a_late_answer_counts_and_nothing_is_read_before_it():
    with Server() as server:
        hello(server)
        server.send(call("first", "read", {"path": os.path.join(HERE, OUTSIDE)}))
        question = server.next()
        refused = server.next(15)
        assert refused["id"] == "first" and not readable(refused) and "roots" in str(refused), refused
        answer(server, question, [f"file://{HERE}/inside"])
        assert not reads(server, os.path.join(HERE, OUTSIDE), [f"file://{HERE}/inside"])
        assert reads(server, os.path.join(HERE, INSIDE), [f"file://{HERE}/inside"])


def a_change_is_asked_for_again_even_when_it_comes_with_the_answer():
    with Server() as server:
        hello(server)
        server.send(call(1, "read", {"path": os.path.join(HERE, INSIDE)}))
        answer(server, server.next(), [f"file://{HERE}"])
        server.send(line({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
        server.until(1)
        server.send(call(2, "read", {"path": os.path.join(HERE, OUTSIDE)}))
        question = server.next()
        answer(server, question, [f"file://{HERE}/inside"])
        assert not readable(server.until(2)[1])


def a_client_that_cannot_name_its_roots_is_served_all_the_same():
    with Server() as server:
        hello(server)
        server.send(call(1, "read", {"path": INSIDE}))
        question = server.next()
        server.send(line({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -32601, "message": "no"}}))
        assert readable(server.until(1)[1])


wanted = sys.argv[1] if len(sys.argv) > 1 else ""
for function in (a_root_narrows, every_spelling_of_a_file_uri_narrows,
                 roots_that_are_no_folders_here_leave_nothing_in_reach, roots_beyond_the_reach_do_not_widen_it,
                 no_roots_at_all_narrow_nothing, a_late_answer_counts_and_nothing_is_read_before_it,
                 a_change_is_asked_for_again_even_when_it_comes_with_the_answer,
                 a_client_that_cannot_name_its_roots_is_served_all_the_same):
    if wanted in function.__name__:
        test(function)
finish()
