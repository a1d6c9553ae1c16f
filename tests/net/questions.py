# SPDX-License-Identifier: Apache-2.0
"""Asking about URLs in the lab: fovea fetches them itself, through the gate, and the provider (tests/host) is sent bytes. Each
way a fetch can end is an error of the tools, and nobody was asked by then."""
import base64
import json
import os
import subprocess

import servers
from harness import BUILD, CA, FOLDER, same, test
from product import fovea, read

HOST = FOLDER + "/host"
VIDEO = b"\0\0\0\x18ftypisom\0\0\2\0isomiso2\0\0\0\x08free" + b"\0" * 400
ERRORS = [  # URL, and how the error begins
    ("https://a.test/to?https://10.0.0.1/a.png", "URL_BLOCKED: redirect_private: "),
    ("https://a.test/to?http://b.test/a.png", "URL_BLOCKED: redirect_scheme: "),
    ("https://metadata.test/a.png", "URL_BLOCKED: dns_private: "),
    ("https://nx.test/a.png", "URL_BLOCKED: dns_fail: "),
    ("https://wrong.test/a.png", "URL_BLOCKED: tls: "),
    ("https://refused.test/a.png", "URL_BLOCKED: connect: "),
    ("https://a.test/404", "URL_BLOCKED: http_status: "),
    ("https://a.test/short", "URL_BLOCKED: truncated: "),
    ("https://a.test/33m", "FILE_TOO_LARGE: "),
    ("https://a.test/text", "UNSUPPORTED_FILE_TYPE: "),
    ("https://a.test/half.png", "FILE_MALFORMED: "),
]


class Provider:
    """askhost, and what it was asked."""

    def __init__(self):
        os.makedirs(HOST, exist_ok=True)
        self.process = subprocess.Popen([BUILD + "/tests/askhost", HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        port = json.loads(self.process.stdout.readline())["http"]
        self.config = (
            "network: {caFile: %s}\nvision.cacheBytes: 0\nrender.video: false\nproviders:\n" # the video is none that could be opened
            "  wa: {wire: anthropic, baseUrl: \"http://127.0.0.1:%d\", apiKey: none, models: {ok: {vision: true, pdf: true}}}\n"
            "  wg: {wire: gemini, baseUrl: \"http://127.0.0.1:%d/v1beta\", apiKey: none, models: {ok: {vision: true, video: true}}}"
            % (CA, port, port))
        self.seen = 0

    def asked(self):
        with open(HOST + "/requests", "rb") as file:
            rows = file.read().splitlines()
        new, self.seen = rows[self.seen:], len(rows)
        return [json.loads(json.loads(row)["body"]) for row in new]

    def call(self, tool, **arguments):
        return fovea("call", tool, json.dumps(arguments), config=self.config)

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()


def answered(p, png):
    @test("vision_analyze_fetches_a_url_and_sends_its_bytes")
    def _():
        for url in ("https://a.test/a.png?token=canary", "https://a.test/hop.png", "https://a.test/lies.txt"):
            got = p.call("vision_analyze", file_url=url, prompt="what is it", model="wa/ok")
            same((got["exit"], got.get("text")), (0, "A red square."), got.get("error", ""))
            body, = p.asked()
            part = body["messages"][0]["content"][0]
            same(part["type"], "image")
            assert "test/" not in json.dumps(body) and "canary" not in json.dumps(body), "the provider is told the URL"
            same(base64.b64decode(part["source"]["data"])[:4], png[:4])

    @test("video_analyze_fetches_a_url_and_sends_its_bytes")
    def _():
        servers.PATHS["/a.mp4"] = servers.ok(VIDEO, "Content-Type: video/mp4")
        got = p.call("video_analyze", file_url="https://a.test/a.mp4", model="wg/ok")
        same((got["exit"], got.get("text")), (0, "A red square."), got.get("error", ""))
        body, = p.asked()
        part = body["contents"][0]["parts"][0]["inlineData"]
        same((part["mimeType"], base64.b64decode(part["data"])), ("video/mp4", VIDEO))


def refused(p):
    for url, words in ERRORS:
        @test("vision_analyze_of_" + url.split("//", 1)[1].replace("/", "_"))
        def _(url=url, words=words):
            got = p.call("vision_analyze", file_url=url, prompt="what is it", model="wa/ok")
            same((got["exit"], got["kind"], got.get("code"), got.get("cost_usd")), (1, "error", "input_invalid", 0), str(got))
            assert got["error"].startswith(words), got["error"]
            same(p.asked(), [])

    @test("video_analyze_refuses_what_the_gate_refuses")
    def _():
        for url, words in ERRORS[:4]:
            got = p.call("video_analyze", file_url=url, model="wg/ok")
            same((got["exit"], got.get("code")), (1, "input_invalid"), str(got))
            assert got["error"].startswith(words), got["error"]
        same(p.asked(), [])


def questions():
    p = Provider()
    answered(p, read("png-rgb-8.png"))
    refused(p)
    p.close()
