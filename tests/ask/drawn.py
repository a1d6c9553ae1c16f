# SPDX-License-Identifier: Apache-2.0
"""What is drawn for a question: pages of a PDF as pictures, in order, on each wire; frames of a video as one sheet; and what the
answer's note says of it. Each page has a shape of its own, by which it is known again."""
import base64
import json
import os
import re

from asking import BUILD, GOOD, Home, Host, call, finish, like, make_files, png, result_of, test, write

WIRES = ("wa", "wr", "wc", "wg")
HEIGHT = 300


def width(page):
    return 200 + 20 * page


def document(path, pages, more="", broken=()):
    """A PDF whose page K is 200+20K points wide and says so in Helvetica; broken ones are larger than any may be."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(pages))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for page in range(1, pages + 1):
        text = f"BT /F1 24 Tf 20 200 Td (Sheet number {page}) Tj 0 -60 Td (of the manual) Tj ET"
        objects += [f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {99999 if page in broken else width(page)} {HEIGHT}] /Contents {3 + 2 * page} 0 R "
                    "/Resources << /Font << /F1 3 0 R >> >> >>", f"<< /Length {len(text)} >>\nstream\n{text}\nendstream"]
    out, places = "%PDF-1.4\n", []
    for number, inner in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{inner}\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R {more}>>\nstartxref\n{start}\n%%EOF\n"
    write(path, out.encode())


def chunk(name, *inner):
    data = b"".join(inner)
    return name + len(data).to_bytes(4, "little") + data + b"\0" * (len(data) & 1)


def numbers(*values):
    return b"".join(value.to_bytes(4, "little") for value in values)


def plain_jpeg(name):
    """A fixture without its EXIF: as its pixels are stored, not as they are meant."""
    with open(os.path.join(GOOD, name), "rb") as file:
        data = file.read()
    at = data.index(b"\xff\xe1")
    return data[:at] + data[at + 2 + int.from_bytes(data[at + 2:at + 4], "big"):]


def video(path, frames=40):
    """An AVI of JPEGs, ten a second: one picture turned four ways, a second each."""
    wide, high = 96, 64
    ways = [plain_jpeg(f"jpeg-exif-orientation-{way}.jpg") for way in (1, 2, 3, 4)]
    movie = [chunk(b"00dc", ways[i * 4 // frames]) for i in range(frames)]
    size = max(len(way) for way in ways)
    form = numbers(40, wide, high) + b"\1\0\x18\0MJPG" + numbers(wide * high * 3, 0, 0, 0, 0)
    head = numbers(100000, 0, 0, 0, frames, 0, 1, size, wide, high, 0, 0, 0, 0)
    stream = b"vidsMJPG" + numbers(0, 0, 0, 1, 10, 0, frames, size, 0xFFFFFFFF, 0) + bytes(8)
    body = chunk(b"LIST", b"hdrl", chunk(b"avih", head),
                 chunk(b"LIST", b"strl", chunk(b"strh", stream), chunk(b"strf", form))) + chunk(b"LIST", b"movi", *movie)
    write(path, chunk(b"RIFF", b"AVI ", body))


def parts_of(body):
    """(kind, value) of what the user said: pictures as bytes, words as text."""
    if "contents" in body:
        turn, = body["contents"]
        parts = turn["parts"]
    elif "input" in body:
        turn, = body["input"]
        parts = turn["content"]
    else:
        parts = body["messages"][-1]["content"]
    for part in parts:
        if "text" in part:
            yield "text", part["text"]
            continue
        text = json.dumps(part)
        data = re.search(r'"(?:data:image/[a-z]+;base64,)?([A-Za-z0-9+/=]{40,})"', text)
        assert data and "image/" in text, text[:200]
        yield "image", base64.b64decode(data.group(1), validate=True)


def shape(data):
    write("sent.bin", data)
    status, out, err = PLAIN.run("view", "sent.bin", "--json")
    assert status == 0, (out, err)
    source = json.loads(out)["source"]
    return source["width"], source["height"]


def sent():
    """Shapes of the pictures of the one request, its words, and the system's."""
    request, = HOST.requests()
    parts = list(parts_of(request["json"]))
    assert [kind for kind, _ in parts] == ["image"] * (len(parts) - 1) + ["text"], [kind for kind, _ in parts]
    return [shape(data) for _, data in parts[:-1]], parts[-1][1], request["body"]


def is_page(size, page):
    wide, high = width(page), HEIGHT
    return abs(size[0] * high - size[1] * wide) <= 2 * max(wide, high)


def ask(model, settings="", home=None, tool="vision_analyze", good=True, **arguments):
    home = home or Home(HOST, settings, model)
    if tool == "vision_analyze":
        arguments = {"prompt": "what does it say", **arguments}
    status, envelope = home.call(tool, {"model": model, **arguments})
    assert (status == 0) is good, envelope
    return envelope


def check_pages(model, first, last, note, **arguments):
    envelope = ask(model, **arguments)
    shapes, question, body = sent()
    assert question == "what does it say", question
    assert len(shapes) == last - first + 1, shapes
    for page, size in enumerate(shapes, first):
        assert is_page(size, page), (page, size)
        assert 1400 <= max(size) <= 1568, size
    assert like(note, envelope["note"]), envelope["note"]
    return body


def pages_go_as_pictures_in_order_on_every_wire():
    for wire in WIRES:
        body = check_pages(f"{wire}/ok+nopdf", 1, 5, "The model was given pages 1-5 of 5 as pictures, since it takes no PDF.",
                           file_path="five.pdf")
        assert "pages 1-5 of 5 of a PDF, one each, in order" in body, body[:300]


def a_model_that_takes_pdf_gets_the_file_and_a_page_as_a_picture():
    ask("wa/ok", file_path="five.pdf")
    request, = HOST.requests()
    assert '"application/pdf"' in request["body"] and "image/" not in request["body"]
    for wire in WIRES:
        check_pages(f"{wire}/ok", 3, 3, "The model was given page 3 of 5 as a picture.", file_path="five.pdf", page=3)
        check_pages(f"{wire}/ok", 2, 4, "The model was given pages 2-4 of 5 as pictures.", file_path="five.pdf", page="2-4")


def what_a_model_takes_is_the_users_word_unless_its_host_is_known():
    for wire in WIRES:
        envelope = ask(f"{wire}/ok", file_path="five.pdf")
        request, = HOST.requests()
        assert "application/pdf" in request["body"] and "note" not in envelope, envelope
    envelope = ask("vllm/ok", file_path="five.pdf")
    assert envelope["note"] == "The model was given pages 1-5 of 5 as pictures, since its host is not known to carry PDF.", envelope
    HOST.requests()


def many_pages_are_given_in_part_and_the_note_says_so():
    more = "; ask again with page for others."
    check_pages("wa/ok+nopdf", 1, 20, f"The model was given pages 1-20 of 23 as pictures, since it takes no PDF{more}",
                file_path="many.pdf")
    check_pages("wa/ok", 2, 21, f"The model was given pages 2-21 of 23 as pictures{more}", file_path="many.pdf", page="2-23")


def a_region_of_a_page_is_drawn_large():
    envelope = ask("wa/ok", file_path="five.pdf", page=2, region=[0, 0, 120, 60])
    (size,), _, body = sent()
    assert abs(size[0] - 2 * size[1]) <= 2 and size[0] >= 1400, size
    assert envelope["note"] == "The model was given a region of page 2 of 5 as a picture.", envelope
    assert "a region of page 2 of 5 of a PDF" in body


def answers_about_other_pages_or_the_file_itself_are_not_the_same():
    home = Home(HOST, words="wa/ok")
    ways = [{}, {"page": 1}, {"page": "1-2"}, {"page": 2}, {"page": 1, "region": [0, 0, 99, 99]}]
    for known in (False, True):
        for way in ways:
            envelope = ask("wa/ok", home=home, file_path="five.pdf", **way)
            assert envelope["cached"] is known, (way, envelope)
            assert len(HOST.requests()) == (not known), way


def a_page_past_the_end_and_a_locked_or_broken_file_are_told():
    for path, page, words in (("five.pdf", 6, "INVALID_INPUT: *5 pages*page 6*"), ("five.pdf", "4-9", "INVALID_INPUT: *5 pages*"),
                              ("locked.pdf", 1, "FILE_MALFORMED: *encrypted*password*"), ("broken.pdf", 1, "FILE_MALFORMED: *")):
        envelope = ask("wa/ok", good=False, file_path=path, page=page)
        assert like(words, envelope["error"]) and envelope["cost_usd"] == 0, envelope
    assert not HOST.requests()


def a_document_that_does_not_open_is_not_sent():
    for path, words in (("broken.pdf", "FILE_MALFORMED: *"), ("locked.pdf", "FILE_MALFORMED: *encrypted*password*")):
        for wire in WIRES:
            envelope = ask(f"{wire}/ok", good=False, file_path=path)
            assert like(words, envelope["error"]) and envelope["cost_usd"] == 0, envelope
            assert envelope["code"] == "input_invalid", envelope
    assert not HOST.requests()
    ask("wa/ok", "render.pdf: false", file_path="broken.pdf")
    ask("wa/ok", file_path="torn.pdf")  # it opens, although a page of it cannot be drawn
    assert len(HOST.requests()) == 2


def a_document_of_more_pages_than_its_provider_takes_is_not_sent():
    def vendor(context):
        return Home(HOST, f'providers.anthropic.baseUrl: "http://127.0.0.1:{HOST.ports["http"]}"; '
                    'providers.anthropic.apiKeyEnv: ASK_KEY; '
                    f'providers.anthropic.models: {{ok: {{vision: true, pdf: true, context: {context}}}}}')

    document("hundred.pdf", 100)
    document("long.pdf", 101)
    envelope = ask("anthropic/ok", home=vendor(200000), good=False, file_path="long.pdf")
    assert like("PDF_TOO_MANY_PAGES: *101 pages*anthropic/ok*100*page*", envelope["error"]), envelope
    assert envelope["code"] == "execution_failed" and envelope["cost_usd"] == 0, envelope
    assert not HOST.requests()
    ask("anthropic/ok", home=vendor(200000), file_path="hundred.pdf")
    ask("anthropic/ok", home=vendor(1000000), file_path="long.pdf")
    ask("wa/ok", file_path="long.pdf")  # nobody knows what that one takes
    assert len(HOST.requests()) == 3


def a_page_that_cannot_be_drawn_is_left_out_and_the_note_says_so():
    envelope = ask("wa/ok+nopdf", file_path="torn.pdf")
    shapes, _, body = sent()
    assert len(shapes) == 3 and all(is_page(size, page) for size, page in zip(shapes, (2, 3, 5))), shapes
    assert envelope["note"] == ("The model was given pages 1-5 of 5 as pictures, since it takes no PDF; pages 1, 4 cannot be "
                                "drawn and were left out."), envelope
    assert "one each, in order; pages 1, 4 cannot be drawn and were left out" in body
    envelope = ask("local/ocr", file_path="torn.pdf", page="1-2")
    assert "Sheet number 2" in envelope["text"] and "[page 1]" not in envelope["text"], envelope
    assert "Page 1 cannot be drawn and was left out." in envelope["note"], envelope
    for model in ("wa/ok", "local/ocr"):
        for page in (4, 1):
            envelope = ask(model, good=False, file_path="torn.pdf", page=page)
            assert like("FILE_TOO_LARGE: *", envelope["error"]), envelope
        envelope = ask(model, good=False, file_path="gone.pdf", page="1-2")
        assert like("FILE_TOO_LARGE: *", envelope["error"]), envelope
    assert not HOST.requests()


def in_turn(home, *calls, options=()):
    """What the tools answer, one server for all; a call may be a function of the id that the first one gave."""
    replies, id_ = [], None
    with home.server(*options) as server:
        for number, (tool, arguments) in enumerate(calls, 1):
            if callable(arguments):
                arguments = arguments(id_)
            reply = server.ask(call(number, tool, arguments), number)
            id_ = id_ or re.search(r"view:[0-9a-f]{12}", json.dumps(reply)).group()
            replies.append(reply)
    return replies


def a_view_of_a_file_that_has_changed_is_not_asked_about():
    def question(model):
        return "vision_analyze", lambda id_: {"file_path": id_, "prompt": "what is it", "model": model}

    def other(model):
        def change(id_):
            document("q.pdf", 3)
            return question(model)[1](id_)
        return "vision_analyze", change

    for model in ("wa/ok", "wa/ok+nopdf", "local/ocr"):
        document("q.pdf", 2)
        _, same, changed = in_turn(Home(HOST, words=model), ("view", {"path": "q.pdf"}), question(model), other(model))
        assert result_of(same)[0]["ok"], same
        assert like("FILE_NOT_FOUND: *changed*", result_of(changed)[0]["error"]), changed
        HOST.requests()


def a_comparison_is_asked_about_as_the_picture_that_was_seen():
    """With a session and without: before, after and the difference in one picture, three times as large as the source."""
    def question(id_):
        return {"file_path": id_, "prompt": "what changed", "model": "wa/ok"}

    for options in ((), ("--session", "pairs")):
        replies = in_turn(Home(HOST, words="wa/ok"), ("view", {"path": "red.png", "against": "still.gif"}), ("vision_analyze", question),
                          ("vision_analyze", lambda id_: {"file_path": id_, "prompt": "what", "model": "local/ocr"}), options=options)
        envelope = result_of(replies[1])[0]
        assert envelope["ok"] and "against still.gif" not in envelope["text"], envelope
        assert "before, after and the difference" in envelope["note"], envelope
        shapes, _, body = sent()
        seen = [b for b in replies[0]["result"]["content"] if b["type"] == "image"][0]["data"]
        assert len(shapes) == 1 and seen in body, "another picture was sent"
        assert like("UNSUPPORTED_FILE_TYPE: *comparison*", result_of(replies[2])[0]["error"]), replies[2]


def what_was_seen_is_asked_about_although_its_file_would_not_be_taken():
    seen = [("wide.svg", {}, 2), ("wide.svg", {"region": [0, 0, 50, 50]}, 1), ("words.txt", {}, None), ("page.md", {"max_edge": 700}, None)]
    if os.path.exists(os.path.join(BUILD, "fovea-video")):
        seen += [("clip.avi", {"time": 1.5}, 1.5), ("clip.avi", {}, None)]
    for model in ("wa/ok", "wc/ok"):
        for path, how, ratio in seen:
            _, reply = in_turn(Home(HOST, words=model), ("view", {"path": path, **how}),
                               ("vision_analyze", lambda id_, model=model: {"file_path": id_, "prompt": "what is it", "model": model}))
            assert result_of(reply)[0]["ok"], (path, reply)
            (size,), _, _ = sent()
            assert not ratio or abs(size[0] - ratio * size[1]) <= 2, (path, size)
    local = Home(HOST)
    for path, ok in (("wide.svg", True), ("words.txt", False)):
        _, reply = in_turn(local, ("view", {"path": path}),
                           ("vision_analyze", lambda id_: {"file_path": id_, "prompt": "what is it", "model": "local/ocr"}))
        envelope = result_of(reply)[0]
        assert envelope["ok"] is ok, envelope
        assert ok or like("UNSUPPORTED_FILE_TYPE: *local/ocr*read*", envelope["error"]), envelope
    assert not HOST.requests()


def a_tile_of_a_long_picture_is_asked_about():
    for model in ("wa/ok", "wg/ok", "wr/ok"):
        ask(model, file_path="tall.png", page=3)
        (size,), _, _ = sent()
        assert size[0] == 600 and 1000 <= size[1] <= 2000, (model, size)
        envelope = ask(model, good=False, file_path="tall.png", page=99)
        assert like("INVALID_INPUT: *page 99*", envelope["error"]), envelope
        in_turn(Home(HOST, words=model), ("view", {"path": "tall.png", "page": 2, "max_edge": 900}),
                ("vision_analyze", lambda id_, model=model: {"file_path": id_, "prompt": "what is it", "model": model}))
        (size,), _, _ = sent()
        assert size == (600, 900), (model, size)
    assert ask("local/ocr", file_path="tall.png", page=3)["ok"]


def local_ocr_reads_the_pages():
    envelope = ask("local/ocr", file_path="five.pdf", page="2-3")
    assert re.search(r"^\[page 2\]\n\nSheet number 2\s+of the manual\s+\[page 3\]\n\nSheet number 3", envelope["text"]), envelope
    assert "Pages 2-3 of 5 were read." in envelope["note"] and "local/ocr" in envelope["note"], envelope
    envelope = ask("local/ocr", file_path="five.pdf", page=5)
    assert envelope["text"].startswith("Sheet number 5") and "Page 5 of 5 was read." in envelope["note"], envelope


def local_ocr_reads_nothing_while_drawing_is_off():
    envelope = ask("local/ocr", "render.pdf: false", good=False, file_path="five.pdf")
    assert like("PDF_NOT_SUPPORTED: *render.pdf*", envelope["error"]), envelope


def a_picture_that_is_converted_is_asked_about_like_any_other():
    for wire in WIRES:
        envelope = ask(f"{wire}/ok", file_path="red.bmp")
        shapes, _, body = sent()
        assert shapes == [(40, 30)] and "image/bmp" not in body, (shapes, body[:200])
        assert envelope["text"] == "A red square.", envelope


def frames_go_as_one_sheet_on_every_wire():
    for wire in WIRES:
        envelope = ask(f"{wire}/ok", tool="video_analyze", file_path="clip.avi")
        shapes, question, body = sent()
        assert len(shapes) == 1 and question == "Describe this video in detail.", (shapes, question)
        told = re.fullmatch("The model takes no video and was given ([0-9]+) frames as a contact sheet, chosen by change, "
                            "with their times.", envelope["note"])
        assert told and f"shows {told.group(1)} frames of one video, in reading order" in body, envelope
        assert int(told.group(1)) >= 4, envelope


def containers_go_by_the_names_that_vendors_know():
    """As frames what nobody lists; QuickTime as what it is near to."""
    taken = {"sound.mov": "video/mp4", "mpeg2.mpg": "video/mpeg", "h264.flv": "video/x-flv", "wmv2.wmv": "video/wmv"}
    unlisted = {"h264.mkv": "a Matroska video", "h264.ts": "an MPEG-TS video", "theora.ogv": "an Ogg video"}
    for name in (*taken, *unlisted):
        with open(os.path.join(BUILD, "fixtures", "video", "good", name), "rb") as file:
            write(name, file.read())
    for name, words in unlisted.items():
        envelope = ask("wg/ok+video", tool="video_analyze", file_path=name)
        assert like(f"The model may not take {words} and was given * frames as a contact sheet*", envelope["note"]), envelope
        assert len(sent()[0]) == 1
    for name, kind in taken.items():
        envelope = ask("wg/ok+video", tool="video_analyze", file_path=name)
        request, = HOST.requests()
        assert envelope["note"] == "The model was given the video itself." and f'"{kind}"' in request["body"], envelope
    envelope = ask("wg/ok+video", "render.video: false", tool="video_analyze", file_path="h264.mkv")
    assert envelope["note"] == "The model was given the video itself.", envelope


def a_video_is_looked_at_before_it_is_sent():
    """As the frames of it would be: what is broken is refused, what is cut says so; and where videos are not opened here, neither."""
    good = os.path.join(BUILD, "fixtures", "video", "good")
    HOST.requests()
    for name, path, most in (("sound.avi", "sound-only.avi", None), ("lost.mp4", "h264.mp4", -2000), ("cut.avi", "mjpeg.avi", 60000)):
        with open(os.path.join(good, path), "rb") as file:
            write(name, file.read()[:most])
    for name, error in (("sound.avi", "UNSUPPORTED_FILE_TYPE: *sound but no pictures*"), ("lost.mp4", "FILE_MALFORMED: *cut short*")):
        native = ask("wg/ok+video", good=False, tool="video_analyze", file_path=name)
        frames = ask("wg/ok", good=False, tool="video_analyze", file_path=name)
        assert like(error, native["error"]) and native == frames and native["cost_usd"] == 0, (native, frames)
    assert not HOST.requests()
    envelope = ask("wg/ok+video", tool="video_analyze", file_path="cut.avi")
    assert envelope["note"] == "The model was given the video itself. The file is cut short: what follows is missing.", envelope
    envelope = ask("wg/ok+video", "render.video: false", tool="video_analyze", file_path="lost.mp4")
    assert envelope["note"] == "The model was given the video itself.", envelope
    assert len(HOST.requests()) == 2


make_files()
document("five.pdf", 5)
document("many.pdf", 23)
document("locked.pdf", 1, "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <" + "41" * 32 + "> /U <" + "42" * 32 + "> >> /ID [<41> <41>] ")
write("broken.pdf", b"%PDF-1.4\nnothing that a PDF is made of\n")
video("clip.avi")
write("wide.svg", b'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><rect width="99" height="99"/></svg>')
write("page.md", b"# A page\n\nwith words\n")
document("torn.pdf", 5, broken=(1, 4))
document("gone.pdf", 3, broken=(1, 2))
png("tall.png", 600, 8000, lambda y: bytes((y * 7 & 255, y >> 5, x & 255)[c] for x in range(600) for c in range(3)), 1)
write("red.bmp", b"BM" + numbers(3654, 0, 54, 40, 40, 30) + b"\1\0\x18\0" + bytes(24) + b"\x20\x10\xd0" * 1200)
with Host() as HOST:
    PLAIN = Home(HOST)
    for one in (pages_go_as_pictures_in_order_on_every_wire, a_model_that_takes_pdf_gets_the_file_and_a_page_as_a_picture,
                what_a_model_takes_is_the_users_word_unless_its_host_is_known,
                many_pages_are_given_in_part_and_the_note_says_so, a_region_of_a_page_is_drawn_large,
                answers_about_other_pages_or_the_file_itself_are_not_the_same,
                a_page_past_the_end_and_a_locked_or_broken_file_are_told, a_document_that_does_not_open_is_not_sent,
                a_document_of_more_pages_than_its_provider_takes_is_not_sent,
                a_page_that_cannot_be_drawn_is_left_out_and_the_note_says_so,
                a_view_of_a_file_that_has_changed_is_not_asked_about, a_comparison_is_asked_about_as_the_picture_that_was_seen,
                what_was_seen_is_asked_about_although_its_file_would_not_be_taken, a_tile_of_a_long_picture_is_asked_about, local_ocr_reads_the_pages,
                local_ocr_reads_nothing_while_drawing_is_off, a_picture_that_is_converted_is_asked_about_like_any_other):
        test(one)
    if os.path.exists(os.path.join(BUILD, "fovea-video")):
        test(frames_go_as_one_sheet_on_every_wire)
        test(containers_go_by_the_names_that_vendors_know)
        test(a_video_is_looked_at_before_it_is_sent)
    else:
        print("skip frames_go_as_one_sheet_on_every_wire: no fovea-video in this build", flush=True)
finish()
