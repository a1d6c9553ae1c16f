# SPDX-License-Identifier: Apache-2.0
"""Asking over MCP, as far as that needs no provider: local/ocr is asked, and held still where a question is to last. What
is proved is the server's part: who waits for whom, what ends, and what is said meanwhile."""
import json
import os
import signal
import socket
import subprocess
import time

from stdio import FIXTURES, FOVEA, META, Server, call, finish, gone, initialize, line, test

GOOD = os.path.join(FIXTURES, "good")
WORDS, SMALL = os.path.join(GOOD, "png-words.png"), os.path.join(GOOD, "png-rgb-8.png")
NOISE = os.path.join(GOOD, "png-screen-2560x1600.png")  # takes long to read
QUESTION = {"file_path": WORDS, "prompt": "what error is shown?"}


def readers(server):
    return [pid for pid, row in server.children().items() if row[0] == "fovea-ocr" and row[1] != "Z"]


def hold_readers(server, seconds=10):
    """Stops the first one that reads, and gives it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid in readers(server):
            os.kill(pid, signal.SIGSTOP)
            return pid
        time.sleep(0.001)
    raise AssertionError("nobody reads")


def busy_reader(server, seconds=20):
    """The one that has computed for a while."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for pid, row in server.children().items():
            if row[0] == "fovea-ocr" and row[2] >= 50:
                return pid
        time.sleep(0.01)
    raise AssertionError("nobody reads")


def threads(server):
    return len(os.listdir(f"/proc/{server.process.pid}/task"))


def modern(id, tool, arguments, **meta):
    return call(id, tool, arguments, _meta={**META, **meta})


def an_answer_is_an_envelope():
    with Server() as server:
        result = server.ask(modern(1, "vision_analyze", QUESTION), 1, 60)["result"]
        envelope = json.loads(result["content"][0]["text"])
        assert len(result["content"]) == 1 and not result.get("isError"), result
        assert "DISK FULL" in envelope["text"] and envelope["output_is_untrusted"] is True, envelope


def a_cancelled_question_stops_its_reader():
    with Server() as server:
        server.hello()
        server.send(call("slow", "inspect_image", {"path": NOISE, "question": "?"}))
        reader = busy_reader(server)
        server.send(line({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "slow"}}))
        took = gone(reader, 2)
        assert took is not None, "it goes on"
        server.send(call("after", "read", {"path": "text.txt"}))
        before, _ = server.until("after")
        assert not [m for m in before if m.get("id") == "slow"], before
        return f"{took * 1000:.0f} ms"


def held_question(server):
    """A question that lasts, and its reader, which stands still."""
    server.hello()
    server.send(call("slow", "vision_analyze", QUESTION))
    return hold_readers(server)


def ends_at_once(server, reader):
    start = time.monotonic()
    status = server.process.wait(3)
    took = time.monotonic() - start
    assert status == 0 and took < 1, (status, took)
    assert gone(reader, 1) is not None, "its reader is left"
    return f"{took * 1000:.0f} ms"


def a_question_goes_on_when_stdin_ends_and_stops_when_nobody_listens():
    with Server() as server:
        reader = held_question(server)
        server.process.stdin.close()
        time.sleep(1)
        assert server.process.poll() is None, "it did not wait"
        server.process.stdout.close()
        return ends_at_once(server, reader)


def a_question_that_was_piped_in_is_answered():
    with Server() as server:
        reader = held_question(server)
        server.process.stdin.close()
        time.sleep(0.5)
        os.kill(reader, signal.SIGCONT)
        rest, status = server.close(30)
        assert status == 0 and [reply["id"] for reply in rest] == ["slow"], (rest, status)
        assert "DISK FULL" in rest[0]["result"]["content"][0]["text"], rest


def a_question_stops_when_nobody_listens_though_stdin_is_open():
    with Server() as server:
        reader = held_question(server)
        server.process.stdout.close()
        return ends_at_once(server, reader)


def an_answer_that_cannot_be_written_stops_the_rest():
    """A socket that the other side does not read looks well until something is written."""
    ours, theirs = socket.socketpair()
    with open("server.err", "wb") as said:
        process = subprocess.Popen([FOVEA, "mcp", "--root", FIXTURES], stdin=subprocess.PIPE, stdout=theirs, stderr=said)
    theirs.close()
    with Server() as server:  # for what it can see of a process
        server.process.kill()
        server.process.wait()
        kept, server.process = server.process, process
        try:
            process.stdin.write(initialize("hello") + call("slow", "vision_analyze", QUESTION))
            process.stdin.flush()
            reader = hold_readers(server)
            ours.shutdown(socket.SHUT_RD)
            process.stdin.write(call("quick", "read", {"path": SMALL}))
            process.stdin.close()
            return ends_at_once(server, reader)
        finally:
            process.kill()
            process.wait()
            ours.close()
            server.process = kept


def waiting_has_words_where_the_revision_has_them():
    for version, words in (("2024-11-05", None), ("2025-06-18", "asking the vision model")):
        with Server() as server:
            server.hello(version)
            server.send(call(1, "vision_analyze", QUESTION, _meta={"progressToken": "p"}))
            reader = hold_readers(server)
            progress = server.next(10)
            os.kill(reader, signal.SIGCONT)
            assert progress["method"] == "notifications/progress", progress
            assert progress["params"].get("message") == words, (version, progress)
            _, answer = server.until(1, 30)
            assert "DISK FULL" in answer["result"]["content"][0]["text"], answer


def questions_leave_room_for_pictures_and_texts():
    """Sixty-four of them, all at work: each has a thread of its own, made when it was needed."""
    with Server() as server:
        server.hello()
        server.ask(call("warm", "read", {"path": "text.txt"}), "warm")
        few = threads(server)
        assert few <= 8, few
        server.send(b"".join(call(id, "vision_analyze", {**QUESTION, "prompt": f"question {id}?"}) for id in range(64)))
        held, end = set(), time.monotonic() + 10
        while threads(server) < 64 + few - 1 and time.monotonic() < end:
            for pid in set(readers(server)) - held:
                os.kill(pid, signal.SIGSTOP)
                held.add(pid)
            time.sleep(0.001)
        many = threads(server)
        start = time.monotonic()
        server.send(call("text", "read", {"path": "text.txt"}) + call("picture", "view", {"path": SMALL}))
        seen = {}
        while not {"text", "picture"} <= set(seen):
            answer = server.next(20)
            seen[answer["id"]] = answer["result"]
        took = time.monotonic() - start
        for pid in held:
            os.kill(pid, signal.SIGCONT)
        for _ in range(64 - sum(isinstance(id, int) for id in seen)):
            answer = server.next(120)
            assert "DISK FULL" in answer["result"]["content"][0]["text"], answer
        assert many >= 64 and len(seen["picture"]["content"]) == 2, (many, seen)
        return f"{few} threads, then {many}; a picture in {took * 1000:.0f} ms"


def counted(server, ask, times):
    """How many of the questions were answered."""
    good = 0
    for turn in range(times):
        id = f"{time.monotonic()}-{turn}"
        good += not server.ask(ask(id), id, 60)["result"].get("isError")
    return good


def what_is_counted_lasts_as_long_as_the_client():
    with open("few.yaml", "w") as file:
        file.write("vision: {maxCallsPerImage: 2}\n")
    with Server("--config", "few.yaml") as server:
        server.hello()
        assert counted(server, lambda id: call(id, "vision_analyze", QUESTION), 4) == 2
        assert counted(server, lambda id: call(id, "inspect_image", {"path": WORDS, "question": "?"}), 1) == 0
    with Server("--config", "few.yaml") as server:
        assert counted(server, lambda id: modern(id, "vision_analyze", QUESTION), 4) == 2


def new_roots_forget_nothing():
    roots = {"roots": [{"uri": "file://" + FIXTURES}]}
    with Server("--config", "few.yaml") as server:
        server.ask(line({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {"roots": {"listChanged": True}},
            "clientInfo": {"name": "fovea-test", "version": "1"}}}), 0)
        good = 0
        for turn in range(1, 4):
            server.send(line({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}))
            server.send(call(turn, "vision_analyze", QUESTION))
            while True:
                message = server.next(30)
                if message.get("method") == "roots/list":
                    server.send(line({"jsonrpc": "2.0", "id": message["id"], "result": roots}))
                elif message.get("id") == turn:
                    break
            good += not message["result"].get("isError")
        assert good == 2, good


def a_host_that_sees_gets_the_picture_and_its_question():
    for start, extra in ((("--main", "anthropic/claude-opus-4-7"), {}), ((), {"fovea/main": "anthropic/claude-opus-4-7"})):
        with Server(*start) as server:
            result = server.ask(modern(1, "vision_analyze", QUESTION, **extra), 1, 60)["result"]
            text, image = result["content"]
            assert image["type"] == "image" and not result.get("isError"), result
            assert text["text"].endswith("\nYou can see the picture now; answer from it.\nQuestion: what error is shown?"), text
            assert "1 image follows" in text["text"], text


with open("text.txt", "w") as file_:
    file_.write("text\n")
for function in (an_answer_is_an_envelope, a_cancelled_question_stops_its_reader,
                 a_question_goes_on_when_stdin_ends_and_stops_when_nobody_listens, a_question_that_was_piped_in_is_answered,
                 a_question_stops_when_nobody_listens_though_stdin_is_open, an_answer_that_cannot_be_written_stops_the_rest,
                 waiting_has_words_where_the_revision_has_them,
                 questions_leave_room_for_pictures_and_texts, what_is_counted_lasts_as_long_as_the_client,
                 new_roots_forget_nothing, a_host_that_sees_gets_the_picture_and_its_question):
    test(function)
finish()
