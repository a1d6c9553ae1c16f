# SPDX-License-Identifier: Apache-2.0
"""What the tests of asking share: the provider on the loopback (askhost), configs that lead to it, the two doors to the
tools (`fovea call` and `fovea mcp`), tables of cases, and the files that are asked about.

Providers of the config: wa, wr, wc, wg speak anthropic, openai-responses, openai-chat and gemini; ta speaks anthropic over
TLS; ma takes connections and says nothing; sa refuses them; na has no key. A model is a scene of askhost, and what it can
do hangs at its name: ok sees and reads PDF for a known price, ok+blind does not see, ok+nopdf, ok+video, ok+free has no
price. Whatever model a test names exists."""
import json
import os
import re
import struct
import subprocess
import sys
import zlib

sys.path.insert(0, os.path.join(os.environ["TOP"], "tests", "mcp"))
from stdio import BUILD, FIXTURES, FOVEA, SANITIZED, Died, Late, Server, call, finish, gone, test  # noqa: E402,F401

CASES = os.path.join(os.environ["TOP"], "tests", "cases", "ask")
GOOD, BAD = os.path.join(FIXTURES, "good"), os.path.join(FIXTURES, "bad")
KEY = "sk-test-0123456789abcdef"
RED = "A red square."
SCHEMA = {"type": "json_schema", "schema": {
    "type": "object", "additionalProperties": False, "required": ["color", "count"],
    "properties": {"color": {"type": "string"}, "count": {"type": "integer"}}}}
# Dollars a million tokens, and what one answer of askhost comes to.
PRICES = {"input": "2", "output": "10", "cache_read": "0.2", "cache_write": "2.5"}
COST, COST_GEMINI = 0.00279, 0.00254
TOKENS_IN, TOKENS_IN_GEMINI, TOKENS_OUT = 1300, 1200, 50
ENDPOINTS = ("/v1/messages", "/v1/responses", "/v1/chat/completions")


# ---------------------------------------------------------------- the provider

class Host:
    def __init__(self, folder="host"):
        os.makedirs(folder, exist_ok=True)
        self.log = os.path.join(os.path.abspath(folder), "requests")
        self.process = subprocess.Popen([os.path.join(BUILD, "tests", "askhost"), folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.ports = json.loads(self.process.stdout.readline())
        self.ca = os.path.join(os.path.abspath(folder), "ca.pem")
        self.offset = 0

    def requests(self, all_of_them=False):
        """Questions since the last look, with their bodies parsed; or all, also what was asked of the host itself."""
        with open(self.log, "rb") as file:
            file.seek(self.offset)
            text = file.read()
        text = text[:text.rfind(b"\n") + 1]  # one may be half written
        self.offset += len(text)
        rows = [json.loads(line) for line in text.splitlines()]
        for row in rows:
            row["json"] = json.loads(row["body"]) if row["body"] else None
            row["headers"] = dict((name.lower(), value) for name, value in
                                  (line.split(": ", 1) for line in row["headers"]))
        return [row for row in rows if all_of_them or row["path"] in ENDPOINTS or ":streamGenerateContent" in row["path"]]

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


# ---------------------------------------------------------------- configs

def model_row(name):
    tags = set(name.split("+")[1:])
    row = {"vision": "blind" not in tags, "pdf": not tags & {"nopdf", "blind"}, "video": "video" in tags}
    if "free" not in tags:
        row.update(PRICES)
    if "tool" in tags:
        row["tool_image"] = True
    return "{" + ", ".join(f"{k}: {str(v).lower()}" for k, v in row.items()) + "}"


def providers(host, words, key="apiKeyEnv: ASK_KEY"):
    """The hosts, and the models of them that the words name."""
    at, ports = "127.0.0.1", host.ports
    rows = {
        "wa": ("anthropic", f"http://{at}:{ports['http']}", key),
        "wr": ("openai-responses", f"http://{at}:{ports['http']}/v1", key),
        "wc": ("openai-chat", f"http://{at}:{ports['http']}/v1", key),
        "wg": ("gemini", f"http://{at}:{ports['http']}/v1beta", key),
        "ta": ("anthropic", f"https://{at}:{ports['tls']}", key),
        "ma": ("anthropic", f"http://{at}:{ports['mute']}", key),
        "mt": ("anthropic", f"https://{at}:{ports['mute']}", key),
        "pt": ("anthropic", f"https://{at}:{ports['http']}", key),
        "sa": ("anthropic", f"http://{at}:{ports['shut']}", key),
        "na": ("anthropic", f"http://{at}:{ports['http']}", "apiKeyEnv: ASK_NO_KEY"),
        "openrouter": ("openai-chat", f"http://{at}:{ports['http']}/v1", key),
        "vllm": ("openai-chat", f"http://{at}:{ports['http']}/v1", key),
    }
    text = "providers:\n"
    for name, (wire, url, how) in rows.items():
        models = sorted(set(re.findall(rf"\b{name}/([a-z0-9][a-z0-9+-]*)", words)) - {"unknown-model"})
        inner = "".join(f'      "{model}": {model_row(model)}\n' for model in models)
        text += f'  {name}:\n    wire: {wire}\n    baseUrl: "{url}"\n    {how}\n' + (f"    models:\n{inner}" if inner else "")
    return text


class Home:
    """A user: a config and folders of its own, and the two doors."""
    count = 0

    def __init__(self, host, settings="", words="", bare=False, key="apiKeyEnv: ASK_KEY", env=None):
        Home.count += 1
        self.host, self.folder = host, os.path.abspath(f"home-{Home.count}")
        os.makedirs(self.folder)
        self.config = os.path.join(self.folder, "config", "fovea", "config.yaml")
        os.makedirs(os.path.dirname(self.config))
        lines = [line.strip() for line in settings.split(";") if line.strip()]
        text = "".join(line + "\n" for line in lines)
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text if bare else text + providers(host, settings + " " + words, key))
        os.chmod(self.config, 0o600)
        self.env = {**os.environ, "HOME": self.folder, "XDG_CONFIG_HOME": os.path.join(self.folder, "config"),
                    "XDG_STATE_HOME": os.path.join(self.folder, "state"),
                    "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "ASK_KEY": KEY, **(env or {})}
        for name in ("ANTHROPIC", "OPENAI", "GEMINI", "OPENROUTER", "NOUS"):
            self.env.pop(name + "_API_KEY", None)

    def run(self, *words, stdin=b"", seconds=60, cwd=None):
        """fovea with these words: (status, stdout, stderr)."""
        done = subprocess.run([FOVEA, *words], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.env,
                              timeout=seconds, cwd=cwd, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def call(self, tool, arguments, *options):
        """`fovea call`: (status, object)."""
        status, out, err = self.run("call", *options, tool, "-", stdin=json.dumps(arguments).encode())
        try:
            return status, json.loads(out)
        except ValueError:
            raise AssertionError(f"call {tool} printed {out[:300]!r}, {err[:300]!r}, status {status}") from None

    def server(self, *options):
        """`fovea mcp`, greeted."""
        kept = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.env)
        try:
            server = Server(*options)
        finally:
            os.environ.clear()
            os.environ.update(kept)
        server.hello()
        return server


def result_of(reply):
    """The envelope in an answer of the server, and the answer's result."""
    assert "result" in reply, reply
    result = reply["result"]
    first = result["content"][0]
    assert first["type"] == "text", result
    assert "structuredContent" not in result, result
    try:
        return json.loads(first["text"]), result
    except ValueError:
        return None, result


def ask(**changes):
    """Arguments of vision_analyze; None takes one away."""
    arguments = {"file_path": "red.png", "prompt": "what is it", "model": "wa/ok"}
    arguments.update(changes)
    return {name: value for name, value in arguments.items() if value is not None}


def answer(home, tool="vision_analyze", options=(), **changes):
    """What `fovea call` answers; it must be an answer."""
    status, envelope = home.call(tool, ask(**changes), *options)
    assert status == 0 and envelope["ok"] is True and envelope["kind"] == "answer", (status, envelope)
    return envelope


# ---------------------------------------------------------------- tables

def table(name):
    """Rows of a TSV as dicts; lines that start with # and empty ones are passed over."""
    with open(os.path.join(CASES, name), encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]
    head = lines[0].split("\t")
    rows = []
    for line in lines[1:]:
        cells = line.split("\t")
        assert len(cells) == len(head), f"{name}: {len(cells)} cells, not {len(head)}: {line[:100]}"
        rows.append(dict(zip(head, cells)))
    return rows


def wanted(row):
    return len(sys.argv) < 2 or sys.argv[1] in row["name"]


def like(pattern, text):
    """Exactly the words; * stands for anything."""
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), text, re.DOTALL) is not None


# ---------------------------------------------------------------- files

def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def write(path, data):
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def png(path, width, height, line, level=9):
    """A PNG whose rows are line(y), three bytes a pixel."""
    rows = b"".join(b"\0" + line(y) for y in range(height))
    head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((8, 2, 0, 0, 0))
    write(path, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, level)) + chunk(b"IEND", b""))


def pdf(path, pages=1):
    """A PDF of empty pages."""
    kids = " ".join(f"{3 + i} 0 R" for i in range(pages))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>"]
    objects += ["<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>"] * pages
    text, places = "%PDF-1.4\n", []
    for number, inner in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{inner}\nendobj\n"
    start = len(text)
    text += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
    write(path, (text + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n").encode())


def big(path, head, size):
    """A file of that size which begins so and is empty otherwise."""
    write(path, head)
    os.truncate(path, size)


def copy(source, path):
    with open(source, "rb") as file:
        write(path, file.read())


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I", len(body) + 8) + kind + body


def movie():
    """An MP4 of one frame of 16x16 that lasts a second, for those who only send it."""
    def numbers_(*values):
        return b"".join(struct.pack(">I", value) for value in values)
    unit = numbers_(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    head = box(b"ftyp", b"isom", numbers_(512), b"isomiso2")
    entry = box(b"jpeg", bytes(6), b"\0\1", bytes(16), b"\0\x10\0\x10", numbers_(0x480000, 0x480000, 0), b"\0\1", bytes(32), b"\0\x18\xff\xff")
    table = box(b"stbl", box(b"stsd", numbers_(0, 1), entry), box(b"stts", numbers_(0, 1, 1, 1)), box(b"stsc", numbers_(0, 1, 1, 1, 1)),
                box(b"stsz", numbers_(0, 16, 1)), box(b"stco", numbers_(0, 1, len(head) + 8)))
    media = box(b"mdia", box(b"mdhd", numbers_(0, 0, 0, 1, 1, 0)), box(b"hdlr", numbers_(0, 0), b"vide", bytes(13)), box(b"minf", table))
    track = box(b"trak", box(b"tkhd", numbers_(3, 0, 0, 1, 0, 1, 0, 0, 0, 0), unit, numbers_(16 << 16, 16 << 16)), media)
    return head + box(b"mdat", bytes(16)) + box(b"moov", box(b"mvhd", numbers_(0, 0, 0, 1, 1, 0x10000, 0x1000000, 0, 0), unit, bytes(24), numbers_(2)), track)


def make_files():
    """What the cases name, in the current folder; one level above lies what is out of reach."""
    png("red.png", 64, 48, lambda y: b"\xd0\x10\x20" * 64)
    copy(os.path.join(GOOD, "jpeg-baseline.jpg"), "photo.jpg")
    copy(os.path.join(GOOD, "gif-still.gif"), "still.gif")
    copy(os.path.join(GOOD, "webp-lossy.webp"), "soft.webp")
    copy(os.path.join(BAD, "png-hole-in-the-middle.png"), "hole.png")
    copy(os.path.join(BAD, "jpeg-hole-in-the-middle.jpg"), "hole.jpg")
    copy("red.png", "../outside.png")
    pdf("doc.pdf")
    big("big.pdf", b"%PDF-1.4\n", 32 * 1024 * 1024 + 1)
    big("big.png", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", bytes((0, 0, 0, 9, 0, 0, 0, 9, 8, 2, 0, 0, 0))), 20 * 1024 * 1024 + 1)
    write("movie.mp4", movie())
    write("words.txt", b"only words\n" * 20)
    write("drawing.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')
    write("empty.png", b"")
    with open("red.png", "rb") as file:
        write("short.png", file.read()[:-20])
    os.makedirs("folder", exist_ok=True)
    noise = os.urandom(1400 * 3)
    png("noise.png", 1400, 1300, lambda y: noise[y:] + noise[:y], 0)
