from hypothesis import given

from detourage.html import Tree, parse_page
from detourage.template.distance import tree_edit_distance
from inspector.tree_changes import TreeLine, element_names, tree_changes
from tests.pages import article_html
from tests.property.template.distance.trees import trees
from tests.trees import tree_of


def test_differences_are_listed_in_document_order() -> None:
    changes = tree_changes(
        tree_of("{html{head{title}{meta}}{body{h1}{p}{p}{p}}}"),
        tree_of("{html{head{title}{meta}}{body{div{ul{li}}}{h2}{p}{p}{p}}}"),
    )
    assert (changes.removed, changes.added, changes.renamed, changes.distance) == (0, 3, 1, 4)
    assert changes.lines == [
        TreeLine("same", 0, "html", 1),
        TreeLine("same", 1, "", 3),
        TreeLine("same", 1, "body", 1),
        TreeLine("added", 2, "div", 3),
        TreeLine("renamed", 2, "h1 → h2", 1),
        TreeLine("same", 2, "", 3),
    ]


@given(trees(), trees())
def test_every_element_is_counted_once_and_changes_add_up_to_the_distance(a: Tree, b: Tree) -> None:
    changes = tree_changes(a, b)
    assert changes.distance == tree_edit_distance(a, b)
    elements = {"same": 0, "removed": 0, "added": 0, "renamed": 0}
    for line in changes.lines:
        elements[line.sign] += line.elements
    assert elements["removed"] == changes.removed
    assert elements["added"] == changes.added
    assert elements["renamed"] == changes.renamed
    assert elements["same"] + changes.renamed + changes.removed == len(a)


def test_elements_are_named_by_tag_id_and_classes() -> None:
    page = parse_page("<body><div id=main class='a b c'><p>One</p></div>", "https://news.example/")
    assert element_names(page) == ["html", "head", "body", "div#main.a.b", "p"]
    page = parse_page(article_html(1))
    assert len(element_names(page)) == len(page.tree)
