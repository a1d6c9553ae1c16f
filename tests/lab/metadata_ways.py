# SPDX-License-Identifier: Apache-2.0
"""The ways that a picture leaves, for metadata.py. Not every file takes every way: those of one format take them in turn, so that
each way has its share of each format that can go it."""
import laden

UNASKED = ("svg", "svgz", "md", "txt")  # what the tools that ask do not take
SEEN = tuple(kind for kind in laden.FORMATS if kind not in UNASKED)  # what is refused when it is cut
STILL = tuple(kind for kind in SEEN if kind not in laden.FILMED and kind != "pdf")
LEAST_EDGE = 300  # more than any of the pictures has
# One server for each; a host that is known to see gets WebP as it is, and pixels where others get an answer.
SERVERS = {
    "plain": ("", ()),
    "unfitted": ("images.autoResize: false", ("--main", "anthropic/claude-opus-4-7")),
    "enlarged": (f"images.minDimension: {LEAST_EDGE}", ()),
    "native": ("", ("--main", "anthropic/claude-opus-4-7")),
}
SERVER_OF = {"unfitted": "unfitted", "enlarged": "enlarged", "native": "native"}
COMMANDS = ("output", "stdout", "json", "call")


def ways_of(kind):
    if kind in STILL:
        return ("small", "unfitted", "region", "enlarged", "native", "against") + (("sheet",) if kind == "gif" else ())
    return (("small", "sheet") if kind == "pdf" else ("small", "frame") if kind in laden.FILMED else ("small",)) + ("region", "against")


def is_animated(path):
    with open(path, "rb") as file:
        return file.read().count(b"\x21\xf9\x04") > 2


def call_of(way, kind, path, other):
    """(key, tool, arguments) of one way; other is what it is held against."""
    one = {"frame": 1} if kind in laden.FILMED else {}
    if way == "native":
        return (way, path), "vision_analyze", {"file_path": path, "prompt": "what is it"}
    more = {
        "small": {"max_edge": 30 + len(path) % 3},
        "region": {"region": [2, 2, 20, 20], **one},
        "against": {"against": other, **one},
        "frame": one,
        "sheet": {"page": "1-2"} if kind == "pdf" else {"sheet": True},
    }
    return (way, path), "view", {"path": path, **more.get(way, {})}


def plan(files):
    """[(way, call)]: what can be shown as it is stored is, each, and goes one of the other ways too; what is always made anew goes
    either way, one in four both."""
    rows, firsts = [], {kind: path for kind, path, _ in reversed(files)}
    for kind in laden.FORMATS:
        other = firsts.get("jpg" if kind == "png" else "png")  # of its own format it might show the same picture
        paths, turns, taken = [path for found, path, _ in files if found == kind], ways_of(kind), laden.FORMATS.index(kind)
        for number, path in enumerate(paths):
            if kind in laden.TRAILED or number % 2 == 0:
                rows.append(("asis", call_of("asis", kind, path, None)))
            if kind in laden.TRAILED or number % 4 != 2:
                way = turns[taken % len(turns)]
                taken += 1
                way = "small" if way == "sheet" and kind == "gif" and not is_animated(path) else way
                rows.append((way, call_of(way, kind, path, other or paths[number - 1])))
    return rows


def least(count, share):
    """{way or (way, format): how often it is to be taken at least}."""
    bounds = {("asis", kind): count // 3 for kind in laden.FORMATS}
    for kind in laden.FORMATS:
        # A film of one frame in three; every third GIF has frames.
        bounds.update({(way, kind): count // (40 if way == "sheet" and kind == "gif" else 10) for way in ways_of(kind)})
        bounds.update({(way, kind): share // 5 for way in COMMANDS})
        bounds["recorded", kind] = share
        if kind in SEEN:
            bounds["asked_pages" if kind == "pdf" else "asked", kind] = share
    every = {way for kind in laden.FORMATS for way in ways_of(kind)} if len(laden.FORMATS) * count > 40 else ()
    bounds.update({way: 1 for way in every})
    bounds.update({"lowered": min(15, share * len(laden.FORMATS)), "exported": 4 * share * len(laden.FORMATS), "kept": 60, "wide": 24})
    return bounds
