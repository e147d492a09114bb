import json
import pickle

import pytest

from benchmarks.evaluation.methods import (
    Source,
    TrainingPair,
    UnavailableError,
    get_extractor,
    parse_chain,
)
from benchmarks.evaluation.methods.registry import trained
from benchmarks.training.ngrams import all_pairs, five_pairs, train
from detourage.papers.nclean import Model, Normalisation, shipped_model
from tests.unit.evaluation.methods.gull import FOOTER, SENTENCES, holds_story, page


def pair(story: str) -> TrainingPair:
    return TrainingPair(page(story), "\n".join(SENTENCES[story]))


@pytest.mark.parametrize("name", ["nclean", "nct5", "nct25"])
def test_a_method_trained_on_pairs_cleans_a_page_it_has_not_seen(name: str) -> None:
    method = get_extractor(name, pairs=[pair("harbour"), pair("library")])
    found = method.extract(page("school"))
    assert method.name == name
    assert holds_story(found.text, "school")
    assert FOOTER not in found.text
    assert name != "nclean" or "Town" not in found.text
    with pytest.raises(UnavailableError, match=f"{name} must be trained"):
        get_extractor(name)


def test_the_version_identifies_the_training_data() -> None:
    one, other, same = (
        trained("nclean", [pair(story)]) for story in ("harbour", "library", "harbour")
    )
    assert one.version != other.version
    assert one.version == same.version


def test_a_trained_method_can_be_sent_to_another_process() -> None:
    method = trained("nclean", [pair("harbour")])
    copy = pickle.loads(pickle.dumps(method))
    assert copy.extract(page("school")) == method.extract(page("school"))


def test_a_trained_method_is_found_by_name_and_in_a_chain() -> None:
    pairs = [pair("harbour")]
    assert get_extractor("nclean", pairs=pairs).version == trained("nclean", pairs).version
    assert parse_chain("wutsi>nclean", pairs=pairs).name == "wutsi>nclean"


@pytest.mark.parametrize("pairs", [[], [TrainingPair(Source("<p>All of it."), "All of it.")]])
def test_training_needs_clean_and_dirty_text(pairs: list[TrainingPair]) -> None:
    with pytest.raises(ValueError, match="no clean text or no dirty text"):
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


def test_a_model_survives_serialisation() -> None:
    model = train([pair("harbour")])
    read = Model.from_parameters(json.loads(json.dumps(model.to_parameters())))
    assert read == model
    assert read.digest == model.digest


def test_probabilities_of_a_first_character_add_up_to_one() -> None:
    ngrams = train([pair("harbour")]).clean
    alphabet = {ngram[-1] for ngram in ngrams.counts}
    seen = sum(2 ** -ngrams.information(character) for character in alphabet)
    unseen = 2 ** -ngrams.information("☃")
    assert seen + unseen == pytest.approx(1)


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
