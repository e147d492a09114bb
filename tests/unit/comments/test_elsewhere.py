import pytest

from detourage.comments.elsewhere import MAX_VALUE, CommentsElsewhere, find_elsewhere
from detourage.html import parse_page

URL = "https://news.example/2024/05/story.html"


def find(
    body: str, head: str = "", *, shows_comments: bool = False
) -> tuple[CommentsElsewhere, ...]:
    page = parse_page(f"<html><head>{head}</head><body><p>The story.</p>{body}</body></html>", URL)
    return find_elsewhere(page, shows_comments=shows_comments)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            """<div id="disqus_thread"></div><script>
            var disqus_config = function () { this.page.url = "https://news.example/s";
            this.page.identifier = 'post-17'; };
            s.src = '//harbour-post.disqus.com/embed.js';</script>""",
            CommentsElsewhere(
                "disqus", "harbour-post", "post-17", "https://harbour-post.disqus.com/embed.js"
            ),
        ),
        (
            '<iframe src="https://disqus.com/embed/comments/?base=default&amp;f=harbour-post'
            '&amp;t_i=post-17"></iframe>',
            CommentsElsewhere(
                "disqus",
                "harbour-post",
                "post-17",
                "https://disqus.com/embed/comments/?base=default&f=harbour-post&t_i=post-17",
            ),
        ),
        (
            '<div class="wide fb-comments" data-href="https://news.example/17"></div>',
            CommentsElsewhere("facebook", None, "https://news.example/17"),
        ),
        (
            """<div id="coral_thread"></div><script>Coral.createStreamEmbed({id: "coral_thread",
            rootURL: 'https://talk.news.example', storyID: "s-17"});</script>""",
            CommentsElsewhere("coral", None, "s-17", "https://talk.news.example"),
        ),
        ('<div id="coral-embed-stream-S17"></div>', CommentsElsewhere("coral", None, "S17")),
        (
            '<div><vf-conversations vf-container-id="c-17"></vf-conversations></div>',
            CommentsElsewhere("viafoura", None, "c-17"),
        ),
        (
            '<script src="https://launcher.spot.im/spot/sp_Harbour"></script>'
            '<div data-spotim-module="conversation" data-post-id="17"></div>',
            CommentsElsewhere(
                "openweb", "sp_Harbour", "17", "https://launcher.spot.im/spot/sp_Harbour"
            ),
        ),
        (
            '<hyvor-talk-comments website-id="42" page-id="17"></hyvor-talk-comments>',
            CommentsElsewhere("hyvor-talk", "42", "17"),
        ),
        (
            '<script src="https://giscus.app/client.js" data-repo="harbour/post" data-term="17">'
            "</script>",
            CommentsElsewhere("giscus", "harbour/post", "17", "https://giscus.app/client.js"),
        ),
        (
            '<script src="https://utteranc.es/client.js" repo="harbour/post" issue-term="pathname">'
            "</script>",
            CommentsElsewhere("utterances", "harbour/post", None, "https://utteranc.es/client.js"),
        ),
        (
            '<section id="isso-thread" data-isso-id="/17/"></section>'
            '<script data-isso="/isso/" src="/isso/js/embed.min.js"></script>',
            CommentsElsewhere("isso", None, "/17/", "https://news.example/isso/"),
        ),
        (
            """<div id="remark42"></div><script>var remark_config = {host: "https://r.example",
            site_id: 'harbour', url: "https://news.example/17"}</script>""",
            CommentsElsewhere(
                "remark42", "harbour", "https://news.example/17", "https://r.example"
            ),
        ),
        (
            '<div id="cusdis_thread" data-host="https://cusdis.com" data-app-id="a1"'
            ' data-page-id="17"></div>',
            CommentsElsewhere("cusdis", "a1", "17", "https://cusdis.com"),
        ),
        (
            """<div id="vuukle-comments"></div><script>var VUUKLE_CONFIG = {apiKey: "k-1",
            articleId: 17};</script>""",
            CommentsElsewhere("vuukle", "k-1", "17"),
        ),
    ],
)
def test_a_thread_is_read_with_all_its_details(body: str, expected: CommentsElsewhere) -> None:
    assert find(body) == (expected,)


@pytest.mark.parametrize(
    "body",
    [
        '<span class="disqus-comment-count" data-disqus-identifier="17">12</span>',
        '<script src="https://launcher.spot.im/spot/sp_Harbour"></script>',
        "<p>We use Disqus and Coral, not Giscus.</p>",
        '<script>var blocked = ["disqus.com", "livefyre.com", "intensedebate.com"];</script>',
        '<hyvor-talk-comment-count website-id="42" page-id="17"></hyvor-talk-comment-count>',
    ],
)
def test_a_service_without_a_thread_on_the_page_is_not_listed(body: str) -> None:
    assert find(body) == ()


POST = '<link rel="alternate" type="application/json" href="/wp-json/wp/v2/posts/17">'


def test_a_wordpress_page_open_for_comments_gives_the_url_of_their_api() -> None:
    expected = CommentsElsewhere(
        "wordpress", None, "17", "https://news.example/wp-json/wp/v2/comments?post=17"
    )
    assert find('<div id="respond"></div>', POST) == (expected,)
    assert find("<p>Comments are closed.</p>", POST) == ()
    assert find('<div id="respond"></div>') == ()
    assert find('<div id="respond"></div>', POST, shows_comments=True) == ()


def test_only_web_urls_and_values_of_sane_length_are_passed_on() -> None:
    isso = '<section id="isso-thread" data-isso-id="{}" data-isso="{}"></section>'
    assert find(isso.format("17", "javascript:alert(1)")) == (
        CommentsElsewhere("isso", None, "17"),
    )
    assert find(isso.format("x" * (MAX_VALUE + 1), "ftp://a.example")) == (
        CommentsElsewhere("isso"),
    )
    nameless = f"<div id='disqus_thread'></div><script>{'disqus_shortname=' * 5000}</script>"
    assert find(nameless) == (CommentsElsewhere("disqus"),)


def test_a_page_may_have_threads_on_several_services() -> None:
    body = '<div id="disqus_thread"></div><div class="fb-comments" data-href="/17"></div>'
    assert [each.vendor for each in find(body)] == ["disqus", "facebook"]
