# SPDX-License-Identifier: Apache-2.0
"""images.blockImages: no file is opened and no connection made, from every entry point: seen by strace, which must see both
where nothing is blocked. Without strace only the provider is watched, and that is said."""
import json
import os
import re
import shutil
import subprocess

from asking import FOVEA, Home, Host, ask, call, finish, make_files, test
from stdio import initialize, line

TRACE = ("strace", "-f", "-qq", "-s", "256", "-o", "trace", "-e", "trace=open,openat,openat2,connect,sendto")
FILES = ("red.png", "doc.pdf", "movie.mp4")
ENTRIES = {
    "view": ("view", "red.png"),
    "view_into_a_file": ("view", "red.png", "-o", "copy.png"),
    "ask": ("ask", "red.png", "what"),
    "ask_by_url": ("ask", "https://93.184.216.34/a.png", "what"),
    "ask_about_a_pdf": ("ask", "doc.pdf", "what"),
    "video": ("video", "movie.mp4"),
    "call_view": ("call", "view", json.dumps({"path": "red.png"})),
    "call_inspect_image": ("call", "inspect_image", json.dumps({"path": "red.png", "question": "what"})),
    "call_vision_analyze": ("call", "vision_analyze", json.dumps(ask())),
    "call_vision_analyze_of_a_pdf": ("call", "vision_analyze", json.dumps(ask(file_path="doc.pdf"))),
    "call_vision_analyze_by_url": ("call", "vision_analyze", json.dumps(ask(file_path=None, file_url="https://93.184.216.34/a"))),
    "call_vision_analyze_inline": ("call", "vision_analyze", json.dumps(ask(file_path=None, file_base64="iVBORw0KGgo="))),
    "call_video_analyze": ("call", "video_analyze", json.dumps({"file_path": "movie.mp4", "model": "wg/ok+video"})),
}
MCP_CALLS = [("view", {"path": "red.png"}), ("inspect_image", {"path": "red.png", "question": "what"}),
             ("vision_analyze", ask()), ("vision_analyze", ask(file_path="doc.pdf")),
             ("vision_analyze", ask(file_path=None, file_url="https://93.184.216.34/a")),
             ("vision_analyze", {"file_path": "red.png", "prompt": "pixels, please"}),
             ("video_analyze", {"file_path": "movie.mp4", "model": "wg/ok+video"})]


def traced(home, words, stdin=b""):
    """(status, stdout, the calls that open files, the calls that connect)"""
    done = subprocess.run([*(TRACE if TRACED else ()), FOVEA, *words], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env={**home.env, "ASAN_OPTIONS": "detect_leaks=0"}, timeout=120, check=False)
    with open("trace", encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    opened = [text for text in lines if " open" in text and any(name in text for name in FILES)]
    connected = [text for text in lines if re.search(r"connect\(.*AF_INET|sendto\(.*AF_INET", text)]
    return done.returncode, done.stdout, opened, connected


def mcp_lines():
    return initialize("hello") + line({"jsonrpc": "2.0", "method": "notifications/initialized"}) + b"".join(
        call(number, tool, arguments) for number, (tool, arguments) in enumerate(MCP_CALLS))


def nothing_from(words, stdin=b""):
    status, out, opened, connected = traced(BLOCKED, words, stdin)
    assert not opened and not connected, (opened[:3], connected[:3])
    assert not HOST.requests(), "the provider was asked"
    return status, out


def strace_sees_files_and_connections_where_nothing_is_blocked():
    status, out, opened, connected = traced(FREE, ENTRIES["call_vision_analyze"])
    assert status == 0 and opened and connected and len(HOST.requests()) == 1, (status, out[:300], opened[:2], connected[:2])


def blocked_from_every_tool_of_the_server():
    for options in ((), ("--main", "anthropic/claude-opus-4-7")):
        status, out = nothing_from(("mcp", *options), mcp_lines())
        replies = {reply["id"]: reply for reply in map(json.loads, out.splitlines()) if "id" in reply}
        assert status == 0 and len(replies) == len(MCP_CALLS) + 1, (status, out[:500])
        for number, (tool, _) in enumerate(MCP_CALLS):
            assert replies[number]["result"]["isError"] is True, (tool, replies[number])
            assert "blockImages" in replies[number]["result"]["content"][0]["text"], (tool, replies[number])


TRACED = shutil.which("strace") and not subprocess.run([*TRACE, "true"], check=False, stderr=subprocess.DEVNULL).returncode
open("trace", "ab").close()
if not TRACED:
    print("skip strace_sees_files_and_connections: strace is not here or may not trace, so nobody saw that no file was opened")
make_files()
with Host() as HOST:
    NAMED = "wa/ok wg/ok+video"
    BLOCKED = Home(HOST, "images.blockImages: true; modelRoles.vision: wa/ok", NAMED)
    FREE = Home(HOST, "modelRoles.vision: wa/ok", NAMED)
    if TRACED:
        test(strace_sees_files_and_connections_where_nothing_is_blocked)
    for name_, words_ in ENTRIES.items():
        def blocked(words=words_):
            status, out = nothing_from(words)
            assert status == 1, (status, out[:300])
            assert not os.path.exists("copy.png")
        blocked.__name__ = "blocked_from_" + name_
        test(blocked)
    test(blocked_from_every_tool_of_the_server)
finish()
