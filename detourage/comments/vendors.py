"""Services that host comments for other sites, and how pages identify a thread."""

import re
from typing import NamedTuple


class Vendor(NamedTuple):
    """A service that hosts comments, and how to recognise a page with one of its threads.

    If a field has several values, they are separated by spaces, best first. `marks` are selectors
    of elements that display the thread: ``tag``, ``#id`` or ``.class``, optionally followed by
    ``[attribute]``, ``[attribute=value]`` or ``[attribute*=part]``. ``#id^`` is a prefix of an ID;
    the rest of the ID identifies the thread. Elements that display a comment counter or load a
    site-wide script must not be listed.
    """

    name: str
    # Lower-case text that occurs in the service's own attributes and in scripts that use it.
    word: str
    marks: str
    # Part of a script that creates the element that displays the thread.
    calls: str = ""
    # Names of the site's account, the thread's ID and the service's URL in attributes, ``meta``
    # elements and scripts.
    account: str = ""
    thread: str = ""
    service: str = ""
    # Parts of the service's URLs, in attributes and in scripts.
    located: str = ""
    # Pattern with the groups ``account``, ``account2`` and ``thread`` for a URL.
    in_address: re.Pattern[str] | None = None
    # Replacement for a match of `in_address` if the comments have a different URL.
    rewritten: str | None = None
    # Whether all of the comments are on the site's own pages.
    is_of_site: bool = False


VENDORS = (
    Vendor(
        "disqus",
        "disqus",
        "#disqus_thread iframe[src*=disqus.com/embed/comments]",
        calls=".disqus.com/embed.js",
        account="disqus_shortname disqusShortname data-disqus-shortname disqus:shortname",
        thread=(
            "disqus_identifier page.identifier disqusIdentifier data-disqus-identifier "
            "disqus:identifier disqus_url page.url disqusUrl data-disqus-url"
        ),
        located=".disqus.com/embed.js disqus.com/embed/comments",
        in_address=re.compile(
            r"//(?P<account>[\w-]{1,63})\.disqus\.com/embed\.js|[?&](?:f|forum)=(?P<account2>[\w-]{1,63})"
        ),
    ),
    Vendor(
        "facebook",
        "facebook",
        ".fb-comments fb:comments iframe[src*=facebook.com/plugins/comments] "
        "iframe[src*=/plugins/feedback.php]",
        account="fb:app_id",
        thread="data-href href",
        located="/plugins/comments.php /plugins/feedback.php",
    ),
    Vendor(
        "coral",
        "coral",
        "#coral_thread #coral_talk_stream #coral-embed-stream #coral-embed-stream-^ #coral-talk "
        "#coral-stream",
        calls="Coral.createStreamEmbed( Coral.Talk.render(",
        thread="storyID asset_id storyURL asset_url",
        service="rootURL talk ENDPOINT_CORAL",
        located="coral.coralproject.net/ .coral.coralproject.net",
    ),
    Vendor(
        "viafoura",
        "viafoura",
        "vf-conversations vf-comments vf-widget[data-widget=comments] "
        "vf-widget[data-widget=commenting] .viafoura[data-widget=comments] "
        ".comments-viafoura-global",
        account="vf:site_uuid vf:domain",
        thread="vf-container-id vf:container_id",
        located="cdn.viafoura.net/",
    ),
    Vendor(
        "openweb",
        "spot",
        "[data-spotim-module=conversation] [data-spotim-app=conversation] "
        "[data-spot-im-module-default-area=conversation] spot-im-conversation",
        account="data-spot-id spotId OPENWEB_SPOT_ID",
        thread="data-post-id data-conversation-id data-post-url",
        located="spot.im/spot/",
        in_address=re.compile(r"spot\.im/spot/(?P<account>[\w-]{1,63})"),
    ),
    Vendor(
        "hyvor-talk",
        "hyvor",
        "hyvor-talk-comments #hyvor-talk-view",
        account="website-id HYVOR_TALK_WEBSITE",
        thread="page-id",
        located="talk.hyvor.com/",
    ),
    Vendor(
        "giscus",
        "giscus",
        "script[src*=giscus.app/client.js] giscus-widget iframe[src*=giscus.app/] .giscus",
        account="data-repo repo",
        thread="data-term term",
        located="giscus.app/",
    ),
    Vendor(
        "utterances",
        "utteranc",
        "script[src*=utteranc.es/client.js] iframe[src*=utteranc.es/] .utterances",
        account="repo",
        thread="issue-number issue-term",
        located="utteranc.es/",
    ),
    Vendor("commento", "commento", "#commento", thread="data-page-id", located="/js/commento.js"),
    Vendor("isso", "isso", "#isso-thread", thread="data-isso-id", service="data-isso"),
    Vendor(
        "remark42", "remark_config", "#remark42", account="site_id", thread="url", service="host"
    ),
    Vendor(
        "cusdis",
        "cusdis",
        "#cusdis_thread",
        account="data-app-id",
        thread="data-page-id data-page-url",
        service="data-host",
        located="cusdis.com/js/",
    ),
    Vendor(
        "insticator",
        "insticator",
        ".instiengage-comments .so-comments[data-integration-id] #insticator-commenting "
        ".insticator-unit[class*=type-commenting]",
        account="data-cu-uuid data-integration-id",
        thread="data-ext-page-id",
        located=".insticator.com/",
    ),
    Vendor(
        "vuukle",
        "vuukle",
        "#vuukle-comments #vuukle-comments-^ .vuukle-comments #vuukle_div",
        account="apiKey api_key",
        thread="articleId article_id",
        located="cdn.vuukle.com/ cdnvuukle.com/",
    ),
    Vendor(
        "livefyre",
        "fyre",
        "#livefyre-comments #livefyre .livefyre-comments",
        calls="fyre.conv.load(",
        account="siteId data-site-id",
        thread="articleId data-article-id",
        located="livefyre.com/ .fyre.co/",
    ),
    Vendor(
        "intensedebate",
        "idcomments",
        "#idc-container #IDCommentsHead",
        calls="idcomments_acct",
        account="idcomments_acct",
        thread="idcomments_post_id idcomments_post_url",
        located="intensedebate.com/js/",
    ),
    Vendor(
        "gigya",
        "gigya",
        ".gig-comments-container .gs-social-comments [data-gigya-comment-category]",
        calls="gigya.comments.showCommentsUI(",
        account="categoryID data-gigya-comment-category",
        thread="streamID data-gigya-stream-id",
    ),
    Vendor("cackle", "cackle", "#mc-container", thread="channel", located="cackle.me/"),
    Vendor(
        "hypercomments",
        "hypercomments",
        "#hypercomments_widget",
        account="widget_id",
        thread="xid",
        located="hypercomments.com/",
    ),
    Vendor(
        "vk", "vk.", "#vk_comments", calls="VK.Widgets.Comments(", account="apiId", thread="page_id"
    ),
    Vendor(
        "graphcomment",
        "graphcomment",
        "#graphcomment",
        account="graphcomment_id graphCommentId semio_id",
        thread="page_id uid",
        located="graphcomment.com/",
    ),
    Vendor(
        "fastcomments",
        "fastcomments",
        "#fastcomments-widget fastcomments-widget",
        account="tenantId",
        thread="urlId",
        located="fastcomments.com/",
    ),
    Vendor(
        "talkyard",
        "talkyard",
        ".talkyard-comments",
        thread="data-discussion-id",
        service="talkyardServerUrl",
        located="talkyard-comments.",
    ),
    Vendor(
        "discourse",
        "discourse",
        "#discourse-comments",
        thread="topicId discourseEmbedUrl",
        service="discourseUrl",
    ),
    Vendor(
        "ghost",
        "ghost-comments",
        "script[data-ghost-comments]",
        thread="data-post-id",
        service="data-ghost-comments",
        is_of_site=True,
    ),
    Vendor("waline", "waline", "#waline", thread="path", service="serverURL"),
    Vendor("twikoo", "twikoo", "#tcomment #twikoo", account="envId"),
    Vendor("gitalk", "gitalk", "#gitalk-container", account="repo", thread="number"),
    Vendor(
        "artalk",
        "artalk",
        "#Comments[class*=artalk] .artalk",
        account="site",
        thread="pageKey",
        service="server",
    ),
    Vendor(
        "telegram",
        "telegram",
        "script[data-telegram-discussion] script[data-comments-app-website]",
        account="data-comments-app-website",
        thread="data-telegram-discussion",
    ),
    Vendor(
        "wordpress",
        "wp-json",
        "#respond #commentform a[href*=#respond] a[href*=#comments]",
        located="/wp-json/wp/v2/posts/ /wp-json/wp/v2/pages/",
        in_address=re.compile(
            r"(?P<root>^.{1,400}?/wp-json/wp/v2/)(?:posts|pages)/(?P<thread>\d{1,12})$"
        ),
        rewritten=r"\g<root>comments?post=\g<thread>",
        is_of_site=True,
    ),
)
