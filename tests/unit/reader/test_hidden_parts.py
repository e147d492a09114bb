"""Text that is shown on demand is read; text that is never displayed is not."""

import pytest

from tests.unit.reader.multilingual import TEXTS, news_page, read_article

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
QUESTION_MARKUP = {
    "terms": '<dl class="accordion"><dt>{}</dt><dd>{}</dd></dl>',
    "aria": '<div class="faq"><h3 aria-controls="p{n}" aria-expanded="false">{}</h3>'
    '<div id="p{n}" role="region" aria-hidden="true"><p>{}</p></div></div>',
    "button": '<div class="faq"><button aria-expanded="false">{}</button><p>{}</p></div>',
    "found": '<div><h3><button aria-expanded="false">{}</button></h3>'
    '<div hidden="until-found"><p>{}</p></div></div>',
    "details": "<details><summary>{}</summary><p>{}</p></details>",
}


@pytest.mark.parametrize("question_markup", QUESTION_MARKUP.values(), ids=QUESTION_MARKUP)
@pytest.mark.parametrize("language", QUESTIONS)
def test_questions_and_answers_that_open_are_text(language: str, question_markup: str) -> None:
    items = "".join(
        question_markup.format(question, answer, n=number)
        for number, (question, answer) in enumerate(QUESTIONS[language].items())
    )
    head = {"en": "Questions and answers", "de": "Fragen und Antworten"}[language]
    text = read_article(news_page(language, f"<h2>{head}</h2>{items}", after=4)).text
    missing = [each for pair in QUESTIONS[language].items() for each in pair if each not in text]
    assert missing == []


SENTENCE = "The lamps will come from a workshop in the next valley, the mayor said on Sunday."
NOTICE = (
    "Please switch off your blocker to read on, because advertisements pay for every word of this "
    "newspaper."
)
REPEATED_WORDS = "the piers now stand on rock and that no flood of the last four hundred years"


@pytest.mark.parametrize(
    ("markup", "style"),
    [
        (f"<div hidden><p>{NOTICE}</p></div>", ""),
        (f'<p style="color:red; display: none">{NOTICE}</p>', ""),
        (f'<p class="x9">{NOTICE}</p>', ".x9{display:none}"),
        (f'<p class="note x9">{NOTICE}</p>', "p{margin:0} .a, .x9 { color: red; display : none }"),
        (f'<aside class="pq"><blockquote><p>{REPEATED_WORDS}</p></blockquote></aside>', ""),
    ],
    ids=["hidden", "style", "class", "one of several classes", "words that stand out"],
)
def test_parts_never_displayed_or_displayed_twice_are_not_text(markup: str, style: str) -> None:
    article = read_article(news_page("en", markup, head=f"<style>{style}</style>"))
    assert article.text.split("\n\n") == [*TEXTS["en"][1:]]


@pytest.mark.parametrize(
    "style",
    [
        *("@media print{.x9{display:none}}", ".menu .x9{display:none}"),
        *(".x9{display:block} /* .x9{display:none} */", ".x9:empty{display:none}"),
    ],
)
def test_a_style_that_does_not_apply_to_the_element_hides_nothing(style: str) -> None:
    head = f"<style>{style}</style>"
    assert (
        SENTENCE in read_article(news_page("en", f'<p class="x9">{SENTENCE}</p>', head=head)).text
    )


def test_buttons_are_text_only_within_a_sentence_and_menus_never() -> None:
    markup = (
        "<p>The deepest <button class='term'>scour</button> was found below the mill, she said.</p>"
        f"<h2>What comes next <button>Hear</button></h2><p>{SENTENCE} <button>Hear</button></p>"
        '<div class="accordion"><button aria-controls="m" aria-expanded="false">More</button>'
        '<ul id="m"><li><a href="/1">The town hall</a></li><li><a href="/2">The council</a></li>'
        '<li><a href="/3">All roads of the county</a></li></ul></div>'
    )
    text = read_article(news_page("en", markup, after=4)).text
    sentence = "The deepest scour was found below the mill, she said."
    assert text.endswith(f"\n\n{sentence}\n\nWhat comes next\n\n{SENTENCE}")


@pytest.mark.parametrize(
    ("language", "hiding_markup"),
    [("en", '<div style="display:none">{}</div>'), ("de", "<noscript>{}</noscript>")],
    ids=["until it is opened", "for browsers without scripts"],
)
def test_the_rest_of_an_article_may_be_hidden(language: str, hiding_markup: str) -> None:
    rest = "".join(f"<p>{text}</p>" for text in TEXTS[language][3:])
    page = news_page(language, hiding_markup.format(rest), after=2, ends=True)
    assert [text for text in TEXTS[language][1:] if text not in read_article(page).text] == []


@pytest.mark.parametrize(
    ("markup", "lead"),
    [
        (
            '<x-p><template shadowrootmode="open"><p>{}</p></template></x-p>',
            "<p>Faltaban las farolas.</p>",
        ),
        ('<span style="display:block;margin:1em 0">{}</span>', ""),
    ],
    ids=["in shadow trees", "in spans"],
)
def test_the_paragraphs_of_an_article_may_be_other_elements(markup: str, lead: str) -> None:
    headline, *paragraphs = TEXTS["es"]
    page = (
        f"<html lang='es'><head><title>{headline}</title></head><body><main><h1>{headline}</h1>"
        f"<article>{lead}<div>{''.join(map(markup.format, paragraphs))}</div></article></main>"
        "</body></html>"
    )
    text = read_article(page).text
    assert text.split("\n\n")[-len(paragraphs) :] == paragraphs


def test_a_style_may_make_a_span_a_line_of_code() -> None:
    lines = ["bridge:", "  lamps: 12", "  piers: 2"]
    code = "".join(f'<span style="display:flex;"><span>{line}</span></span>' for line in lines)
    article = read_article(news_page("en", f"<pre><code>{code}</code></pre>"))
    assert [block.text for block in article.blocks if block.type == "code"] == ["\n".join(lines)]
