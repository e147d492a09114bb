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
from tests.unit.evaluation.methods.gull import FOOTER, SENTENCES, holds_story, page
from worker.papers.nclean import (
    Model,
    Normalisation,
    shipped_model,
)


def pair(story: str) -> TrainingPair:
    return TrainingPair(page(story), "\n".join(SENTENCES[story]))


def test_a_model_trained_on_pairs_cleans_a_page_it_has_not_seen() -> None:
    method = trained("nclean", [pair("harbour"), pair("library")])

    found = method.extract(page("school"))

    assert method.name == "nclean"
    assert holds_story(found.text, "school")
    assert FOOTER not in found.text
    assert "Town" not in found.text


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


def test_nclean_is_found_by_name_only_if_training_pairs_are_given() -> None:
    pairs = [pair("harbour")]
    assert get_extractor("nclean", pairs=pairs).version == trained("nclean", pairs).version
    assert parse_chain("wutsi>nclean", pairs=pairs).name == "wutsi>nclean"
    with pytest.raises(UnavailableError, match="nclean must be trained"):
        get_extractor("nclean")


def test_training_needs_clean_and_dirty_text() -> None:
    with pytest.raises(ValueError, match="no clean text or no dirty text"):
        train([])
    with pytest.raises(ValueError, match="no clean text or no dirty text"):
        train([TrainingPair(Source("<p>All of it."), "All of it.")])


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


def of_language(language: str, *lengths: int) -> list[TrainingPair]:
    return [
        TrainingPair(page("harbour"), language[0] * length, language=language) for length in lengths
    ]


def test_nct5_uses_five_pairs_of_one_language_or_the_longest_of_each() -> None:
    # Lejeune et al. (2015), section 4.3; the paper's sixth pair is not used.
    greek, polish = of_language("el", 3, 9, 4, 2, 1, 99), of_language("pl", 5, 7, 6, 1, 2)
    assert five_pairs(greek) == greek[:5]
    assert five_pairs([*greek, *polish]) == [greek[1], polish[1]]


def test_nct25_uses_five_pairs_of_every_language() -> None:
    greek, polish = of_language("el", 3, 9, 4, 2, 1, 99), of_language("pl", 5, 7, 6, 1, 2)
    assert all_pairs([*greek, *polish]) == [*greek[:5], *polish]


@pytest.mark.parametrize("name", ["nct5", "nct25"])
def test_nct5_and_nct25_are_found_by_name(name: str) -> None:
    method = get_extractor(name, pairs=[pair("harbour"), pair("library")])
    found = method.extract(page("school"))
    assert (method.name, holds_story(found.text, "school")) == (name, True)
    assert FOOTER not in found.text
    with pytest.raises(UnavailableError, match=f"{name} must be trained"):
        get_extractor(name)
