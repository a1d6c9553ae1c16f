# SPDX-License-Identifier: Apache-2.0
"""The native fast path, by native.tsv: a host whose own model sees gets the pixels and nobody is asked; anyone else, and any
question that pixels cannot answer (a format, another model, a PDF), takes the text path."""
import base64
import json

from asking import Home, Host, call, finish, make_files, result_of, table, test, wanted


def check_pixels(result, prompt):
    """Text first, then one picture whose bytes are what its type says."""
    assert not result.get("isError") and [block["type"] for block in result["content"]] == ["text", "image"], str(result)[:500]
    text, image = result["content"]
    heads = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8", "image/webp": b"RIFF", "image/gif": b"GIF8"}
    assert base64.b64decode(image["data"], validate=True).startswith(heads[image["mimeType"]])
    assert prompt in text["text"], text
    assert "image" in text["text"].lower(), text


def through_mcp(row, number):
    home = Home(HOST, row["config"], row["arguments"])
    options = ("--main", row["main"]) if row["main"] != "-" else ()
    meta = {"_meta": {"fovea/main": row["meta"]}} if row["meta"] != "-" else {}
    arguments = json.loads(row["arguments"])
    with home.server(*options) as server:
        reply = server.ask(call(number, "vision_analyze", arguments, **meta), number)
    asked = len(HOST.requests())
    if row["path"] == "native":
        check_pixels(reply["result"], arguments["prompt"])
        assert asked == 0, f"{asked} requests"
    else:
        envelope, result = result_of(reply)
        assert envelope["ok"] is True and envelope["kind"] == "answer" and asked == 1, (str(result)[:500], asked)


def call_gives_a_perception_that_says_native():
    home = Home(HOST, "vision.mode: native", "wa/ok")
    status, got = home.call("vision_analyze", {"file_path": "red.png", "prompt": "what is it"})
    assert status == 0 and got["kind"] == "perception" and got["native"] is True and got["width"] == 64, got
    assert not HOST.requests()


def a_refusal_on_the_fast_path_is_an_error_of_vision_analyze():
    home = Home(HOST, words="wa/ok")
    with home.server("--main", "anthropic/claude-opus-4-7") as server:
        for number, (path, prefix) in enumerate((("absent.png", "FILE_NOT_FOUND"), ("../outside.png", "FILE_NOT_FOUND"),
                                                 ("words.txt", "UNSUPPORTED_FILE_TYPE"), ("short.png", "FILE_MALFORMED"),
                                                 ("big.png", "FILE_TOO_LARGE"))):
            reply = server.ask(call(number, "vision_analyze", {"file_path": path, "prompt": "what"}), number)
            envelope, result = result_of(reply)
            assert result["isError"] is True and envelope["error"].startswith(prefix + ": "), (path, result)
    assert not HOST.requests()


def main_of_one_call_does_not_stay():
    home = Home(HOST, "modelRoles.vision: wa/ok")
    with home.server() as server:
        first = server.ask(call(1, "vision_analyze", {"file_path": "red.png", "prompt": "what"},
                                _meta={"fovea/main": "anthropic/claude-opus-4-7"}), 1)
        second = server.ask(call(2, "vision_analyze", {"file_path": "red.png", "prompt": "what"}), 2)
    check_pixels(first["result"], "what")
    assert result_of(second)[0]["kind"] == "answer", second
    assert len(HOST.requests()) == 1


make_files()
with Host() as HOST:
    for at, one in enumerate(row for row in table("native.tsv") if wanted(row)):
        def path_of(row=one, number=at):
            through_mcp(row, number)
        path_of.__name__ = "native_path_" + one["name"]
        test(path_of)
        HOST.requests()
    for function in (call_gives_a_perception_that_says_native, a_refusal_on_the_fast_path_is_an_error_of_vision_analyze,
                     main_of_one_call_does_not_stay):
        if wanted({"name": function.__name__}):
            test(function)
            HOST.requests()
finish()
