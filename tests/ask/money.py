# SPDX-License-Identifier: Apache-2.0
"""What asking remembers: answers that are known already, how often a picture was asked about, what was spent, budgets, and
the events for whoever runs it."""
import base64
import json
import os
import subprocess
import time

from asking import (FOVEA, KEY, RED, SCHEMA, TOKENS_OUT, Home, Host, answer, ask, call, finish, make_files, result_of, test, wanted)


def same_question_is_asked_once_and_costs_nothing_again():
    home = Home(HOST, words="wa/ok wr/ok")
    first = answer(home)
    again = answer(home)
    assert len(HOST.requests()) == 1
    assert first["cached"] is False and again["cached"] is True and again["cost_usd"] == 0, (first, again)
    assert again["text"] == first["text"] and again["model"] == first["model"], again
    for change in ({"prompt": "what is it?"}, {"model": "wr/ok"}, {"model": "wa/ok:low"}, {"region": [0, 0, 20, 20]},
                   {"file_path": "photo.jpg"}, {"format": SCHEMA, "model": "wa/json-good"}):
        home2 = Home(HOST, words="wa/ok wr/ok wa/json-good")
        answer(home2)
        got = answer(home2, **change)
        assert got["cached"] is False, change
        assert len(HOST.requests()) == 2, change


def same_pixels_under_another_name_are_the_same_question():
    home = Home(HOST, words="wa/ok")
    answer(home)
    os.link("red.png", "rouge.png")
    assert answer(home, file_path="rouge.png")["cached"] is True
    with open("red.png", "rb") as file:
        got = answer(home, file_path=None, file_base64=base64.b64encode(file.read()).decode())
    os.unlink("rouge.png")
    assert got["cached"] is True, got
    assert len(HOST.requests()) == 1


def known_answers_are_shared_by_the_doors_and_by_ask():
    home = Home(HOST, "modelRoles.vision: wa/ok")
    answer(home, model=None)
    with home.server() as server:
        envelope, _ = result_of(server.ask(call(1, "vision_analyze", ask(model=None)), 1))
    assert envelope["cached"] is True and envelope["cost_usd"] == 0, envelope
    status, out, _ = home.run("ask", "red.png", "what is it", "--json")
    assert status == 0 and json.loads(out)["cached"] is True, out
    assert len(HOST.requests()) == 1
    status, out, _ = home.run("ask", "red.png", "what is it", "--json", "--no-cache")
    assert status == 0 and json.loads(out)["cached"] is False, out
    assert len(HOST.requests()) == 1


def cache_clear_and_no_room_ask_again():
    home = Home(HOST, words="wa/ok")
    answer(home)
    status, _, _ = home.run("cache", "clear")
    assert status == 0 and answer(home)["cached"] is False
    none = Home(HOST, "vision.cacheBytes: 0", "wa/ok")
    answer(none)
    assert answer(none)["cached"] is False
    assert len(HOST.requests()) == 4


def failed_calls_are_never_kept():
    for scene, changes, each in (("refuse", {}, 1), ("empty", {}, 1), ("error-401", {}, 1), ("json-never", {"format": SCHEMA}, 2)):
        home = Home(HOST, words=f"wa/{scene}")
        for _ in range(2):
            status, got = home.call("vision_analyze", ask(model=f"wa/{scene}", **changes))
            assert status == 1 and got["ok"] is False, got
        assert len(HOST.requests()) == 2 * each, scene


def an_image_may_be_asked_about_so_often_in_a_session():
    home = Home(HOST, "vision.maxCallsPerImage: 2", "wa/ok")
    with home.server() as server:
        for number, path in enumerate(("red.png", "red.png", "red.png", "photo.jpg")):
            reply = server.ask(call(number, "vision_analyze", ask(prompt=f"question {number}", file_path=path)), number)
            envelope, result = result_of(reply)
            assert bool(result.get("isError")) == (number == 2), (number, envelope)
    assert "maxCallsPerImage" in json.dumps(server_words(home)), "the setting is not named"
    HOST.requests()


def server_words(home):
    """What the third question of a new session about one picture is told."""
    with home.server() as server:
        for number in range(3):
            reply = server.ask(call(number, "vision_analyze", ask(prompt=f"again {number}")), number)
    return reply


def a_budget_refuses_the_next_call_and_names_itself():
    for setting, session in (("budget.usdPerDay: 0.005", ()), ("budget.usdPerSession: 0.005", ("--session", "s1"))):
        home = Home(HOST, setting, "wa/ok")
        for number in range(2):
            answer(home, options=session, prompt=f"question {number}")
        status, got = home.call("vision_analyze", ask(prompt="question 2"), *session)
        assert status == 1 and got["kind"] == "error" and setting.split(":")[0] in got["error"], got
        assert got["cost_usd"] == 0 and len(HOST.requests()) == 2, got
        # What is known already still is.
        assert answer(home, options=session, prompt="question 0")["cached"] is True
        if session:
            assert answer(home, options=("--session", "s2"), prompt="question 3")["cached"] is False
            assert len(HOST.requests()) == 1


def a_budget_holds_within_one_server():
    home = Home(HOST, "budget.usdPerSession: 0.005", "wa/ok")
    with home.server() as server:
        bad = [bool(result_of(server.ask(call(n, "vision_analyze", ask(prompt=f"q {n}")), n))[1].get("isError")) for n in range(3)]
    assert bad == [False, False, True] and len(HOST.requests()) == 2, bad


def usage_shows_what_was_spent():
    home = Home(HOST, words="wa/ok wa/refuse wa/ok+free")
    answer(home, options=("--session", "trip"))
    answer(home, options=("--session", "trip"))
    answer(home, model="wa/ok+free")
    home.call("vision_analyze", ask(model="wa/refuse"))
    HOST.requests()
    shown = {by: home.run("usage", "--by", by) for by in ("session", "model", "day")}
    assert all(status == 0 for status, _, _ in shown.values()), shown
    assert "trip" in shown["session"][1] and "wa/ok" in shown["model"][1], shown
    assert time.strftime("%Y-%m-%d", time.gmtime()) in shown["day"][1], shown["day"]
    assert "0.00279" in shown["session"][1] and "0.00558" in shown["day"][1], shown


def telemetry_has_figures_and_never_content_keys_or_paths():
    path = os.path.abspath("events.jsonl")
    home = Home(HOST, f'telemetry.file: "{path}"; modelRoles.vision: wa/ok', "wa/ok wa/error-401 wg/ok+video")
    answer(home, prompt="a question of mine")
    answer(home, prompt="a question of mine")
    home.call("vision_analyze", ask(model="wa/error-401"))
    home.call("vision_analyze", ask(file_path="absent.png"))
    home.call("inspect_image", {"path": "red.png", "question": "a question of mine"})
    answer(home, "video_analyze", file_path="movie.mp4", model="wg/ok+video")
    HOST.requests()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert os.stat(path).st_mode & 0o777 == 0o600
    events = [json.loads(line) for line in text.splitlines()]
    for word in (KEY, "question of mine", "red.png", "absent.png", RED, "what is it", os.getcwd(), "127.0.0.1"):
        assert word not in text, word
    assert all(event["kind"] == "oneshot" for event in events), events
    first = events[0]
    assert first["tool"] == "vision_analyze" and first["model"] == "ok" and first["provider"] == "wa", first
    assert first["outcome"] == "ok" and first["duration_ms"] >= 0 and first["output_tokens"] == TOKENS_OUT, first
    assert events[1]["cached"] is True and events[2]["outcome"] in ("LLM_ERROR", "execution_failed"), events
    assert {event["tool"] for event in events} == {"vision_analyze", "inspect_image", "video_analyze"}, events


def what_a_question_that_was_cut_off_costs_is_not_known():
    """Anthropic says what came in when an answer starts, but that is not all it costs."""
    for model, cost in (("wa/cut-event", None), ("wc/cut-event", None), ("wa/garbage-sse", None), ("wa/error-401", 0)):
        home = Home(HOST, words=model)
        status, got = home.call("vision_analyze", ask(model=model))
        assert status == 1 and got["cost_usd"] == cost, (model, got)
        rows = json.loads(home.run("usage", "--json", "--by", "model")[1])["rows"]
        assert len(rows) == (cost != 0), rows
        for row in rows:
            assert row["failed"] == 1 and row["unpriced"] == (cost is None) and row["cost_usd"] == cost, row


def a_record_that_cannot_be_written_does_not_lose_the_answer():
    """For root, whom no mode binds, the folder is mounted read-only."""
    home = Home(HOST, words="wa/ok")
    answer(home)
    state = os.path.join(home.folder, "state", "fovea")
    program = [FOVEA, "call", "vision_analyze", "-"]
    if os.geteuid() == 0:
        mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        program = ["unshare", "-m", "sh", "-c", mount, state, *program]
        if subprocess.run(["unshare", "-m", "sh", "-c", mount, state, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
            HOST.requests()
            return "nothing can be mounted here"
    else:
        os.chmod(os.path.join(state, "usage.db"), 0o400)
        os.chmod(state, 0o500)
    done = subprocess.run(program, input=json.dumps(ask(prompt="another")).encode(), stdout=subprocess.PIPE, env=home.env,
                          timeout=60, check=False)
    os.chmod(state, 0o700)
    got = json.loads(done.stdout)
    assert done.returncode == 0 and got["ok"] is True and got["text"] == RED, got
    assert "What it cost could not be kept: " in got["note"] and "cannot be written: see to its permissions" in got["note"], got
    assert len(HOST.requests()) == 2


make_files()
with Host() as HOST:
    for function in (what_a_question_that_was_cut_off_costs_is_not_known,
                     same_question_is_asked_once_and_costs_nothing_again,
                     same_pixels_under_another_name_are_the_same_question,
                     known_answers_are_shared_by_the_doors_and_by_ask, cache_clear_and_no_room_ask_again,
                     failed_calls_are_never_kept, an_image_may_be_asked_about_so_often_in_a_session,
                     a_budget_refuses_the_next_call_and_names_itself, a_budget_holds_within_one_server,
                     usage_shows_what_was_spent, telemetry_has_figures_and_never_content_keys_or_paths,
                     a_record_that_cannot_be_written_does_not_lose_the_answer):
        if wanted({"name": function.__name__}):
            test(function)
            HOST.requests()
finish()
