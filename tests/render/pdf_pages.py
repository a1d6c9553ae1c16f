#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pdf_pages.py FOLDER: documents whose pages are known to the pixel, for tests/render/pdf_test.sh."""
import os
import sys

from pdf_kit import Pdf, document

FONT = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
RED, GREEN, BLUE = "1 0 0 rg", "0 1 0 rg", "0 0 1 rg"


def box(colour, x, y, w, h):
    return "%s %g %g %g %g re f\n" % (colour, x, y, w, h)


def three_pages():
    return document(*(box(c, 0, 700, 100, 100) for c in (RED, GREEN, BLUE))).bytes()


def two_shapes():
    pdf = document(box(RED, 0, 0, 600, 800), box(GREEN, 0, 0, 600, 800))
    wide = len(pdf.objects)
    pdf.put(wide, pdf.objects[wide - 1].replace(b"[0 0 600 800]", b"[0 0 600 100]"))
    return pdf.bytes()


def many_pages():
    return document(*["%s BT /F 200 Tf 50 300 Td (%d) Tj ET" % (BLUE, n) for n in range(1, 101)], resources=FONT).bytes()


def rotated():
    return document(box(RED, 0, 0, 50, 50), box="0 0 200 100", page="/Rotate 90").bytes()


def cropped():
    content = box(BLUE, 0, 0, 400, 400) + box(GREEN, 100, 100, 200, 100) + box(RED, 100, 190, 10, 10)
    return document(content, box="0 0 400 400", page="/CropBox[100 100 300 200]").bytes()


def hairs():
    """Bars a tenth of a point wide: seen as grey whole, as black and white near by."""
    return document("0 g " + " ".join("%g 0 0.1 800 re" % (x / 10) for x in range(0, 1000, 2)) + " f").bytes()


def text():
    return document("0 g BT /F 24 Tf 50 700 Td (plain words) Tj ET", resources=FONT).bytes()


def tables():
    """Its letters are numbered by a table that poppler has in a file."""
    cid = "<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>"
    font = "/Font<</F<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light/Encoding/90ms-RKSJ-H/DescendantFonts[%s]>>>>" % cid
    return document("0 g BT /F 24 Tf 50 700 Td <82a082a2414243> Tj ET", resources=font).bytes()


def noted():
    """A red note by an annotation, a blue field by a form; the page itself is empty."""
    pdf = Pdf()
    pdf.add("<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R]>>>>")
    pdf.add("<</Type/Pages/Kids[3 0 R]/Count 1>>")
    pdf.add("<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[4 0 R 5 0 R]>>")
    pdf.add("<</Type/Annot/Subtype/Stamp/Rect[0 700 100 800]/F 4/AP<</N 6 0 R>>>>")
    pdf.add("<</Type/Annot/Subtype/Widget/FT/Tx/T(f)/Rect[200 700 300 800]/F 4/AP<</N 7 0 R>>>>")
    for colour in (RED, BLUE):
        pdf.stream(box(colour, 0, 0, 100, 100), "/Type/XObject/Subtype/Form/BBox[0 0 100 100]")
    return pdf.bytes()


def acting():
    """Everything that would act, if somebody followed it."""
    pdf = document(box(RED, 0, 700, 100, 100), page="/AA<</O<</S/JavaScript/JS(app.alert(1))>>>>")
    launch = "<</S/Launch/F(/bin/true)/Next<</S/URI/URI(https://fovea.invalid/)>>>>"
    pdf.put(1, "<</Type/Catalog/Pages 2 0 R/OpenAction %s/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(this.print())>>]>>>>>>" % launch)
    return pdf.bytes()


def elsewhere():
    """An image whose pixels lie in another file."""
    def image(pdf):
        entries = "/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/F(/etc/hostname)"
        return "/XObject<</I %d 0 R>>" % pdf.stream("", entries)
    return document(box(RED, 0, 700, 100, 100) + "q 100 0 0 100 0 0 cm /I Do Q", extra=image).bytes()


def locked(user):
    pdf = document(box(GREEN, 0, 700, 100, 100))
    pdf.lock(user)
    return pdf.bytes()


def misplaced():
    """Its table of objects is not where it says; all the rest is there."""
    head, tail = three_pages().split(b"startxref")
    return head + b"startxref\n7" + tail[4:]


def cut():
    return three_pages()[:-200]


def without_pages():
    pdf = Pdf()
    pdf.add("<</Type/Catalog/Pages 2 0 R>>")
    pdf.add("<</Type/Pages/Kids[]/Count 0>>")
    return pdf.bytes()


def one_lost():
    """One of three pages is none."""
    pdf = document(box(RED, 0, 700, 100, 100), box(GREEN, 0, 700, 100, 100), box(BLUE, 0, 700, 100, 100))
    pdf.put(6, "(gone)")
    return pdf.bytes()


FILES = {
    "three": three_pages, "shapes": two_shapes, "many": many_pages, "rotated": rotated, "cropped": cropped, "hairs": hairs,
    "text": text, "tables": tables, "noted": noted, "acting": acting, "elsewhere": elsewhere, "misplaced": misplaced, "cut": cut,
    "without_pages": without_pages, "one_lost": one_lost,
    "locked": lambda: locked(b"secret"), "open_locked": lambda: locked(b""),
    "noise": lambda: b"%PDF-1.4\n" + bytes(range(256)) * 16,
}

if __name__ == "__main__":
    for name, make in FILES.items():
        with open(os.path.join(sys.argv[1], name + ".pdf"), "wb") as file:
            file.write(make())
