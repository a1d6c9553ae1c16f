# SPDX-License-Identifier: Apache-2.0
"""What asking gives, by answers.tsv and through both doors: the envelope with its text, tokens and cost; what is cut, where
pictures may come from, and how keys and trust are found."""
import base64
import json
import os
import re

from asking import (COST, KEY, RED, Home, Host, answer, ask, call, finish, like, make_files, png, result_of, table,
                    test, wanted)


def check_envelope(row, got):
    """The envelope has what the row names and nothing that no contract names."""
    known = {"ok", "kind", "text", "parsed", "model", "cost_usd", "input_tokens", "output_tokens", "provider", "cached",
             "output_is_untrusted", "note", "path"}
    want = json.loads(row["envelope"])
    assert set(got) <= known, set(got) - known
    assert got["output_is_untrusted"] is True and got["cached"] is False, got
    for name, value in want.items():
        if name == "cost_usd" and value is not None:
            assert abs(got[name] - value) < 1e-12, (name, got[name], value)
        elif name == "note":
            assert like(value, got.get("note") or ""), got
        else:
            assert got.get(name, "absent") == value, f"{name} is {str(got.get(name, 'absent'))[:300]}, want {value}"
    assert ("parsed" in got) == ("parsed" in want), got
    return got


def both_doors(row, number, homes, server):
    arguments = json.loads(row["arguments"])
    status, envelope = homes[0].call(row["tool"], arguments)
    assert status == 0, envelope
    check_envelope(row, envelope)
    assert len(HOST.requests()) == int(row["requests"])
    envelope, result = result_of(server.ask(call(number, row["tool"], arguments), number))
    assert not result.get("isError"), result
    check_envelope(row, envelope)
    assert len(HOST.requests()) == int(row["requests"])


def inspect_image_gives_trimmed_text_with_model_path_and_type():
    home = Home(HOST, "modelRoles.vision: wa/spaced")
    status, got = home.call("inspect_image", {"path": "red.png", "question": "Wie viel? “x”\n"})
    details = got["details"]
    assert status == 0 and got["content"] == [{"type": "text", "text": RED}], got
    assert details["model"] == "wa/spaced" and details["imagePath"] == os.path.abspath("red.png"), got
    request, = HOST.requests()
    content = request["json"]["messages"][0]["content"]
    assert [block["type"] for block in content] == ["image", "text"] and content[1]["text"] == "Wie viel? “x”\n", content
    assert details["mimeType"] == content[0]["source"]["media_type"], details
    prompt = request["json"]["system"].lower()
    assert all(word in prompt for word in ("evidence", "uncertain", "exact")), prompt


def inspect_image_over_mcp_is_fenced_as_untrusted():
    home = Home(HOST, "modelRoles.vision: wa/ok")
    with home.server() as server:
        reply = server.ask(call(1, "inspect_image", {"path": "red.png", "question": "what"}), 1)
    text = reply["result"]["content"][0]["text"]
    assert RED in text and not reply["result"].get("isError") and "untrusted" in text.lower(), reply
    assert len(reply["result"]["content"]) == 1, reply


def text_is_cut_at_8000_characters_and_says_how_many_there_were():
    home = Home(HOST, words="wa/long-8000 wa/long-8001 wa/long-20000 wg/long-30000+video wg/long-30001+video")
    letters = "aé€𝄞" * 8000
    assert answer(home, model="wa/long-8000")["text"] == letters[:8000]
    for count in (8001, 20000):
        got = answer(home, model=f"wa/long-{count}")
        assert got["text"] == letters[:8000] + f"\n[truncated — {count} chars total]", (len(got["text"]), got["text"][-60:])
        assert abs(got["cost_usd"] - COST) < 1e-12, got["cost_usd"]
    for count in (30000, 30001):
        got = answer(home, "video_analyze", file_path="movie.mp4", model=f"wg/long-{count}+video")["text"]
        assert got == letters[:30000] + ("" if count == 30000 else "\n[truncated — 30001 chars total]"), (count, len(got))
    HOST.requests()


def a_region_is_cut_from_the_source():
    home = Home(HOST, words="wa/ok")
    answer(home, file_path="wide.png")
    answer(home, file_path="wide.png", region=[0, 0, 50, 40])
    sizes = []
    for request in HOST.requests():
        data = base64.b64decode(request["json"]["messages"][0]["content"][0]["source"]["data"])
        sizes.append((int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")) if data[1:4] == b"PNG" else data[:4])
    assert sizes == [(200, 100), (50, 40)], sizes


def base64_and_data_urls_are_sources_and_their_declared_type_is_not_believed():
    home = Home(HOST, words="wa/ok")
    with open("red.png", "rb") as file:
        text = base64.b64encode(file.read()).decode()
    for before in ("", "data:image/png;base64,", "data:image/jpeg;base64,"):
        answer(home, options=(), file_path=None, file_base64=before + text, prompt="what is " + before)
        request, = HOST.requests()
        assert request["json"]["messages"][0]["content"][0]["source"]["media_type"] != "image/jpeg", before


def an_earlier_view_can_be_asked_about():
    home = Home(HOST, words="wa/ok")
    with home.server() as server:
        shown = server.ask(call(1, "view", {"path": "red.png"}), 1)
        id_ = re.search(r"view:[0-9a-f]{12}", json.dumps(shown)).group()
        envelope, _ = result_of(server.ask(call(2, "vision_analyze", ask(file_path=id_)), 2))
    assert envelope["ok"] is True, envelope
    assert len(HOST.requests()) == 1


def a_picture_over_5_mb_is_made_smaller_where_that_is_allowed():
    home = Home(HOST, words="wa/ok")
    answer(home, file_path="noise.png")
    request, = HOST.requests()
    assert len(request["body"]) < 2_000_000, len(request["body"])


def a_429_that_passes_is_asked_again():
    home = Home(HOST, words="wa/error-429-then-ok")
    assert answer(home, model="wa/error-429-then-ok")["text"] == RED
    assert len(HOST.requests()) == 2


def tls_is_trusted_by_the_config_alone():
    home = Home(HOST, f'network.caFile: "{HOST.ca}"', "ta/ok")
    assert answer(home, model="ta/ok")["text"] == RED
    assert [request["door"] for request in HOST.requests()] == ["tls"]


def the_key_in_a_file_of_0600_serves_too():
    home = Home(HOST, words="wa/ok", key=f'apiKey: "{KEY}"')
    answer(home)
    request, = HOST.requests()
    assert request["headers"]["x-api-key"] == KEY
    os.chmod(home.config, 0o644)
    status, got = home.call("vision_analyze", ask())
    assert status == 3 and got["kind"] == "fault" and "chmod 600" in got["error"], (status, got)


def asking_works_without_a_key_by_ocr_and_says_so():
    home = Home(HOST, bare=True)
    got = answer(home, file_path="red.png", model=None, prompt="what is written")
    assert got["provider"] == "local" and got["model"] == "ocr" and got["cost_usd"] == 0, got
    assert "local/ocr" in got["note"] and "only" in got["note"], got
    assert not HOST.requests()


def the_answer_comes_in_words_on_the_command_line():
    home = Home(HOST, "modelRoles.vision: wa/ok", "wg/ok+video wa/error-401")
    status, out, err = home.run("ask", "red.png", "what is it")
    assert status == 0 and out.strip() == RED, (out, err)
    status, out, err = home.run("ask", "red.png", "what is it", "--model", "wa/error-401")
    assert status == 1 and out == "" and "invalid key" in err, (out, err)
    status, out, err = home.run("video", "movie.mp4", "--model", "wg/ok+video")
    assert status == 0 and out.strip() == RED, (out, err)
    HOST.requests()


def progress_is_told_while_the_model_works():
    """The answer is held until another question comes, and that is asked once progress was seen."""
    home = Home(HOST, words="wa/hold-2")
    with home.server() as server:
        server.send(call(1, "vision_analyze", ask(model="wa/hold-2", prompt="one"), _meta={"progressToken": "p"}))
        message = server.next(10)
        assert message["method"] == "notifications/progress" and message["params"]["progressToken"] == "p", message
        server.send(call(2, "vision_analyze", ask(model="wa/hold-2", prompt="two")))
        answered = set()
        while answered != {1, 2}:
            message = server.next(10)
            answered |= {message["id"]} if "id" in message else set()
    HOST.requests()


make_files()
png("wide.png", 200, 100, lambda y: b"".join(bytes((x, y, 90)) for x in range(200)))
with Host() as HOST:
    ROWS = [row for row in table("answers.tsv") if wanted(row)]
    HOMES = [Home(HOST, words=" ".join(row["arguments"] for row in ROWS)) for _ in range(2)]
    with HOMES[1].server() as SERVER:
        for at, one in enumerate(ROWS):
            def answer_row(row=one, number=at):
                both_doors(row, number, HOMES, SERVER)
            answer_row.__name__ = "answer_" + one["name"]
            test(answer_row)
            HOST.requests()
    for function in (inspect_image_gives_trimmed_text_with_model_path_and_type,
                     inspect_image_over_mcp_is_fenced_as_untrusted,
                     text_is_cut_at_8000_characters_and_says_how_many_there_were, a_region_is_cut_from_the_source,
                     base64_and_data_urls_are_sources_and_their_declared_type_is_not_believed,
                     an_earlier_view_can_be_asked_about, a_picture_over_5_mb_is_made_smaller_where_that_is_allowed,
                     a_429_that_passes_is_asked_again, tls_is_trusted_by_the_config_alone,
                     the_key_in_a_file_of_0600_serves_too, asking_works_without_a_key_by_ocr_and_says_so,
                     the_answer_comes_in_words_on_the_command_line, progress_is_told_while_the_model_works):
        if wanted({"name": function.__name__}):
            test(function)
            HOST.requests()
finish()
