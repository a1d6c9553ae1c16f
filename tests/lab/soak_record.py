# SPDX-License-Identifier: Apache-2.0
"""Record work beside the servers, by the command line: conversations are appended to, shown, lowered and deleted. What is
lowered as of a turn must stay the same bytes, and every entry that was acknowledged must be there."""
import base64
import hashlib
import json

MODELS = ("anthropic/claude-opus-4-7", "openai/gpt-5.1", "google/gemini-2.5-pro")


# What is done to the record, by the words that the command begins with.
COMMANDS = ("session append", "session show", "session delete", "session fsck", "lower", "lower --at")


class Record:
    def __init__(self, home, random, tally, servers):
        self.home, self.random, self.tally, self.servers = home, random, tally, servers
        self.count, self.lowered = 0, {}
        with open("red.png", "rb") as file:
            self.picture = base64.b64encode(file.read()).decode()

    def run(self, *words, stdin=b""):
        status, out, err = self.home.run(*words, stdin=stdin)
        self.tally.add("commands")
        if status != 0:
            self.tally.complain("failed_commands", f"{words}: {status} {err[:300]}")
        else:
            self.tally.add("done " + (" ".join(words[:2]) if words[0] == "session" else "lower --at" if "--at" in words else words[0]))
        return out

    def entries(self, turn):
        user = {"kind": "user", "parts": [{"type": "text", "text": f"turn {turn}"}, {"type": "image", "data": self.picture}]}
        return [user, {"kind": "assistant", "parts": [{"type": "text", "text": f"seen {turn}"}]}]

    def conversation(self):
        """One from its first word to its end."""
        self.count += 1
        name, turns, first = f"conv-{self.count}", self.random.randint(2, 5), {}
        model = self.random.choice(MODELS)
        for turn in range(1, turns + 1):
            self.run("session", "append", name, stdin="\n".join(json.dumps(entry) for entry in self.entries(turn)).encode())
            first[turn] = self.run("lower", name, "--model", model)
            if f"turn {turn}" not in first[turn]:
                self.tally.complain("wrong_lowerings", f"{name} turn {turn}: {first[turn][:200]}")
            yield
        again = self.run("lower", name, "--model", model)
        if again != first[turns]:
            self.tally.complain("wrong_lowerings", f"{name}: not the same bytes")
        shown = self.run("session", "show", name, "--json")
        if len(shown.splitlines()) != 2 * turns:
            self.tally.complain("lost_entries", f"{name}: {len(shown.splitlines())} of {2 * turns}")
        yield
        self.run("session", "delete", name)

    def begin(self):
        """What the servers record comes behind a conversation of two turns."""
        for name in self.servers:
            self.run("session", "append", name, stdin="\n".join(json.dumps(e) for turn in (1, 2) for e in self.entries(turn)).encode())

    def of_server(self):
        """The record that a server writes just now, as of its first turn: always the same."""
        name = self.random.choice(self.servers)
        digest = hashlib.sha256(self.run("lower", name, "--model", MODELS[0], "--at", "1").encode()).hexdigest()
        if self.lowered.setdefault(name, digest) != digest:
            self.tally.complain("wrong_lowerings", f"{name} as of turn 1: not the same bytes")

    def steps(self):
        while True:
            yield from self.conversation()
            self.of_server()
            yield

    def end(self, recorded):
        """Whatever was answered was recorded, and every byte of the record is as it should be."""
        for name, least in recorded.items():
            shown = self.run("session", "show", name, "--json").splitlines()
            results = sum(json.loads(line)["entry"]["kind"] in ("tool_result", "perception") for line in shown)
            if results < least:
                self.tally.complain("lost_entries", f"{name}: {results} results of {least}")
            self.tally.add("recorded_results", results)
        self.run("session", "fsck")
