import pytest

from detourage.roles import ALL_ROLES, CHOOSABLE_ROLES, TEXT_ROLES, chosen_roles


def test_the_headline_is_not_a_text_role() -> None:
    assert set(TEXT_ROLES) < set(CHOOSABLE_ROLES) < set(ALL_ROLES)
    assert "title" not in CHOOSABLE_ROLES


def test_chosen_roles_are_unique_and_in_a_fixed_order() -> None:
    assert chosen_roles(["caption", " paragraph", "lead", "lead", ""]) == (
        "lead",
        "paragraph",
        "caption",
    )


@pytest.mark.parametrize("names", [["paragraph", "headline"], ["title"], ["navigation"]])
def test_unknown_names_are_rejected(names: list[str]) -> None:
    with pytest.raises(ValueError, match="role"):
        chosen_roles(names)
