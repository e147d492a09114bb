"""Comments in structured data (JSON-LD) and in the JavaScript state of a page."""

from typing import Any

from detourage.comments.declared_comments import MAX_DECLARED, comments_in_data, comments_in_state

URL = "https://news.example/2024/05/story.html"


def json_ld_comment(author: str, text: str, **more: Any) -> dict[str, Any]:
    return {"@type": "Comment", "author": {"name": author}, "text": text, **more}


def test_declared_comments_are_read_with_their_replies() -> None:
    reply = json_ld_comment("Jonas", "It does.", dateCreated="2024-05-03")
    first = json_ld_comment(
        "Mara",
        "<p>Does the ferry go?</p><p>On <b>Sunday</b>?</p>",
        dateCreated="2024-05-02T10:00:00Z",
        upvoteCount=5,
        downvoteCount=2,
        url="/story.html#c1",
        comment=[reply],
    )
    article = {"@type": "NewsArticle", "headline": "Ferry", "comment": [first]}
    question, answer = comments_in_data([article], URL)
    assert (question.author, question.parent, question.votes) == ("Mara", None, 3)
    assert question.text == "Does the ferry go?\n\nOn Sunday?"
    assert str(question.date) == "2024-05-02T10:00:00+00:00"
    assert question.permalink == "https://news.example/story.html#c1"
    assert (answer.author, answer.text, answer.parent) == ("Jonas", "It does.", 0)


def test_the_first_post_of_a_thread_is_among_its_posts() -> None:
    answer = {"@type": "Answer", "author": {"name": "Jonas"}, "text": "It does."}
    question = {
        "@type": "Question",
        "author": {"name": "Mara"},
        "text": "Does the ferry go?",
        "acceptedAnswer": answer,
        "suggestedAnswer": [answer, {**answer, "text": "It does not."}],
    }
    posts = comments_in_data([{"@type": "QAPage", "mainEntity": question}], URL)
    assert [post.text for post in posts] == ["Does the ferry go?", "It does.", "It does not."]
    assert [post.author for post in posts] == ["Mara", "Jonas", "Jonas"]


def test_only_the_thread_with_the_url_of_the_page_is_read() -> None:
    def thread(url: str, text: str) -> dict[str, Any]:
        return {
            "@type": "DiscussionForumPosting",
            "url": url,
            "comment": [json_ld_comment("Mara", text)],
        }

    other = thread("https://news.example/other", "Elsewhere.")
    assert comments_in_data([[other, thread(URL + "#top", "Here.")]], URL)[0].text == "Here."
    assert comments_in_data([[other, thread("https://news.example/third", "No.")]], URL) == ()


def state_comment(author: str, text: str, **more: Any) -> dict[str, Any]:
    """Return a comment as it appears in the state of a JavaScript application."""
    return {"user": {"displayName": author}, "body": text, "createdAt": "2024-05-02", **more}


def test_comments_in_script_state_are_read() -> None:
    comments = [
        state_comment(
            "Mara", "Does it go?", id=7, replies=[state_comment("Jonas", "It does.", id=8)]
        ),
        state_comment("Old Miller", "1 < 2 & so on", id=9, parentId=8),
    ]
    state = {"page": {"story": {"title": "Ferry"}, "commentList": {"items": comments}}}
    found = comments_in_state([state], URL)
    assert [each.author for each in found] == ["Mara", "Jonas", "Old Miller"]
    assert [each.parent for each in found] == [None, 0, 1]
    assert found[2].text == "1 < 2 & so on"


def test_other_lists_in_script_state_are_not_comments() -> None:
    articles = [state_comment("Mara", "The ferry goes again.", headline="Ferry")]
    for state in (
        {"comments": articles},
        {"recentComments": [state_comment("Mara", "Elsewhere.")]},
        {"stories": [state_comment("Mara", "The ferry goes again.")]},
        {
            "stories": [
                {"comments": [state_comment("Mara", "One.")]},
                {"comments": [state_comment("Jo", "Two.")]},
            ]
        },
        {"comments": [state_comment("https://news.example/picture.png", "The ferry goes again.")]},
        {"comments": [{"body": "Nobody said this", "createdAt": "2024-05-02"}]},
        {"commentSettings": {"body": "Be kind", "user": "us", "date": "2024-05-02"}},
    ):
        assert comments_in_state([state], URL) == ()


def test_hostile_json_is_read_within_limits() -> None:
    deep: dict[str, Any] = json_ld_comment("Mara", "Deep.")
    for _ in range(5_000):
        deep = {"comment": [deep]}
    assert comments_in_data([deep], URL) == ()
    circular = [
        state_comment("A", "One", id=1, parentId=2),
        state_comment("B", "Two", id=2, parentId=1),
    ]
    assert [each.parent for each in comments_in_state([{"comments": circular}], URL)] == [
        None,
        None,
    ]
    comments = [state_comment("Mara", f"Number {number}") for number in range(MAX_DECLARED + 10)]
    assert len(comments_in_state([{"comments": comments}], URL)) == MAX_DECLARED
    malformed = {
        "comments": [{"user": [], "body": {}, "createdAt": 1e300, "id": float("nan")}, None, 3]
    }
    assert comments_in_state([malformed], URL) == ()
