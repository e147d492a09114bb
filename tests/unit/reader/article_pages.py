import random

from detourage.html import Page, parse_page

URL = "https://news.example/2024/05/story.html"

_SYLLABLES = ["ba", "cor", "din", "el", "fo", "gar", "hin", "jo", "kel", "lu", "mar", "nov"]


def page(body: str, head: str = "", url: str = URL, root: str = "") -> Page:
    return parse_page(f"<html {root}><head>{head}</head><body>{body}</body></html>", url)


def sentence(seed: int, words: int = 12) -> str:
    """Return a sentence that is unique to the seed."""
    rng = random.Random(seed)
    made = ("".join(rng.choices(_SYLLABLES, k=3)) for _ in range(words - 1))
    return " ".join([f"Item{seed}", *made]) + "."


def paragraphs(seed: int, count: int = 6) -> list[str]:
    """Return paragraphs of three sentences that are unique to the seed."""
    return [
        " ".join(sentence(1000 * seed + 10 * number + part) for part in range(3))
        for number in range(count)
    ]


def prose(seed: int, count: int = 6) -> str:
    return "".join(f"<p>{text}</p>" for text in paragraphs(seed, count))
