import pytest

from benchmarks.evaluation.methods import Source, get_extractor
from detourage.reader import NoTextError


def extracted_text(name: str, body: str) -> str:
    source = Source(f"<html><body>{body}</body></html>", "https://gull.example/1")
    return get_extractor(name).extract(source).text


LEAD = "The pier opens today. All may come."
STORY = "It is new. It is long. It is made of oak."
END = "A band plays at noon."
OTHER_STORY = "Elsewhere it rained. It will again."


def test_the_block_with_most_sentences_is_chosen_and_fusion_adds_adjacent_blocks() -> None:
    # The sentence counts are 2, 3 and 1 within the story, and 2 elsewhere, so the maximum is 3.
    body = f"<div><p>{LEAD}</p><p>{STORY}</p><p>{END}</p></div><div><p>{OTHER_STORY}</p></div>"
    assert extracted_text("wutsi_block", body) == STORY
    assert extracted_text("wutsi_fusion", body).split("\n\n") == [LEAD, STORY, END]


def test_fusion_counts_sentences_per_block_and_wutsi_per_packet() -> None:
    # The first parent's three blocks (its packet) have two sentences each, six in total; the single
    # block of the second has three.
    body = f"<div><p>{LEAD}</p><p>{OTHER_STORY}</p><p>{LEAD}</p></div><div><p>{STORY}</p></div>"
    assert extracted_text("wutsi_fusion", body) == STORY
    assert extracted_text("wutsi", body).split("\n\n") == [LEAD, OTHER_STORY, LEAD]


def test_nodes_below_20_characters_are_not_selected() -> None:
    nineteen, twenty = "Come. See. Be well.", "Come. See. Be so on."
    assert (len(nineteen), len(twenty)) == (19, 20)
    for node, selected in ((nineteen, ()), (twenty, (twenty,))):
        found = extracted_text("wutsi_fusion", f"<div><p>{node}</p><p>{END}</p></div>")
        assert found.split("\n\n") == [*selected, END]


def test_parents_of_selected_nodes_are_dropped() -> None:
    # The div has text and all sentences of the page, but it is the parent of two selected nodes.
    body = f"<div>{END} {END} {END} {END} {END}<p>{LEAD}</p><p>{STORY}</p></div>"
    assert extracted_text("wutsi_fusion", body).split("\n\n") == [LEAD, STORY]


@pytest.mark.parametrize(
    "tag",
    ["nav", "header", "footer", "aside"]
    + [
        f'div {attribute}="{name}"'
        for attribute in ("id", "class")
        for name in (
            *("footer", "comments", "related_posts", "top_nav", "addthis_tool", "embedly-card"),
            *("Footer", "wide comments"),
        )
    ],
)
def test_sections_with_names_listed_in_the_paper_are_removed(tag: str) -> None:
    section = f"<{tag}><p>{STORY} {STORY}</p></{tag.split()[0]}>"
    assert extracted_text("wutsi_fusion", f"{section}<div><p>{LEAD}</p></div>") == LEAD


@pytest.mark.parametrize("name", ["footer-note", "comment", "embedly"])
def test_sections_with_other_names_are_kept(name: str) -> None:
    section = f'<div class="{name}"><p>{STORY}</p></div>'
    assert extracted_text("wutsi_fusion", f"{section}<div><p>{LEAD}</p></div>") == STORY


@pytest.mark.parametrize(
    "address",
    [
        "https://twitter.com/intent/tweet?url=x",
        "http://www.facebook.com/sharer.php?u=x",
        "https://www.linkedin.com/shareArticle?mini=true",
        "//pinterest.com/pin/create/button/",
    ],
)
def test_links_to_sharing_services_are_removed(address: str) -> None:
    body = f'<div><p>{LEAD} <a href="{address}">Share it. Now.</a></p><p>{END}</p></div>'
    assert extracted_text("wutsi_fusion", body).split("\n\n") == [LEAD, END]


def test_other_links_to_such_services_are_kept() -> None:
    body = f'<div><p>{LEAD} <a href="https://twitter.com/gull">Gull.</a></p><p>{END}</p></div>'
    assert extracted_text("wutsi_fusion", body).split("\n\n") == [f"{LEAD} Gull.", END]


def test_list_items_that_contain_only_a_link_are_removed() -> None:
    link = f'<a href="/1">{STORY} {STORY}</a>'
    for item, text in ((link, LEAD), (f"{link} {END}", f"{STORY} {STORY} {END}")):
        body = f"<ul><li>{item}</li></ul><div><p>{LEAD}</p></div>"
        assert extracted_text("wutsi_fusion", body) == text


@pytest.mark.parametrize("name", ["wutsi_fusion", "wutsi_block"])
def test_a_page_without_a_long_node_has_no_text(name: str) -> None:
    with pytest.raises(NoTextError):
        extracted_text(name, "<p>Not found.</p>")
