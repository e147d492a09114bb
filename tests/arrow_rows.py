"""Article messages with a value for every key, and messages read back from Arrow tables."""

from collections.abc import Mapping
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AwareDatetime, BaseModel

from detourage.messages import ArticleMessage

EXAMPLES: Mapping[Any, Any] = {
    str: "Zwölf – 十二",
    int: 7,
    float: 0.5,
    bool: True,
    AwareDatetime: "2026-11-27T09:30:00.000001Z",
}


def message_of(row: Mapping[str, Any]) -> ArticleMessage:
    """Return the message that a row of a table contains."""
    values = _present(ArticleMessage, row)
    for block in values["blocks"]:
        block["texts"] = [_location(each) for each in block.get("texts", [])]
    return ArticleMessage.model_validate(values)


def _location(values: Mapping[str, Any]) -> list[Any]:
    """Return a location as an array; it has only four elements if the last two are null."""
    found = list(values.values())
    return found[:4] if values["xpath"] is None else found


def _present(annotation: Any, value: Any) -> Any:
    """Return a value without the keys that are null only because they are absent in the message."""
    if isinstance(value, list):
        return [_present(annotation, each) for each in value]
    model = _model_in(annotation)
    if model is None or value is None:
        return value
    return {
        name: _present(each.annotation, value[name])
        for name, each in model.model_fields.items()
        if each.is_required() or value[name] is not None
    }


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def example(annotation: Any = ArticleMessage) -> Any:
    """Return a JSON value that matches an annotation of the contract and has every key."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: example(each.annotation) for name, each in annotation.model_fields.items()}
    if annotation in EXAMPLES:
        return EXAMPLES[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return arguments[0]
    if origin is list:
        return [example(arguments[0])]
    if origin is tuple:
        return [example(each) for each in arguments]
    if origin is Annotated:
        return example(arguments[0])
    return example([each for each in arguments if each is not NoneType][-1])
