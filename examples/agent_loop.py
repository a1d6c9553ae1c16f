#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agent_loop.py SESSION PROVIDER/MODEL: an agent in Python that keeps its conversation in fovea.

Each line of stdin is the user's. Speaks Anthropic's Messages API with the host at BASE_URL; the key is in ANTHROPIC_API_KEY. It
holds no messages of its own: what the model is to see is asked of fovea before every request, so it can be stopped and
started again at any point, and pictures never make a request that is refused."""
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

SESSION, MODEL = sys.argv[1:3]
BASE = os.environ.get("BASE_URL", "https://api.anthropic.com")
TOOLS = [{"name": "view", "description": "Look at a picture.",
          "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}]


def fovea(*words, stdin=""):
    """Runs fovea. Exit status 1 is an answer too: a refusal, with words that say what to do."""
    done = subprocess.run([os.environ.get("FOVEA", "fovea"), *words], input=stdin, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode > 1:
        sys.exit(done.returncode)
    return done.returncode, done.stdout


def append(*entries):
    status, _ = fovea("session", "append", SESSION, stdin="\n".join(json.dumps(entry) for entry in entries))
    if status:
        sys.exit(status)


def post():
    """The next request, made by fovea from all that was appended."""
    status, text = fovea("lower", SESSION, "--model", MODEL, "--wire", "anthropic", "--full")
    if status:
        sys.exit(status)
    request = json.loads(text)
    body = {"model": MODEL.partition("/")[2], "max_tokens": 4096, "tools": TOOLS, **request["body"]}
    headers = {"content-type": "application/json", "anthropic-version": "2023-06-01",
               "x-api-key": os.environ.get("ANTHROPIC_API_KEY", ""), **request["headers"]}
    call = urllib.request.Request(BASE + "/v1/messages", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(call) as answer:
        return json.load(answer)


def ask():
    """One answer. A request that was refused for a picture is repaired and sent again, once."""
    try:
        return post()
    except urllib.error.HTTPError as error:
        words = error.read().decode()
        status, _ = fovea("session", "reject", SESSION, "--error", "-", "--model", MODEL, "--wire", "anthropic", stdin=words)
        if status:  # not about a picture
            sys.exit(words)
        return post()


def part(block):
    """A block of the answer as a part of an entry (docs/transcript.md)."""
    if block["type"] == "text":
        return {"type": "text", "text": block["text"]}
    if block["type"] == "tool_use":
        return {"type": "tool_call", "id": block["id"], "name": block["name"], "arguments": block["input"]}
    return {"type": "opaque", "wire": "anthropic", "value": block, "thinking": "thinking" in block["type"]}


def turn(words):
    append({"kind": "user", "parts": [{"type": "text", "text": words}]})
    while True:
        answer = ask()
        used = answer["usage"]
        cached, written = used.get("cache_read_input_tokens") or 0, used.get("cache_creation_input_tokens") or 0
        append({"kind": "assistant", "parts": [part(block) for block in answer["content"]]},
               {"kind": "usage", "model": MODEL, "input": used["input_tokens"] + cached + written,
                "output": used["output_tokens"], "cache_read": cached, "cache_write": written, "cost_usd": None})
        calls = [block for block in answer["content"] if block["type"] == "tool_use"]
        for call in calls:  # recorded as the answer to that call by being made
            fovea("call", call["name"], json.dumps(call["input"]), "--session", SESSION, "--call", call["id"])
        if not calls:
            return "".join(block["text"] for block in answer["content"] if block["type"] == "text")


for line in sys.stdin:
    print(turn(line.rstrip("\n")), flush=True)
