# SPDX-License-Identifier: Apache-2.0
"""fovea itself in the lab, config and all: URLs that are seen or asked about, from the command line and over MCP."""
import json
import os
import subprocess

import servers
from harness import BUILD, CA, FOLDER, same, test

FOVEA = BUILD + "/fovea"
GOOD = BUILD + "/fixtures/good/"
NETWORK = "network: {view: true, caFile: %s}" % CA


def environment(config):
    """Nothing of the user's, a config of that text, and a proxy that must not be asked."""
    file = FOLDER + "/config/fovea/config.yaml"
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w", encoding="ascii") as f:
        f.write(config + "\n")
    os.chmod(file, 0o600)
    return {"PATH": os.environ["PATH"], "HOME": FOLDER, "XDG_CONFIG_HOME": FOLDER + "/config",
            "XDG_STATE_HOME": FOLDER + "/state", "https_proxy": "http://127.0.0.1:443"}


def fovea(*words, config=NETWORK):
    """What it prints as JSON, with its exit status as "exit"."""
    out = subprocess.run([FOVEA, *words], stdout=subprocess.PIPE, cwd=FOLDER, timeout=120, env=environment(config),
                         check=False)
    try:
        return {**json.loads(out.stdout), "exit": out.returncode}
    except ValueError as e:
        raise AssertionError("exit status %d, no JSON: %r" % (out.returncode, out.stdout[:200])) from e


def see(url, *words, **more):
    return fovea("view", "--json", *words, url, **more)


def refused(got, reason, code):
    same((got["exit"], got["kind"], got.get("reason")), (1, "refusal", reason), got.get("message", ""))
    assert code in got["message"], got["message"]


class Server:
    """fovea mcp on pipes."""

    def __enter__(self):
        self.child = subprocess.Popen([FOVEA, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=FOLDER,
                                      env=environment(NETWORK))
        self.ask("initialize", protocolVersion="2025-06-18", capabilities={},
                 clientInfo={"name": "lab", "version": "1"})
        return self

    def __exit__(self, *_):
        self.child.stdin.close()
        self.child.wait(timeout=30)
        self.child.stdout.close()

    def ask(self, method, **params):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()
        return json.loads(self.child.stdout.readline())["result"]

    def view(self, path, **more):
        got = self.ask("tools/call", name="view", arguments={"path": path, **more})
        return got.get("isError", False), got["content"][0]["text"], len(got["content"])


def read(name):
    with open(GOOD + name, "rb") as f:
        return f.read()


def serve_pictures(png):
    servers.PATHS.update({
        **dict.fromkeys(("/a.png", "/a.png?token=canary"), servers.ok(png)),
        "/lies.txt": servers.ok(png, "Content-Type: text/plain"),
        "/half.png": servers.H200 + b"\r\n" + png[:len(png) // 2],
        "/hop.png": servers.redirect("https://b.test/a.png"),
        "/text": servers.ok(b"plain words\n", "Content-Type: image/png"),
    })


def shown(png):
    @test("view_shows_a_picture_from_a_url")
    def _():
        file = fovea("view", "--json", "--root", GOOD, GOOD + "png-rgb-8.png", config="network.view: false")
        url = "https://a.test/a.png?token=canary#x"
        got = see(url)
        same((got["exit"], got["kind"]), (0, "perception"), got.get("message"))
        same((got["ref"], got["path"]), (url, None))
        for key in ("id", "source", "width", "height", "media_type"):
            same(got[key], file[key], key)
        assert got["note"].startswith("a.png ") and "canary" not in got["note"], got["note"]
        same(see("https://a.test/lies.txt")["source"], file["source"])
        called = fovea("call", "view", json.dumps({"path": url}))
        same((called["exit"], called["id"]), (0, got["id"]))

    @test("view_of_a_url_takes_a_region_and_writes_a_file")
    def _():
        got = see("https://a.test/a.png", "--region", "0,0,8,8", "-o", FOLDER + "/out.png")
        same((got["kind"], got["region"]), ("perception", [0, 0, 8, 8]))
        same(os.path.getsize(FOLDER + "/out.png"), got["bytes"])

    @test("view_follows_a_redirect_through_the_gate")
    def _():
        same(see("https://a.test/hop.png")["kind"], "perception")
        refused(see("https://a.test/to?https://10.0.0.1/a.png"), "blocked", "redirect_private: ")
        refused(see("https://a.test/to?http://b.test/a.png"), "blocked", "redirect_scheme: ")

    @test("a_view_of_a_url_is_recalled_by_fetching_it_again")
    def _():
        with Server() as mcp:
            error, text, blocks = mcp.view("https://a.test/a.png")
            same((error, blocks), (False, 2), text)
            name = "view:" + text.split("view:")[1][:12]
            servers.requests.clear()
            same(mcp.view(name)[0], False)
            same(len(servers.requests), 1)
            same(mcp.view("https://a.test/a.png", region=[0, 0, 8, 8], space="view", view=name)[0], False)
            servers.PATHS["/a.png"] = servers.redirect("https://127.0.0.1/")
            error, text, _ = mcp.view(name)
            assert error and "redirect_private: " in text, text
            servers.PATHS["/a.png"] = servers.ok(read("png-gray-8.png"))
            error, text, _ = mcp.view(name)
            assert error and "has changed since" in text, text
            servers.PATHS["/a.png"] = servers.ok(png)


def refusals(png):
    @test("view_refuses_by_the_config")
    def _():
        net = "network: {view: true, caFile: %s, %s}"
        refused(see("https://a.test/a.png", config="network: {caFile: %s}" % CA), "blocked", "network.view")
        refused(see("https://a.test/a.png", config=net % (CA, "deny: [a.test]")), "blocked", "host_denied: ")
        refused(see("https://a.test/a.png", config=net % (CA, "allow: [b.test]")), "blocked", "host_not_allowed: ")
        refused(see("https://a.test/hop.png", config=net % (CA, "allow: [a.test]")), "blocked", "host_not_allowed: ")
        refused(see("https://a.test/a.png", config="network.view: true"), "blocked", "tls: ")

    @test("view_says_what_the_network_did")
    def _():
        refused(see("https://metadata.test/a.png"), "blocked", "dns_private: ")
        refused(see("https://nx.test/a.png"), "blocked", "dns_fail: ")
        refused(see("https://a.test/404"), "absent", "status 404")
        refused(see("https://refused.test/a.png"), "absent", "connect: ")
        refused(see("https://a.test/short"), "malformed", "truncated: ")
        refused(see("https://a.test/half.png"), "malformed", "does not decode in full")
        same(see("https://a.test/text")["source"]["media_type"], "text/plain")
        refused(see("https://a.test/empty"), "unperceivable_type", "type: ")
        refused(see("https://a.test/stall"), "timed_out", "timeout_slow: ")

    @test("view_of_a_url_keeps_within_view_max_bytes")
    def _():
        small = "view.maxBytes: %d\n" + NETWORK
        refused(see("https://a.test/a.png", config=small % (len(png) - 1)), "too_large", "raise view.maxBytes")
        same(see("https://a.test/a.png", config=small % len(png))["kind"], "perception")
        refused(see("https://a.test/33m", config=small % (64 << 20)), "too_large", "32 MiB")

    @test("blocked_images_make_no_connection")
    def _():
        servers.lookups.clear()
        servers.requests.clear()
        refused(see("https://a.test/a.png", config="images.blockImages: true\n" + NETWORK), "blocked",
                "images.blockImages")
        same((servers.lookups, servers.requests), ([], []))


HOST = """network.caFile: %s
providers: {home: {wire: openai-chat, baseUrl: "https://b.test/v1", apiKey: sk-canary%%s}}
""" % CA
TABLE = HOST % ", models: {m: {vision: true}}"
VIDEO = (HOST % ", models: {v: {vision: true, video: true}}").replace("home:", "vllm:")
ANSWER = {"model": "m",
          "choices": [{"message": {"role": "assistant", "content": "a red square"}, "finish_reason": "stop"}],
          "usage": {"prompt_tokens": 9, "completion_tokens": 3}}
questions = []  # bodies that the host was sent


def answer(conn):
    head, _, body = servers.requests[-1].partition("\r\n\r\n")
    length = next(int(line.split(":")[1]) for line in head.split("\r\n") if line.lower().startswith("content-length:"))
    data = body.encode("latin-1")
    while len(data) < length:
        data += conn.recv(65536)
    questions.append((head, json.loads(data)))
    conn.sendall(servers.ok(json.dumps(ANSWER).encode(), "Content-Type: application/json"))


def ask(tool, config=TABLE, **arguments):
    questions.clear()
    return fovea("call", tool, json.dumps({"prompt": "what is it", "model": "home/m", **arguments}), config=config)


def failed(got, code):
    same((got["exit"], got["ok"], questions), (1, False, []), json.dumps(got))
    assert code in json.dumps(got), got


def asked():
    servers.PATHS["/v1/chat/completions"] = answer
    models = [{"id": "m", "input_modalities": ["text", "image"]}, {"id": "n", "input_modalities": ["text"]}]
    servers.PATHS["/v1/models"] = servers.ok(json.dumps({"data": models}).encode())
    url = "https://a.test/a.png?token=canary"

    @test("a_question_about_a_url_sends_its_pixels_and_not_its_address")
    def _():
        got = ask("vision_analyze", file_url=url)
        same((got["exit"], got["ok"]), (0, True), json.dumps(got))
        assert "a red square" in json.dumps(got), got
        same(len(questions), 1)
        head, body = questions[0]
        assert "Bearer sk-canary" in head, head
        assert "data:image/" in json.dumps(body) and "a.test" not in json.dumps(body), body

    @test("a_question_about_a_url_that_the_gate_refuses_asks_nobody")
    def _():
        failed(ask("vision_analyze", file_url="https://a.test/to?https://10.0.0.1/a.png"),
               "URL_BLOCKED: redirect_private: ")
        failed(ask("vision_analyze", file_url="http://a.test/a.png"), "URL_BLOCKED: scheme: ")
        failed(ask("vision_analyze", file_url="https://metadata.test/a.png"), "URL_BLOCKED: dns_private: ")
        failed(ask("video_analyze", VIDEO, file_url="https://169.254.169.254/a.mp4", model="vllm/v"),
               "URL_BLOCKED: ip_metadata: ")
        failed(ask("video_analyze", VIDEO, file_url="https://metadata.test/a.mp4", model="vllm/v"),
               "URL_BLOCKED: dns_private: ")

    @test("a_model_that_is_in_no_table_is_found_at_its_host")
    def _():
        got = ask("vision_analyze", config=HOST % "", file_url=url)
        same((got["exit"], got["ok"]), (0, True), json.dumps(got))
        failed(ask("vision_analyze", config=HOST % "", model="home/n", file_url=url), "home/n")

    @test("blocked_images_ask_about_no_url_and_no_host")
    def _():
        servers.lookups.clear()
        servers.requests.clear()
        failed(ask("vision_analyze", config="images.blockImages: true\n" + HOST % "", file_url=url), "blockImages")
        failed(ask("video_analyze", config="images.blockImages: true\n" + HOST % "", file_url=url), "blockImages")
        same((servers.lookups, servers.requests), ([], []))


def product():
    png = read("png-rgb-8.png")
    serve_pictures(png)
    shown(png)
    refusals(png)
    asked()
