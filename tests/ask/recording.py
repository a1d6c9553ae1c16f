# SPDX-License-Identifier: Apache-2.0
"""What asking leaves in the record of a session: the answer as the model saw it, what it cost, and the pixels of the native path;
through `fovea call`, `fovea ask` and `fovea mcp`."""
import base64
import json

from asking import COST, KEY, RED, TOKENS_OUT, Home, Host, answer, ask, call, finish, make_files, test, wanted

IN_SESSION = ("--session", "s")


def entries(home, session="s"):
    status, out, err = home.run("session", "show", session, "--json")
    assert status == 0, err
    return [json.loads(line)["entry"] for line in out.splitlines()]


def kinds(list_):
    return [entry["kind"] for entry in list_]


def an_answer_and_what_it_cost_are_recorded():
    home = Home(HOST, words="wa/ok")
    envelope = answer(home, options=IN_SESSION)
    got = entries(home)
    assert kinds(got) == ["tool_result", "usage"], got
    result, usage = got
    assert result["name"] == "vision_analyze" and "error" not in result, result
    assert result["result"] == {**envelope, "mimeType": "image/png"}, result
    assert json.loads(result["parts"][0]["text"]) == envelope and len(result["parts"]) == 1, result
    assert result["arguments"] == ask(), result
    assert usage["model"] == "wa/ok" and usage["cost_usd"] == COST and usage["output"] == TOKENS_OUT, usage
    assert usage["at"] == result["at"], got
    assert len(HOST.requests()) == 1


def a_known_answer_has_cost_nothing():
    home = Home(HOST, words="wa/ok")
    answer(home)
    answer(home, options=IN_SESSION)
    assert kinds(entries(home)) == ["tool_result"]
    HOST.requests()


def a_failure_that_cost_something_says_so():
    home = Home(HOST, words="wa/refuse wa/empty")
    for scene in ("wa/refuse", "wa/empty"):
        status, _ = home.call("vision_analyze", ask(model=scene), *IN_SESSION)
        assert status == 1
    got = entries(home)
    errors = [entry for entry in got if entry["kind"] == "tool_result"]
    assert len(errors) == 2 and all(entry["error"] is True for entry in errors), got
    assert sum(kind == "usage" for kind in kinds(got)) == 2, got
    HOST.requests()


def wrong_arguments_are_recorded_and_cost_nothing():
    home = Home(HOST, words="wa/ok")
    status, _ = home.call("vision_analyze", {"file_path": "red.png"}, *IN_SESSION)
    assert status == 1
    got = entries(home)
    assert kinds(got) == ["tool_result"] and got[0]["error"] is True and "prompt" in got[0]["parts"][0]["text"], got


def inspect_image_stands_in_its_fence():
    home = Home(HOST, "modelRoles.vision: wa/ok")
    status, _ = home.call("inspect_image", {"path": "red.png", "question": "what"}, *IN_SESSION)
    assert status == 0
    got = entries(home)
    assert kinds(got) == ["tool_result", "usage"], got
    assert got[0]["parts"][0]["text"].startswith("<untrusted ") and RED in got[0]["parts"][0]["text"], got
    HOST.requests()


def ask_records_too_and_answers_the_call_that_it_names():
    home = Home(HOST, words="wa/ok")
    status, _, err = home.run("ask", "red.png", "what is it", "--model", "wa/ok", "--session", "s", "--call", "toolu_9")
    assert status == 0, err
    got = entries(home)
    assert kinds(got) == ["tool_result", "usage"] and got[0]["call"] == "toolu_9", got
    assert got[0]["arguments"] == ask(), got
    HOST.requests()


def pixels_of_the_native_path_are_a_perception():
    home = Home(HOST, "vision.mode: native", "wa/ok")
    with open("red.png", "rb") as file:
        data = base64.b64encode(file.read() + b"\0" * 2000).decode()
    for source in ({"file_path": "red.png"}, {"file_base64": data}):
        status, made = home.call("vision_analyze", {**source, "prompt": "which colour?"}, *IN_SESSION)
        assert status == 0 and made["native"] is True, made
    by_path, by_bytes = entries(home)
    assert by_path["kind"] == by_bytes["kind"] == "perception", by_path
    assert [part["type"] for part in by_path["parts"]] == ["text", "image"], by_path
    assert "Question: which colour?" in by_path["parts"][0]["text"] and by_path["parts"][1]["ref"] == "red.png", by_path
    assert "ref" not in by_bytes["parts"][1] and by_bytes["parts"][1]["view"].startswith("view:"), by_bytes
    assert len(by_bytes["arguments"]["file_base64"]) < 100, by_bytes  # the bytes are stored as bytes
    status, again = home.call("view", {"path": by_bytes["parts"][1]["view"]}, *IN_SESSION)
    assert status == 0 and again["source"]["sha256"] == by_bytes["result"]["source"]["sha256"], again
    assert not HOST.requests()


def a_view_of_the_record_can_be_asked_about():
    home = Home(HOST, words="wa/ok")
    _, seen = home.call("view", {"path": "red.png", "region": [0, 0, 32, 32]}, *IN_SESSION)
    assert home.call("vision_analyze", ask(file_path=seen["id"]))[0] == 1  # without the session nobody knows it
    answer(home, options=IN_SESSION, file_path=seen["id"])
    assert len(HOST.requests()) == 1


def a_picture_of_a_hosts_tool_can_be_asked_about():
    home = Home(HOST, words="wa/ok")
    with open("red.png", "rb") as file:
        part = {"type": "image", "data": base64.b64encode(file.read()).decode()}
    entry = {"kind": "tool_result", "name": "computer", "arguments": {"action": "screenshot"}, "parts": [part]}
    status, _, err = home.run("session", "append", "s", stdin=json.dumps(entry).encode())
    assert status == 0, err
    view = entries(home)[0]["parts"][0]["view"]
    assert home.call("vision_analyze", ask(file_path=view))[0] == 1  # without the session nobody knows it
    answer(home, options=IN_SESSION, file_path=view)
    assert len(HOST.requests()) == 1


def a_server_records_under_its_name_and_another_one_knows_the_views():
    home = Home(HOST, words="wa/ok")
    with home.server(*IN_SESSION) as server:
        seen = server.ask(call(1, "view", {"path": "red.png"}), 1)["result"]
        server.ask(call(2, "read", {"path": "words.txt"}), 2)
    got = entries(home)
    assert kinds(got) == ["perception", "tool_result"], got
    assert got[0]["parts"][0]["text"] == seen["content"][0]["text"], (got[0], seen["content"][0])
    with home.server(*IN_SESSION) as server:
        again = server.ask(call(1, "view", {"path": got[0]["result"]["id"], "space": "view", "region": [0, 0, 20, 20]}), 1)
    assert not again["result"].get("isError") and "region 20x20" in again["result"]["content"][0]["text"], again
    with home.server() as server:
        never = server.ask(call(1, "view", {"path": got[0]["result"]["id"]}), 1)
    assert never["result"]["isError"] is True, never


def no_key_is_in_the_record():
    home = Home(HOST, words="wa/ok wa/echo-key")
    answer(home, options=IN_SESSION)
    home.call("vision_analyze", ask(model="wa/echo-key"), *IN_SESSION)
    assert KEY not in json.dumps(entries(home))
    HOST.requests()


make_files()
with Host() as HOST:
    for one in (an_answer_and_what_it_cost_are_recorded, a_known_answer_has_cost_nothing, a_failure_that_cost_something_says_so,
                wrong_arguments_are_recorded_and_cost_nothing, inspect_image_stands_in_its_fence,
                ask_records_too_and_answers_the_call_that_it_names, pixels_of_the_native_path_are_a_perception,
                a_view_of_the_record_can_be_asked_about, a_picture_of_a_hosts_tool_can_be_asked_about,
                a_server_records_under_its_name_and_another_one_knows_the_views,
                no_key_is_in_the_record):
        if wanted({"name": one.__name__}):
            test(one)
            HOST.requests()
finish()
