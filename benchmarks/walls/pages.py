"""Generate walls and missing pages, or articles that resemble them, in many languages and layouts.

    python -m benchmarks.walls.pages OUT.jsonl --half seen --number 2000
    python -m benchmarks.walls.pages OUT.jsonl --half unseen --articles

Each line is a page message with `url`, `html` and `status`, and the page's true class in `truth`.
"""

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import count, islice
from pathlib import Path
from typing import Any

WORDINGS = Path(__file__).parent / "wordings"
LANGUAGES = tuple(sorted(path.stem for path in WORDINGS.glob("??.json")))
UNSPACED_LANGUAGES = frozenset({"ja", "zh"})
RIGHT_TO_LEFT = frozenset({"ar"})  # languages written from right to left

LABELS = (
    *("most read", "search", "cookies", "offer", "email", "password", "log in", "about"),
    *("privacy", "by"),
)
"""Names of the labels, in the order in which the files of wordings list them."""

UNSEEN_KINDS = frozenset(
    {"adblock", "login", "maintenance", "press_and_hold", "region", "removed"}
    | {"report_beside_login"}
)
UNSEEN_LANGUAGES = frozenset({"ar", "cs", "it", "ko", "sv", "tr", "uk"})
UNSEEN_STYLES = frozenset({"framework", "table"})


@dataclass(frozen=True)
class Kind:
    """A kind of page, with its possible styles and HTTP statuses.

    `wordings` is the key of its texts in the wordings of a language. `source` states whose wordings
    are used: those in the page's language (``native``), those of vendors of walls, or both.
    """

    outcome: str
    wordings: str
    styles: tuple[str, ...]
    statuses: tuple[int, ...]
    source: str = "native"


_SERVER_STYLES = ("vendor", "bare", "card")  # pages of a server or vendor, without a site
_OVERLAY_STYLES = ("overlay", "site", "card", "framework", "table")  # walls over or inside a site
_SITE_STYLES = ("site", "framework", "table")  # pages in the layout of a site
_STANDALONE_STYLES = ("card", "bare", "framework")  # pages that show only the wall

WALLS = {  # outcome, wordings, styles, HTTP statuses and source of each kind
    "consent": Kind("wall", "consent", ("vendor", *_STANDALONE_STYLES), (200,)),
    "consent_over_site": Kind("wall", "consent", ("overlay", "site"), (200,)),
    "robot_check": Kind("wall", "robot_check", _SERVER_STYLES, (403, 503, 200), "vendor"),
    "captcha": Kind("wall", "captcha", ("site", *_STANDALONE_STYLES), (200, 403, 429)),
    "access_denied": Kind("wall", "access_denied", _SERVER_STYLES, (403,), "vendor"),
    "press_and_hold": Kind("wall", "press_and_hold", _SERVER_STYLES, (403, 200), "vendor"),
    "rate_limit": Kind("wall", "rate_limit", _SERVER_STYLES, (429,), "vendor"),
    "login": Kind("wall", "login", _OVERLAY_STYLES, (200, 401, 403)),
    "registration": Kind("wall", "registration", _OVERLAY_STYLES, (200,)),
    "paywall_stub": Kind("wall", "paywall", (*_SITE_STYLES, "overlay"), (200, 200, 402)),
    "paywall_teaser": Kind("article", "paywall", _SITE_STYLES, (200,)),
    "age": Kind("wall", "age", _OVERLAY_STYLES, (200,)),
    "region": Kind("wall", "region", ("site", *_STANDALONE_STYLES), (451, 403, 200)),
    "javascript": Kind("wall", "javascript", ("site", *_STANDALONE_STYLES), (200,)),
    "soft_404": Kind("gone", "soft_404", _SITE_STYLES, (200,)),
    "hard_404": Kind("gone", "hard_404", _SERVER_STYLES, (404,), "vendor"),
    "removed": Kind("gone", "removed", ("card", *_SITE_STYLES), (410, 404, 200, 200)),
    "server_error": Kind(
        "wall", "server_error", (*_SERVER_STYLES, "site"), (500, 502, 503), "both"
    ),
    "maintenance": Kind("wall", "maintenance", _STANDALONE_STYLES, (503, 503, 200)),
    "parked": Kind("gone", "parked", _SERVER_STYLES, (200,), "both"),
    "for_sale": Kind("gone", "for_sale", (*_SERVER_STYLES, "table"), (200,), "both"),
    "suspended": Kind("gone", "suspended", _SERVER_STYLES, (200, 403, 503), "both"),
    "app": Kind("wall", "app", ("overlay", "card", "framework"), (200,)),
    "newsletter": Kind("wall", "newsletter", ("overlay", "card", "site"), (200,)),
    "adblock": Kind("wall", "adblock", _OVERLAY_STYLES, (200,)),
}
ARTICLES = {
    "report": Kind("article", "articles", ("bare", *_SITE_STYLES), (200,)),
    "report_short": Kind("article", "articles", ("bare", *_SITE_STYLES), (200,)),
    "report_beside_consent": Kind("article", "consent", ("overlay", *_SITE_STYLES), (200,)),
    "report_beside_offer": Kind("article", "paywall", _SITE_STYLES, (200,)),
    "report_beside_login": Kind("article", "login", ("overlay", *_SITE_STYLES), (200,)),
    "notice": Kind("article", "notices", ("bare", *_SITE_STYLES), (200,)),
}
KINDS = WALLS | ARTICLES
# Kinds of pages at URLs where there never was an article, and kinds that contain a form.
_NO_HEADLINE = frozenset({"parked", "for_sale", "suspended", "hard_404", "soft_404"})
_KINDS_WITH_FORM = frozenset({"login", "registration", "newsletter", "report_beside_login"})


@cache
def wordings(name: str) -> dict[str, Any]:
    """Return the wordings of a language, or of `vendor`."""
    found: dict[str, Any] = json.loads((WORDINGS / f"{name}.json").read_text("utf-8"))
    return found


def is_unseen(kind: str, language: str) -> bool:
    """Return whether pages of a kind and language are in the held-out half."""
    return kind in UNSEEN_KINDS or language in UNSEEN_LANGUAGES


class Page:
    """A generated page, with the random choices that its parts have in common."""

    def __init__(self, kind: str, language: str, style: str, rng: random.Random) -> None:
        self.kind, self.language, self.style, self.rng = kind, language, style, rng
        self.is_article = KINDS[kind].outcome == "article"
        self.words = wordings(language)
        self.labels = dict(zip(LABELS, self.words["labels"], strict=True))
        stem = rng.choice(("daily", "kurier", "tribuna", "portal", "nova", "post", "echo"))
        self.host = f"www.{stem}{rng.randrange(10_000)}.example"
        self.site = f"{stem.title()} {rng.choice(('24', 'News', 'Online', 'Plus'))}"
        self.date = f"20{rng.randint(23, 26)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        self.author = rng.choice(self.words["authors"])
        self.prefix = rng.choice(("", "c-", "tt_", "css-1q", "b-"))
        self.status = rng.choice(KINDS[kind].statuses)
        self.headline, self.text = self._article()
        self.lines = self._wording()

    def _article(self) -> tuple[str, list[str]]:
        """Choose the headline and paragraphs; a wall shows at most the first of them."""
        rng, words = self.rng, self.words
        if self.kind == "notice":
            notice = rng.choice(words["notices"])
            return notice[0], notice[1:]
        if self.kind.startswith("report"):
            reports = words["articles"]
            # In a language that both halves use, the first report is only for the seen half.
            if self.language not in UNSEEN_LANGUAGES:
                reports = reports[1:] if self.kind in UNSEEN_KINDS else reports[:1]
            report = rng.choice(reports)
            return report[1], report[2:4] if self.kind == "report_short" else report[2:]
        headlines, stories = words["headlines"], words["stories"]
        story = rng.randrange(len(stories))
        if self.kind == "paywall_teaser":
            return headlines[story], stories[story][: rng.randint(2, 3)]
        if self.kind == "paywall_stub":
            return headlines[story], [_truncate(stories[story][0], self.language)] * rng.randint(
                0, 1
            )
        return rng.choice(headlines), []

    def _wording(self) -> list[str]:
        """Choose the lines of the wall, in the page's language or as written by a vendor."""
        kind = KINDS[self.kind]
        if self.kind in {"report", "report_short", "notice"}:
            return []
        is_vendor = kind.source == "vendor" or (kind.source == "both" and self.rng.random() < 0.5)
        source = wordings("vendor")["walls"] if is_vendor else self.words["walls"]
        reference = f"{self.rng.getrandbits(64):016x}"
        choices: list[list[str]] = source[kind.wordings]
        if is_vendor and self.kind not in UNSEEN_KINDS:
            # Vendors' wordings are always in English, so pages in unseen languages use every other
            # one of them, and pages in seen languages the rest.
            choices = choices[1::2] if self.language in UNSEEN_LANGUAGES else choices[::2]
        lines = self.rng.choice(choices)
        return [line.replace("{host}", self.host).replace("{ref}", reference) for line in lines]

    def css(self, name: str) -> str:
        """Return a class attribute in the naming style of this site."""
        return f'class="{self.prefix}{name}"'

    def message(self) -> str:
        """Return the lines of the wall, or of the form or offer shown next to an article."""
        parts = []
        for index, line in enumerate(self.lines):
            if line.startswith(">"):
                tag = self.rng.choice(('button type="button"', 'a href="#"'))
                parts.append(f"<{tag} {self.css('btn')}>{escape(line[1:])}</{tag.split()[0]}>")
            elif index == 0:
                tag = "h2" if self.is_article else self.rng.choice(("h1", "h1", "h2", "p"))
                parts.append(f"<{tag}>{escape(line)}</{tag}>")
            else:
                parts.append(f"<p>{escape(line)}</p>")
        if self.kind in _KINDS_WITH_FORM:
            fields = f'<label>{self.labels["email"]}</label><input type="email">'
            if self.kind != "newsletter":
                fields += f"<label>{self.labels['password']}</label><input>"
            form = f'<form method="post">{fields}<button>{self.labels["log in"]}</button></form>'
            parts.insert(self.rng.randint(1, len(parts)), form)
        elif self.kind == "captcha":
            parts.append('<img src="/captcha.png" alt=""><input name="captcha">')
        elif self.kind == "javascript":
            parts = ["<noscript>", *parts, "</noscript>"] if self.rng.random() < 0.6 else parts
        return "".join(parts)

    def article(self) -> str:
        """Return the visible part of the article; on a wall, that is only the article's head."""
        head = f"<h1>{escape(self.headline)}</h1>"
        if self.kind != "notice" and self.rng.random() < 0.7:
            day = "{2}.{1}.{0}".format(*self.date.split("-"))
            time = f'<time datetime="{self.date}">{day}</time>'
            head += f"<p {self.css('byline')}>{self.labels['by']} {self.author} {time}</p>"
        return head + "".join(f"<p>{escape(line)}</p>" for line in self.text)

    def content(self) -> str:
        """Return the middle of the page, which contains the article, the wall or both."""
        if not self.lines:
            return f"<article>{self.article()}</article>"
        message = f"<div {self.css('message')}>{self.message()}</div>"
        keeps_headline = self.kind not in _NO_HEADLINE and self.rng.random() < 0.4
        if self.kind == "report_beside_login":
            return f"{message}<article>{self.article()}</article>"
        if self.is_article and self.kind != "paywall_teaser":
            return f"<article>{self.article()}</article>{message}"
        if self.is_article or self.kind == "paywall_stub" or keeps_headline:
            return f"<article>{self.article()}{message}</article>"
        tag = self.rng.choice(("div", "article", "section"))
        return f"<{tag}>{message}</{tag}>"

    def menu(self) -> str:
        """Return the site's menu."""
        words = enumerate(self.words["menu"])
        entries = (f'<li><a href="/{number}/">{word}</a></li>' for number, word in words)
        return f"<ul>{''.join(entries)}</ul>"

    def teasers(self) -> str:
        """Return a list of other articles, some with dates and first sentences."""
        chosen = self.rng.sample(self.words["headlines"], self.rng.randint(4, 9))
        is_dated, is_long = self.rng.random() < 0.5, self.rng.random() < 0.3
        items = []
        for number, headline in enumerate(chosen):
            more = f"<time>{self.date[:8]}{number + 10}</time>" if is_dated else ""
            if is_long:
                more += f"<p>{escape(self.rng.choice(self.words['stories'])[0])}</p>"
            link = f'<a href="/2025/{number}-{self.rng.randrange(10**6)}">{escape(headline)}</a>'
            items.append(f"<li><h3>{link}</h3>{more}</li>")
        return f"<h2>{self.labels['most read']}</h2><ul>{''.join(items)}</ul>"

    def frame(self, content: str) -> str:
        """Insert content into the template of a news site."""
        banner = f"<p>{self.labels['cookies']}</p>" if self.rng.random() < 0.4 else ""
        offer = f"<p>{self.labels['offer']}</p>" if self.rng.random() < 0.4 else ""
        search = f'<form action="/s"><input name="q" placeholder="{self.labels["search"]}"></form>'
        if self.style == "table":
            return (
                f'<table width="980"><tr><td colspan="3"><b>{self.site}</b>{search}</td></tr><tr>'
                f'<td width="160">{self.menu()}</td><td>{content}</td><td>{self.teasers()}{offer}'
                f'</td></tr><tr><td colspan="3">© {self.site} {self.labels["about"]}</td></tr>'
                "</table>"
            )
        elements = ("header", "nav", "aside", "footer")
        header, nav, aside, footer = ("div",) * 4 if self.style == "framework" else elements
        related = f"<section>{self.teasers()}</section>" if self.rng.random() < 0.4 else ""
        return (
            f'<{header} {self.css("head")}><a href="/">{self.site}</a>{search}<{nav}>{self.menu()}'
            f"</{nav}></{header}><main {self.css('main')}>{content}{related}</main><{aside} "
            f"{self.css('side')}>{self.teasers()}{offer}</{aside}><{footer} {self.css('foot')}>"
            f'<a href="/a">{self.labels["about"]}</a> <a href="/p">{self.labels["privacy"]}</a>'
            f"<p>© 2026 {self.site}</p>{banner}</{footer}>"
        )

    def body(self) -> str:
        """Return the body of the page in its style."""
        if self.style in {"site", "table"}:
            return self.frame(self.content())
        if self.style == "overlay":
            dialog = f'role="dialog" style="position:fixed;top:20vh" {self.css("modal")}'
            frame = self.frame(f"<article>{self.article()}</article>")
            parts = [f"<div {dialog}>{self.message()}</div>", frame]
            return "".join(parts if self.rng.random() < 0.6 else reversed(parts))
        if self.style == "framework":
            is_framed = KINDS[self.kind].styles != _STANDALONE_STYLES and self.rng.random() < 0.8
            inner = self.frame(self.content()) if is_framed else f"<main>{self.content()}</main>"
            state = {"props": {"pageProps": {"title": self.headline, "code": self.status}}}
            script = f'<script id="__NEXT_DATA__" type="application/json">{json.dumps(state)}'
            return f'<div id="__next">{inner}</div>{script}</script>'
        inner = self.content() if self.is_article else self.message()
        if self.style == "card":
            box = f'style="max-width:480px;margin:15vh auto" {self.css("card")}'
            logo = self.rng.choice(("", f'<img src="/logo.svg" alt="{self.site}">'))
            return f"<div {self.css('wrap')}><div {box}>{logo}{inner}</div></div>"
        if self.style == "vendor":
            script = "<script>(function(){window._opt={cType:'managed'};})();</script>"
            return f'<div id="main-wrapper"><div class="main-content">{inner}</div></div>{script}'
        return f"{inner}<hr>" if self.rng.random() < 0.5 else inner

    def head(self) -> str:
        """Return the head, whose metadata may describe an article not shown on the page."""
        rng = self.rng
        is_framed = self.style in {"site", "table", "overlay", "framework"}
        has_article = is_framed and self.kind not in _NO_HEADLINE and rng.random() < 0.6
        shows_headline = self.is_article or has_article or not self.lines
        title = self.headline if shows_headline else self.lines[0]
        title += f" - {self.site}" if is_framed else ""
        parts = [f'<meta charset="utf-8"><title>{escape(title)}</title>']
        if has_article:
            parts.append('<meta property="og:type" content="article">')
            parts.append(f'<meta property="og:title" content="{escape(self.headline)}">')
            if rng.random() < 0.6:
                linked = {"@context": "https://schema.org", "@type": "NewsArticle"}
                linked |= {"headline": self.headline, "datePublished": self.date}
                if rng.random() < 0.6:
                    linked["isAccessibleForFree"] = rng.choice(("True", "False"))
                parts.append(f'<script type="application/ld+json">{json.dumps(linked)}</script>')
        elif rng.random() < 0.5:
            robots = '<meta name="robots" content="noindex,nofollow">'
            parts.append('<meta property="og:type" content="website">' if is_framed else robots)
        return "".join(parts)

    def to_message(self) -> dict[str, Any]:
        """Return the page message with its true class."""
        direction = "rtl" if self.language in RIGHT_TO_LEFT else "ltr"
        lang = "" if self.style == "bare" else f' lang="{self.language}" dir="{direction}"'
        html = f"<html{lang}><head>{self.head()}</head><body>{self.body()}</body></html>"
        unseen = {"kind": UNSEEN_KINDS, "language": UNSEEN_LANGUAGES, "style": UNSEEN_STYLES}
        truth: dict[str, Any] = {name: getattr(self, name) for name in unseen}
        truth["unseen"] = [name for name in unseen if truth[name] in unseen[name]]
        truth["outcome"] = KINDS[self.kind].outcome
        return {
            "url": f"https://{self.host}/{self.date[:4]}/story-{self.rng.randrange(10**7)}.html",
            "html": f"<!DOCTYPE html>{html}",
            "status": self.status if self.rng.random() < 0.7 else None,
            "truth": truth,
        }


def _truncate(paragraph: str, language: str) -> str:
    """Return the beginning of a paragraph, as shown above a paywall."""
    is_unspaced = language in UNSPACED_LANGUAGES
    return paragraph[:36] + "…" if is_unspaced else " ".join(paragraph.split()[:18]) + " …"


def pages(half: str, seed: int, *, articles: bool = False) -> Iterator[dict[str, Any]]:
    """Yield pages endlessly, cycling through kinds, and for each through languages and styles."""
    combinations: dict[str, list[tuple[str, str]]] = {}
    for kind, properties in (ARTICLES if articles else WALLS).items():
        choices = [
            (language, style)
            for language in LANGUAGES
            for style in properties.styles
            if is_unseen(kind, language) == (half == "unseen")
            and (half == "unseen" or style not in UNSEEN_STYLES)
        ]
        random.Random(f"{half} {seed} {kind}").shuffle(choices)
        combinations[kind] = choices
    for turn in count():
        for kind, choices in combinations.items():
            rng = random.Random(f"{half} {seed} {turn} {kind}")
            if choices:
                yield Page(kind, *choices[turn % len(choices)], rng).to_message()


def main() -> None:
    """Write the pages requested on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("out", type=Path)
    parser.add_argument("--half", choices=("seen", "unseen"), required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=1000)
    parser.add_argument("--articles", action="store_true", help="articles that resemble walls")
    options = parser.parse_args()
    selected = islice(pages(options.half, options.seed, articles=options.articles), options.number)
    lines = (json.dumps(page, ensure_ascii=False) + "\n" for page in selected)
    options.out.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
