"""Pages are paired with the nearest other page (Deturck 2015, section 4.3)."""

import numpy as np

from benchmarks.evaluation.methods import Source, get_extractor
from benchmarks.evaluation.methods.grouping import find_neighbours
from benchmarks.evaluation.methods.pairing import nearest_pairs
from tests.unit.benchmarks.evaluation.methods.gull import SENTENCES, contains_story, page

#                    a   b   c   d   e
DISTANCES = np.array(
    [[0, 9, 3, 7, 40], [9, 0, 2, 5, 40], [3, 2, 0, 6, 40], [7, 5, 6, 0, 30], [40, 40, 40, 30, 0]],
    dtype=np.float64,
)


def test_the_nearest_pages_are_paired_first_and_then_the_remaining_ones() -> None:
    # b and c are the nearest pair (2). a is nearer to c (3) than to d, but c is already paired, so
    # a gets d (7).
    assert nearest_pairs(DISTANCES, list("abcde")) == {1: 2, 2: 1, 0: 3, 3: 0}
    # Pages that could not be compared are not paired.
    distances = DISTANCES.copy()
    distances[1] = distances[:, 1] = np.nan
    assert nearest_pairs(distances, list("abcde")) == {0: 2, 2: 0, 3: 4, 4: 3}


def test_the_method_compares_with_the_partner_whatever_its_template() -> None:
    table = "".join(f"<table><tr><td>{n}</td></tr></table>" for n in range(40))
    html = f'<html><body><div class="league">{table}</div></body></html>'
    results = Source(html, "https://gull.example/results.html")
    pages = [page("harbour"), page("library"), page("school"), results]
    neighbours = find_neighbours(pages)
    assert neighbours[3].pivot is None
    partners = [each.partner.url if each.partner else None for each in neighbours]
    assert partners == [
        f"https://gull.example/{story}.html"
        for story in ("library", "harbour", "results", "school")
    ]
    method = get_extractor("deturck_2015_pairs")
    for story, each in zip(SENTENCES, neighbours, strict=False):
        assert contains_story(method.extract(page(story), each).text, story)
