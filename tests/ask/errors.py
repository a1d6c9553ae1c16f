# SPDX-License-Identifier: Apache-2.0
"""Every error of the contract's tables, made through `fovea call` and through MCP: its kind, code, words, what it cost, how
often the provider was asked, and that nothing failed is kept as an answer. The cases are in errors.tsv."""
import json

from asking import Home, Host, call, finish, like, make_files, result_of, table, test, wanted


def check(row, status, envelope):
    """An envelope as the row wants it."""
    assert status == 1, f"status {status}: {envelope}"
    refusal = row["code"].startswith("refusal:")
    words = envelope.get("message" if refusal else "error", "")
    assert envelope["ok"] is False and envelope["kind"] == ("refusal" if refusal else "error"), envelope
    assert any(like(pattern, words) for pattern in row["words"].split("|")), envelope
    if refusal:
        assert envelope["reason"] == row["code"][8:], envelope
    elif row["code"] == "-":
        assert set(envelope) == {"ok", "kind", "error"}, envelope
    else:
        assert row["code"] == "*" or envelope["code"] in row["code"].split("|"), envelope
        assert set(envelope) - {"output_is_untrusted"} == {"ok", "kind", "code", "error", "cost_usd"}, envelope
        assert envelope.get("output_is_untrusted", True) is True, envelope
        want = json.loads(row["cost"])
        assert envelope["cost_usd"] == want if want is None else abs(envelope["cost_usd"] - want) < 1e-12, envelope


def check_requests(row, host):
    got = len(host.requests())
    assert got == int(row["requests"]), f"{got} requests, want {row['requests']}"


def by_call(row, home):
    status, envelope = home.call(row["tool"], json.loads(row["arguments"]))
    check(row, status, envelope)
    check_requests(row, home.host)
    return envelope


def by_mcp(row, home, server, number):
    reply = server.ask(call(number, row["tool"], json.loads(row["arguments"])), number, 30)
    envelope, result = result_of(reply)
    assert result.get("isError") is True and all(block["type"] == "text" for block in result["content"]), result
    if row["tool"] in ("vision_analyze", "video_analyze"):
        check(row, 1, envelope)
    else:
        words = result["content"][0]["text"]
        assert any(like("*" + pattern + "*", words) for pattern in row["words"].split("|")), result
    check_requests(row, home.host)


def same_answer_for_absent_and_out_of_reach():
    words = set()
    for path in ("absent.png", "../outside.png", "../absent.png", "/etc/shadow", "/proc/self/environ"):
        _, envelope = SAME.call("vision_analyze", {"file_path": path, "prompt": "x", "model": "wa/ok"})
        words.add(envelope["error"].replace(path, "PATH"))
    assert len(words) == 1, words
    assert next(iter(words)).startswith("FILE_NOT_FOUND: "), words


make_files()
ROWS = [row for row in table("errors.tsv") if wanted(row)]
groups = {}
for one in ROWS:
    groups.setdefault(one["config"], []).append(one)
with Host() as HOST:
    for settings, rows in groups.items():
        named = " ".join(row["arguments"] for row in rows)
        bare = settings.startswith("bare;")
        homes = [Home(HOST, settings.removeprefix("bare;"), named, bare) for _ in range(2)]
        with homes[1].server() as SERVER:
            for at, one in enumerate(rows):
                def through_call(row=one):
                    by_call(row, homes[0])

                def through_mcp(row=one, at=at):
                    by_mcp(row, homes[1], SERVER, at)
                through_call.__name__ = one["name"] + "_through_call"
                through_mcp.__name__ = one["name"] + "_through_mcp"
                test(through_call)
                test(through_mcp)
                HOST.requests()
    SAME = Home(HOST, words="wa/ok")
    test(same_answer_for_absent_and_out_of_reach)
finish()
