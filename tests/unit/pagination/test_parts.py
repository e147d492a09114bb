from typing import Any

from detourage.pagination import Member, Pagination, chain_of, is_held_by, joined_values, urls_of

STORY = "https://paper.example/story"


def address(number: int) -> str:
    return STORY if number == 1 else f"{STORY}?page={number}"


def message(*texts: str, title: str = "The bridge", **more: Any) -> dict[str, Any]:
    blocks, text = [], ""
    for each in texts:
        start = len(text) + 2 if text else 0
        text = f"{text}\n\n{each}" if text else each
        blocks.append({"type": "paragraph", "text": each, "start": start, "end": len(text)})
    return {
        "title": title,
        "lead": None,
        "text": text,
        "blocks": blocks,
        "images": [],
        "embeds": [],
        "comments": [],
        "confidence": 0.9,
        "metadata": {"kind": "article"},
        **more,
    }


def member(number: int, *texts: str, of: int = 3, **more: Any) -> Member:
    links = Pagination(
        number=number,
        pages={each: address(each) for each in range(1, of + 1) if each != number},
        next=address(number + 1) if number < of else None,
        previous=address(number - 1) if number > 1 else None,
    )
    said = texts or (f"Part {number} begins.", f"Part {number} ends.")
    return Member(number, address(number), links, lambda: message(*said, **more))


def test_only_the_first_part_keeps_its_locations() -> None:
    chain = [member(number, images=[], comments=[]) for number in (1, 2)]
    for each in chain:
        comment = {"author": "Ann", "date": None, "text": each.url, "parent": None}
        for block in each.message["blocks"]:
            block |= {"xpath": "p", "texts": [[0, 3, 9, 3]]}
        each.message["images"].append({"url": each.url, "block": 0, "location": {"xpath": "img"}})
        each.message["comments"].append({**comment, "location": {"xpath": "/html/body/p"}})
    joined = joined_values(chain)
    assert ["texts" in each for each in joined["blocks"]] == [True, True, False, False]
    assert ["xpath" in each for each in joined["blocks"]] == [True, True, False, False]
    assert ["location" in each for each in joined["images"]] == [True, False]
    assert ["location" in each for each in joined["comments"]] == [True, False]


def test_repetitions_in_later_parts_are_omitted_and_offsets_are_correct() -> None:
    chain = [
        member(1, "A lead that all parts show.", "One.", "Two."),
        member(2, "The bridge", "A lead that all parts show.", "Three.", "Two.", "Four."),
        member(3, "A lead that all parts show.", "Five.", "Two."),
    ]
    joined = joined_values(chain)
    assert joined["text"].split("\n\n") == [
        "A lead that all parts show.",
        *("One.", "Two.", "Three.", "Two.", "Four.", "Five."),
    ]
    for block in joined["blocks"]:
        assert joined["text"][block["start"] : block["end"]] == block["text"]


def test_links_and_pictures_keep_their_positions() -> None:
    images = [{"url": f"https://paper.example/{n}.jpg", "block": n} for n in (0, 2)]
    second = member(2, "A lead that all parts show.", "See the bridge.", "Three.", images=images)
    link = {"start": 29 + 8, "end": 29 + 14, "url": "https://paper.example/b"}
    second.message["blocks"][1]["links"] = [link]
    joined = joined_values([member(1, "A lead that all parts show.", "One."), second])
    [found] = [link for block in joined["blocks"] for link in block.get("links", ())]
    assert joined["text"][found["start"] : found["end"]] == "bridge"
    before = [joined["blocks"][image["block"]]["text"] for image in joined["images"]]
    assert before == ["See the bridge.", "Three."]


def test_pictures_are_listed_once_and_replies_keep_their_parents() -> None:
    def comment(text: str, parent: int | None = None) -> dict[str, Any]:
        return {"author": "Ann", "date": None, "text": text, "parent": parent}

    picture = {"url": "https://paper.example/a.jpg", "alt": None, "caption": None}
    chain = [
        member(1, images=[picture], comments=[comment("First"), comment("Answer", 0)]),
        member(2, images=[picture], comments=[comment("Second"), comment("Another answer", 0)]),
        member(3, comments=[comment("First"), comment("Answer", 0), comment("Third", 1)]),
    ]
    joined = joined_values(chain)
    assert joined["images"] == [picture]
    assert [(each["text"], each["parent"]) for each in joined["comments"]] == [
        ("First", None),
        ("Answer", 0),
        ("Second", None),
        ("Another answer", 2),
        ("Third", 1),
    ]


def test_parts_are_joined_until_one_is_missing() -> None:
    parts = [member(number, of=4) for number in (1, 2, 4)]
    chain = chain_of(parts[0], parts[::-1])
    assert [each.url for each in chain] == [address(1), address(2)]
    assert urls_of(chain) == {number: address(number) for number in (1, 2, 3, 4)}


def test_a_part_of_another_article_is_not_joined() -> None:
    first, second = member(1), member(2)
    elsewhere = Pagination(number=2, previous="https://paper.example/other")
    stranger = Member(2, second.url, elsewhere, second.read)
    assert chain_of(first, [stranger]) == [first]
    silent = Member(2, second.url, Pagination(next=address(3)), second.read)
    assert chain_of(first, [silent]) == [first, silent]
    other_title = Member(2, second.url, silent.links, lambda: message("Three.", title="Another"))
    assert chain_of(first, [other_title]) == [first]


def test_a_page_cannot_join_an_article_that_does_not_link_to_it() -> None:
    victim = Member(1, STORY, Pagination(next=address(2)), lambda: message("One.", "Two."))
    claim = Pagination(number=2, pages={1: STORY}, previous=STORY)
    evil = Member(
        9, "https://paper.example/evil", claim, lambda: message("Pills.", title="The bridge")
    )
    assert chain_of(victim, [victim, evil]) == [victim]


def test_the_number_of_joined_parts_is_limited() -> None:
    parts = [member(number, of=2_000) for number in range(1, 2_001)]
    chain = chain_of(parts[0], parts)
    assert len(chain) == 50
    assert len(urls_of(chain)) <= 100


def test_a_single_page_version_must_contain_the_part() -> None:
    first = member(1)
    assert is_held_by(first, message("Part 1 begins.", "Part 1 ends.", "Part 2 begins."))
    assert not is_held_by(first, message("Something else.", "And more of it, at some length."))
    assert not is_held_by(first, first.message)
