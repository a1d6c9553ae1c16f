# SPDX-License-Identifier: Apache-2.0
"""Runs framing.tsv: each row on a server of its own, and after it a good line that must get its answer. Then what a
table cannot say."""
import json
import os
import re
import sys

from stdio import FIXTURES, META, Server, call, finish, line, request, said, test

HERE = os.path.dirname(os.path.abspath(__file__))
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"\\": b"\\"}


def to_bytes(text):
    text = text.replace("META", json.dumps(META)[1:-1])
    data = re.sub(rb"<<(.*?)\*(\d+)>>", lambda m: m[1] * int(m[2]), text.encode())

    def one(match):
        return bytes([int(match[1][1:], 16)]) if match[1][:1] == b"x" else ESCAPES[match[1]]

    return re.sub(rb"\\(x[0-9A-F]{2}|[nrt\\])", one, data) + b"\n"


def parse_want(text):
    """A reply wanted, as (codes or word, id or ..., what it has)."""
    match = re.fullmatch(r"(\S+?)(?: id=(.*?))?(?: has=(\{.*\}))?", text.strip())
    kind = match[1] if match[1] in ("result", "any") else [int(code) for code in match[1].split("/")]
    wanted_id = "no id" if match[2] is None else "*" if match[2] == "*" else ("id", json.loads(match[2]))
    return kind, wanted_id, json.loads(match[3] or "{}")


def has(value, part):
    if isinstance(part, dict):
        return isinstance(value, dict) and all(key in value and has(value[key], part[key]) for key in part)
    return value == part


def fits(reply, want):
    kind, wanted_id, part = want
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0" or ("result" in reply) == ("error" in reply):
        return False
    if wanted_id == "no id" and "id" in reply or wanted_id[0] == "id" and (
            "id" not in reply or reply["id"] != wanted_id[1] or type(reply["id"]) is not type(wanted_id[1])):
        return False
    if "error" in reply:
        error = reply["error"]
        return (kind == "any" or isinstance(kind, list) and error["code"] in kind) and \
            isinstance(error["message"], str) and has(error, part)
    return kind in ("any", "result") and has(reply["result"], part)


def all_fit(replies, wants):
    """Each reply one want, in any order; the few there are can be matched as they come."""
    left = list(wants)
    for reply in replies:
        match = next((want for want in left if fits(reply, want)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def check(replies, text):
    if text == "none":
        return replies == []
    wants, singles = text.split(" & "), []
    for want in wants:
        if want.startswith("batch("):
            batch = next((reply for reply in replies if isinstance(reply, list)), None)
            if batch is None or not all_fit(batch, map(parse_want, want[6:-1].split(", "))):
                return False
            replies = [reply for reply in replies if reply is not batch]
        else:
            singles.append(parse_want(want))
    return all_fit(replies, singles)


def row(name, before, sends, wants):
    with Server() as server:
        if before == "modern":
            answer = server.ask(request("hello", "server/discover", {"_meta": META}), "hello")
            assert "result" in answer, answer
        elif before != "-":
            server.hello(before)
        server.send(to_bytes(sends))
        server.send(request("after", "tools/list", {"_meta": META}))
        replies, answer = server.until("after", 20)
        rest, status = server.close()
        replies += rest
    assert "result" in answer, f"the next line got {answer}"
    assert status == 0, f"status {status}"
    assert check(replies, wants), f"want {wants}, got {json.dumps(replies)[:600]}"


def rows():
    with open(os.path.join(HERE, "framing.tsv"), encoding="utf-8") as file:
        for text in file:
            if not text.startswith("#") and text.strip():
                yield text.rstrip("\n").split("\t")


def a_line_may_come_byte_by_byte():
    with Server() as server:
        for byte in request(1, "ping"):
            server.send(bytes([byte]))
        assert server.next()["id"] == 1


def a_last_line_without_its_end_is_answered_or_left():
    with Server() as server:
        server.hello()
        server.send(request(1, "ping").rstrip(b"\n"))
        rest, status = server.close()
        assert status == 0 and len(rest) <= 1, (rest, status)


def an_id_in_flight_used_again_is_an_error_and_breaks_nothing():
    picture = os.path.join(FIXTURES, "good", "png-photo-2000x1500.png")
    with Server() as server:
        server.hello()
        server.send(call(7, "view", {"path": picture}) + call(7, "view", {"path": picture}))
        one, two = server.next(), server.next()
        assert one["id"] == 7 and two["id"] == 7, (one, two)
        errors = [reply["error"]["code"] for reply in (one, two) if "error" in reply]
        assert errors == [-32600], errors


def an_id_may_be_used_again_once_it_is_answered():
    """The protocol forbids it, but a plain script that numbers every request 1 gets its answers."""
    picture = os.path.join(FIXTURES, "good", "png-rgb-8.png")
    with Server() as server:
        server.hello()
        for turn in range(60):
            answer = server.ask(call(1, "view" if turn % 2 else "read", {"path": picture}), 1)
            assert "result" in answer, f"turn {turn}: {answer}"


def an_unknown_version_error_names_what_is_spoken():
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "1999-01-01"}
    with Server() as server:
        error = server.ask(request(1, "server/discover", {"_meta": meta}), 1)["error"]
        assert error["code"] == -32022 and "2026-07-28" in error["data"]["supported"], error


def both_eras_are_served_in_turns_on_one_pipe():
    with Server() as server:
        for turn in range(3):
            answer = server.ask(request(f"m{turn}", "tools/list", {"_meta": META}), f"m{turn}")["result"]
            assert answer["resultType"] == "complete" and "ttlMs" in answer, answer
            if turn == 0:
                server.hello()
            answer = server.ask(request(f"l{turn}", "tools/list"), f"l{turn}")["result"]
            assert "resultType" not in answer and "ttlMs" not in answer, answer


wanted = sys.argv[1] if len(sys.argv) > 1 else ""
for name, before, sends, wants in rows():
    if wanted in name:
        try:
            row(name, before, sends, wants)
            said(f"framing_{name}", True)
        except Exception as error:
            said(f"framing_{name}", False, f"{type(error).__name__}: {error}")
if not wanted:
    for function in (a_line_may_come_byte_by_byte, a_last_line_without_its_end_is_answered_or_left,
                     an_id_in_flight_used_again_is_an_error_and_breaks_nothing,
                     an_id_may_be_used_again_once_it_is_answered, an_unknown_version_error_names_what_is_spoken,
                     both_eras_are_served_in_turns_on_one_pipe):
        test(function)
finish()
