"""Model files survive serialisation and describe how the model was trained."""

import datetime
import json
import re
from importlib.resources import files

import pytest

from benchmarks.boosting import DecisionTree, to_forest
from benchmarks.training.headers import ModelFile, Training, TrainingCorpus
from detourage.comments.comment_search import CommentModel
from detourage.inference import BoostedTrees, load_model
from detourage.inference.model_files import TrainedModel
from detourage.papers import commentsminer, nclean

TREE = DecisionTree([0, -1, -1], [0.5, 0, 0], [1, 0, 0], [2, 0, 0], [0, -2, 3])
CORPUS = TrainingCorpus(
    name="gulls", use="texts", pages=3, sites=2, pages_digest=None, gold_digest="0" * 64
)
TRAINING = Training(
    date="2026-11-22",
    command="python -m train gulls",
    code=None,
    libraries={"scikit-learn": "1.9.1"},
    corpora=(CORPUS,),
    scores={"toF": 95.1},
    scored_on=None,
)
MODELS: tuple[TrainedModel, ...] = (
    BoostedTrees(("words", "links"), -0.25, to_forest([TREE])),
    CommentModel({"a": 1.5, "b": -0.25}, {"c": 2.0}, -0.5),
)
SHIPPED_MODELS: tuple[tuple[type[TrainedModel], str, str], ...] = (
    (BoostedTrees, "detourage.walls", "model.json"),
    (CommentModel, "detourage.comments", "model.json"),
    (BoostedTrees, commentsminer.__name__, "commentsminer.json"),
    (nclean.Model, nclean.__package__, "models/nclean-ascii.json"),
    (nclean.Model, nclean.__package__, "models/nclean-non-lexical.json"),
)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.KIND)
def test_a_model_survives_serialisation(model: TrainedModel) -> None:
    model_file = ModelFile(TRAINING, model)
    assert ModelFile.from_json(type(model), model_file.to_json()).to_json() == model_file.to_json()


COMPLETE_MODEL = json.loads(ModelFile(TRAINING, MODELS[0]).to_json())


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"model": "boosted trees", "training": {}}'),
        *(
            json.dumps({key: value for key, value in COMPLETE_MODEL.items() if key != missing})
            for missing in ("columns", "base", "trees", "training")
        ),
    ],
)
def test_an_incomplete_model_file_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="not a model file"):
        ModelFile.from_json(BoostedTrees, text)


@pytest.mark.parametrize(("kind", "package", "name"), SHIPPED_MODELS)
def test_shipped_models_state_their_training(
    kind: type[TrainedModel], package: str, name: str
) -> None:
    shipped = files(package).joinpath(name).read_text(encoding="utf-8")
    training = ModelFile.from_json(kind, shipped).training
    assert training.command.startswith("python -m ")
    assert training.date
    assert datetime.date.fromisoformat(training.date)
    assert training.corpora
    for corpus in training.corpora:
        for digest in (corpus.pages_digest, corpus.gold_digest):
            assert digest is None or re.fullmatch("[0-9a-f]{64}", digest)
    assert ModelFile(training, load_model(kind, package, name)).to_json() == shipped
