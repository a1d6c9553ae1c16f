# SPDX-License-Identifier: Apache-2.0
"""The exact request that reaches each wire, by requests.tsv and through both doors: the picture first, the question word for
word, the key in its header alone, and nothing that nobody asked for."""
import base64
import json
import os
import re

from asking import KEY, Home, Host, call, finish, make_files, result_of, table, test, wanted

SAMPLING = ("temperature", "top_p", "top_k", "topP", "topK", "frequency_penalty", "presence_penalty", "seed")


def system_of(body):
    """Takes the prompt before the question out, and leaves its name."""
    if "system" in body:
        text, body["system"] = body["system"], "$SYSTEM"
    elif "instructions" in body:
        text, body["instructions"] = body["instructions"], "$SYSTEM"
    elif "systemInstruction" in body:
        part = body["systemInstruction"]["parts"][0]
        text, part["text"] = part["text"], "$SYSTEM"
    else:
        assert body["messages"][0]["role"] == "system", "no system prompt"
        text, body["messages"][0]["content"] = body["messages"][0]["content"], "$SYSTEM"
    return text


def matches(want, got, found, at=""):
    """The same JSON, but for what $TYPE and $DATA stand for, which is found."""
    if isinstance(want, dict):
        assert isinstance(got, dict) and want.keys() == got.keys(), f"{at}: keys {sorted(got)}, want {sorted(want)}"
        for name in want:
            matches(want[name], got[name], found, f"{at}.{name}")
    elif isinstance(want, list):
        assert isinstance(got, list) and len(want) == len(got), f"{at}: {str(got)[:200]}, want {len(want)}"
        for index, pair in enumerate(zip(want, got)):
            matches(*pair, found, f"{at}.{index}")
    elif isinstance(want, str) and re.search(r"\$(TYPE|DATA)", want):
        pattern = re.escape(want)
        for name in ("TYPE", "DATA"):
            pattern = pattern.replace(re.escape("$" + name), f"(?P<{name}>[^;]+)")
        same = re.fullmatch(pattern, got)
        assert same, f"{at}: {got[:100]}, want {want}"
        found.update(same.groupdict())
    else:
        assert want == got and type(want) is type(got), f"{at}: {str(got)[:200]!r}, want {want!r}"


def check_request(row, request):
    want = json.loads(row["body"])
    arguments = json.loads(row["arguments"])
    found, body = {}, request["json"]
    system = system_of(body)
    assert len(system) > 40, system
    assert not [name for name in SAMPLING if f'"{name}"' in request["body"]], request["body"][:500]
    matches(want, body, found)
    assert request["path"] == row["path"], request["path"]
    name, value = row["key"].replace("$KEY", KEY).split(": ", 1)
    assert request["headers"].pop(name) == value, request["headers"]
    assert KEY not in json.dumps(request["headers"]) and KEY not in request["path"] + request["body"]
    assert re.match(r"fovea/\d", request["headers"]["user-agent"]), request["headers"]
    assert not {"cookie", "referer", "x-forwarded-for"} & set(request["headers"])
    assert os.getcwd() not in request["body"], "a path of the machine goes out"
    if "file_path" in arguments:
        check_bytes(arguments["file_path"], found)


def check_bytes(path, found):
    """What was sent is what its type says, and of a document or video every byte."""
    data = base64.b64decode(found["DATA"], validate=True)
    with open(path, "rb") as file:
        bytes_ = file.read()
    heads = {"image/png": b"\x89PNG", "image/jpeg": b"\xff\xd8", "image/gif": b"GIF8", "image/webp": b"RIFF",
             "application/pdf": b"%PDF-", "video/mp4": bytes_[:12]}
    assert data.startswith(heads[found["TYPE"]]), found["TYPE"]
    assert found["TYPE"].startswith("image/") or data == bytes_, "the file was changed on its way"


def both_doors(row, number, homes, server):
    arguments = json.loads(row["arguments"])
    status, envelope = homes[0].call(row["tool"], arguments)
    assert status == 0, envelope
    sent, = HOST.requests()
    check_request(row, sent)
    again, _ = result_of(server.ask(call(number, row["tool"], arguments), number))
    sent, = HOST.requests()
    check_request(row, sent)
    assert again == envelope, (envelope, again)


make_files()
ROWS = [row for row in table("requests.tsv") if wanted(row)]
NAMED = " ".join(row["arguments"] for row in ROWS)
with Host() as HOST:
    HOMES = [Home(HOST, words=NAMED) for _ in range(2)]
    with HOMES[1].server() as SERVER:
        for at, one in enumerate(ROWS):
            def request(row=one, number=at):
                both_doors(row, number, HOMES, SERVER)
            request.__name__ = "request_" + one["name"]
            test(request)
            HOST.requests()
finish()
