"""Columns whose values may be stored in a shorter form, and are read in their full form."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Dialect
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator


def without_block_texts(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return an article message without block texts that equal their part of the whole text."""
    text = message["text"]
    blocks = [
        {name: value for name, value in block.items() if name != "text"}
        if block["text"] == text[block["start"] : block["end"]]
        else block
        for block in message["blocks"]
    ]
    return {**message, "blocks": blocks}


class ArticleJson(TypeDecorator[dict[str, Any]]):
    """Article message, stored in full or as the result of `without_block_texts`."""

    impl = JSONB
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> dict[str, Any] | None:
        """Return the message with the texts of its blocks."""
        del dialect
        stored: dict[str, Any] | None = value
        if not stored or not stored.get("blocks"):
            return stored
        text = stored["text"]
        blocks = [{"text": text[each["start"] : each["end"]], **each} for each in stored["blocks"]]
        return {**stored, "blocks": blocks}
