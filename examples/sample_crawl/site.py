"""Fictional sites and their designs, as listed in ``sites.toml``."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from examples.sample_crawl.language import Language, language
from examples.sample_crawl.markup import Templates

_DATA = resources.files(__package__)


@dataclass(frozen=True)
class Design:
    """A design of a site: its templates, and how many items they show.

    The templates are in a `folder` under ``designs/``. `article_url`, `section_url` and `image_url`
    are format strings for paths. The `lead` of news and opinion templates is a ``standfirst``
    (above the body) or in the ``body`` (its first paragraph). `threads` are ``nested`` if replies
    are inside the comments that they answer, ``flat`` if comments are in chronological order.
    `comments` are the median numbers of comments per article, and `inserts` the inserts between
    paragraphs, each in news and opinion templates. `lists` are the minimum and maximum length of
    each list, and `embed` is the element used for videos.
    """

    name: str
    folder: str
    encoding: str
    content_type: str
    article_url: str
    section_url: str
    image_url: str
    threads: str
    lead: Mapping[str, str]
    comments: Mapping[str, int]
    lists: Mapping[str, tuple[int, int]]
    inserts: Mapping[str, Sequence[str]]
    embed: str = "iframe"


@dataclass(frozen=True)
class Site:
    """A fictional news site under a reserved domain, with its designs in chronological order."""

    domain: str
    name: str
    tagline: str
    city: str
    address: str
    utc_offset: int
    designs: Sequence[Design]
    language: Language = field(repr=False)

    @property
    def origin(self) -> str:
        """Scheme and host of the site's URLs."""
        return f"https://{self.domain}"


@cache
def templates(folder: str) -> Templates:
    """Return the templates in a folder under ``designs/``."""
    source = _DATA.joinpath("designs", folder)
    return Templates(lambda name: source.joinpath(name).read_text(encoding="utf-8"))


@cache
def all_sites() -> Mapping[str, Site]:
    """Return the sites by domain."""
    sites = {}
    for site in tomllib.loads(_DATA.joinpath("sites.toml").read_text(encoding="utf-8"))["sites"]:
        designs = [Design(**design) for design in site["designs"]]
        replaced = {"language": language(site["language"]), "designs": designs}
        sites[site["domain"]] = Site(**site | replaced)
    return sites
