import codecs
import random
import re

import pytest

from detourage.html import UndecodableError, parse_page
from detourage.html.encoding import decode

SENTENCES = {
    "el": "Άρχισε την Τετάρτη ο εμβολιασμός κατά της γρίπης, ανακοίνωσε το υπουργείο Υγείας.",
    "pl": "Ministerstwo Zdrowia ogłosiło w środę, że szczepienia przeciw grypie już się zaczęły.",
    "ru": "Министерство здравоохранения сообщило в среду о начале прививок против гриппа.",
    "zh": "卫生部星期三宣布，今年冬天的流感疫苗接种计划将优先提供给老年人和小学生。",
    "zh-TW": "衛生福利部週三宣布，今年冬天的流感疫苗接種計畫將優先提供給長者與國小學生。",
    "fr": "Le ministère de la Santé a annoncé mercredi qu'une campagne débutait à l'hôpital.",
    "de": "Die Ministerin für Gesundheit erklärte am Donnerstag, die Grippe sei größer als üblich.",
    "ja": "厚生労働省は二十日、インフルエンザの患者数が全国で増え続けていると発表した。",
    "ko": "보건복지부는 올겨울 독감 환자가 전국적으로 늘고 있다고 밝혔다.",
    "tr": "Sağlık Bakanlığı çarşamba günü grip aşısı kampanyasının başladığını açıkladı.",
}


def page(text: str, head: str = "") -> str:
    return f"<html><head><title>{text}</title>{head}</head><body><p>{text}</p></body></html>"


def decode_paragraph(content: bytes, content_type: str | None = None) -> tuple[str, str]:
    """Return the text of a page's paragraph and the name of the page's encoding."""
    decoded = decode(content, content_type)
    paragraph = re.search("<p>(.*?)</p>", decoded.text)
    assert paragraph
    return paragraph[1], decoded.encoding


UNDECLARED = [
    ("el", "cp1253", "windows-1253"),
    ("pl", "iso8859-2", "iso-8859-2"),
    ("pl", "cp1250", "windows-1250"),
    ("ru", "cp1251", "windows-1251"),
    ("zh", "gb18030", "gb18030"),
    ("zh-TW", "big5", "big5"),
    ("fr", "cp1252", "windows-1252"),
    ("ja", "shift_jis", "shift_jis"),
    ("ja", "euc-jp", "euc-jp"),
    ("ko", "cp949", "euc-kr"),
    ("tr", "cp1254", "windows-1254"),
    *((language, "utf-8", "utf-8") for language in SENTENCES),
]
DECLARATIONS = [
    "<meta charset=iso-8859-2>",
    "<META CHARSET = 'ISO-8859-2' />",
    '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-2">',
    "<meta content='text/html;charset=latin2' http-equiv=content-type>",
    '<!-- <meta charset="koi8-r"> --><meta charset="iso-8859-2">',
    '<meta name="description" content="; charset=koi8-r"><meta charset="iso-8859-2">',
    '<meta charset="no-such-encoding"><meta charset="iso-8859-2">',
    "<style>" + "p { color: red } " * 3000 + '</style><meta charset="iso-8859-2">',
]
LABELS = [
    ("iso-8859-1", "“détourage” €", "cp1252", "windows-1252"),
    ("gb2312", "镕基 €", "gb18030", "gb18030"),
    ("big5", "嘅", "big5hkscs", "big5"),
    ("shift_jis", "①", "cp932", "shift_jis"),
    ("euc-kr", "햏", "cp949", "euc-kr"),
    ("x-user-defined", "été", "cp1252", "windows-1252"),
    ("tis-620", "ไทย", "cp874", "windows-874"),
]
"""Labels that browsers interpret in their own way."""
CONTRADICTED = [
    *(("ru", "", label, "utf-8") for label in ("windows-1252", "koi8-r", "gb18030", "big5")),
    *(("ru", "", label, "utf-8") for label in ("utf-16", "hz-gb-2312")),
    ("pl", '<meta charset="utf-8">', "utf-8", "windows-1250"),
    # The declaration in the page replaces a wrong header.
    ("zh", '<meta charset="gb2312">', "utf-8", "gb18030"),
]


@pytest.mark.parametrize(
    ("text", "head", "label", "codec", "name"),
    [
        *((SENTENCES[each], "", "", codec, name) for each, codec, name in UNDECLARED),
        *(("ąż", head, "", "iso8859-2", "iso-8859-2") for head in DECLARATIONS),
        ("\u0444", '<meta charset="windows-1251">', "KOI8-R", "koi8-r", "koi8-r"),
        *(("żółw", "", name, name, name) for name in ("utf-16le", "utf-16be")),
        *((text, "", label, codec, name) for label, text, codec, name in LABELS),
        *((SENTENCES[each], head, label, name, name) for each, head, label, name in CONTRADICTED),
    ],
    ids=lambda value: value[:30],
)
def test_the_encoding_is_the_declared_one_unless_the_bytes_contradict_it(
    text: str, head: str, label: str, codec: str, name: str
) -> None:
    content_type = f"text/html; charset={label}" if label else None
    assert decode_paragraph(page(text, head).encode(codec), content_type) == (text, name)


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16le"),
        (codecs.BOM_UTF16_BE, "utf-16be"),
    ],
)
def test_a_byte_order_mark_determines_the_encoding_and_is_removed(mark: bytes, name: str) -> None:
    html = page("żółw", '<meta charset="iso-8859-2">')
    decoded = decode(mark + html.encode(name), "text/html; charset=windows-1252")
    assert (decoded.text, decoded.encoding) == (html, name)


def test_a_stray_byte_does_not_change_the_encoding() -> None:
    content = page(SENTENCES["zh"] * 4).encode("gb18030").replace(b"</p>", b"\xd0</p>")
    text, name = decode_paragraph(content, "text/html; charset=gbk")
    assert (text, name) == (SENTENCES["zh"] * 4 + "\ufffd", "gb18030")


def test_stray_windows_1252_bytes_in_a_utf8_page_are_decoded() -> None:
    content = page(SENTENCES["de"]).encode().replace(b"<p>", b"<p>Mitgef\xfchl \x96 ")
    assert decode_paragraph(content) == ("Mitgefühl – " + SENTENCES["de"], "utf-8")


def test_an_ascii_page_keeps_the_declared_encoding() -> None:
    assert decode(b"<p>a</p>").encoding == "utf-8"
    assert decode(b"<p>a</p>", "text/html; charset=koi8-r").encoding == "koi8-r"
    assert decode(b"<p>a</p>", "text/html; charset=utf-16").encoding == "utf-8"
    assert decode(b'<meta charset="utf-16"><p>a</p>').encoding == "utf-8"


@pytest.mark.parametrize(
    "content",
    [
        random.Random(1).randbytes(5_000),
        b"<html><body><p>" + random.Random(2).randbytes(5_000),
        b"\xef\xbb\xbf" + random.Random(3).randbytes(5_000),
        b"\xff\xfe" + random.Random(4).randbytes(5_000),
        b"<p>text</p>" + bytes(5_000),
        bytes(range(1, 32)) * 100,
    ],
    ids=["noise", "noise in a page", "utf-8 mark", "utf-16 mark", "zeros", "controls"],
)
@pytest.mark.parametrize("content_type", [None, "text/html; charset=utf-8", "text/html"])
def test_binary_noise_is_undecodable(content: bytes, content_type: str | None) -> None:
    with pytest.raises(UndecodableError):
        parse_page(content, content_type=content_type)


def test_decoded_text_ignores_declared_encodings() -> None:
    html = '<?xml version="1.0" encoding="utf-16"?><meta charset="gb2312"><p>été €</p>'
    parsed = parse_page(html, content_type="text/html; charset=koi8-r")
    assert parsed.encoding == "utf-8"
    assert parsed.document.findtext(".//p") == "été €"


@pytest.mark.parametrize(
    "text",
    [
        "Старый мост у мельницы закрыли в марте, когда водолаз увидел, что одна из его двух опор "
        "сдвинулась на ладонь во время зимнего паводка.",
        "Старият мост при мелницата беше затворен през март, когато водолаз откри, че един от "
        "двата му стълба се е изместил с една длан.",
        "Старий міст біля млина закрили в березні, коли водолаз виявив, що одна з двох його опор "
        "зсунулася на долоню під час зимової повені.",
    ],
    ids=["ru", "bg", "uk"],
)
@pytest.mark.parametrize("declared_encoding", ["windows-1251", "koi8-u", "iso-8859-5", "latin1"])
@pytest.mark.parametrize("actual_encoding", ["windows-1251", "koi8-u", "iso-8859-5"])
def test_letters_outweigh_a_declaration_of_another_encoding(
    text: str, declared_encoding: str, actual_encoding: str
) -> None:
    content = page(text, f'<meta charset="{declared_encoding}">').encode(actual_encoding)
    assert text in decode(content).text


@pytest.mark.parametrize(
    ("text", "actual_encoding"),
    [
        ("Η παλιά γέφυρα δίπλα στον μύλο έκλεισε τον Μάρτιο, λένε οι ψαράδες.", "cp1253"),
        ("הגשר הישן ליד הטחנה נסגר במרץ, אחרי שצוללן גילה שאחד מעמודיו זז.", "cp1255"),
        ("أغلق الجسر القديم قرب الطاحونة في مارس بعد أن وجد غواص عموده مائلا.", "cp1256"),
        ("สะพานเก่าข้างโรงสีปิดในเดือนมีนาคม หลังนักประดาน้ำพบว่าเสาเอียง", "cp874"),
        ("水車小屋のそばの古い橋は、潜水士が橋脚のずれを見つけたため三月に閉鎖された。", "euc-jp"),
    ],
)
def test_other_scripts_outweigh_a_western_encoding(text: str, actual_encoding: str) -> None:
    content = page(f"{text} " * 3, '<meta charset="latin1">').encode(actual_encoding)
    assert text in decode(content).text


def test_accented_letters_are_not_mistaken_for_cyrillic_ones() -> None:
    text = "La città più bella è là: perché? È così, però, e già la libertà vi è in più. " * 20
    content = page(text, '<meta charset="iso-8859-1">').encode("cp1252")
    assert text.strip() in decode(content).text


def test_few_cyrillic_letters_do_not_outweigh_a_declaration() -> None:
    content = page("Мост", '<meta charset="windows-1251">').encode("koi8-r")
    assert decode(content).encoding == "windows-1251"
