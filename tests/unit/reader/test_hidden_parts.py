"""Text that opens on demand, which is read, and text that is never displayed, which is not."""

import pytest

from tests.unit.reader.multilingual import TEXTS, article_of, told

QUESTIONS = {
    "en": {
        "May lorries use the bridge?": "No. Lorries of more than twelve tonnes must still take the "
        "road along the dam, because the lane on the south bank is too narrow for them.",
        "What happens to the ferry tickets?": "They can be returned at the town hall until the end "
        "of July, and the full price will be paid back in cash.",
        "And the bicycles?": "They have a lane of their own, on the side of the mill.",
    },
    "de": {
        "Dürfen Lastwagen über die Brücke fahren?": "Nein. Wer mehr als zwölf Tonnen wiegt, muss "
        "weiter die Straße am Damm nehmen, weil die Gasse am Südufer zu eng für ihn ist.",
        "Was wird aus den Fahrscheinen der Fähre?": "Sie werden bis Ende Juli im Rathaus "
        "zurückgenommen, und der volle Preis wird bar ausgezahlt.",
        "Und die Fahrräder?": "Sie haben eine eigene Spur, auf der Seite der Mühle.",
    },
}
FORMS = {
    "terms": '<dl class="accordion"><dt>{}</dt><dd>{}</dd></dl>',
    "aria": '<div class="faq"><h3 aria-controls="p{n}" aria-expanded="false">{}</h3>'
    '<div id="p{n}" role="region" aria-hidden="true"><p>{}</p></div></div>',
    "found": '<div><h3><button aria-expanded="false">{}</button></h3>'
    '<div hidden="until-found"><p>{}</p></div></div>',
    "details": "<details><summary>{}</summary><p>{}</p></details>",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("language", QUESTIONS)
def test_questions_and_answers_that_open_are_text(language: str, form: str) -> None:
    items = "".join(
        form.format(question, answer, n=number)
        for number, (question, answer) in enumerate(QUESTIONS[language].items())
    )
    head = {"en": "Questions and answers", "de": "Fragen und Antworten"}[language]
    text = article_of(told(language, f"<h2>{head}</h2>{items}", after=4)).text
    missing = [each for pair in QUESTIONS[language].items() for each in pair if each not in text]
    assert missing == []


def test_a_menu_that_opens_is_not_text() -> None:
    menu = (
        '<div class="accordion"><button aria-controls="m" aria-expanded="false">More</button>'
        '<ul id="m"><li><a href="/1">The town hall</a></li><li><a href="/2">The council</a></li>'
        '<li><a href="/3">All roads of the county</a></li></ul></div>'
    )
    text = article_of(told("en", menu, after=4)).text
    assert "All roads" not in text


NOTICE = (
    "Please switch off your blocker to read on, because advertisements pay for every word of this "
    "newspaper."
)


@pytest.mark.parametrize(
    ("markup", "style"),
    [
        ("<div hidden><p>{}</p></div>", ""),
        ('<p style="color:red; display: none">{}</p>', ""),
        ('<p class="x9">{}</p>', ".x9{display:none}"),
        ('<p class="note x9">{}</p>', "p{margin:0} .a, .x9 { color: red; display : none }"),
    ],
)
def test_a_notice_that_is_never_displayed_is_not_text(markup: str, style: str) -> None:
    head = f"<style>{style}</style>"
    article = article_of(told("en", markup.format(NOTICE), head=head))
    assert article.text.split("\n\n") == [*TEXTS["en"][1:]]


@pytest.mark.parametrize(
    "style",
    [
        "@media print{.x9{display:none}}",
        ".menu .x9{display:none}",
        ".x9{display:block} /* .x9{display:none} */",
        ".x9:empty{display:none}",
    ],
)
def test_a_style_for_other_cases_hides_nothing(style: str) -> None:
    line = "The lamps will come from a workshop in the next valley, the mayor said on Sunday."
    head = f"<style>{style}</style>"
    assert line in article_of(told("en", f'<p class="x9">{line}</p>', head=head)).text


def test_an_article_may_be_hidden_until_it_is_opened() -> None:
    rest = "".join(f"<p>{text}</p>" for text in TEXTS["en"][3:])
    page = told("en", f'<div style="display:none">{rest}</div>', after=2, ends=True)
    assert TEXTS["en"][4] in article_of(page).text


def test_a_button_in_a_sentence_is_part_of_it() -> None:
    sentence = "The deepest <button class='term'>scour</button> was found below the mill, she said."
    text = article_of(told("en", f"<p>{sentence}</p>")).text
    assert "The deepest scour was found below the mill, she said." in text


def test_a_button_beside_a_text_is_not_part_of_it() -> None:
    markup = (
        "<h2>What comes next <button>Copy link</button></h2>"
        "<p>The lamps will come from a workshop in the next valley. <button>Listen</button></p>"
    )
    article = article_of(told("en", markup))
    assert "What comes next\n" in article.text
    assert "Copy link" not in article.text
    assert "Listen" not in article.text


def test_words_of_the_text_that_stand_out_are_read_once() -> None:
    words = "the piers now stand on rock and that no flood of the last four hundred years"
    aside = f'<aside class="pq"><blockquote><p>{words}</p></blockquote></aside>'
    assert article_of(told("en", aside)).text.split("\n\n") == [*TEXTS["en"][1:]]


def test_an_article_may_be_divided_among_shadow_trees() -> None:
    headline, *paragraphs = TEXTS["es"]
    shadows = "".join(
        f'<x-p><template shadowrootmode="open"><p>{text}</p></template></x-p>'
        for text in paragraphs
    )
    page = (
        f"<html lang='es'><head><title>{headline}</title></head><body><main><h1>{headline}</h1>"
        f"<p>Faltaban las farolas.</p><div>{shadows}</div></main></body></html>"
    )
    text = article_of(page).text
    assert [each for each in paragraphs if each not in text] == []


def test_the_rest_of_an_article_may_be_for_browsers_without_scripts() -> None:
    rest = "".join(f"<p>{text}</p>" for text in TEXTS["de"][3:])
    page = told("de", f"<noscript>{rest}</noscript>", after=2, ends=True)
    assert [text for text in TEXTS["de"][1:] if text not in article_of(page).text] == []


def test_a_style_may_make_a_span_a_paragraph() -> None:
    headline, *paragraphs = TEXTS["es"]
    spans = "".join(
        f'<span style="display:block;margin:1em 0">{text}</span>' for text in paragraphs
    )
    page = f"<html><body><h1>{headline}</h1><article>{spans}</article></body></html>"
    assert article_of(page).text.split("\n\n") == [*paragraphs]


def test_a_style_may_make_a_span_a_line_of_code() -> None:
    lines = ["bridge:", "  lamps: 12", "  piers: 2"]
    code = "".join(f'<span style="display:flex;"><span>{line}</span></span>' for line in lines)
    article = article_of(told("en", f"<pre><code>{code}</code></pre>"))
    assert [block.text for block in article.blocks if block.type == "code"] == ["\n".join(lines)]
