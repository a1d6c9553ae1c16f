# SPDX-License-Identifier: Apache-2.0
"""loop_host.py LOG: a model on the loopback for the examples, until its stdin ends. Prints its port. When the user's last words are
"look at PATH" it calls view once, and says then how many pictures it sees; to anything else it says "you said: ...". The word
"refused" among these words makes it refuse a request, once, for a picture in it. Every body is a line of LOG."""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def blocks(message):
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def is_result(message):
    return message["role"] == "tool" or any(b["type"] == "tool_result" for b in blocks(message))


def pictures(value):
    """How many there are, wherever they stand."""
    if isinstance(value, dict):
        return (value.get("type") in ("image", "image_url")) + sum(pictures(v) for v in value.values())
    return sum(pictures(v) for v in value) if isinstance(value, list) else 0


def last_words(messages):
    """The user's last words, and whether a tool has answered since."""
    answered = False
    for message in reversed(messages):
        texts = [b["text"] for b in blocks(message) if b["type"] == "text"]
        if message["role"] == "user" and not is_result(message) and texts and not pictures(message):
            return texts[-1], answered
        answered |= is_result(message)
    return "", answered


class Model(BaseHTTPRequestHandler):
    refused = False

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with open(sys.argv[1], "a", encoding="utf-8") as log:
            log.write(json.dumps(body) + "\n")
        words, answered = last_words(body["messages"])
        if "refused" in words and pictures(body) and not Model.refused:
            Model.refused = True
            self.reply(400, {"type": "error", "error": {"type": "invalid_request_error", "message": "Could not process image"}})
        elif words.startswith("look at ") and not answered:
            self.say(None, {"path": words.split()[2].rstrip(",")})
        elif words.startswith("look at "):
            self.say(f"I see {pictures(body)} picture(s).", None)
        else:
            self.say("you said: " + words, None)

    def say(self, text, call):
        if self.path.endswith("/messages"):
            content = [{"type": "tool_use", "id": "toolu_1", "name": "view", "input": call}] if call else \
                [{"type": "text", "text": text}]
            self.reply(200, {"content": content, "usage": {"input_tokens": 100, "output_tokens": 5}})
        else:
            calls = [{"id": "call_1", "type": "function", "function": {"name": "view", "arguments": json.dumps(call)}}]
            message = {"role": "assistant", "content": text, **({"tool_calls": calls} if call else {})}
            self.reply(200, {"choices": [{"message": message}], "usage": {"prompt_tokens": 100, "completion_tokens": 5}})

    def reply(self, status, value):
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
