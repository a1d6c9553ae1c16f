# SPDX-License-Identifier: Apache-2.0
"""Metadata: files that are full of it are shown in every way that a picture leaves: as it is, made smaller, as a region, on a
sheet, to a provider, from the record. exiftool may find structural tags in it and no other, and the canary that was in every text
of the file may be in no byte that leaves, nor in the words beside it."""
import base64
import json
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.environ["TOP"], "tests", "ask"))
from asking import Home, Host, call, finish, test  # noqa: E402
import laden  # noqa: E402

QUICK = os.environ.get("LAB_QUICK") == "1"
COUNT = int(os.environ.get("LAB_FILES", "2" if QUICK else "1000"))
SHARE = 1 if QUICK else max(1, COUNT // 25)  # of each format: what costs more
AT_ONCE = 12
WIRES = ("wa", "wr", "wc", "wg")
UNASKED = ("svg", "svgz", "md", "txt")  # what the tools that ask do not take
WORD = b"CANARY"
# In base64 it depends on what is before it, in threes; a letter that its neighbours have a part in is left out.
SPELLINGS = (WORD, WORD.lower(), WORD.decode().encode("utf-16-le"), WORD.decode().encode("utf-16-be"),
             base64.b64encode(WORD), base64.b64encode(b"x" + WORD)[2:9], base64.b64encode(b"xx" + WORD)[3:10])
PICTURES = (b"\x89PNG", b"\xff\xd8", b"GIF8", b"RIFF")
LONG = 200  # bytes: names and sums are shorter, a picture is not
BLOB = re.compile(r"[A-Za-z0-9+/_-]{16,}")
shown = {}


def clean(what, data):
    for spelling in SPELLINGS:
        at = data.find(spelling)
        assert at < 0, f"{what} has the canary: {data[max(0, at - 60):at + 60]!r}"


def keep(way, path, data):
    """Puts it where exiftool will look, under the suffix of its own bytes."""
    clean(f"{way} of {path}", data)
    kind = "png" if data[:4] == b"\x89PNG" else "jpg" if data[:2] == b"\xff\xd8" else "gif" if data[:3] == b"GIF" else "webp"
    with open(f"out/{way}-{os.path.basename(path)}.{kind}", "wb") as file:
        file.write(data)
    shown[way] = shown.get(way, 0) + 1


def answers(server, asked):
    """Sends [(key, tool, arguments)], some at once, and gives (key, result) as they come."""
    asked, waiting = list(asked), {}
    while asked or waiting:
        while asked and len(waiting) < AT_ONCE:
            number = len(asked)
            key, tool, arguments = asked.pop()
            waiting[number] = key
            server.send(call(number, tool, arguments))
        message = server.next(120)
        if message.get("id") in waiting and "method" not in message:
            yield waiting.pop(message["id"]), message["result"]


def stripped(path, data):
    """Whether it ends in the coded pixels of the file itself: only what is around them was taken out."""
    with open(path, "rb") as file:
        return data[-40:-16] in file.read()


def take(key, result):
    way, path = key
    assert not result.get("isError"), f"{way} of {path}: {result}"
    pictures = 0
    for block in result["content"]:
        if block["type"] == "image":
            data = base64.b64decode(block["data"])
            keep(way, path, data)
            pictures += 1
            if way == "asis" and stripped(path, data):
                shown["stripped"] = shown.get("stripped", 0) + 1
        else:
            clean(f"the words of {way} of {path}", block["text"].encode())
    clean(f"what else is said of {path}", json.dumps(result.get("structuredContent", "")).encode())
    assert pictures == 1, f"{way} of {path}: {pictures} pictures"


def views():
    """As it is, and smaller; what is never shown as it is stored is made smaller for a share."""
    for number, (kind, path, _) in enumerate(FILES):
        yield ("asis", path), "view", {"path": path}
        if kind in laden.TRAILED or number % 5 == 0:
            yield ("small", path), "view", {"path": path, "max_edge": 30 + len(path) % 3}


def other_views():
    for kind in laden.FORMATS:
        for _, path, _ in [row for row in FILES if row[0] == kind][:SHARE]:
            frame = {"frame": 1} if kind in laden.FILMED else {}
            yield ("region", path), "view", {"path": path, "region": [2, 2, 20, 20], **frame}
            if kind == "pdf":
                yield ("sheet", path), "view", {"path": path, "page": "1-2"}
            if frame:
                yield ("frame", path), "view", {"path": path, **frame}
    for _, path, _ in [row for row in FILES if row[0] == "gif"][:SHARE * 3]:
        with open(path, "rb") as file:
            if file.read().count(b"\x21\xf9\x04") > 2:
                yield ("sheet", path), "view", {"path": path, "sheet": True}


def the_files_are_laden():
    for kind, path, words in FILES:
        with open(path, "rb") as file:
            data = file.read()
        assert any(words.encode(code) in data for code in ("ascii", "utf-16-le", "utf-16-be")), f"{path} has no canary: exiftool wrote nothing"


def what_view_shows_has_no_metadata():
    with Home(HOST).server() as server:
        for key, result in answers(server, [*views(), *other_views()]):
            take(key, result)
        server.close(30)
    trailed = sum(kind in laden.TRAILED for kind, _, _ in FILES)
    assert shown.get("stripped", 0) >= trailed // 5 + bool(trailed), shown


def strings_of(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from strings_of(inner)


def pictures_in(what, value):
    """The pictures in it. No text has the canary, nor has anything in it that can be read as base64; what is long is a picture."""
    for text in strings_of(value):
        clean(what, text.encode())
        for blob in BLOB.findall(text):
            blob = blob[:-1] if len(blob) % 4 == 1 else blob
            data = base64.b64decode(blob + "=" * (-len(blob) % 4), altchars=b"-_" if "-" in blob or "_" in blob else None)
            clean(f"what is in base64 in {what}", data)
            if data.startswith(PICTURES):
                yield data
            else:
                assert len(data) < LONG, f"{what} has {len(data)} bytes in base64 that are no picture: {data[:60]!r}"


def what_a_provider_gets_has_no_metadata():
    words = " ".join(f"{wire}/ok+nopdf" for wire in WIRES)
    home = Home(HOST, "modelRoles.vision: wa/ok+nopdf", words)
    asked = []
    for kind in [kind for kind in laden.FORMATS if kind not in UNASKED]:
        for number, (_, path, _) in enumerate([row for row in FILES if row[0] == kind][:SHARE]):
            tool = "video_analyze" if kind in laden.FILMED else "vision_analyze"
            model = f"{WIRES[number % 4]}/ok+nopdf"
            asked.append((path, tool, {"file_path": path, "prompt": f"what {path}", "model": model}))
            if kind in laden.TRAILED:
                asked.append((path, "inspect_image", {"path": path, "question": "what"}))
    HOST.requests()
    with home.server("--session", "asked") as server:
        for path, result in answers(server, asked):
            assert not result.get("isError"), (path, result)
        server.close(30)
    sent = HOST.requests()
    assert len(sent) == len(asked), (len(sent), len(asked))
    for number, request in enumerate(sent):
        clean("a request", request["body"].encode())
        pictures = list(pictures_in("a request", request["json"]))
        assert pictures, request["body"][:300]
        for page, data in enumerate(pictures):
            keep("asked", f"{number}-{page}", data)
    nothing_is_kept(home)


def nothing_is_kept(home):
    for folder, _, names in os.walk(home.folder):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                clean(name, file.read())


def what_is_recorded_and_lowered_has_no_metadata():
    home = Home(HOST)
    rows = [row for kind in laden.FORMATS for row in [row for row in FILES if row[0] == kind][:SHARE]]
    with home.server("--session", "kept") as server:
        for key, result in answers(server, [(("recorded", path), "view", {"path": path}) for _, path, _ in rows]):
            take(key, result)
        server.close(30)
    for model in ("anthropic/claude-opus-4-7", "openai/gpt-5", "google/gemini-3.1-pro-preview")[:1 if QUICK else 3]:
        status, out, err = home.run("lower", "kept", "--model", model, "--retain", "all")
        assert status == 0, err
        clean("a lowering", out.encode())
        pictures = list(pictures_in("a lowering", json.loads(out)))
        assert len(pictures) >= min(len(rows), 15), (model, len(pictures), len(rows))
        for number, data in enumerate(pictures):
            keep("lowered", f"{model.split('/')[0]}-{number}", data)
    status, out, err = home.run("session", "show", "kept", "--json")
    assert status == 0, err
    clean("the entries of the record", out.encode())


def tags_of_everything():
    """[{SourceFile, tag: value}] of all that left, by two processes."""
    names = sorted(os.listdir("out"))
    parts = []
    for half in (names[::2], names[1::2]):
        listed = f"names-{len(parts)}"
        with open(listed, "w", encoding="utf-8") as file:
            file.write("".join(f"out/{name}\n" for name in half))
        parts.append(subprocess.Popen(["exiftool", "-j", "-G", "-a", "-u", "-q", "--System:all", "--ExifToolVersion", "-@", listed],
                                      stdout=open(listed + ".json", "wb"), stderr=subprocess.DEVNULL))
    rows = []
    for number, part in enumerate(parts):
        part.wait()
        with open(f"names-{number}.json", encoding="utf-8") as file:
            text = file.read()
            rows += json.loads(text) if text.strip() else []
    return rows


def exiftool_finds_only_structural_tags():
    with open(os.path.join(os.environ["TOP"], "tests", "lab", "structural_tags.txt"), encoding="utf-8") as file:
        allowed = {line.strip() for line in file if line.strip() and not line.startswith("#")} | {"SourceFile"}
    rows, strange, seen = tags_of_everything(), {}, set()
    for row in rows:
        for tag in set(row) - allowed:
            strange.setdefault(tag, (row["SourceFile"], row[tag]))
        seen |= set(row)
    assert len(rows) == len(os.listdir("out")), (len(rows), len(os.listdir("out")))
    assert not strange, strange
    print(f"figure pictures_that_left {len(rows)} files", *(f"{way}:{n}" for way, n in sorted(shown.items())))
    print(f"figure tags_found_in_them {len(seen) - 1} of {len(allowed) - 1} structural ones, no other")


if not shutil.which("exiftool"):
    print("skip metadata: exiftool is not installed (libimage-exiftool-perl)")
    raise SystemExit(0)
os.makedirs("out")
FILES = laden.make("laden", COUNT)
print(f"figure laden_files {len(FILES)} files of {len(laden.FORMATS)} formats", flush=True)
with Host() as HOST:
    for one in (the_files_are_laden, what_view_shows_has_no_metadata, what_a_provider_gets_has_no_metadata,
                what_is_recorded_and_lowered_has_no_metadata, exiftool_finds_only_structural_tags):
        test(one)
finish()
