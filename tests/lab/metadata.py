# SPDX-License-Identifier: Apache-2.0
"""Metadata: files that are full of it are shown in every way that a picture leaves (metadata_ways.py): through the server and
from the command line, to a provider, from the record. exiftool may find structural tags in it and no other, and the canary that
was in every text of the file may be in no byte that leaves, nor in the words beside it, nor in what is written on stderr."""
import base64
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.environ["TOP"], "tests", "ask"))
from asking import FOVEA, Home, Host, call, finish, png, test, write  # noqa: E402
import laden  # noqa: E402
import metadata_ways as ways  # noqa: E402
from soak_calls import SIZES  # noqa: E402

QUICK = os.environ.get("LAB_QUICK") == "1"
COUNT = int(os.environ.get("LAB_FILES", "2" if QUICK else "1000"))
SHARE = 1 if QUICK else max(1, COUNT // 25)  # of each format: what costs more
AT_ONCE = 12
WIRES = ("wa", "wr", "wc", "wg")
WORD = b"CANARY"
# In base64 it depends on what is before it, in threes; a letter that its neighbours have a part in is left out.
SPELLINGS = (WORD, WORD.lower(), WORD.decode().encode("utf-16-le"), WORD.decode().encode("utf-16-be"),
             base64.b64encode(WORD), base64.b64encode(b"x" + WORD)[2:9], base64.b64encode(b"xx" + WORD)[3:10])
PICTURES = (b"\x89PNG", b"\xff\xd8", b"GIF8", b"RIFF")
LONG = 200  # bytes: names and sums are shorter, a picture is not
BLOB = re.compile(r"[A-Za-z0-9+/_-]{16,}")
TOLD = re.compile(r"\[1 image follows: (\S+), (\d+)x(\d+)")
shown, of_format, noticed, different = {}, {}, {}, set()


def clean(what, data):
    for spelling in SPELLINGS:
        at = data.find(spelling)
        assert at < 0, f"{what} has the canary: {data[max(0, at - 60):at + 60]!r}"


def more(counts, key, by=1):
    counts[key] = counts.get(key, 0) + by


def keep(way, path, data):
    """Puts it where exiftool will look, under the suffix of its own bytes; the same bytes once."""
    clean(f"{way} of {path}", data)
    more(shown, way)
    more(of_format, (way, path.rpartition(".")[2]))
    key = hashlib.sha256(data).digest()
    if key in different:
        return
    different.add(key)
    kind = "png" if data[:4] == b"\x89PNG" else "jpg" if data[:2] == b"\xff\xd8" else "gif" if data[:3] == b"GIF" else "webp"
    with open(f"out/{way}-{os.path.basename(path)}.{kind}", "wb") as file:
        file.write(data)


def end_of(server):
    server.close(30)
    with open("server.err", "rb") as file:
        said = file.read()
    clean("what the server said on stderr", said)
    more(noticed, "servers_ended")
    more(noticed, "bytes_on_stderr", len(said))


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
    pictures, words = 0, ""
    for block in result["content"]:
        if block["type"] == "image":
            data = base64.b64decode(block["data"])
            keep(way, path, data)
            pictures += 1
            if way in ("asis", "unfitted") and stripped(path, data):
                more(noticed, "stripped_" + way)
        else:
            words += block["text"]
    clean(f"the words of {way} of {path}", words.encode())
    clean(f"what else is said of {path}", json.dumps(result.get("structuredContent", "")).encode())
    if way == "cut":
        more(noticed, "refused", bool(result.get("isError")))
        return
    assert not result.get("isError") and pictures == 1, f"{way} of {path}: {pictures} pictures, {words[:500]}"
    told = TOLD.search(words)
    assert way != "enlarged" or min(int(told[2]), int(told[3])) >= ways.LEAST_EDGE, f"{path} was not enlarged: {words}"


def cut_files():
    """The first part of some: what is refused, and what is said of it."""
    os.makedirs("cut", exist_ok=True)
    for kind in ways.SEEN:
        for _, path, _ in [row for row in FILES if row[0] == kind][:SHARE]:
            with open(path, "rb") as file:
                data = file.read()
            write(f"cut/{os.path.basename(path)}", data[:len(data) * 3 // 5])
            yield ("cut", f"cut/{os.path.basename(path)}"), "view", {"path": f"cut/{os.path.basename(path)}"}


def the_files_are_laden():
    for kind, path, words in FILES:
        with open(path, "rb") as file:
            data = file.read()
        assert any(words.encode(code) in data for code in ("ascii", "utf-16-le", "utf-16-be")), f"{path} has no canary: exiftool wrote nothing"


def what_the_server_shows_has_no_metadata():
    planned = ways.plan(FILES)
    for name, (settings, options) in ways.SERVERS.items():
        asked = [row for way, row in planned if ways.SERVER_OF.get(way, "plain") == name]
        with Home(HOST, settings, bare=True).server(*options) as server:
            for key, result in answers(server, asked + (list(cut_files()) if name == "plain" else [])):
                take(key, result)
            end_of(server)
    trailed = sum(kind in laden.TRAILED for kind, _, _ in FILES)
    assert noticed.get("stripped_asis", 0) >= trailed // 5 + bool(trailed), noticed
    assert noticed.get("stripped_unfitted", 0) >= trailed // 20, noticed
    assert not set(laden.FORMATS) & set(ways.SEEN) or noticed["refused"], "nothing was refused"


# ---------------------------------------------------------------- the command line

def command(home, *words):
    done = subprocess.run([FOVEA, *words, "--root", os.getcwd()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=home.env, timeout=120, check=False)
    assert done.returncode == 0, (words, done.stderr)
    clean(f"stderr of {words}", done.stderr)
    return done.stdout


def shown_by_command(home, way, path):
    """The picture, and the words beside it."""
    if way == "output":
        words = command(home, "view", path, "-o", f"{path}.output")
        with open(f"{path}.output", "rb") as file:
            return file.read(), words
    if way == "stdout":
        return command(home, "view", path, "-o", "-"), b""
    line = command(home, "view", path, "--json", "--data") if way == "json" else command(home, "call", "view", json.dumps({"path": path}), "--data")
    said = json.loads(line)
    return base64.b64decode(said.pop("data"), validate=True), json.dumps(said).encode()


def what_the_command_line_shows_has_no_metadata():
    home = Home(HOST, "", bare=True)
    asked = [(ways.COMMANDS[number % len(ways.COMMANDS)], path) for kind in laden.FORMATS
             for number, (_, path, _) in enumerate([row for row in FILES if row[0] == kind][:max(SHARE, 2)], laden.FORMATS.index(kind))]
    with ThreadPoolExecutor(3) as threads:
        for (way, path), (data, words) in zip(asked, threads.map(lambda row: shown_by_command(home, *row), asked)):
            assert data.startswith(PICTURES), (way, path, data[:40])
            clean(f"the words of {way} of {path}", words)
            keep(way, path, data)


# ---------------------------------------------------------------- providers, and the record

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


def question(number, kind, path):
    """(path, tool, arguments): of a picture in three, the bytes instead of the name."""
    tool = "video_analyze" if kind in laden.FILMED else "vision_analyze"
    arguments = {"file_path": path, "prompt": f"what {path}", "model": f"{WIRES[number % 4]}/ok+nopdf"}
    if number % 3 == 1 and kind in laden.TRAILED:
        with open(path, "rb") as file:
            arguments["file_base64"] = base64.b64encode(file.read()).decode()
        del arguments["file_path"]
    return path, tool, arguments


def what_a_provider_gets_has_no_metadata():
    home = Home(HOST, "modelRoles.vision: wa/ok+nopdf", " ".join(f"{wire}/ok+nopdf" for wire in WIRES))
    asked = []
    for kind in [kind for kind in laden.FORMATS if kind not in ways.UNASKED]:
        for number, (_, path, _) in enumerate([row for row in FILES if row[0] == kind][:max(SHARE, 2)]):
            asked.append(question(number, kind, path))
            if kind in laden.TRAILED:
                asked.append((path, "inspect_image", {"path": path, "question": f"what {path}"}))
    HOST.requests()
    with home.server("--session", "asked") as server:
        for path, result in answers(server, asked):
            assert not result.get("isError"), (path, result)
        end_of(server)
    sent = HOST.requests()
    assert len(sent) == len(asked), (len(sent), len(asked))
    for number, request in enumerate(sent):
        clean("a request", request["body"].encode())
        pictures = list(pictures_in("a request", request["json"]))
        path = re.search(r"what laden/([a-z0-9-]+\.[a-z0-9]+)", request["body"])[1]
        assert len(pictures) == (2 if path.endswith(".pdf") else 1), request["body"][:300]
        for page, data in enumerate(pictures):
            keep("asked_pages" if len(pictures) > 1 else "asked", f"{number}-{page}-{path}", data)
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
        end_of(server)
    for model in ("anthropic/claude-opus-4-7", "openai/gpt-5", "google/gemini-3.1-pro-preview")[:1 if QUICK else 3]:
        status, out, err = home.run("lower", "kept", "--model", model, "--retain", "all")
        assert status == 0, err
        clean("a lowering", out.encode())
        pictures = list(pictures_in("a lowering", json.loads(out)))
        assert len(pictures) >= min(len(rows), 15), (model, len(pictures), len(rows))
        for number, data in enumerate(pictures):
            keep("lowered", f"{model.split('/')[0]}-{number}", data)
    for words in (("show", "kept"), ("show", "kept", "--json"), ("export", "kept"), ("list", "--json")):
        status, out, err = home.run("session", *words)
        assert status == 0 and out, err
        clean(f"session {words}", (out + err).encode())
    for wire in ("anthropic", "openai-chat", "openai-responses", "gemini"):
        status, out, err = home.run("session", "export", "kept", "--wire", wire)
        assert status == 0, err
        clean("an export", (out + err).encode())
        for number, data in enumerate(pictures_in("an export", json.loads(out))):
            keep("exported", f"{wire}-{number}", data)


WIDE = 2100  # beyond what a request of more than twenty pictures may have


def wide_files():
    """Some that a request has to have smaller, as laden as the others."""
    rng = random.Random(5)
    row = rng.randbytes(WIDE * 3)
    png("wide.png", WIDE, 70, lambda y: row[3 * y:] + row[:3 * y], 1)
    os.makedirs("wide", exist_ok=True)
    with open("wide.jpg", "wb") as file:
        file.write(command(Home(HOST, f"images.maxDimension: {WIDE}; images.maxBytes: 60000", bare=True), "view", "wide.png", "--no-webp", "-o", "-"))
    lines, paths = [], [f"wide/{kind}-{number}.{kind}" for number in range(12) for kind in ("png", "jpg")]
    for number, path in enumerate(paths):
        shutil.copyfile(f"wide.{path[-3:]}", path)
        lines += laden.orders(path[-3:], path, number, rng)
    laden.write_in("wide", lines, "orders-wide").wait()
    return paths


def smaller_versions_that_the_record_keeps_have_no_metadata():
    """Of views, and of pictures that a host itself put into the session: these go as they came only while they fit."""
    home = Home(HOST, f"images.maxDimension: {WIDE}; images.maxBytes: 4000000; images.autoResize: false", bare=True)
    paths = wide_files()
    with home.server("--session", "wide") as server:
        for key, result in answers(server, [(("wide", path), "view", {"path": path}) for path in paths]):
            take(key, result)
        end_of(server)
    for path in paths[:6]:
        with open(path, "rb") as file:
            data = base64.b64encode(file.read()).decode()
        assert any(base64.b64decode(data).find(spelling) >= 0 for spelling in SPELLINGS), f"{path} has no canary"
        entry = {"kind": "user", "parts": [{"type": "text", "text": "look"}, {"type": "image", "data": data}]}
        status, _, err = home.run("session", "append", "wide", stdin=json.dumps(entry).encode())
        assert status == 0, err
    for again in range(2):
        status, out, err = home.run("lower", "wide", "--model", "anthropic/claude-opus-4-7", "--retain", "all")
        assert status == 0, err
        clean("a lowering of wide pictures", (out + err).encode())
        pictures = list(pictures_in("a lowering of wide pictures", json.loads(out)))
        assert len(pictures) == len(paths) + 6, len(pictures)
        for number, data in enumerate(pictures):
            size = next(size for start, size in SIZES.values() if data.startswith(start))(data)
            assert max(size) <= 2000, f"{size} was not made smaller"
            keep("kept", f"{again}-{number}", data)


def every_way_was_taken():
    for way, least in ways.least(COUNT, SHARE).items():
        if isinstance(way, tuple):
            assert of_format.get(way, 0) >= least, f"{way} was taken {of_format.get(way, 0)} times, less than {least}"
        else:
            assert shown.get(way, 0) >= least, f"{way} was taken {shown.get(way, 0)} times, less than {least}"


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
    print(f"figure pictures_that_left {sum(shown.values())} pictures, {len(rows)} different", *(f"{way}:{n}" for way, n in sorted(shown.items())))
    print("figure noticed_besides", *(f"{what}:{n}" for what, n in sorted(noticed.items())))
    print(f"figure tags_found_in_them {len(seen) - 1} of {len(allowed) - 1} structural ones, no other")


if not shutil.which("exiftool"):
    print("skip metadata (exiftool is not installed: libimage-exiftool-perl)")
    raise SystemExit(0)
os.makedirs("out")
FILES = laden.make("laden", COUNT)
print(f"figure laden_files {len(FILES)} files of {len(laden.FORMATS)} formats", flush=True)
with Host() as HOST:
    for one in (the_files_are_laden, what_the_server_shows_has_no_metadata, what_the_command_line_shows_has_no_metadata,
                what_a_provider_gets_has_no_metadata, what_is_recorded_and_lowered_has_no_metadata,
                smaller_versions_that_the_record_keeps_have_no_metadata, every_way_was_taken, exiftool_finds_only_structural_tags):
        test(one)
finish()
