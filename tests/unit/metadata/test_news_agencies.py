"""The news agency that supplied an article, as opposed to agencies that the text mentions."""

import pytest

from tests.unit.reader.article_pages import paragraphs, story

DATELINES = {
    "PARIS (AFP) – ": "AFP",
    "NEW YORK (Reuters Health) - ": "Reuters",
    "Berlin (dpa/tmn) - ": "dpa",
    "THURSDAY, Jan. 12 (HealthDay News) -- ": "HealthDay",
    "New Delhi, Jan 3 (IANS) ": "IANS",
    "TOKYO, Jan 3, Kyodo - ": "Kyodo",
    "Madrid, 3 may (EFE).- ": "EFE",
    "ANKARA (İHA) - ": "İHA",
    "(ANSA) - ROMA, 03 MAG - ": "ANSA",
    "МОСКВА, 3 мая — РИА Новости. ": "RIA Novosti",
    "МОСКВА, 5 января. /ТАСС/. ": "TASS",
    "Москва. 3 января. INTERFAX.RU - ": "Interfax",
    "新华社北京5月3日电（记者张三）": "Xinhua",
    "中新网1月3日电 ": "China News Service",
    "【ロンドン共同】": "Kyodo",
    "［東京 3日 ロイター］ ": "Reuters",
    "(서울=연합뉴스) ": "Yonhap",
    "القاهرة (رويترز) - ": "Reuters",
}
BYLINES = {
    "<p>By Reuters</p>": "Reuters",
    "<p class='byline'>JANE DOE, Associated Press</p>": "AP",
    "<p>By Jane Doe, AP Medical Writer</p>": "AP",
    "<p>By Jane Doe, Associated Press Writer 10 minutes ago</p>": "AP",
    "<p>dpa/AFP</p>": "dpa",
    "<p>Von: jdo/dpa</p>": "dpa",
    "<p>3. Mai 2024</p><p>Quelle: APA</p>": "APA",
    "<p>来源：新华网</p>": "Xinhua",
    "<p>AFP, 3 May 2024</p>": "AFP",
}
ENDS = {" (APA)": "APA", " dpa/AFP": "dpa", " (PAP, 3.05.2012)": "PAP", "（新华社）": "Xinhua"}
RIGHTS = "<p>Copyright 2012 The Associated Press. All rights reserved.</p>"
ABOUT_AGENCIES = (
    "The Associated Press (AP) reported on Monday that it was so. ",
    "Reuters, AP and AFP reported - and others said so, too. ",
    "He told Reuters (AP) that it was so - and left. ",
    "Bloomberg - the former mayor - was there, too. ",
    "New patents (PA) are a matter of the council. ",
    "新华社记者打电话说，桥开了。",
)
PICTURE_CREDITS = (
    "<figure><img src='/a.jpg'><figcaption>The bridge. (AFP)</figcaption></figure>",
    "<figure><img src='/a.jpg'></figure><p class='credit'>Reuters</p>",
    "<img src='/a.jpg'><p>Foto: dpa</p>",
    "<img src='/a.jpg'><p>JANE DOE/AFP/GettyImages</p>",
    "<p><i class='avatar'>PA</i></p><p>Paula Adams</p><p>3 May 2024</p>",
    "<img src='/a.jpg'><span>AP</span>",
    "<p>Photo by Jane Doe/AFP/Getty Images</p>",
)
EXPLANATIONS = (
    " So says the Associated Press (AP).",
    " She spoke to the PA.",
    " With files from the Associated Press",
)
SLOW_TO_MATCH = ("(" * 50_000, "a, " * 30_000, "— " * 30_000, "AP " * 30_000, "新华社" * 20_000)


@pytest.mark.parametrize(
    ("first", "last", "above", "below", "agency"),
    [
        *((dateline, "", "", "", agency) for dateline, agency in DATELINES.items()),
        *(("", "", byline, "", agency) for byline, agency in BYLINES.items()),
        *(("", end, "", "", agency) for end, agency in ENDS.items()),
        ("", "", "", RIGHTS, "AP"),
        *((first, "", "", "", None) for first in ABOUT_AGENCIES),
        *(("", "", shown, "", None) for shown in PICTURE_CREDITS),
        *(("", last, "", "", None) for last in EXPLANATIONS),
        *((line, "", "", "", None) for line in SLOW_TO_MATCH),
    ],
    ids=lambda value: str(value)[:20],
)
def test_the_agency_is_read_from_the_dateline_the_byline_and_the_ends(
    first: str, last: str, above: str, below: str, agency: str | None
) -> None:
    text = "</p><p>".join(paragraphs(1))
    body = f"<div class='story'><p>{first}{text}{last}</p></div>"
    assert story(above, below=below, body=body).metadata.wire == agency
