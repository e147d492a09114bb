from inspector.pages import MAX_LENGTH, abridged


def test_long_and_international_urls_are_abridged() -> None:
    assert abridged("https://news.example/a/b?id=3") == "/a/b?id=3"
    assert abridged("https://news.example/中文") == "/%E4%B8%AD%E6%96%87"
    long = abridged("https://news.example/" + "a" * 60 + "-the-end.html")
    assert len(long) == MAX_LENGTH
    assert long.endswith("-the-end.html")
