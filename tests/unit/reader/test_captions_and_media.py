"""Captions recognised only by their place, and media in unusual elements."""

import pytest

from tests.unit.reader.multilingual import TEXTS, news_page, read_article

SENTENCE = "The ferryman was born on the river and learned to swim before he could walk."


@pytest.mark.parametrize(
    ("language", "caption"),
    [
        ("en", "The ferryman in front of his boat. (Photo: A. Field)"),
        ("de", "Der Fährmann vor seinem Boot. Foto: A. Feld"),
        ("es", "El barquero delante de su barca. Foto: A. Campos"),
        ("zh", "船夫站在他的船前。田安 摄"),
    ],
)
@pytest.mark.parametrize(
    "markup",
    [
        '<p style="text-align:center"><img src="/b.jpg"><br>{}</p>',
        '<div><a href="/b.jpg"><img src="/b.jpg"></a><br/><em>{}</em></div>',
    ],
)
def test_a_caption_follows_a_break_below_its_image(
    language: str, caption: str, markup: str
) -> None:
    article = read_article(news_page(language, markup.format(caption)))
    assert [line for line in TEXTS[language][1:] if line not in article.text] == []
    assert caption not in article.text
    assert [image.caption for image in article.images] == [caption]


def test_a_paragraph_may_begin_with_an_image_and_its_caption() -> None:
    box = '<span><img src="/b.jpg"> <span class="caption">© A. Field / PA</span></span>'
    article = read_article(news_page("en", f"<p>{box} {SENTENCE}</p>"))
    assert SENTENCE in article.text.split("\n\n")


@pytest.mark.parametrize(
    "lines",
    [("Поромник біля човна. Фото: Ірина Коваль",), ("The ferryman of Lea", "Photo: A. Field")],
)
def test_a_credit_marks_the_lines_below_an_image_as_its_caption(lines: tuple[str, ...]) -> None:
    markup = '<p><img src="/b.jpg"></p>' + "".join(f"<p><em>{line}</em></p>" for line in lines)
    text = read_article(news_page("en", markup)).text
    assert [line for line in lines if line in text] == []


@pytest.mark.parametrize("name", ["cap", "bildtext", "photo-legende", "didascalia"])
def test_a_block_below_an_image_may_be_named_as_its_caption(name: str) -> None:
    caption = "The ferryman and his cousin before the sale"
    markup = f'<p class="pic"><img src="/b.jpg"></p><p class="{name}">{caption}</p>'
    article = read_article(news_page("en", markup))
    assert caption not in article.text
    article = read_article(news_page("en", f"<p>{caption} of the boat.</p>{markup}"))
    assert article.text.count(caption) == 1


@pytest.mark.parametrize(
    "text",
    ["“We will all drink tea on the other bank now,” said the ferryman.", " ".join([SENTENCE] * 4)],
    ids=["somebody speaks", "long"],
)
def test_a_paragraph_may_follow_an_image(text: str) -> None:
    assert text in read_article(news_page("en", f'<p><img src="/b.jpg"><br>{text}</p>')).text


def test_the_lines_below_the_images_of_a_picture_story_are_its_text() -> None:
    lines = [" ".join(text.split()[:25]) + "." for text in TEXTS["en"][1:]] * 2
    images = "".join(
        f'<p><img src="/{number}.jpg"><br>{number}: {line}</p>' for number, line in enumerate(lines)
    )
    page = f"<html><body><article><h1>The bridge in pictures</h1>{images}</article></body></html>"
    article = read_article(page)
    assert [line for line in lines if line not in article.text] == []


def test_the_images_of_a_gallery_with_long_captions_belong_to_the_article() -> None:
    captions = [f"Day {number}. {text}" for number in (1, 2) for text in TEXTS["en"][2:]]
    gallery = "".join(
        f'<figure><img src="/{number}.jpg"><figcaption>{caption}</figcaption></figure>'
        for number, caption in enumerate(captions)
    )
    headline, paragraph, *_ = TEXTS["en"]
    page = (
        f"<html><body><article><h1>{headline}</h1><div class='body'><p>{paragraph}</p>"
        f"<div class='gallery'>{gallery}</div></div></article></body></html>"
    )
    images = read_article(page).images
    assert [image.caption for image in images] == captions


def test_custom_elements_may_be_images() -> None:
    markup = "".join(
        f"<figure><{tag} src='/{tag}.jpg' layout='fill'></{tag}></figure>" for tag in CUSTOM_TAGS
    )
    images = read_article(news_page("en", markup)).images
    assert [image.url for image in images] == [
        f"https://news.example/{tag}.jpg" for tag in CUSTOM_TAGS
    ]


CUSTOM_TAGS = ("amp-img", "a-img")
POST_URL = "https://www.facebook.com/mill/posts/12"


@pytest.mark.parametrize(
    ("markup", "embeds"),
    [
        (f'<div class="fb-post" data-href="{POST_URL}"></div>', [(POST_URL, "blockquote")]),
        (f'<div class="share" data-href="{POST_URL}"></div>', []),
        (
            '<div class="podcast"><audio src="/e12.mp3" controls></audio><span>Episode 12</span>'
            '<a href="#a">Subscribe on Spotify</a><a href="#b">Apple Podcasts</a></div>',
            [("https://news.example/e12.mp3", "audio")],
        ),
    ],
    ids=["post placed by a script", "button", "player with links to other players"],
)
def test_embedded_media_may_be_other_elements(markup: str, embeds: list[tuple[str, str]]) -> None:
    found = read_article(news_page("de", markup, after=0)).embeds
    assert [(embed.url, embed.type) for embed in found] == embeds
