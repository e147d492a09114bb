import pytest

from detourage.sample.markup import Templates


def render(template: str, context: dict[str, object], **others: str) -> str:
    sources = {"page": template, **others}
    return Templates(sources.__getitem__).render("page", context)


def test_text_is_escaped_unless_the_template_says_otherwise() -> None:
    context: dict[str, object] = {"name": "<b> & 'c'"}
    assert render("{{name}}|{{{name}}}", context) == "&lt;b&gt; &amp; &#x27;c&#x27;|<b> & 'c'"


def test_a_section_repeats_for_a_list_and_sees_enclosing_contexts() -> None:
    context: dict[str, object] = {"rows": [{"n": 1}, {"n": 2}], "unit": "m"}
    assert render("{{#rows}}{{n}}{{unit}} {{/rows}}", context) == "1m 2m "


def test_a_section_is_omitted_for_false_and_missing_names() -> None:
    template = "{{#a}}A{{/a}}{{#b.c}}B{{/b.c}}{{^a}}no a{{/a}}"
    assert render(template, {"a": [], "b": {}}) == "no a"


def test_the_current_item_of_a_list_of_words() -> None:
    assert render("{{#words}}<{{.}}>{{/words}}", {"words": ["x", "y"]}) == "<x><y>"


def test_a_template_that_includes_itself_renders_a_tree() -> None:
    tree = {"n": 1, "below": [{"n": 2, "below": []}, {"n": 3, "below": []}]}
    item = "({{n}}{{#below}}{{>item}}{{/below}})"
    assert render("{{#tree}}{{>item}}{{/tree}}", {"tree": tree}, item=item) == "(1(2)(3))"


def test_a_tag_on_a_line_of_its_own_leaves_no_empty_line() -> None:
    template = "<ul>\n  {{#rows}}\n  <li>{{.}}</li>\n  {{/rows}}\n</ul>\n{{! remark }}\n"
    assert render(template, {"rows": ["a", "b"]}) == "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n"


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(ValueError, match="nothing to show"):
        render("{{ghost}}", {})
