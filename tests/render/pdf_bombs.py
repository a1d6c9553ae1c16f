#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pdf_bombs.py FOLDER: small documents that ask for endless time or memory, each by another way."""
import os
import struct
import sys
import zlib

from pdf_kit import Pdf, deflated, document

BOMBS = {}


def bomb(make):
    BOMBS[make.__name__] = make
    return make


def drawing(pdf, entries, data, name="I"):
    """Resources that have this stream as an XObject."""
    return "/XObject<</%s %d 0 R>>" % (name, pdf.stream(data, entries))


def image(width, height, data, entries, space="/DeviceRGB", bits=8):
    head = "/Subtype/Image/Width %d/Height %d/ColorSpace%s/BitsPerComponent %d" % (width, height, space, bits)
    return document("600 0 0 800 0 0 cm /I Do", extra=lambda pdf: drawing(pdf, head + entries, data)).bytes()


def pages(kids, count, *others):
    pdf = Pdf()
    pdf.add("<</Type/Catalog/Pages 2 0 R>>")
    pdf.add("<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count))
    for other in others:
        pdf.add(other)
    return pdf


PAGE = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>"


# ------------------------------------------------------------ structure

@bomb
def tree_in_itself():
    return pages("2 0 R", 1).bytes()


@bomb
def tree_in_a_ring():
    return pages("3 0 R", 9, "<</Type/Pages/Parent 2 0 R/Kids[2 0 R 3 0 R]/Count 9>>").bytes()


@bomb
def tree_without_bottom():
    pdf = pages("3 0 R", 1)
    for n in range(4, 100000):
        pdf.add("<</Type/Pages/Parent %d 0 R/Kids[%d 0 R]/Count 1>>" % (n - 2, n))
    pdf.add("<</Type/Page/Parent 3 0 R/MediaBox[0 0 9 9]>>")
    return pdf.bytes()


@bomb
def million_pages_said():
    return pages("3 0 R", 1000000, PAGE).bytes()


@bomb
def million_pages_that_are_one():
    return pages("3 0 R " * 1000000, 1000000, PAGE).bytes()


@bomb
def arrays_in_arrays():
    return pages("3 0 R", 1, "[" * 2000000 + "]" * 2000000).bytes()


@bomb
def dictionaries_in_dictionaries():
    return document("/F gs " + "<</A " * 1000000 + ">> " * 1000000).bytes()


@bomb
def table_before_itself():
    pdf = pages("3 0 R", 1, PAGE)
    where = pdf.bytes().index(b"xref\n")
    pdf.trailer = b"/Prev %d" % where
    return pdf.bytes()


@bomb
def objects_in_themselves():
    pdf = pages("3 0 R", 1, PAGE)
    inner = b"4 0 5 20 <</Type/ObjStm>>      <</A 4 0 R>>"
    pdf.stream(inner, "/Type/ObjStm/N 2/First 9/Extends 4 0 R")
    rows = [(0, 0, 65535)] + [(1, 9, 0)] * 2 + [(2, 4, 0), (2, 4, 0), (2, 4, 1)]
    data = b"".join(struct.pack(">BIH", *row) for row in rows)
    head = b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 4 0 R>>endobj\n"
    stream = b"9 0 obj<</Type/XRef/Size 6/Root 1 0 R/W[1 4 2]/Length %d>>stream\n%s\nendstream endobj\n" % (len(data), data)
    return head + stream + b"startxref\n%d\n%%%%EOF\n" % len(head)


@bomb
def length_of_itself():
    pdf = document("")
    pdf.put(3, "<</Length 3 0 R/Filter 3 0 R>>stream\n0 0 9 9 re f\nendstream")
    return pdf.bytes()


@bomb
def filters_without_end():
    return document(4, extra=lambda pdf: pdf.stream("", "") and pdf.stream("30" * 1000, "/Filter[%s]" % ("/AHx" * 100000)) and "").bytes()


@bomb
def outlines_in_a_ring():
    pdf = pages("3 0 R", 1, PAGE, "<</First 4 0 R/Next 4 0 R/Parent 4 0 R/Title(a)>>")
    pdf.put(1, "<</Type/Catalog/Pages 2 0 R/Outlines 4 0 R/Names<</Dests<</Kids[4 0 R]>>>>>>")
    return pdf.bytes()


@bomb
def notes_by_the_hundred_thousand():
    pdf = pages("3 0 R", 1, "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Annots[%s]>>" % ("4 0 R " * 300000))
    pdf.add("<</Type/Annot/Subtype/Circle/Rect[0 0 600 800]/C[1 0 0]/BS<</W 9>>/F 4>>")
    return pdf.bytes()


# ------------------------------------------------------------ sizes

@bomb
def page_of_a_billion_points():
    return document("0 0 9 9 re f", box="0 0 1000000000 1000000000").bytes()


@bomb
def page_without_height():
    return document("0 0 9 9 re f", box="0 0 600 0.0000001").bytes()


@bomb
def page_of_nonsense():
    return document("0 0 9 9 re f", box="1e300 -1e300 99999999999999999999 7").bytes()


@bomb
def content_of_a_gigabyte():
    data = zlib.compress(deflated(b"q Q 0 0 9 9 re f " * 60000, 1000))
    return document(3, extra=lambda pdf: pdf.stream(data, "/Filter[/FlateDecode/FlateDecode]") and "").bytes()


@bomb
def image_of_few_bytes():
    return image(30000, 30000, zlib.compress(b"few"), "/Filter/FlateDecode")


@bomb
def image_of_many_pixels():
    data = zlib.compress(deflated(bytes(1 << 20), 2600))
    return image(30000, 30000, data, "/Filter[/FlateDecode/FlateDecode]")


@bomb
def image_with_a_huge_mask():
    def two(pdf):
        mask = pdf.stream(deflated(bytes(1 << 20), 900), "/Subtype/Image/Width 30000/Height 30000"
                          "/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode")
        return drawing(pdf, "/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8/SMask %d 0 R" % mask, "x")
    return document("600 0 0 800 0 0 cm /I Do", extra=two).bytes()


@bomb
def image_masked_by_itself():
    return image(9, 9, "x" * 243, "/SMask 3 0 R/Mask 3 0 R")


@bomb
def jpeg_of_65500():
    head = b"\xff\xd8\xff\xc0\0\x11\x08" + struct.pack(">HH", 65500, 65500) + b"\3\1\x11\0\2\x11\0\3\x11\0"
    tables = b"\xff\xdb\0\x43\0" + b"\1" * 64 + b"\xff\xc4\0\x14\0" + b"\1" + bytes(15) + b"\0" + b"\xff\xc4\0\x14\x10\1" + bytes(15) + b"\0"
    scan = b"\xff\xda\0\x0c\3\1\0\2\0\3\0\0\x3f\0" + b"\0" * 100000 + b"\xff\xd9"
    return image(65500, 65500, head[:2] + tables + head[2:] + scan, "/Filter/DCTDecode")


@bomb
def jpeg2000_of_60000():
    size = struct.pack(">HIIIIIIIIH", 0, 60000, 60000, 0, 0, 60000, 60000, 0, 0, 3) + b"\7\1\1" * 3
    data = b"\xff\x4f\xff\x51" + struct.pack(">H", len(size) + 2) + size
    data += b"\xff\x52\0\x0c\0\0\0\1\1\5\4\4\0\1" + b"\xff\x5c\0\x13\x40" + b"\x40" * 16
    data += b"\xff\x90\0\x0a\0\0\0\0\0\0\0\1\xff\x93" + bytes(64) + b"\xff\xd9"
    return image(60000, 60000, data, "/Filter/JPXDecode")


@bomb
def jbig2_of_four_billion():
    page = struct.pack(">IIIIBH", 0xfffffff0, 0xfffffff0, 0, 0, 0, 0)
    data = struct.pack(">IBBBI", 0, 0x30, 0, 1, len(page)) + page
    return image(65000, 65000, data, "/Filter/JBIG2Decode", "/DeviceGray", 1)


@bomb
def fax_of_a_billion_columns():
    return image(1000000000, 9, "\0" * 99, "/Filter/CCITTFaxDecode/DecodeParms<</Columns 1000000000/K -1>>", "/DeviceGray", 1)


# ------------------------------------------------------------ drawing

def forms(n, fan):
    def chain(pdf):
        first = len(pdf.objects) + 1
        for i in range(n):
            names = "/Resources<</XObject<</I %d 0 R>>>>" % (first + i + 1 if i + 1 < n else first)
            pdf.stream("/I Do " * fan if i + 1 < n else "0 0 9 9 re f", "/Subtype/Form/BBox[0 0 600 800]" + names)
        return "/XObject<</I %d 0 R>>" % first
    return document("/I Do", extra=chain).bytes()


@bomb
def forms_ten_to_the_tenth():
    return forms(11, 10)


@bomb
def form_in_itself():
    return document("/I Do", extra=lambda pdf: drawing(
        pdf, "/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</I 3 0 R>>>>", "/I Do /I Do 0 0 9 9 re f")).bytes()


@bomb
def groups_in_groups():
    def chain(pdf):
        first = len(pdf.objects) + 1
        for i in range(500):
            names = "/Resources<</XObject<</I %d 0 R>>/ExtGState<</G<</ca 0.9>>>>>>" % (first + i + 1)
            pdf.stream("/G gs /I Do", "/Subtype/Form/BBox[0 0 600 800]/Group<</S/Transparency/I true/K true>>" + names)
        pdf.stream("0 0 600 800 re f", "/Subtype/Form/BBox[0 0 600 800]")
        return "/XObject<</I %d 0 R>>" % first
    return document("/I Do", extra=chain).bytes()


def tiling(step, cell, content, box="0 0 600 800", resources=""):
    def pattern(pdf):
        entries = "/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 %s]/XStep %s/YStep %s/Resources<<%s>>"
        return "/Pattern<</P %d 0 R>>" % pdf.stream(content, entries % (cell, step, step, resources))
    return document("/Pattern cs /P scn 0 0 60000 60000 re f", box=box, extra=pattern).bytes()


@bomb
def tiles_of_a_thousandth():
    return tiling("0.001", "0.001 0.001", "1 0 0 rg 0 0 1 1 re f")


@bomb
def tiles_much_larger_than_their_step():
    return tiling("0.01", "600 800", "0 0 600 800 re S", box="0 0 60000 60000")


@bomb
def tiles_of_tiles():
    return tiling("1", "1 1", "/Pattern cs /P scn 0 0 9 9 re f", resources="/Pattern<</P 3 0 R>>")


def shading(entries, content="/S sh", more=lambda pdf: None):
    def resource(pdf):
        more(pdf)
        return "/Shading<</S<<%s>>>>" % entries
    return document(content, extra=resource).bytes()


@bomb
def shading_by_a_huge_table():
    table = "/FunctionType 0/Domain[0 1 0 1]/Range[0 1 0 1 0 1]/Size[30000 30000]/BitsPerSample 32"
    return shading("/ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1 0 1]/Matrix[600 0 0 800 0 0]/Function 3 0 R",
                   more=lambda pdf: pdf.stream("few", table))


@bomb
def shading_by_a_long_program():
    program = "{" + "dup mul sqrt " * 300000 + " 2 copy add 2 div}"
    return shading("/ShadingType 1/ColorSpace/DeviceRGB/Domain[0 1 0 1]/Matrix[600 0 0 800 0 0]/Function 3 0 R", "/S sh " * 1000,
                   lambda pdf: pdf.stream(program, "/FunctionType 4/Domain[0 1 0 1]/Range[0 1 0 1 0 1]"))


@bomb
def mesh_of_a_gigabyte():
    patch = b"\0" + bytes(range(24)) + b"\xff\0\0" * 4 + b"\0"
    entries = ("/ShadingType 7/ColorSpace/DeviceRGB/BitsPerCoordinate 8/BitsPerComponent 8/BitsPerFlag 8"
               "/Decode[0 600 0 800 0 1 0 1 0 1]/Filter/FlateDecode")
    return document("/S sh", extra=lambda pdf: "/Shading<</S %d 0 R>>" % pdf.stream(deflated(patch * 25000, 1000), entries)).bytes()


@bomb
def glyph_that_writes_itself():
    def font(pdf):
        glyph = pdf.stream("9 0 d0 BT /T 9 Tf (aaaa) Tj ET 0 0 9 9 re f", "")
        number = pdf.reserve()
        pdf.put(number, "<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[1 0 0 1 0 0]/CharProcs<</a %d 0 R>>"
                "/Encoding<</Differences[97/a]>>/FirstChar 97/LastChar 97/Widths[9]/Resources<</Font<</T %d 0 R>>>>>>" % (glyph, number))
        return "/Font<</T %d 0 R>>" % number
    return document("BT /T 9 Tf 9 9 Td (aaaaaaaa) Tj ET", extra=font).bytes()


@bomb
def letters_a_mile_high():
    font = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>"
    return document("BT " + "".join("/F %d Tf (Wg@) Tj " % (n * 977) for n in range(1, 20000)) + "ET", resources=font).bytes()


@bomb
def encoding_that_uses_itself():
    def font(pdf):
        number = pdf.reserve()
        text = "/A usecmap 1 begincodespacerange <00000000> <ffffffff> endcodespacerange " \
               "1 begincidrange <00000000> <ffffffff> 0 endcidrange 1 beginbfrange <00000000> <ffffffff> <0000> endbfrange"
        pdf.put(number, "<</Type/CMap/CMapName/A/UseCMap %d 0 R/Length %d>>stream\n%s\nendstream" % (number, len(text), text))
        cid = "<</Type/Font/Subtype/CIDFontType0/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 0>>>>"
        return "/Font<</F<</Type/Font/Subtype/Type0/BaseFont/A/Encoding %d 0 R/ToUnicode %d 0 R/DescendantFonts[%s]>>>>" % (
            number, number, cid)
    return document("BT /F 9 Tf 9 9 Td <00000041> Tj ET", extra=font).bytes()


@bomb
def colours_of_colours():
    def space(pdf):
        number = pdf.reserve()
        pdf.put(number, "[/Indexed %d 0 R 255 <00>]" % number)
        return "/ColorSpace<</C %d 0 R/D %s[/DeviceRGB%s]>>" % (number, "[/Pattern " * 20000, "]" * 20000)
    return document("/C cs 1 sc 0 0 9 9 re f /D cs 0 0 9 9 re f", extra=space).bytes()


@bomb
def dashes_without_number():
    return document("[0.00001 0.00001] 0 d 500 w 1 J 0 0 m 600 800 l 0 800 l S").bytes()


@bomb
def dashes_of_a_million():
    return document("[%s] 0 d 9 w " % ("0.001 " * 1000000) + "0 0 m 600 800 l S " * 100).bytes()


@bomb
def curves_by_the_million():
    return document("90 w 1 J 1 j 0 0 m " + "600 0 0 800 600 800 c 0 800 600 0 0 0 c " * 200000 + "S").bytes()


@bomb
def states_by_the_million():
    return document("q 1 0 0 1 1 1 cm 0 0 600 800 re W n " * 400000).bytes()


@bomb
def clips_of_text():
    font = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>>>"
    return document("q BT 7 Tr /F 90 Tf 9 9 Td " + "(%s) Tj " % ("Wg@" * 3000) * 60 + "ET 0 0 600 800 re f Q", resources=font).bytes()


@bomb
def locked():
    pdf = document("0 0 9 9 re f")
    pdf.lock(b"secret")
    return pdf.bytes()


if __name__ == "__main__":
    for name, make in BOMBS.items():
        with open(os.path.join(sys.argv[1], name + ".pdf"), "wb") as file:
            file.write(make())
