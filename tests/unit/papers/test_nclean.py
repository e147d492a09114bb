import pytest

from benchmarks.evaluation.methods import Source, TrainingPair, UnavailableError, get_extractor
from benchmarks.training.ngrams import all_pairs, five_pairs, train
from detourage.papers.nclean import Normalisation, shipped_model
from tests.unit.benchmarks.evaluation.methods.gull import FOOTER, SENTENCES, contains_story, page


def pair(story: str) -> TrainingPair:
    return TrainingPair(page(story), "\n".join(SENTENCES[story]))


@pytest.mark.parametrize("name", ["nclean", "nct5", "nct25"])
def test_a_method_trained_on_pairs_cleans_a_page_it_has_not_seen(name: str) -> None:
    method = get_extractor(name, pairs=[pair("harbour"), pair("library")])
    found = method.extract(page("school"))
    assert method.name == name
    assert contains_story(found.text, "school")
    assert FOOTER not in found.text
    assert name != "nclean" or "Town" not in found.text
    with pytest.raises(UnavailableError, match=f"{name} must be trained"):
        get_extractor(name)


@pytest.mark.parametrize("pairs", [[], [TrainingPair(Source("<p>All of it."), "All of it.")]])
def test_training_needs_clean_and_dirty_text(pairs: list[TrainingPair]) -> None:
    with pytest.raises(ValueError, match="no clean or no dirty n-gram"):
        train(pairs)


@pytest.mark.parametrize(
    ("normalisation", "expected"),
    [
        (Normalisation.NONE, "Zoë, 12 日"),
        (Normalisation.ASCII, "Zo~, 12 ~"),
        (Normalisation.NON_LEXICAL, "aaa, 00 a"),
    ],
)
def test_each_normalisation_has_its_effect(normalisation: Normalisation, expected: str) -> None:
    assert normalisation.apply("Zoë, 12 日") == expected


def test_probabilities_of_a_first_character_add_up_to_one() -> None:
    ngrams = train([pair("harbour")]).clean
    alphabet = {ngram[-1] for ngram in ngrams.counts}
    probability_of_known = sum(2 ** -ngrams.information(character) for character in alphabet)
    probability_of_others = 2 ** -ngrams.information("☃")
    assert probability_of_known + probability_of_others == pytest.approx(1)


@pytest.mark.parametrize("name", ["ascii", "non-lexical"])
def test_shipped_models_distinguish_prose_from_menus(name: str) -> None:
    model = shipped_model(name)
    assert model.is_clean(SENTENCES["library"][1])
    assert not model.is_clean("Home | About | Contact | Site map | Copyright 2007")


def test_nct5_and_nct25_choose_among_the_first_five_pairs_of_each_language() -> None:
    # See Lejeune et al. (2015), section 4.3. The sixth pair of a language is not used.
    greek, polish = (
        [TrainingPair(page("harbour"), "x" * length, language=language) for length in lengths]
        for language, lengths in (("el", (3, 9, 4, 2, 1, 99)), ("pl", (5, 7, 6, 1, 2)))
    )
    assert five_pairs(greek) == greek[:5]
    assert five_pairs([*greek, *polish]) == [greek[1], polish[1]]
    assert all_pairs([*greek, *polish]) == [*greek[:5], *polish]
