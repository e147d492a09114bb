"""Sites that are hard to group, given as pages; `test_methods` uses distance matrices."""

import pytest
from sklearn.metrics import adjusted_rand_score

from detourage.html import Tree
from detourage.template.groups import SiteGroups, group_pages, group_site
from detourage.template.methods import METHODS
from tests.unit.template.template_sites import Pages

TWO_DESIGNS = "harbour-post.example"


@pytest.fixture(scope="module")
def site() -> Pages:
    return Pages(TWO_DESIGNS)


def labels_of(found: SiteGroups) -> list[int]:
    labels = [-1 - place for place in range(len(found.urls))]
    for number, group in enumerate(found.grouping.groups):
        for member in group.members:
            labels[member] = number
    return labels


@pytest.fixture(scope="module")
def compared(site: Pages) -> SiteGroups:
    return group_site(TWO_DESIGNS, site.urls, site.trees)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_two_designs_years_apart_with_menus_among_articles(
    site: Pages, compared: SiteGroups, name: str
) -> None:
    sizes = [len(tree) for tree in site.trees]
    grouping = group_pages(site.urls, compared.distances, sizes=sizes, estimator=METHODS[name]())
    found = SiteGroups(TWO_DESIGNS, compared.urls, compared.distances, grouping)
    assert adjusted_rand_score(site.classes, labels_of(found)) == 1
    assert len(grouping.groups) == 6
    for group in grouping.groups:
        assert len({site.kinds[member] for member in group.members}) == 1


def test_near_duplicates_do_not_hide_a_template(site: Pages) -> None:
    place = site.kinds.index("article")
    copies = []
    for extra in range(12):
        labels = list(site.trees[place].labels)
        labels[extra] = "ins"
        copies.append(Tree.from_postorder(labels, site.trees[place].sizes))
    urls = [*site.urls, *(f"{site.urls[place]}?copy={extra}" for extra in range(12))]
    found = group_site(TWO_DESIGNS, urls, [*site.trees, *copies])
    classes = [*site.classes, *[site.classes[place]] * 12]
    assert adjusted_rand_score(classes, labels_of(found)) == 1


@pytest.mark.parametrize("size", [2, 6, 12])
def test_the_templates_of_a_generated_site_are_found_at_any_size(size: int) -> None:
    pages = Pages("sada-almina.example", size=size)
    found = group_site("sada-almina.example", pages.urls, pages.trees)
    assert len(found.grouping.groups) == 3
    assert adjusted_rand_score(pages.classes, labels_of(found)) == 1
