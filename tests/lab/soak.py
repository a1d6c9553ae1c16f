# SPDX-License-Identifier: Apache-2.0
"""soak.py SECONDS FOLDER: mixed calls against two servers (one on pipes, one over HTTP) for that long, with questions to a
provider that fails now and then, cancels at any time, broken lines, and record work beside them. Each request has exactly one
answer, and the right one; each kind of them was made and answered; memory, descriptors and threads of the servers are flat. Writes
soak.csv, soak.svg and soak.png to FOLDER."""
import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.environ["TOP"], "tests", "ask"))
from asking import BUILD, FIXTURES, FOVEA, SANITIZED, Home, Host, finish, make_files  # noqa: E402
from stdio import said  # noqa: E402
from soak_calls import BROKEN, KINDS, MEMORY, NAMED_SCENES, PHOTOS, SORTS, Mix, make_soak_files, sort_of  # noqa: E402
from soak_clients import Http, Stdio, Tally  # noqa: E402
from soak_record import COMMANDS, Record  # noqa: E402
from soak_watch import Watch, children_of, look, series, slope_per_minute, thirds, write_csv, write_svg  # noqa: E402

SECONDS, FOLDER = float(sys.argv[1]), sys.argv[2]
QUICK, FULL = SECONDS < 60, SECONDS >= 600
WARM_UP = SECONDS / 2  # until what may be kept is kept: pictures, names of views, connections
NAMES = 4096 if FULL else 0  # of views that a server remembers: seen before memory is judged, however slow the machine
CANCELS, BREAKS = 0.08, 0.01  # of all calls
QUIET = 0.3 if QUICK else 3.0
SLOPE_KIB, SLOPE_PART = 64, 0.001  # of a minute: this much, or this part of all
THIRDS_PART = 0.05
IDLE_KIB, IDLE_PART = 1024, 0.05  # of idle memory: at the end so much more than halfway, both together
LEAST_RATE = 32  # requests a second: a third of what the published run had
ZOMBIE_SECONDS = 1.9  # not seen in three looks
SPARE_FDS, SPARE_THREADS = 64 if QUICK else 16, 8  # connections to the provider and threads that may be kept for the next call


class Quiet(Host):
    """The provider, without its log."""
    def __init__(self):
        os.makedirs("host", exist_ok=True)
        self.process = subprocess.Popen([os.path.join(BUILD, "tests", "askhost"), "host", "quiet"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.ports, self.ca = json.loads(self.process.stdout.readline()), os.path.abspath("host/ca.pem")


class Gate:
    """Lets threads work, or holds them between two calls."""
    def __init__(self):
        self.change, self.open, self.inside, self.over = threading.Condition(), True, 0, False

    def __enter__(self):
        with self.change:
            self.change.wait_for(lambda: self.open or self.over)
            self.inside += 1

    def __exit__(self, *_):
        with self.change:
            self.inside -= 1
            self.change.notify_all()

    def shut(self):
        with self.change:
            self.open = False
            self.change.wait_for(lambda: self.inside == 0, 120)

    def let(self):
        with self.change:
            self.open = True
            self.change.notify_all()


def one_call(client, mix, tally):
    if mix.random.random() < BREAKS:
        broken = mix.random.randrange(len(BROKEN))
        tally.add(f"broken {client.name} {broken}")
        client.break_line(BROKEN[broken])
        return
    whole = bool(mix.first)
    kind, method, params, check = mix.next()
    cancel = mix.random.uniform(0, 0.06) if not whole and mix.random.random() < CANCELS and method == "tools/call" else None
    start = time.monotonic()
    reply = client.ask(method, params, cancel)
    tally.add(f"calls {kind}")
    if reply is None:
        return
    wrong = check(reply)
    if wrong:
        tally.complain("wrong_answers", f"{client.name} {kind} {params}: {wrong}")
    else:
        tally.add(f"right {client.name} {kind}")
        tally.add(f"right {kind} {sort_of(params)}" if kind in SORTS else f"right {kind}")
    result = reply.get("result") or {}
    if result and method == "tools/call":
        tally.add(f"recorded {client.name}")
    tally.add("answered with an error" if "error" in reply or result.get("isError") else "answered well")
    tally.add("milliseconds", int((time.monotonic() - start) * 1000))


def guarded(work, gate, tally, name):
    def loop():
        try:
            while not gate.over:
                with gate:
                    work()
        except Exception as error:  # a thread that ends early must show
            tally.complain("broken_threads", f"{name}: {error!r}")
            raise
    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    return thread


def census(clients, gate):
    """With all held: descriptors without those of children, threads, memory."""
    gate.shut()
    time.sleep(QUIET)
    found = {client.name: look(client.process.pid) for client in clients}
    gate.let()
    return {name: dict(sample, own=sample["fds"] - 3 * sample["children"]) for name, sample in found.items() if sample}


def figure(name, *values):
    print("figure", name, *values, flush=True)


def judge_flat(client, samples, marks, name):
    points = series(samples, "rss", WARM_UP)
    slope, (_, middle, last) = slope_per_minute(points), thirds(points)
    median = statistics.median(y for _, y in points) if points else 0
    bound = max(SLOPE_KIB, median * SLOPE_PART)
    first, end = (mark[client.name] for mark in marks)
    figure(f"{name}_rss_start_end", f"{samples[0][1]['rss']} {samples[-1][1]['rss']} KiB")
    figure(f"{name}_rss_slope", f"{slope:.1f} KiB/min (bound {bound:.0f})")
    figure(f"{name}_rss_middle_and_last_third", f"{middle:.0f} {last:.0f} KiB")
    figure(f"{name}_rss_idle_after_warm_up_and_at_end", f"{first['rss']} {end['rss']} KiB")
    figure(f"{name}_descriptors_idle_after_warm_up_and_at_end", first["own"], end["own"])
    figure(f"{name}_threads_idle_after_warm_up_and_at_end", first["threads"], end["threads"])
    figure(f"{name}_most_descriptors_threads_children", *(max(y for _, y in series(samples, field)) for field in ("fds", "threads", "children")))
    if not FULL or SANITIZED:
        print(f"skip memory_of_the_{name}_server_is_flat (judged from ten minutes on, and not of a sanitized build)", flush=True)
    else:
        said(f"memory_of_the_{name}_server_is_flat", slope < bound and abs(last - middle) < THIRDS_PART * middle and
             end["rss"] <= first["rss"] * (1 + IDLE_PART) + IDLE_KIB, (slope, bound, middle, last, first["rss"], end["rss"]))
    said(f"descriptors_and_threads_of_the_{name}_server_are_flat",
         end["own"] <= first["own"] + SPARE_FDS and end["threads"] <= first["threads"] + SPARE_THREADS, (first, end))


def end_of(client):
    pid = client.process.pid
    below = set(children_of(pid))
    status = client.close()
    end = time.monotonic() + 3
    while time.monotonic() < end and any(os.path.exists(f"/proc/{child}") for child in below):
        time.sleep(0.05)
    left = [child for child in below if os.path.exists(f"/proc/{child}")]
    said(f"the_{client.name}_server_lived_to_the_end_and_left_nobody", status == 0 and not left, (status, left))


def run(host):
    home = Home(host, f'images.questionTimeoutMs: 12000; modelRoles.vision: wa/ok; network.caFile: "{host.ca}"', NAMED_SCENES)
    tally, gate = Tally(), Gate()
    words = [FOVEA, "mcp", "--root", FIXTURES, "--root", PHOTOS, "--root", os.getcwd()]
    record = Record(home, random.Random(99), tally, ["soak-stdio", "soak-http"])
    record.begin()
    clients = [Stdio([*words, "--session", "soak-stdio"], home.env, tally), Http([*words, "--session", "soak-http"], home.env, tally)]
    watch = Watch({client.name: client.process.pid for client in clients}, 0.25 if QUICK else 1.0)
    watch.start()
    start, threads = time.monotonic(), []
    for number in range(7):
        client, mine, each = (clients[0], number, 4) if number < 4 else (clients[1], number - 4, 3)
        # Each kind comes first once, at each server; then the names.
        mix = Mix(random.Random(number * 7 + 1), number, ["place"] * (NAMES // each) + KINDS[mine::each])
        threads.append(guarded(lambda c=client, m=mix: one_call(c, m, tally), gate, tally, f"{client.name} {number}"))
    MEMORY.folder = FOLDER
    steps = record.steps()

    def record_step():
        next(steps)
        time.sleep(0.2)
    threads.append(guarded(record_step, gate, tally, "record"))
    time.sleep(WARM_UP)
    marks = [census(clients, gate)]
    shown = start
    while time.monotonic() - start < SECONDS and not watch.gone:
        time.sleep(0.2)
        if time.monotonic() - shown >= 60:
            shown = time.monotonic()
            print(f"# {(shown - start) / 60:.0f} min: {tally.get('requests')} requests, {len(tally.complaints)} complaints, "
                  f"RSS {[rows[-1][1]['rss'] for rows in watch.samples.values()]} KiB", flush=True)
    marks.append(census(clients, gate))
    gate.over = True
    for thread in threads:
        thread.join(100)
    elapsed = time.monotonic() - start
    watch.end()
    record.end({f"soak-{client.name}": tally.get(f"recorded {client.name}") for client in clients})
    return tally, clients, watch, marks, elapsed


def missing(tally):
    """What was never made, or never came out as it should; of sorts that are drawn by chance only where there was time for all."""
    wanted = [f"right {name} {kind}" for name in ("stdio", "http") for kind in KINDS]
    wanted += [f"done {command}" for command in COMMANDS] + ["recorded stdio", "recorded http", "sessions_ended", "cancelled_without_answer"]
    wanted += [f"cancels by {way}" for way in ("a line", "a request", "hanging up")]
    if FULL:
        wanted += [f"broken {name} {number}" for name in ("stdio", "http") for number in range(len(BROKEN))]
        wanted += [f"right {kind} {sort}" for kind, sorts in SORTS.items() for sort in sorts]
    return [name for name in wanted if not tally.get(name)]


def judge_mix(tally, elapsed):
    if QUICK:
        print("skip each_kind_was_made_and_answered (there is time for all from a minute on)", flush=True)
    else:
        said("each_kind_was_made_and_answered", not missing(tally), missing(tally))
    if not FULL or SANITIZED:
        print("skip there_was_enough_to_do (judged from ten minutes on, and not of a sanitized build)", flush=True)
    else:
        said("there_was_enough_to_do", tally.get("requests") >= LEAST_RATE * elapsed, tally.get("requests"))


def report(tally, clients, watch, marks, elapsed):
    get = tally.get
    for complaint in tally.complaints:
        os.write(2, f"  {complaint}\n".encode(errors="replace"))
    said("each_request_has_exactly_one_answer_and_a_cancelled_one_at_most_one",
         get("requests") == get("answers") + get("cancelled_without_answer") and
         not any(get(name) for name in ("lost_answers", "double_answers", "unasked_answers", "late_answers", "no_protocol", "http_status",
                                        "broken_threads")),
         tally.counts)
    said("each_broken_line_has_one_answer_without_an_id", get("broken_lines") == get("nameless_answers"),
         (get("broken_lines"), get("nameless_answers")))
    said("each_answer_is_right", not get("wrong_answers") and get("answered well") > 0)
    judge_mix(tally, elapsed)
    said("record_work_beside_them_loses_nothing", get("commands") > 0 and
         not any(get(name) for name in ("failed_commands", "wrong_lowerings", "lost_entries")))
    said("no_server_restarts_or_ends", not watch.gone and all(client.process.poll() is None for client in clients))
    said("no_zombie_stays", watch.stayed < ZOMBIE_SECONDS, watch.stayed)
    for client in clients:
        judge_flat(client, watch.samples[client.name], marks, client.name)
        end_of(client)
    figure("latest_look_of_the_watcher", f"{watch.worst_late * 1000:.0f} ms")
    figure("zombie_seen_longest", f"{watch.stayed:.1f} s")
    figure("minutes", f"{elapsed / 60:.1f}")
    figure("requests", get("requests"))
    figure("requests_a_second", f"{get('requests') / elapsed:.1f}")
    figure("mean_answer", f"{get('milliseconds') / max(1, get('answered well') + get('answered with an error')):.0f} ms")
    for name in ("answered well", "answered with an error", "cancels", "cancelled_without_answer", "crossed_answers",
                 "broken_lines", "sessions_ended", "notifications", "commands", "recorded_results", "wrong_answers", "lost_answers"):
        figure(name.replace(" ", "_"), get(name))
    for name in sorted(name for name in tally.counts if name.startswith("calls ")):
        figure(name.replace(" ", "_"), get(name))
    os.makedirs(FOLDER, exist_ok=True)
    write_csv(os.path.join(FOLDER, "soak.csv"), watch.samples)
    write_svg(os.path.join(FOLDER, "soak.svg"), watch.samples, f"fovea mcp, {elapsed / 60:.1f} minutes, {get('requests')} requests")
    shown = subprocess.run([FOVEA, "view", "--root", FOLDER, os.path.join(FOLDER, "soak.svg"), "--max-edge", "1100", "-o",
                            os.path.join(FOLDER, "soak.png")], capture_output=True, check=False)
    said("the_plot_can_be_seen", shown.returncode == 0, shown.stdout + shown.stderr)


make_files()
make_soak_files()
with Quiet() as HOST:
    report(*run(HOST))
finish()
