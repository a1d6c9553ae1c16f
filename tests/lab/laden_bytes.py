# SPDX-License-Identifier: Apache-2.0
"""Metadata in formats that exiftool does not write: words put by hand into every place that a file of the kind has for them, and
some that it has not. Each function takes the bytes of a fixture, the words, and what else the kind can carry, and gives the bytes
of the laden file. Films of the older kinds are in laden_films."""
import zlib

from asking import chunk


def le(value, size=4):
    return value.to_bytes(size, "little")


def word(data, at, size=4):
    return int.from_bytes(data[at:at + size], "little")


# ---------------------------------------------------------------- drawings and text

def svg(words):
    return f'''<?xml version="1.0"?><!-- {words} -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:s="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" width="60" height="40"
 s:docname="{words}.svg" data-owner="{words}"><title>{words}</title><desc>{words}</desc>
<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description about="" creator="{words}"/></rdf:RDF></metadata>
<defs><text id="t">{words}</text></defs><rect width="30" height="40" fill="#c03"/><!-- {words} --><circle cx="40" cy="20" r="9"/></svg>'''.encode()


def svgz(words):
    """The same, compressed, so that what is in it is not to be found without; the words also stand in the head: a name, a comment, and
    a field of its own."""
    data, note = svg(words), words.encode()
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    extra = b"LB" + le(len(note), 2) + note
    return (b"\x1f\x8b\x08\x1c" + bytes(5) + b"\3" + le(len(extra), 2) + extra + note + b".svg\0" + note + b"\0"
            + packed.compress(data) + packed.flush() + le(zlib.crc32(data)) + le(len(data)))


def text(words, number):
    """The words are all that there is: they may be drawn, but not said."""
    return f"# -*- author: {words} -*-\n# vim: set title={words}:\nname = '{words}'\n{number}\n".encode()


def markdown(words, number):
    return f"""---
author: {words}
title: "{words}"
---
<!-- {words} -->
# Number {number}

A [link](https://{words.lower()}.example/{words} "{words}") and ![{words}](absent-{words}.png "{words}").

<span title="{words}" data-owner="{words}">a span</span>

[{words}]: https://example.com/{words} "{words}"
""".encode()


# ---------------------------------------------------------------- pictures

def bmp(data, words, profile):
    """A note between the head and the pixels, one behind them; a profile with a name where the head has a place for it."""
    note = (words * 3).encode()
    start = word(data, 10)
    out = bytearray(data[:start] + note + data[start:])
    out[10:14] = le(start + len(note))
    if word(data, 14) == 124:
        out[14 + 56:14 + 60] = b"DEBM"  # "MBED", the first byte last
        out[14 + 112:14 + 120] = le(len(out) - 14) + le(len(profile))
        out += profile
    out += b"trailing " + note
    out[2:6] = le(len(out))
    return bytes(out)


def ico(data, words):
    """A note behind the directory, one behind the end, and text in the pictures that are PNG."""
    count, note = word(data, 4, 2), (words * 3).encode()
    entries, pictures = [], b""
    start = 6 + 16 * count + len(note)
    for at in range(6, 6 + 16 * count, 16):
        picture = data[word(data, at + 12):word(data, at + 12) + word(data, at + 8)]
        if picture[:4] == b"\x89PNG":
            said = chunk(b"tEXt", b"Author\0" + words.encode()) + chunk(b"iTXt", b"Comment\0\0\0\0\0" + words.encode())
            picture = picture[:33] + said + picture[33:]
        entries.append(data[at:at + 8] + le(len(picture)) + le(start + len(pictures)))
        pictures += picture
    return data[:6] + b"".join(entries) + note + pictures + b"trailing " + note


# ---------------------------------------------------------------- films

def ebml(name, *inner):
    """An element; its size is written in one byte where that will do, in eight otherwise."""
    data = b"".join(inner)
    return bytes.fromhex(name) + (bytes((0x80 | len(data),)) if len(data) < 127 else (1 << 56 | len(data)).to_bytes(8, "big")) + data


def length_at(data, at):
    """(value, bytes) of a number whose first byte says how long it is, without its mark."""
    size = 9 - data[at].bit_length()
    return int.from_bytes(data[at:at + size], "big") & ((1 << 7 * size) - 1), size


def tags(*pairs):
    said = (ebml("67c8", ebml("45a3", name.encode()), ebml("4487", value.encode())) for name, value in pairs)
    return ebml("1254c367", ebml("7373", ebml("63c0"), *said))


def matroska(data, words, place, cover):
    """Tags before the pictures, in the room that the writer left, and behind them, with an attachment."""
    at = data.index(bytes.fromhex("18538067")) + 4
    size, used = length_at(data, at)
    empty = data.index(b"\xec", at + used)
    while data[empty + 1] != 1:  # such a gap is written with a size of eight bytes
        empty = data.index(b"\xec", empty + 1)
    room = 9 + length_at(data, empty + 1)[0]
    early = tags(("TITLE", words))
    early += ebml("ec", bytes(room - len(early) - 2))
    assert len(early) == room, (len(early), room)
    late = tags(("ARTIST", words), ("COMMENT", words), ("LOCATION", place + words), ("DATE_RECORDED", words))
    late += ebml("1941a469", ebml("61a7", ebml("467e", words.encode()), ebml("466e", words.encode() + b".jpg"),
                                  ebml("4660", b"image/jpeg"), ebml("46ae", b"\7"), ebml("465c", cover))) if cover else b""
    out = bytearray(data[:empty] + early + data[empty + room:] + late)
    if size != (1 << 7 * used) - 1:  # of a live stream nobody knows it
        assert used == 8, used
        out[at:at + 8] = (1 << 56 | size + len(late)).to_bytes(8, "big")
    return bytes(out)


def riff(name, *inner):
    data = b"".join(inner)
    return name + le(len(data)) + data + b"\0" * (len(data) & 1)


def avi(data, words):
    """INFO and XMP in the room that the writer left, so that no index is wrong; and a chunk behind the end."""
    at = data.index(b"JUNK", data.index(b"hdrl") + word(data, 16) - 4)
    room = 8 + word(data, at + 4)
    info = riff(b"LIST", b"INFO", *(riff(name, words.encode() + b"\0") for name in (b"INAM", b"IART", b"ICMT", b"ICOP", b"ISFT", b"IKEY")))
    xmp = riff(b"_PMX", f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
               f'<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="{words}"/></rdf:RDF></x:xmpmeta>'.encode())
    info += xmp + riff(b"JUNK", bytes(room - len(info) - len(xmp) - 8))
    assert len(info) == room, (len(info), room)
    out = data[:at] + info + data[at + room:] + riff(b"JUNK", words.encode())
    return out[:4] + le(len(out) - 8) + out[8:]
