from benchmarks.evaluation.methods import ALONE, Source
from benchmarks.evaluation.methods.grouping import find_neighbours
from tests.unit.evaluation.methods.gull import SENTENCES, page


def test_only_pages_of_the_same_template_are_neighbours() -> None:
    pages = [page(story) for story in SENTENCES]
    other_site = Source(pages[0].html, "https://elsewhere.example/1")
    unreadable = Source(b"%PDF-1.4", "https://gull.example/report")

    neighbours = find_neighbours([*pages, other_site, unreadable])

    for source, found in zip(pages, neighbours, strict=False):
        assert found.pivot in pages
        assert found.pivot != source
        assert set(found.group) == set(pages) - {source}
    assert neighbours[3:] == [ALONE, ALONE]


def test_sites_may_be_specified() -> None:
    pages = [page(story) for story in SENTENCES]
    neighbours = find_neighbours(pages, ["a", "a", "b"])
    assert neighbours[0].pivot == pages[1]
    assert neighbours[1].pivot == pages[0]
    assert neighbours[2] == ALONE
