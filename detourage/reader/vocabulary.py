"""Words in the class, ID or tag of elements that denote parts of a page."""

from detourage.text.words import listed

OTHER_TEXT = listed("comment comments gallery")
"""Words of a class or ID for text that is unique to a page but not part of its article."""

UNINTERESTING = OTHER_TEXT | listed(
    "footer related nav navbar navigation menu sidebar addthis share sharing social"
)
"""Words of a class or ID for sections that are not part of an article."""

UNINTERESTING_TAGS = listed("nav header footer aside form")
"""Tags of sections that are not part of an article."""

PARTS = {
    "byline": listed("author authors byline writer autor reporter bio contributor creator vcard"),
    "advert": listed(
        "ad ads adv advert adverts advertisement banner sponsor sponsored promo promos"
    ),
    "menu": listed("nav navigation navbar menu menus breadcrumb breadcrumbs crumbs tabs subnav"),
    "title": listed("title headline heading hed"),
}
"""Words of a class or ID, by the part of a page that they denote: ``"autor"`` is a byline."""

CAPTION = frozenset({"caption"})
"""Word of a class or ID that denotes a caption."""

KNOWN_WORDS = {word: number for number, word in enumerate(sorted(UNINTERESTING | CAPTION))}
"""Words that `Outline.named` can find in classes and IDs, with their column numbers."""
