"""Element and class names, grouped by the part of a page that they denote."""

from detourage.text.words import listed

OTHER_TEXT = listed("comment comments gallery")
"""Words of a class or ID that denote text unique to a page but not part of its article."""

UNINTERESTING = OTHER_TEXT | listed(
    "footer related nav navbar navigation menu sidebar addthis share sharing social"
)
"""Words of a class or ID that denote uninteresting sections."""

UNINTERESTING_TAGS = listed("nav header footer aside form")
"""Tags of uninteresting sections."""

BODY_NAMES = listed(
    "article content body text post entry story main page news detail paragraph copy txt hentry"
)
"""Words of a class or ID that denote an article or its text."""

PARTS = {
    "caption": listed(
        "caption captions credit credits photo photos image images img picture pic foto figure "
        "legend illustration gallery slideshow photographer thumb thumbnail cutline"
    ),
    "byline": listed("author authors byline writer autor reporter bio contributor creator vcard"),
    "date": listed(
        "date time timestamp datetime published pubdate posted pub meta info created updated "
        "dateline postmeta submitted source"
    ),
    "comment": listed(
        "comment comments disqus respond reply replies reader readers discussion forum feedback "
        "talkback review reviews opinions trackback trackbacks pingback"
    ),
    "related": listed(
        "related recommend recommended more also see similar popular latest trending most read "
        "readmore teaser teasers relacionadas headlines previous next"
    ),
    "share": listed(
        "share sharing social facebook twitter tweet like addthis addtoany bookmark bookmarks "
        "email print tools tool toolbar digg actions sociable"
    ),
    "advert": listed(
        "ad ads adv advert adverts advertisement banner sponsor sponsored promo promos"
    ),
    "menu": listed("nav navigation navbar menu menus breadcrumb breadcrumbs crumbs tabs subnav"),
    "title": listed("title headline heading hed"),
    "lead": listed("lead intro summary abstract standfirst dek deck excerpt subtitle subhead"),
    "tags": listed("tag tags category categories keywords topics topic labels section"),
    "footer": listed("footer foot copyright bottom disclaimer legal"),
    "side": listed("side sidebar widget right left rail aside box module modules block"),
    "form": listed("form login search subscribe newsletter signup register poll vote"),
    "body": listed("text txt body content article entry post story paragraph hentry main"),
}
"""Words of a class or ID, by the part of a page that they denote."""

OTHER_NAMES = UNINTERESTING | listed(
    "side foot widget promo ad ads advert banner tag tags breadcrumb breadcrumbs bread more tools "
    "tool login search popular recommend recommended links link list rss reply author byline date "
    "time meta caption credit photo teaser box header head bottom top right left"
)
"""Words of a class or ID that denote parts around an article."""

KNOWN_WORDS = {
    word: number
    for number, word in enumerate(
        sorted(frozenset().union(UNINTERESTING, BODY_NAMES, OTHER_NAMES, *PARTS.values()))
    )
}
"""All significant words of a class or ID, numbered."""
