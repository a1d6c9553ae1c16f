# SPDX-License-Identifier: Apache-2.0
"""What the soak asks for, and how it knows that the answer is right: pictures whose size is known and that must look the same
each time, text that is known line by line, bombs that must be refused, questions whose answer (or failure) the provider of the
tests was told to give. A call is (kind, method, params, check); check(reply) gives words when something is wrong."""
import base64
import hashlib
import json
import os
import re
import threading

from asking import BAD, BUILD, FIXTURES, GOOD, RED, SCHEMA, pdf, png, write

PHOTOS, VIDEOS = os.path.join(BUILD, "photos"), os.path.join(FIXTURES, "video", "good")
LINES = 3000
BOMBS = [os.path.join(BAD, name) for name in (
    "png-20000x20000-bomb.png", "png-2-billion-wide.png", "png-30000x30000-lie.png", "gif-65535x65535-lie.gif",
    "jpeg-65535x65535-lie.jpg", "jpeg-hole-in-the-middle.jpg", "png-hole-in-the-middle.png", "png-signature-only.png",
    "webp-16777216x16777216-lie.webp", "zero-byte.png", "png-0x0.png", "noise-saved-as.jpg")]
VIDEO_BOMBS = [os.path.join(FIXTURES, "video", "bomb", name) for name in ("huge-sides.mp4", "no-frames.mp4", "noise.mp4")]
# The model's id is the scene that the provider plays.
GOOD_SCENES = ("wa/ok", "wr/ok", "wc/ok", "wg/ok", "wa/slow-drip", "wr/slow-drip", "ta/ok")
BAD_SCENES = ("wa/error-500", "wr/error-429-retry-after", "wc/overloaded-529", "wa/midway", "wr/cut-event", "wc/reset-event",
              "wg/cut-start", "wa/refuse", "wr/garbage-sse", "wc/html-200", "wg/empty", "wa/hang-event", "sa/ok", "wa/error-400",
              "wr/error-429-terminal")
NAMED_SCENES = " ".join(GOOD_SCENES + BAD_SCENES + ("wa/json-good",))
BROKEN = (b"hello\n", b'{"jsonrpc":"2.0",\n', b"GET / HTTP/1.1\n", b"\xff\xfe\x00\n", b'{"jsonrpc":\n')


def jpeg_size(data):
    at = 2
    while at + 9 < len(data):
        if data[at + 1] in (0xC0, 0xC1, 0xC2):
            return int.from_bytes(data[at + 7:at + 9], "big"), int.from_bytes(data[at + 5:at + 7], "big")
        at += 2 + int.from_bytes(data[at + 2:at + 4], "big")
    return None


def webp_size(data):
    if data[12:16] == b"VP8 ":
        return int.from_bytes(data[26:28], "little") & 0x3FFF, int.from_bytes(data[28:30], "little") & 0x3FFF
    if data[12:16] == b"VP8L":
        bits = int.from_bytes(data[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return int.from_bytes(data[24:27], "little") + 1, int.from_bytes(data[27:30], "little") + 1


SIZES = {
    "image/png": (b"\x89PNG", lambda d: (int.from_bytes(d[16:20], "big"), int.from_bytes(d[20:24], "big"))),
    "image/gif": (b"GIF8", lambda d: (int.from_bytes(d[6:8], "little"), int.from_bytes(d[8:10], "little"))),
    "image/jpeg": (b"\xff\xd8\xff", jpeg_size),
    "image/webp": (b"RIFF", webp_size),
}


class Memory:
    """What a call showed the first time; it must show the same bytes each time after. What does not is kept in FOLDER, to look at."""
    def __init__(self):
        self.lock, self.seen, self.folder = threading.Lock(), {}, "."

    def same(self, key, data):
        with self.lock:
            first = self.seen.setdefault(key, data)
        if first != data:
            name = os.path.join(self.folder, "different-" + hashlib.sha256(key.encode()).hexdigest()[:8])
            for which, picture in (("first", first), (hashlib.sha256(data).hexdigest()[:8], data)):
                with open(f"{name}-{which}", "wb") as file:
                    file.write(picture)
        return first == data


MEMORY = Memory()


def result_text(reply):
    result = reply.get("result")
    if not result:
        return None, None
    return result, " ".join(part["text"] for part in result["content"] if part["type"] == "text")


def check_picture(words, key):
    def check(reply):
        result, text = result_text(reply)
        if not result or result.get("isError"):
            return f"no picture: {json.dumps(reply)[:300]}"
        pictures = [part for part in result["content"] if part["type"] == "image"]
        told = re.search(r"\[1 image follows: (\S+), (\d+)x(\d+)", text)
        if len(pictures) != 1 or not told or told[1] != pictures[0]["mimeType"]:
            return f"{len(pictures)} pictures: {text[:200]}"
        data = base64.b64decode(pictures[0]["data"])
        start, size = SIZES[told[1]]
        if not data.startswith(start) or size(data) != (int(told[2]), int(told[3])):
            return f"{told[0]} but {size(data)}"
        if not all(word in text for word in words):
            return f"want {words}: {text[:200]}"
        if key and not MEMORY.same(key, data):
            return f"{key} looks different"
        return None
    return check


def check_refused(words=""):
    def check(reply):
        result, text = result_text(reply)
        if not result or not result.get("isError") or words not in text or len(result["content"]) != 1:
            return f"not refused: {json.dumps(reply)[:300]}"
        return None
    return check


def check_text(first, last):
    want = "".join(f"line {number} of the soak\n" for number in range(first, last + 1))

    def check(reply):
        result, text = result_text(reply)
        if not result or result.get("isError") or not text.startswith(want) or f"[lines {first}–{last} of {LINES}" not in text[len(want) - 1:]:
            return f"lines {first} to {last}: {json.dumps(reply)[:200]}"
        return None
    return check


def check_envelope(good):
    def check(reply):
        result, text = result_text(reply)
        try:
            envelope = json.loads(text)
        except (TypeError, ValueError):
            return f"no envelope: {json.dumps(reply)[:300]}"
        if envelope.get("ok") is not good or (good and envelope["text"] != RED) or bool(result.get("isError")) is good:
            return f"want {good}: {text[:300]}"
        return None
    return check


def check_parsed(reply):
    _, text = result_text(reply)
    return None if text and json.loads(text).get("parsed") == {"color": "red", "count": 2} else f"not parsed: {str(text)[:300]}"


def check_inspected(reply):
    result, text = result_text(reply)
    return None if result and not result.get("isError") and RED in text else f"no answer: {json.dumps(reply)[:300]}"


def check_listed(reply):
    names = {tool["name"] for tool in reply.get("result", {}).get("tools", ())}
    return None if {"view", "read", "inspect_image", "vision_analyze", "video_analyze"} <= names else f"tools: {names}"


def check_pong(reply):
    return None if reply.get("result") == {} else f"ping: {reply}"


def check_code(code):
    def check(reply):
        return None if reply.get("error", {}).get("code") == code else f"want {code}: {json.dumps(reply)[:200]}"
    return check


# ---------------------------------------------------------------- the files

def make_soak_files():
    """Besides those of the tests of asking: text, drawings, documents."""
    write("lines.txt", "".join(f"line {number} of the soak\n" for number in range(1, LINES + 1)).encode())
    for number in range(8):
        write(f"code{number}.py", "".join(f"def f{i}(x):\n    return x * {i + number}\n\n" for i in range(30)).encode())
        write(f"notes{number}.md", f"# Notes {number}\n\n".encode() + b"Some *words* and a list:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n" * 4)
        write(f"drawing{number}.svg", drawing(300 + number, 200, number))
    pdf("pages.pdf", 9)


def drawing(width, height, number):
    shapes = "".join(f'<circle cx="{i * 37 % width}" cy="{i * 53 % height}" r="{5 + (i * number) % 20}" fill="#{i * 1234567 % 0xFFFFFF:06x}"/>'
                     for i in range(1, 40))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">{shapes}'
            f'<text x="9" y="50" font-size="20">{number}</text></svg>').encode()


def sizes(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file]


class Mix:
    """Draws calls for one thread, those of the kinds in first before others; what it makes up is in files of its own."""
    def __init__(self, random, thread, first=()):
        self.random, self.thread, self.count, self.placed, self.first = random, thread, 0, 0, list(first)
        self.pictures = [(os.path.join(GOOD, name), name, width, height) for name, width, height, *_ in sizes(os.path.join(FIXTURES, "good.tsv"))
                      if name not in ("exactly-20mib.png",)]
        self.photos = [(os.path.join(PHOTOS, "good", name), name, width, height) for name, width, height, *_ in sizes(os.path.join(PHOTOS, "good.tsv"))]
        self.videos = [row[0] for row in sizes(os.path.join(VIDEOS, "..", "good.tsv")) if row[0] in ("h264.mp4", "vp9.webm", "mpeg4.mp4", "h264.mkv")]

    ROWS = (("known", 22), ("photo", 8), ("region", 8), ("fresh_png", 10), ("fresh_svg", 4), ("svg", 5), ("text", 5), ("markdown", 4),
            ("page", 5), ("video", 3), ("against", 2), ("bomb", 6), ("video_bomb", 1), ("read", 14), ("read_refused", 3), ("absent", 3),
            ("ask", 8), ("ask_badly", 6), ("ask_data", 2), ("inspect", 4), ("list", 1), ("ping", 3), ("no_method", 1), ("no_tool", 1))

    def next(self):
        self.count += 1
        kind = self.first.pop() if self.first else self.random.choices(KINDS, [row[1] for row in self.ROWS])[0]
        tool, arguments, check = getattr(self, kind)()
        if tool in ("tools/list", "ping", "soak/none"):
            return kind, tool, arguments, check
        return kind, "tools/call", {"name": tool, "arguments": arguments}, check

    def view(self, words=(), fresh=False, **arguments):
        return "view", arguments, check_picture(words, None if fresh else json.dumps(arguments, sort_keys=True))

    # pictures

    def known(self):
        path, name, width, height = self.random.choice(self.pictures)
        return self.view((f"{name} {width}x{height}",), path=path)

    def photo(self):
        path, name, width, height = self.random.choice(self.photos)
        return self.view((f"{name} {width}x{height}",), path=path)

    def region(self):
        x, y = self.random.randrange(0, 900, 150), self.random.randrange(0, 500, 100)
        return self.view((f"region 300x200 at {x},{y}",), path=os.path.join(GOOD, "png-screen-1280x800.png"), region=[x, y, 300, 200])

    def fresh_png(self):
        """One that nobody has seen: what is kept of earlier ones gives way."""
        path, colour = f"fresh-{self.thread}-{self.count % 40}.png", self.random.randbytes(3)
        width, height = self.random.randint(40, 900), self.random.randint(40, 700)
        png(path, width, height, lambda y: (colour + bytes((y & 255, 7, 9))) * (width // 2) + colour * (width % 2), 1)
        return self.view((f"{path} {width}x{height}",), True, path=path)

    def fresh_svg(self):
        path, width = f"fresh-{self.thread}-{self.count % 40}.svg", self.random.randint(50, 500)
        write(path, drawing(width, 120, self.random.randrange(10 ** 6)))
        return self.view((f"{path} {width}x120 user units",), True, path=path)

    def svg(self):
        number = self.random.randrange(8)
        return self.view((f"drawing{number}.svg {300 + number}x200 user units",), path=f"drawing{number}.svg")

    def text(self):
        return self.view(("lines 1-61 of 90 (page 1 of 2)",), path=f"code{self.random.randrange(8)}.py")

    def markdown(self):
        return self.view((".md lines",), path=f"notes{self.random.randrange(8)}.md")

    def page(self):
        page = self.random.randint(1, 9)
        return self.view((f"pages.pdf page {page} of 9, 200x200 pt",), path="pages.pdf", page=page)

    def video(self):
        name = self.random.choice(self.videos)
        if self.random.randrange(2):
            frame = self.random.choice((1, 7, 20))
            return self.view((f"{name} 240x160", f"frame {frame} of"), path=os.path.join(VIDEOS, name), frame=frame)
        return self.view((f"{name} 240x160", "frames from"), path=os.path.join(VIDEOS, name))

    def place(self):
        """A view that no other call has: a server remembers so many of them."""
        number = self.thread + self.placed * 10
        self.placed += 1
        x, y = number % 1250, number // 1250
        return self.view((f"region 20x20 at {x},{y}",), True, path=os.path.join(GOOD, "png-screen-1280x800.png"), region=[x, y, 20, 20])

    def against(self):
        return self.view(("pixels differ",), path="red.png", against=os.path.join(GOOD, "png-rgb-8.png"))

    # what is refused

    def bomb(self):
        return "view", {"path": self.random.choice(BOMBS)}, check_refused()

    def video_bomb(self):
        return "view", {"path": self.random.choice(VIDEO_BOMBS)}, check_refused()

    def absent(self):
        return self.random.choice(("view", "read")), {"path": f"nothing-{self.count}.png"}, check_refused("not there")

    def read_refused(self):
        return "read", {"path": os.path.join(GOOD, "png-rgb-8.png")}, check_refused("view")

    # text

    def read(self):
        first = self.random.randint(1, LINES - 400)
        limit = self.random.choice((1, 10, 200))
        return "read", {"path": "lines.txt", "offset": first, "limit": limit}, check_text(first, first + limit - 1)

    # questions

    def question(self):
        return f"what is it, {self.thread}, {self.count}"

    def ask(self):
        return "vision_analyze", {"file_path": "red.png", "prompt": self.question(), "model": self.random.choice(GOOD_SCENES)}, check_envelope(True)

    def ask_badly(self):
        return "vision_analyze", {"file_path": "red.png", "prompt": self.question(), "model": self.random.choice(BAD_SCENES)}, check_envelope(False)

    def ask_data(self):
        return "vision_analyze", {"file_path": "red.png", "prompt": self.question(), "model": "wa/json-good", "format": SCHEMA}, check_parsed

    def inspect(self):
        return "inspect_image", {"path": "red.png", "question": self.question()}, check_inspected

    # the protocol

    def list(self):
        return "tools/list", {}, check_listed

    def ping(self):
        return "ping", None, check_pong

    def no_method(self):
        return "soak/none", {}, check_code(-32601)

    def no_tool(self):
        return "nothing", {}, check_code(-32602)


KINDS = [row[0] for row in Mix.ROWS]
# Of these kinds there are several, told apart by the model that is asked or the name of the file.
SORTS = {"ask": GOOD_SCENES, "ask_badly": BAD_SCENES, "bomb": [os.path.basename(path) for path in BOMBS],
         "video_bomb": [os.path.basename(path) for path in VIDEO_BOMBS]}


def sort_of(params):
    arguments = (params or {}).get("arguments", {})
    return arguments.get("model") or os.path.basename(arguments.get("path", ""))
