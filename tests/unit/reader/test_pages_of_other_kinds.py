import pytest

from detourage.article import Article
from detourage.reader import MenuPageError, extract_article
from tests.unit.reader.article_pages import page, sentence

NAVIGATION = "<header><nav><ul>{}</ul></nav></header>".format(
    "".join(
        f"<li><a href='/{word}'>{word.title()}</a></li>"
        for word in ("tables", "chairs", "lamps", "rugs", "mirrors", "beds", "sale", "stores")
    )
)
FOOTER = (
    "<footer><ul><li><a href='/about'>About us</a></li><li><a href='/jobs'>Careers</a></li>"
    "<li><a href='/terms'>Terms of use</a></li></ul><p>© 2026 Lamplight Ltd.</p></footer>"
)

LAMPS = (
    ("Harbour table lamp", "$89.00", "A brass lamp with a linen shade, made for a small desk."),
    ("Orchard floor lamp", "$149.00", "Solid oak on three legs; the shade turns to the wall."),
    ("Mill pendant", "$75.50", "Enamelled steel, once made for a flour mill, in four colours."),
    ("Quarry wall lamp", "$64.00", "Its slate plate hides the cable, and it needs one screw."),
    ("Pier reading lamp", "$112.00", "The arm stays where you leave it, over a chair or a bed."),
    ("Chapel candle lamp", "$38.00", "A flame that runs on a battery, and lasts for sixty hours."),
    ("Meadow night lamp", "$29.90", "Soft green light that goes out by itself at dawn."),
    ("Forge desk lamp", "$98.00", "Cast iron below and a cool light above, for long evenings."),
)

QUESTIONS = (
    ("How do I reset the meter?", "Hold the left button for five seconds, then let it go."),
    ("Which batteries does it take?", "Two cells of the size AA. Rechargeable cells work, too."),
    ("Why does the display stay dark?", "The meter sleeps after a minute. Press any button."),
    ("Can I read it from another room?", "Yes, within thirty metres and through two walls."),
    ("How often should it be calibrated?", "Once a year is enough at home, and twice at work."),
    ("Where is the serial number?", "It is printed on the label inside of the lid of the meter."),
)
FACTS = (
    ("Height", "42 cm"),
    ("Base", "Brass, 16 cm across"),
    ("Shade", "Linen, washable"),
    ("Cable", "1.8 m, black cotton"),
)


def shop_body() -> str:
    finishes = [(f"{name}{finish}", *rest) for finish in ("", ", black") for name, *rest in LAMPS]
    cards = "".join(
        f"<div class='card'><a href='/products/{place}'><img src='/{place}.jpg'><h3>{name}</h3></a>"
        f"<p class='blurb'>{blurb}</p><span class='price'>{price}</span>"
        f"<button>Add to cart</button></div>"
        for place, (name, price, blurb) in enumerate(finishes)
    )
    return (
        f"{NAVIGATION}<main><h1>Lamps</h1><p>All our lamps are made within a day's journey, by"
        f" people whose workshops you can visit, and come with a bulb.</p>"
        f"<div class='grid'>{cards}</div></main>{FOOTER}"
    )


def product_body() -> str:
    name, price, blurb = LAMPS[0]
    rows = "".join(f"<tr><th>{fact}</th><td>{value}</td></tr>" for fact, value in FACTS)
    others = "".join(
        f"<li><a href='/products/{place}'>{other}</a> <span>{cost}</span></li>"
        for place, (other, cost, _) in enumerate(LAMPS[1:6])
    )
    return (
        f'<script type="application/ld+json">{{"@type": "Product", "name": "{name}"}}</script>'
        f"{NAVIGATION}<main><div class='product'><h1 class='product-title'>{name}</h1>"
        f"<p class='price'>{price}</p><button>Add to cart</button><div class='description'>"
        f"<p>{blurb} Its switch sits in the base.</p></div><h2>Details</h2>"
        f"<table class='specs'>{rows}</table></div><section class='related'>"
        f"<h2>You may also like</h2><ul>{others}</ul></section></main>{FOOTER}"
    )


def read_body(body: str, url: str, title: str) -> Article:
    return extract_article(page(body, f"<title>{title}</title>", url), None)


def assert_no_navigation_or_footer(text: str) -> None:
    assert [part for part in ("Mirrors", "Careers", "Terms of use", "©") if part in text] == []


def test_a_shop_page_gives_its_products_with_prices() -> None:
    found = read_body(shop_body(), "https://shop.example/collections/lamps", "Lamps | Lamplight")
    assert [part for lamp in LAMPS for part in lamp if part not in found.text] == []
    assert_no_navigation_or_footer(found.text)
    assert found.metadata.kind in ("collection", "listing")


def test_a_product_page_gives_its_facts_but_no_other_products() -> None:
    found = read_body(
        product_body(), "https://shop.example/products/harbour", "Harbour table lamp | Lamps"
    )
    assert LAMPS[0][2] in found.text
    assert [value for _, value in FACTS if value not in found.text] == []
    assert "You may also like" not in found.text
    assert [part for lamp in LAMPS[1:6] for part in lamp[:2] if part in found.text] == []
    assert found.metadata.kind == "product"


def test_a_manual_gives_its_questions_with_answers() -> None:
    sections = "".join(
        f"<section class='faq'><h2>{question}</h2><p>{answer}</p></section>"
        for question, answer in QUESTIONS
    )
    body = f"{NAVIGATION}<main><h1>Questions about the meter</h1>{sections}</main>{FOOTER}"
    found = read_body(body, "https://docs.meter.example/help/faq", "FAQ | Meter")
    assert [part for each in QUESTIONS for part in each if part not in found.text] == []
    assert_no_navigation_or_footer(found.text)


@pytest.mark.parametrize("advertisements", [0, 2])
def test_a_front_page_with_prices_in_its_headlines_is_still_a_menu(advertisements: int) -> None:
    stories = "".join(
        f"<li><h3><a href='/story/{n}'>Firm number {n} is sold for ${n + 3} million to its rival"
        f"</a></h3><p>{sentence(n, 20)}</p></li>"
        for n in range(12)
    )
    advertised_prices = "".join(f"<p>From ${n + 1} a month</p>" for n in range(advertisements))
    with pytest.raises(MenuPageError):
        read_body(
            f"<h1>Business</h1><ul>{stories}</ul>{advertised_prices}",
            "https://news.example/",
            "News",
        )
