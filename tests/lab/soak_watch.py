# SPDX-License-Identifier: Apache-2.0
"""Looks at processes from outside, once a second, and says of the samples whether they are flat; writes them as CSV and draws
them as SVG."""
import os
import statistics
import threading
import time

FIELDS = ("rss", "pss", "dirty", "fds", "threads", "children", "zombies")


def children_of(pid):
    """{pid: state} of its children."""
    found = {}
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as file:
                for child in file.read().split():
                    with open(f"/proc/{child}/stat", encoding="ascii", errors="replace") as stat:
                        found[int(child)] = stat.read().rpartition(")")[2].split()[0]
    except OSError:
        pass
    return found


def look(pid):
    """One sample of a process, memory in KiB; None when it is gone."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
            memory = {line.split(":")[0]: int(line.split()[1]) for line in file if line.rstrip().endswith(" kB")}
        fds, threads = len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task"))
    except OSError:
        return None
    children = children_of(pid)
    return {"rss": memory["Rss"], "pss": memory["Pss"], "dirty": memory["Private_Dirty"], "fds": fds, "threads": threads,
            "children": len(children), "zombies": sum(state == "Z" for state in children.values()),
            "dead": {child for child, state in children.items() if state == "Z"}}


class Watch(threading.Thread):
    def __init__(self, pids, every=1.0):
        super().__init__(daemon=True)
        self.pids, self.every, self.over = pids, every, threading.Event()
        self.start_time, self.samples, self.gone = time.monotonic(), {name: [] for name in pids}, []
        self.stayed, self.worst_late = 0.0, 0.0  # the longest that a zombie was seen; how late the looks were
        self.dead_since = {}

    def run(self):
        due = time.monotonic() + self.every
        while not self.over.wait(max(0.0, due - time.monotonic())):
            self.worst_late = max(self.worst_late, time.monotonic() - due)
            due = max(due, time.monotonic()) + self.every
            for name, pid in self.pids.items():
                sample = look(pid)
                if sample is None:
                    self.gone.append(name)
                else:
                    self._mourn(name, sample["dead"])
                    self.samples[name].append((time.monotonic() - self.start_time, sample))

    def _mourn(self, name, dead):
        now, before = time.monotonic(), self.dead_since.get(name, {})
        self.dead_since[name] = {child: before.get(child, now) for child in dead}
        self.stayed = max([self.stayed] + [now - since for since in self.dead_since[name].values()])

    def end(self):
        self.over.set()
        self.join()


# ---------------------------------------------------------------- figures

def slope_per_minute(points):
    """Of the line that fits best; 0 for fewer than two points."""
    if len(points) < 2:
        return 0.0
    mean_x, mean_y = statistics.fmean(x for x, _ in points), statistics.fmean(y for _, y in points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return 60 * sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else 0.0


def series(samples, field, after=0.0):
    return [(when, sample[field]) for when, sample in samples if when >= after]


def thirds(points):
    """Medians of the three thirds."""
    each = len(points) // 3
    return [statistics.median(y for _, y in points[i * each:(i + 1) * each]) for i in range(3)] if each else [0, 0, 0]


def write_csv(path, samples):
    with open(path, "w", encoding="ascii") as file:
        file.write("server,seconds," + ",".join(FIELDS) + "\n")
        for name, rows in samples.items():
            for when, sample in rows:
                file.write(f"{name},{when:.1f}," + ",".join(str(sample[field]) for field in FIELDS) + "\n")


# ---------------------------------------------------------------- the plot

WIDTH, PANEL, LEFT, GAP = 1000, 190, 70, 50
COLOURS = {"stdio": "#1b6ca8", "http": "#c8553d"}
PANELS = (("rss", "resident memory, MiB", 1024), ("dirty", "memory that it shares with no reader, MiB", 1024), ("fds", "descriptors", 1),
          ("threads", "threads", 1), ("children", "children", 1))


def panel(top, field, title, unit, samples, seconds):
    most = max((sample[field] / unit for rows in samples.values() for _, sample in rows), default=1) * 1.1 or 1
    out = [f'<text x="{LEFT}" y="{top - 8}" font-weight="bold">{title}</text>',
           f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT - 20}" height="{PANEL}" fill="#f7f7f7" stroke="#ccc"/>']
    for i in range(5):
        y = top + PANEL - PANEL * i / 4
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{y}" y2="{y}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4}" text-anchor="end">{most * i / 4:.0f}</text>')
    for name, rows in samples.items():
        points = " ".join(f"{LEFT + (WIDTH - LEFT - 20) * when / seconds:.1f},{top + PANEL - PANEL * sample[field] / unit / most:.1f}"
                          for when, sample in rows)
        out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[name]}" stroke-width="1.2"/>')
    return "\n".join(out)


def write_svg(path, samples, title):
    seconds = max((rows[-1][0] for rows in samples.values() if rows), default=1)
    height = 70 + len(PANELS) * (PANEL + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{WIDTH}" height="{height}" fill="white"/>', f'<text x="{LEFT}" y="24" font-size="16">{title}</text>']
    for i, name in enumerate(samples):
        out.append(f'<text x="{WIDTH - 180 + i * 90}" y="24" fill="{COLOURS[name]}">{name}</text>')
    for i, (field, words, unit) in enumerate(PANELS):
        out.append(panel(60 + i * (PANEL + GAP), field, words, unit, samples, seconds))
    minutes = seconds / 60
    for i in range(7):
        out.append(f'<text x="{LEFT + (WIDTH - LEFT - 20) * i / 6}" y="{height - 18}" text-anchor="{"end" if i == 6 else "middle"}">'
                   f'{minutes * i / 6:.1f} min</text>')
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n</svg>\n")
