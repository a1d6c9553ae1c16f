# SPDX-License-Identifier: Apache-2.0
"""A key that sings: driven through every error path by each way a key may come, it is afterwards looked for everywhere: what
was printed, what the server said, every file that fovea keeps, telemetry, and the processes it started, while they run. It
may be in the header of a request to its own provider, and in the config that it came from."""
import glob
import json
import os
import subprocess
import time

from asking import SCHEMA, Home, Host, ask, call, finish, make_files, test

KEY = "sk-canary-7f3a9c51d2e4-0123456789"
SCENES = ("ok", "refuse", "cut", "empty", "json-never", "error-400", "error-401", "error-403", "error-404", "error-429-terminal",
          "error-429-retry-after", "overloaded-529", "html-413", "html-200", "redirect-307", "pages", "reset-event", "cut-event",
          "garbage-sse", "midway", "echo-key", "echo-key-kind", "echo-key-midway", "echo-key-header", "echo-key-answer",
          "echo-key-refusal")
PROVIDERS = ("wa", "wr", "wc", "wg")
NAMED = " ".join(f"{provider}/{scene}" for provider in PROVIDERS for scene in SCENES) + " sa/ok ta/ok wa/hang-headers wg/ok+video"
WAYS = {
    "apiKeyEnv": {"key": "apiKeyEnv: ASK_CANARY", "env": {"ASK_CANARY": KEY}},
    "apiKey_in_a_file_of_0600": {"key": f'apiKey: "{KEY}"'},
    "apiKey_at_the_top": {"key": "auth: key", "settings": f'provider: wa; apiKey: "{KEY}"; '},
    "auxiliary_apiKey": {"key": "auth: key", "settings": f'auxiliary.vision.provider: wa; auxiliary.vision.apiKey: "{KEY}"; '},
}


def questions():
    for provider in PROVIDERS:
        for scene in SCENES:
            more = {"format": SCHEMA} if scene.startswith("json") else {"file_path": "doc.pdf"} if scene == "pages" else {}
            yield "vision_analyze", ask(model=f"{provider}/{scene}", **more)
    for model in ("sa/ok", "ta/ok", "openrouter/unknown-model", "nobody/unknown-model"):
        yield "vision_analyze", ask(model=model)
    yield "video_analyze", {"file_path": "movie.mp4", "model": "wg/ok+video"}
    yield "inspect_image", {"path": "red.png", "question": "what"}


def absent_from(what, data):
    data = data if isinstance(data, bytes) else data.encode()
    at = data.find(KEY.encode())
    assert at < 0, f"{what} shows the key: {data[max(0, at - 100):at + 60]!r}"


def check_files(home):
    """Everything in the user's folders but the config itself, and what lies where it was run."""
    seen = 0
    for path in glob.glob(home.folder + "/**", recursive=True) + glob.glob("*.jsonl") + glob.glob("server.err"):
        if os.path.isfile(path) and path != home.config:
            with open(path, "rb") as file:
                absent_from(path, file.read())
            seen += 1
    return seen


def check_requests():
    """In one header of each request to a provider, and nowhere else in it."""
    requests = HOST.requests(True)
    for request in requests:
        carried = [name for name, value in request["headers"].items() if KEY in value]
        assert carried in (["x-api-key"], ["authorization"], ["x-goog-api-key"]), (request["path"], carried)
        absent_from("a request", request["path"] + request["body"])
        assert "/elsewhere" not in request["path"], "the key followed a redirect"
    return len(requests)


def home_for(way, name):
    more = dict(WAYS[way])
    return Home(HOST, more.pop("settings", "") + f'telemetry.file: "{os.path.abspath(name)}.jsonl"; modelRoles.vision: wa/echo-key; '
                      "images.questionTimeoutMs: 4000", NAMED, **more)


def through_call(way):
    home = home_for(way, "call-" + way)
    started = [subprocess.Popen([os.environ["FOVEA"], "call", tool, json.dumps(arguments)], env=home.env, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE) for tool, arguments in list(questions())[::3]]
    for process in started:
        for text in process.communicate(timeout=60):
            absent_from("call", text)
    for words in (("config", "show"), ("config", "check"), ("doctor",), ("models",), ("usage",), ("ask", "red.png", "what"),
                  ("ask", "red.png", "what", "--json", "--model", "wr/echo-key-midway"), ("call", "inspect_image", "{")):
        status, out, err = home.run(*words)
        absent_from(" ".join(words), out + err)
        assert status in (0, 1, 2), (words, status, err)
    assert check_requests() > 5 and check_files(home) >= 2


def through_mcp(way):
    home = home_for(way, "mcp-" + way)
    asked = list(questions())
    with home.server("--session", "canary") as server:
        server.send(b"".join(call(number, tool, arguments, _meta={"progressToken": number})
                             for number, (tool, arguments) in enumerate(asked)))
        waiting = set(range(len(asked)))
        while waiting:
            message = server.next(60)
            absent_from("the server", json.dumps(message))
            waiting.discard(message.get("id"))
        server.close()
    assert check_requests() > len(SCENES) and check_files(home) >= 2


def until(wanted, words):
    """What it gives once it is there."""
    end = time.monotonic() + 20
    while not (got := wanted()):
        assert time.monotonic() < end, words
    return got


def settled(server):
    """All processes below the server once none is just being born (then it is still a copy of the server, name and all)."""
    below = server.children()
    names = {row[0] for row in below.values()}
    return below if "fovea-worker" in names and "fovea" not in names else None


def children_while_held(way):
    """A question is with the provider, and pictures are being made: none of those who work for us holds the key."""
    home = home_for(way, "held-" + way)
    with home.server() as server:
        server.send(call("held", "vision_analyze", ask(model="wa/hang-headers")) + call("view", "view", {"path": "red.png"}))
        server.until("view")
        until(HOST.requests, "the question never came")
        below = until(lambda: settled(server), "no worker waits")
        for pid, row in below.items():
            for name in ("cmdline", "environ"):
                try:
                    with open(f"/proc/{pid}/{name}", "rb") as file:
                        absent_from(f"{name} of {row[0]} {pid}", file.read())
                except (FileNotFoundError, ProcessLookupError):
                    pass
        with open(f"/proc/{server.process.pid}/cmdline", "rb") as file:
            absent_from("the server's command line", file.read())


def a_key_of_a_usual_variable_goes_to_nobody_elses_address():
    settings = f'providers: {{anthropic: {{baseUrl: "http://127.0.0.1:{HOST.ports["http"]}"}}}}; models.ocr: false'
    home = Home(HOST, settings, bare=True, env={})
    home.env["ANTHROPIC_API_KEY"] = KEY
    status, got = home.call("vision_analyze", ask(model="anthropic/claude-opus-4-7"))
    absent_from("call", json.dumps(got))
    assert status == 1 and got["error"].startswith("VISION_NOT_SUPPORTED: ") and not HOST.requests(), got


make_files()
with Host() as HOST:
    for name_ in WAYS:
        for function in (through_call, through_mcp, children_while_held):
            def sings_nowhere(way=name_, run=function):
                run(way)
            sings_nowhere.__name__ = f"key_by_{name_}_is_nowhere_{function.__name__}"
            test(sings_nowhere)
            HOST.requests()
    test(a_key_of_a_usual_variable_goes_to_nobody_elses_address)
finish()
