"""Article messages with a value for every key, and messages read back from Arrow tables."""

from collections.abc import Mapping
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AwareDatetime, BaseModel

from detourage.messages import ArticleMessage

EXAMPLE_VALUES: Mapping[Any, Any] = {
    str: "Zwölf – 十二",
    int: 7,
    float: 0.5,
    bool: True,
    AwareDatetime: "2026-11-27T09:30:00.000001Z",
}


def message_from_row(row: Mapping[str, Any]) -> ArticleMessage:
    """Return the message that a row of a table contains."""
    values = _without_absent_keys(ArticleMessage, row)
    for block in values["blocks"]:
        block["texts"] = [_location(each) for each in block.get("texts", [])]
    return ArticleMessage.model_validate(values)


def _location(values: Mapping[str, Any]) -> list[Any]:
    """Convert a text location from a row to a JSON array, omitting its last two null elements."""
    elements = list(values.values())
    return elements[:4] if values["xpath"] is None else elements


def _without_absent_keys(annotation: Any, value: Any) -> Any:
    """Drop optional keys that are null: every row has all columns, but a message omits them."""
    if isinstance(value, list):
        return [_without_absent_keys(annotation, each) for each in value]
    model = _model_in(annotation)
    if model is None or value is None:
        return value
    return {
        name: _without_absent_keys(each.annotation, value[name])
        for name, each in model.model_fields.items()
        if each.is_required() or value[name] is not None
    }


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """Return the first Pydantic model in an annotation such as ``list[Block] | None``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_model_in, get_args(annotation))), None)


def example(annotation: Any = ArticleMessage) -> Any:
    """Return an example value for a type annotation; models get a value for every key."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: example(each.annotation) for name, each in annotation.model_fields.items()}
    if annotation in EXAMPLE_VALUES:
        return EXAMPLE_VALUES[annotation]
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return arguments[0]
    if origin is list:
        return [example(arguments[0])]
    if origin is tuple:
        return [example(each) for each in arguments]
    if origin is Annotated:
        return example(arguments[0])
    # In a union such as ``str | None``, use the last type that is not None.
    return example([each for each in arguments if each is not NoneType][-1])
