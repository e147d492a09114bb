"""Words in the class, ID or tag of elements that denote parts of a page."""

from detourage.text.words import word_set

OTHER_TEXT = word_set("comment comments gallery")
"""Words of a class or ID for text that is unique to a page but not part of its article."""

UNINTERESTING = OTHER_TEXT | word_set(
    "footer related nav navbar navigation menu sidebar addthis share sharing social"
)
"""Words of a class or ID for sections that are not part of an article."""

UNINTERESTING_TAGS = word_set("nav header footer aside form")
"""Tags of sections that are not part of an article."""

PARTS = {
    "byline": word_set("author authors byline writer autor reporter bio contributor creator vcard"),
    "advert": word_set(
        "ad ads adv advert adverts advertisement banner sponsor sponsored promo promos"
    ),
    "menu": word_set("nav navigation navbar menu menus breadcrumb breadcrumbs crumbs tabs subnav"),
    "title": word_set("title headline heading hed"),
}
"""Words of a class or ID, by the part of a page that they denote: ``"autor"`` is a byline."""
