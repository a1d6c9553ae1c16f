# SPDX-License-Identifier: Apache-2.0
"""Writes PDF files object by object, for the tests: whole ones, and ones that lie."""
import hashlib
import zlib

PAD = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")


def rc4(key, data):
    s, j, out = list(range(256)), 0, bytearray()
    for i in range(256):
        j = (j + s[i] + key[i % len(key)]) & 255
        s[i], s[j] = s[j], s[i]
    i = j = 0
    for byte in data:
        i = (i + 1) & 255
        j = (j + s[i]) & 255
        s[i], s[j] = s[j], s[i]
        out.append(byte ^ s[(s[i] + s[j]) & 255])
    return bytes(out)


def encoded(value):
    return value.encode("latin-1") if isinstance(value, str) else value


class Pdf:
    """Objects are numbered from 1 as they are added; each is the text between obj and endobj."""

    def __init__(self):
        self.objects = []
        self.trailer = b""
        self.key = None

    def add(self, body):
        self.objects.append(encoded(body))
        return len(self.objects)

    def stream(self, data, entries="", flate=False):
        data = encoded(data)
        if flate:
            data, entries = zlib.compress(data), entries + "/Filter/FlateDecode"
        return self.add(b"<<%s/Length %d>>stream\n%s\nendstream" % (encoded(entries), len(data), data))

    def reserve(self):
        return self.add("null")

    def put(self, number, body):
        self.objects[number - 1] = encoded(body)

    def lock(self, user):
        """Encrypts streams (40-bit RC4); to be called when all objects are there. Strings must not be."""
        padded, identity = (user + PAD)[:32], b"0123456789abcdef"
        owner = rc4(hashlib.md5((b"owner" + PAD)[:32]).digest()[:5], padded)
        rights = (-4 & 0xffffffff).to_bytes(4, "little")
        self.key = hashlib.md5(padded + owner + rights + identity).digest()[:5]
        entry = b"<</Filter/Standard/V 1/R 2/P -4/O<%s>/U<%s>>>" % (owner.hex().encode(), rc4(self.key, PAD).hex().encode())
        self.trailer = b"/Encrypt %s/ID[<%s><%s>]" % (entry, identity.hex().encode(), identity.hex().encode())

    def body(self, number):
        text = self.objects[number - 1]
        if not self.key or b"stream\n" not in text:
            return text
        head, data = text.split(b"stream\n", 1)
        data = data[:-len(b"\nendstream")]
        key = hashlib.md5(self.key + number.to_bytes(3, "little") + b"\0\0").digest()[:10]
        return head + b"stream\n" + rc4(key, data) + b"\nendstream"

    def bytes(self, root=1):
        out, at = [b"%PDF-1.7\n"], [9]
        for number in range(1, len(self.objects) + 1):
            out.append(b"%d 0 obj %s endobj\n" % (number, self.body(number)))
            at.append(at[-1] + len(out[-1]))
        out.append(b"xref\n0 %d\n0000000000 65535 f \n" % len(at))
        out += [b"%010d 00000 n \n" % where for where in at[:-1]]
        out.append(b"trailer<</Root %d 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (root, len(at), self.trailer, at[-1]))
        return b"".join(out)


def document(*contents, box="0 0 600 800", resources="", page="", extra=lambda pdf: ""):
    """A document of these pages (content streams). extra adds objects of its own and gives more resources."""
    pdf = Pdf()
    pdf.add("<</Type/Catalog/Pages 2 0 R>>")
    pdf.reserve()
    resources += extra(pdf)
    kids = []
    for content in contents:
        data = content if isinstance(content, int) else pdf.stream(content)
        kids.append(pdf.add("<</Type/Page/Parent 2 0 R/MediaBox[%s]/Contents %d 0 R/Resources<<%s>>%s>>" %
                            (box, data, resources, page)))
    pdf.put(2, "<</Type/Pages/Kids[%s]/Count %d>>" % (" ".join("%d 0 R" % k for k in kids), len(kids)))
    return pdf


def deflated(piece, times):
    """What inflates to the piece so many times over, without ever being so long here."""
    flat = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = flat.compress(piece) + flat.flush(zlib.Z_FULL_FLUSH)
    return b"\x78\x9c" + block * times + b"\x03\x00" + b"\0\0\0\1"
