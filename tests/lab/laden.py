# SPDX-License-Identifier: Apache-2.0
"""Files full of metadata, a thousand of each format: our own fixtures, into which exiftool writes EXIF with places and thumbnails,
XMP, IPTC, colour profiles with names, comments and text; every text has the file's own canary in it. What exiftool does not write
(SVG, BMP, ICO, Matroska, AVI, text) laden_bytes and laden_films write, and bytes behind the end of a picture are written here.
LAB_FORMATS="NAME ..." in the environment makes those alone."""
import os
import random
import shutil
import subprocess

from asking import BUILD, FIXTURES, GOOD, pdf, write
import laden_bytes
import laden_films

PHOTOS = os.path.join(BUILD, "photos", "good")
FILMS = os.path.join(FIXTURES, "video", "good")
BASES = {
    "png": [GOOD + "/png-rgb-8.png", GOOD + "/png-palette-8.png", GOOD + "/png-rgba-8.png", GOOD + "/png-gray-8.png"],
    "jpg": [GOOD + "/jpeg-baseline.jpg", GOOD + "/jpeg-progressive.jpg", GOOD + "/jpeg-gray.jpg", GOOD + "/jpeg-rgb.jpg",
            GOOD + "/jpeg-cmyk.jpg", GOOD + "/jpeg-restart-markers.jpg"],
    "gif": [GOOD + "/gif-still.gif", GOOD + "/gif-transparent.gif", GOOD + "/gif-animated-3-frames.gif"],
    "webp": [GOOD + "/webp-lossy.webp", GOOD + "/webp-lossless.webp", GOOD + "/webp-lossy-alpha.webp", GOOD + "/webp-lossless-alpha.webp"],
    "tif": [PHOTOS + "/rgb.tif", PHOTOS + "/gray.tif", PHOTOS + "/rgb-lzw.tif", PHOTOS + "/three-pages.tif"],
    "heic": [PHOTOS + "/marks.heic", PHOTOS + "/alpha.heic"],
    "avif": [PHOTOS + "/marks.avif", PHOTOS + "/alpha.avif"],
    "bmp": [PHOTOS + "/rgb24.bmp", PHOTOS + "/pal8.bmp", PHOTOS + "/rle8.bmp", PHOTOS + "/rgba32-v5-opaque.bmp", PHOTOS + "/wide-v5.bmp"],
    "ico": [PHOTOS + "/one.ico", PHOTOS + "/png.ico", PHOTOS + "/three.ico", PHOTOS + "/alpha.ico"],
    "pdf": ["plain.pdf"],
    "svg": [],
    "svgz": [],
    "md": [],
    "txt": [],
    "mp4": [FILMS + "/one-frame.mp4", FILMS + "/turned-6.mp4", FILMS + "/wide-pixels.mp4"],
    "mov": [FILMS + "/prores.mov", FILMS + "/sound.mov"],
    "webm": [FILMS + "/resized.webm", FILMS + "/recorded.webm"],
    "mkv": [FILMS + "/tall-pixels.mkv"],
    "avi": [FILMS + "/mjpeg.avi", FILMS + "/mpeg4-b.avi"],
    "mpg": [FILMS + "/mpeg1.mpg", FILMS + "/mpeg2.mpg"],
    "ts": [FILMS + "/h264.ts", FILMS + "/mpeg2.ts"],
    "flv": [FILMS + "/flv1.flv", FILMS + "/h264.flv"],
    "wmv": [FILMS + "/msmpeg4.wmv", FILMS + "/wmv2.wmv"],
    "ogv": [FILMS + "/theora.ogv"],
}
FORMATS = tuple(os.environ.get("LAB_FORMATS", "").split() or BASES)
TRAILED = ("png", "jpg", "gif", "webp")
FILMED = ("mp4", "mov", "webm", "mkv", "avi", "mpg", "ts", "flv", "wmv", "ogv")
BY_HAND = {"mpg": laden_films.mpeg, "ts": laden_films.mpeg_ts, "flv": laden_films.flv, "wmv": laden_films.asf, "ogv": laden_films.ogg}

EXIF = ("IFD0:Artist", "IFD0:ImageDescription", "IFD0:Copyright", "IFD0:Make", "IFD0:Model", "IFD0:Software", "IFD0:XPComment",
        "IFD0:XPAuthor", "IFD0:HostComputer", "ExifIFD:UserComment", "ExifIFD:OwnerName", "ExifIFD:SerialNumber", "ExifIFD:LensModel",
        "GPS:GPSAreaInformation", "GPS:GPSMapDatum")
XMP = ("XMP-dc:Title", "XMP-dc:Creator", "XMP-dc:Description", "XMP-photoshop:Headline", "XMP-photoshop:City", "XMP-xmp:CreatorTool",
       "XMP-iptcCore:Location", "XMP-xmpMM:DocumentID")
IPTC = ("IPTC:Caption-Abstract", "IPTC:By-line", "IPTC:Keywords", "IPTC:ObjectName", "IPTC:Headline")
TEXT = ("PNG:Author", "PNG:Title", "PNG:Description", "PNG:Software", "PNG:Comment", "PNG:Source")
INFO = ("PDF:Author", "PDF:Title", "PDF:Subject", "PDF:Keywords", "PDF:Creator", "PDF:Producer")
# Of QuickTime: what players show (ilst), what cameras write (udta), what telephones write (mdta).
FILM = tuple(f"{group}:{name}" for group, names in (
    ("ItemList", ("Title", "Artist", "Album", "Comment", "Description", "Copyright")),
    ("UserData", ("Title", "Author", "Comment", "Description", "Copyright", "Make", "Model", "Information", "LocationInformation")),
    ("Keys", ("Title", "Author", "Comment", "Description", "Make", "Model", "Software", "LocationName"))) for name in names)
TEXTS = {
    "png": EXIF + XMP + TEXT, "jpg": EXIF + XMP + IPTC + ("File:Comment",), "gif": XMP + ("GIF:Comment",), "webp": EXIF + XMP,
    "tif": EXIF + XMP + IPTC, "heic": EXIF + XMP, "avif": EXIF + XMP, "pdf": INFO + XMP,
    "mp4": FILM + XMP, "mov": FILM + XMP,
}
LOCATED = ("png", "jpg", "webp", "tif", "heic", "avif")
PROFILED = ("png", "jpg", "gif", "webp", "tif", "heic", "avif")


def canary(kind, number):
    return f"CANARY{kind.upper()}{number:05}{(number * 2654435761 + len(kind)) & 0xffffffff:08X}Z"


def profile(words):
    """An ICC profile with a name and a copyright; its colours are a little off sRGB."""
    def text(signature, value):
        return signature + b"\0\0\0\0" + value
    name = words.encode() + b"\0"
    desc = text(b"desc", len(name).to_bytes(4, "big") + name + bytes(4 + 4 + 2 + 1 + 67))
    def xyz(*values):
        return text(b"XYZ ", b"".join(int(v * 65536).to_bytes(4, "big") for v in values))
    curve = text(b"curv", b"\0\0\0\1\2\x10")
    tags = {b"desc": desc, b"cprt": text(b"text", name), b"wtpt": xyz(.9642, 1, .8249), b"rXYZ": xyz(.45, .23, .015),
            b"gXYZ": xyz(.37, .70, .09), b"bXYZ": xyz(.14, .06, .71), b"rTRC": curve, b"gTRC": curve, b"bTRC": curve}
    table, body, at = b"", b"", 128 + 4 + 12 * len(tags)
    for tag, data in tags.items():
        data += b"\0" * (-len(data) % 4)
        table += tag + (at + len(body)).to_bytes(4, "big") + len(data).to_bytes(4, "big")
        body += data
    size = at + len(body)
    head = size.to_bytes(4, "big") + b"\0\0\0\0\2\x10\0\0mntrRGB XYZ " + bytes((7, 230, 0, 1, 0, 1)) + bytes(6) + b"acsp"
    head = head.ljust(68, b"\0") + bytes.fromhex("0000f6d6000100000000d32d")
    return head.ljust(128, b"\0") + len(tags).to_bytes(4, "big") + table + body


def by_hand(kind, base, words, number, rng):
    """The bytes of a file of a kind that exiftool does not write."""
    data = b""
    if base:
        with open(base, "rb") as file:
            data = file.read()
    if kind in ("webm", "mkv"):
        place = f"{rng.uniform(-90, 90):+08.4f}{rng.uniform(-180, 180):+09.4f}/"
        return laden_bytes.matroska(data, words, place, marked_jpeg(words) if number % 3 == 0 else b"")
    if kind in BY_HAND:
        return BY_HAND[kind](data, words, marked_jpeg(words) if number % 3 == 0 else b"")
    return {"svg": lambda: laden_bytes.svg(words), "svgz": lambda: laden_bytes.svgz(words),
            "md": lambda: laden_bytes.markdown(words, number), "txt": lambda: laden_bytes.text(words, number),
            "bmp": lambda: laden_bytes.bmp(data, words, profile(words)),
            "ico": lambda: laden_bytes.ico(data, words), "avi": lambda: laden_bytes.avi(data, words)}[kind]()


def marked_jpeg(words):
    """A picture inside another file, with a comment of its own."""
    with open(GOOD + "/jpeg-gray.jpg", "rb") as file:
        return file.read()[:-2] + b"\xff\xfe" + (len(words) + 2).to_bytes(2, "big") + words.encode() + b"\xff\xd9"


def orders(kind, path, number, rng):
    """What exiftool is told about one file."""
    words = canary(kind, number)
    names = rng.sample(TEXTS[kind], rng.randint(4, min(14, len(TEXTS[kind]))))
    lines = [f"-{name}={words} {rng.choice(('by', 'of', 'für', '手'))} {rng.randint(0, 999)}" for name in names]
    if kind in LOCATED:
        lat, lon = rng.uniform(-90, 90), rng.uniform(-180, 180)
        lines += [f"-GPS:GPSLatitude={abs(lat)}", f"-GPS:GPSLatitudeRef={'N' if lat > 0 else 'S'}", f"-GPS:GPSLongitude={abs(lon)}",
                  f"-GPS:GPSLongitudeRef={'E' if lon > 0 else 'W'}", "-ExifIFD:DateTimeOriginal=2021:03:04 05:06:07"]
        lines += [f"-IFD0:Orientation#={rng.randint(1, 8)}"] if number % 5 == 0 else []
    if kind in FILMED:
        where = f"{rng.uniform(-90, 90):.4f}, {rng.uniform(-180, 180):.4f}, {rng.randint(0, 4000)}"
        lines += [f"-{group}:GPSCoordinates={where}" for group in ("UserData", "Keys", "ItemList")]
    if kind in ("jpg", "tif", "mp4", "mov") and number % 3 == 0:
        write(f"aside/{kind}{number}.thumb", marked_jpeg(words))
        lines.append(f"-{'ItemList:CoverArt' if kind in FILMED else 'IFD1:ThumbnailImage'}<=aside/{kind}{number}.thumb")
    if kind in LOCATED and number % 4 == 0:
        lines.append(f"-ExifIFD:MakerNoteUnknownText=Lab {words} maker's note of {number}")
    if kind in PROFILED and number % 3 == 1:
        write(f"aside/{kind}{number}.icc", profile(words))
        lines.append(f"-ICC_Profile<=aside/{kind}{number}.icc")
    return lines + [path, "-execute"]


def write_in(folder, lines, name):
    with open(name, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return subprocess.Popen(["exiftool", "-@", name, "-common_args", "-overwrite_original", "-q", "-q", "-m",
                             "-charset", "filename=utf8"], stdout=subprocess.DEVNULL, stderr=open(name + ".err", "wb"))


def make(folder, count, seed=7):
    """Files FORMAT-NUMBER.FORMAT in the folder, and [(kind, path, canary)] of them."""
    os.makedirs(folder, exist_ok=True)
    os.makedirs("aside", exist_ok=True)
    pdf("plain.pdf", 2)
    made, lines = [], ([], [])
    for kind in FORMATS:
        rng = random.Random(f"{seed}{kind}")
        for number in range(count):
            path = f"{folder}/{kind}-{number}.{kind}"
            made.append((kind, path, canary(kind, number)))
            base = rng.choice(BASES[kind]) if BASES[kind] else None
            if kind not in TEXTS:
                write(path, by_hand(kind, base, canary(kind, number), number, rng))
                continue
            shutil.copyfile(base, path)
            lines[number % 2].extend(orders(kind, path, number, rng))
    for process in [write_in(folder, part, f"orders-{i}") for i, part in enumerate(lines) if part]:
        process.wait()
    for kind, path, words in made:
        number = int(path.rsplit("-", 1)[1].split(".")[0])
        if kind in TRAILED and number % 7 == 0:
            with open(path, "ab") as file:
                file.write(b"trailing " + words.encode())
    return made
