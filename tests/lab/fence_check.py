# SPDX-License-Identifier: Apache-2.0
"""Judges what the program fence writes, by other means than the fence itself: the text is taken apart by Python's Unicode tables
into what is seen of it, and there must be one beginning and one end of the fence, the end last. Notes must be one line, and nothing
in them may act. Prints how many were judged and how many are bad, and says the first of those; nothing where the last record,
which tells how many there were, is missing or tells another number."""
import re
import struct
import sys
import unicodedata

# By what they look like: other alphabets have these too, and Unicode does not take them apart.
ALIKE = str.maketrans({
    "‹": "<", "❮": "<", "⟨": "<", "〈": "<", "〈": "<", "ᐸ": "<", "˂": "<", "\\": "/", "⁄": "/", "∕": "/", "⧸": "/", "╱": "/",
    "υ": "u", "ս": "u", "ᴜ": "u", "🆄": "u", "🇺": "u", "ո": "n", "ɴ": "n", "ν": "n", "т": "t", "τ": "t", "ᴛ": "t", "г": "r", "ʀ": "r",
    "ᴦ": "r", "ѕ": "s", "ꜱ": "s", "е": "e", "ε": "e", "℮": "e", "ԁ": "d"})
UNSEEN = {0x115f, 0x1160, 0x17b4, 0x17b5, 0x2800, 0x3164, 0xffa0, 0xfffd}
TAG = re.compile(r"<[/]*untrusted")
BEGIN = '<untrusted source="vision model local/%s" tool="inspect_image">\n'
ERROR = 'the vision model or its provider answered:\n<untrusted tool="inspect_image">\n'
BIDI = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def seen(text):
    """The text as it looks: no blanks, nothing that cannot be seen, small plain letters."""
    if text.isascii():
        return re.sub(r"[\x00-\x20\x7f]+", "", text).lower().translate(ALIKE)
    text = unicodedata.normalize("NFKD", text).casefold()
    text = "".join(c for c in text if unicodedata.category(c)[0] not in "CZM" and ord(c) not in UNSEEN)
    return re.sub(r"\(([a-z])\)", r"\1", unicodedata.normalize("NFKD", text.translate(ALIKE)).casefold())


def two_tags(text, begin, end):
    """What is wrong with it, or None."""
    if not text.startswith(begin) or not text.endswith(end) or len(text) < len(begin) + len(end):
        return "the fence is not where it belongs"
    found = TAG.findall(seen(text))
    first = len(TAG.findall(seen(begin)))
    if first != 1 or len(found) != 2 or found[1] != "</untrusted":
        return f"tags {found}"
    return None


def one_line(text):
    for c in text:
        if unicodedata.category(c) in ("Cc", "Zl", "Zp") or unicodedata.bidirectional(c) in BIDI:
            return f"U+{ord(c):04X} in a note"
    return None


def wrong(kind, data):
    text = data.decode("utf-8", "strict" if kind == "n" else "ignore")
    if kind == "n":
        return one_line(text)
    if kind == "e":
        return two_tags(text, ERROR, "\n</untrusted>")
    if kind == "a":
        return two_tags(text, BEGIN % "m", "\n</untrusted>\nlocal/m")
    head, _, rest = text.partition("\n")
    model = re.fullmatch(r'<untrusted source="vision model local/([^"<>]*)" tool="inspect_image">', head)
    if not model or one_line(model[1]) or rest != "x\n</untrusted>\nlocal/" + model[1]:
        return "a model's name changes the frame"
    return two_tags(text, head, rest[-len("\n</untrusted>\nlocal/" + model[1]):])


def main():
    judged, bad, stream = 0, 0, sys.stdin.buffer
    while True:
        head = stream.read(5)
        if len(head) < 5:
            raise SystemExit(f"  the texts end without a word after {judged}")
        kind, number = chr(head[0]), struct.unpack("<I", head[1:])[0]
        if kind == ".":
            break
        data = stream.read(number)
        if len(data) < number:
            raise SystemExit(f"  text {judged + 1} is cut short")
        judged += 1
        try:
            why = wrong(kind, data)
        except UnicodeDecodeError:
            why = "no UTF-8"
        if why:
            bad += 1
            if bad <= 5:
                sys.stderr.write(f"  {kind}: {why}: {data[:400]!r}\n")
    if number != judged or stream.read(1):
        raise SystemExit(f"  {number} texts were written, {judged} came")
    print(judged, bad)


main()
