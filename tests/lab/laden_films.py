# SPDX-License-Identifier: Apache-2.0
"""Metadata in films of kinds that exiftool does not write and that are taken apart here: MPEG programme and transport streams,
FLV, ASF and Ogg. Each function takes the bytes of a film, the words, and a picture for a cover or nothing, and gives the bytes of
the laden film."""
import base64
import uuid

from laden_bytes import le, word

NAMES = ("title", "artist", "author", "comment", "copyright", "description", "location", "creator", "encoder")


def crc_table():
    for value in range(256):
        value <<= 24
        for _ in range(8):
            value = (value << 1 ^ (0x04c11db7 if value >> 31 else 0)) & 0xffffffff
        yield value


CRC = tuple(crc_table())


def crc(data, value):
    """The sum of MPEG (begun with ones) and of Ogg (with zeros): the highest bit first."""
    for byte in data:
        value = (value << 8 & 0xffffffff) ^ CRC[value >> 24 ^ byte]
    return value


def xmp(words):
    return (f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
            f'<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="{words}"/></rdf:RDF></x:xmpmeta>').encode()


# ---------------------------------------------------------------- MPEG

def mpeg(data, words, _):
    """User data in the pictures' own stream, before the first group; and packets beside it: private, and padding."""
    note = words.encode()
    packet, group = data.index(b"\0\0\1\xe0"), data.index(b"\0\0\1\xb8")
    size = int.from_bytes(data[packet + 4:packet + 6], "big")
    assert packet < group < packet + 6 + size, (packet, group, size)
    user = b"\0\0\1\xb2" + note * 3
    beside = b"".join(b"\0\0\1" + kind + (len(note) * 2).to_bytes(2, "big") + note * 2 for kind in (b"\xbf", b"\xbe"))
    head = data[packet:packet + 4] + (size + len(user)).to_bytes(2, "big")
    return data[:packet] + beside + head + data[packet + 6:group] + user + data[group:]


def section(kind, inner):
    """A table of a transport stream: a kind, a length, what is in it, a sum."""
    data = bytes((kind,)) + (0xf000 | len(inner) + 4).to_bytes(2, "big") + inner
    return data + crc(data, 0xffffffff).to_bytes(4, "big")


def descriptor(kind, head, note):
    """Something of its kind, and the words twice, in a list of one descriptor with its length before it."""
    body = head + (bytes((len(note),)) + note) * 2
    return (0x8000 | len(body) + 2).to_bytes(2, "big") + bytes((kind, len(body))) + body


def transport(pid, count, table):
    return (bytes((0x47, 0x40 | pid >> 8, pid & 255, 0x10 | count & 15, 0)) + table).ljust(188, b"\xff")


def services(note):
    """Who sends it, and what it is called."""
    return section(0x42, b"\0\1\xc1\0\0\xff\1\xff\0\1\xfc" + descriptor(0x48, b"\1", note))


def events(note):
    """What is on: a name and a text."""
    when = b"\0\1\xc0\x79\x12\x45\0\0\0\2"
    return section(0x4e, b"\0\1\xc1\0\0\0\1\xff\1\0\1\x4e" + when + descriptor(0x4d, b"eng", note))


def mpeg_ts(data, words, _):
    """The service's names in each table of services; a table of events; packets that mean nothing and are full of words."""
    note, out, seen = words.encode(), [], 0
    for at in range(0, len(data), 188):
        packet = data[at:at + 188]
        pid = int.from_bytes(packet[1:3], "big") & 0x1fff
        if pid == 0x11:
            out += [transport(pid, packet[3], services(note)), transport(0x12, seen, events(note)),
                    b"\x47\x1f\xff\x10" + (note * 8)[:184].ljust(184, b"\xff")]
            seen += 1
        else:
            out.append(packet)
    assert seen, "no table of services"
    return b"".join(out)


# ---------------------------------------------------------------- FLV

def flv_text(text):
    return len(text).to_bytes(2, "big") + text


def flv_tag(data):
    return b"\x12" + len(data).to_bytes(3, "big") + bytes(7) + data + (len(data) + 11).to_bytes(4, "big")


def flv(data, words, cover):
    """More members of onMetaData, XMP beside it, and a tag of words behind the last picture."""
    note, size = words.encode(), int.from_bytes(data[14:17], "big")
    meta = data[24:24 + size]
    assert data[13] == 0x12 and meta[:14] == b"\2\0\x0aonMetaData\x08" and meta[-3:] == b"\0\0\x09", meta[:20]
    count = int.from_bytes(meta[14:18], "big") + len(NAMES) + bool(cover)
    more = b"".join(flv_text(name.encode()) + b"\2" + flv_text(note) for name in NAMES)
    more += flv_text(b"cover") + b"\x0c" + len(cover).to_bytes(4, "big") + cover if cover else b""
    about = b"\2" + flv_text(b"onXMPData") + b"\x08\0\0\0\1" + flv_text(b"liveXML") + b"\2" + flv_text(xmp(words)) + b"\0\0\x09"
    late = b"\2" + flv_text(b"onTextData") + b"\x08\0\0\0\1" + flv_text(b"text") + b"\2" + flv_text(note) + b"\0\0\x09"
    return (data[:13] + flv_tag(meta[:14] + count.to_bytes(4, "big") + meta[18:-3] + more + meta[-3:]) + flv_tag(about)
            + data[24 + size + 4:] + flv_tag(late))


# ---------------------------------------------------------------- ASF

CONTENT = uuid.UUID("75b22633-668e-11cf-a6d9-00aa0062ce6c").bytes_le
EXTENDED = uuid.UUID("d2d0a440-e307-11d2-97f0-00a0c95ea850").bytes_le
FILE = uuid.UUID("8cabdca1-a947-11cf-8ee4-00c00c205365").bytes_le


def wide(text):
    return text.encode("utf-16-le") + b"\0\0"


def asf(data, words, cover):
    """A content description and an extended one, with a cover, at the end of the head."""
    texts = [wide(words)] * 5
    said = b"".join(le(len(text), 2) for text in texts) + b"".join(texts)
    rows = [(f"WM/{name.title()}", 0, wide(words)) for name in NAMES]
    rows += [("WM/Picture", 1, b"\3" + le(len(cover)) + wide("image/jpeg") + wide(words) + cover)] if cover else []
    more = le(len(rows), 2) + b"".join(le(len(wide(name)), 2) + wide(name) + le(kind, 2) + le(len(value), 2) + value
                                       for name, kind, value in rows)
    new = CONTENT + le(24 + len(said), 8) + said + EXTENDED + le(24 + len(more), 8) + more
    end = word(data, 16, 8)
    out = bytearray(data[:end] + new + data[end:])
    out[16:24] = le(end + len(new), 8)
    out[24:28] = le(word(data, 24) + 2)
    at = out.index(FILE) + 40
    out[at:at + 8] = le(len(out), 8)
    return bytes(out)


# ---------------------------------------------------------------- Ogg

def ogg(data, words, cover):
    """Vorbis comments of Theora: the second packet, which begins the second page. A cover is in base64."""
    page = data.index(b"OggS", 4)
    count = data[page + 26]
    lengths, body = data[page + 27:page + 27 + count], page + 27 + count
    own = next(i for i, length in enumerate(lengths) if length < 255) + 1
    size, end = sum(lengths[:own]), body + sum(lengths)
    assert data[body:body + 7] == b"\x81theora", data[body:body + 7]
    said = [f"{name.upper()}={words}".encode() for name in NAMES]
    if cover:
        picture = b"".join(part if isinstance(part, bytes) else part.to_bytes(4, "big") for part in (
            3, 10, b"image/jpeg", len(words), words.encode(), 20, 20, 24, 0, len(cover), cover))
        said.append(b"METADATA_BLOCK_PICTURE=" + base64.b64encode(picture))
    packet = b"\x81theora" + le(len(words)) + words.encode() + le(len(said)) + b"".join(le(len(text)) + text for text in said)
    lengths = b"\xff" * (len(packet) // 255) + bytes((len(packet) % 255,)) + lengths[own:]
    assert len(lengths) < 256, len(lengths)
    new = bytearray(data[page:page + 26] + bytes((len(lengths),)) + lengths + packet + data[body + size:end])
    new[22:26] = bytes(4)
    new[22:26] = le(crc(new, 0))
    return data[:page] + bytes(new) + data[end:]
