from inspector.passages import passages_of
from tests.pages import paragraphs

TEXT = "\n\n".join(paragraphs(3, 12))


def test_distant_words_get_separate_passages() -> None:
    text = f"A ferry comes. {'It is a long way. ' * 40}A pillar falls."
    passages = passages_of(text, ["pillar", "ferry"])
    assert ["ferry" in each for each in passages] == [True, False]
    assert ["pillar" in each for each in passages] == [False, True]
    assert len(passages_of(text, ["pillar", "falls"])) == 1


def test_whole_words_take_precedence_over_parts_of_words() -> None:
    text = f"The bridge is wider. {'It is a long way. ' * 40}Sie ist der Weg."
    [passage] = passages_of(text, ["der"])
    assert "ist der Weg" in passage
    assert passages_of("wider", ["der"]) == ["wider"]


def test_a_word_that_is_only_in_the_headline_has_no_passage() -> None:
    assert passages_of(TEXT, ["headline"]) == []
    assert passages_of("", ["a"]) == []
