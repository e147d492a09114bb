"""Articles as Arrow tables and Parquet files, which need the ``arrow`` extra.

The schema is derived from `ArticleMessage`. All columns are nullable: a key that is absent from a
message is null. Values differ from JSON as follows:

- A timestamp is in UTC, with microseconds; dates in ``metadata`` remain text as in the page.
- The array of a `TextLocation` is a struct with the fields `TEXT_LOCATION_FIELDS`.
- An integer that exceeds 64 bits and a timestamp outside the years 1 to 9999 in UTC become null,
  and a lone surrogate becomes U+FFFD.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AwareDatetime, BaseModel

from detourage.messages import ArticleMessage

Schema: TypeAlias = pa.Schema
Table: TypeAlias = pa.Table

TEXT_LOCATION_FIELDS = ("start", "length", "byte_start", "byte_length", "xpath", "offset")
"""Names of the elements of a `TextLocation`, which is an array in JSON."""

ROW_GROUP_BYTES = 64_000_000  # minimum size in memory of a Parquet file's row groups, in bytes
BATCH_MESSAGES = 64  # number of messages that are converted at a time

_ARROW_TYPES: Mapping[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    AwareDatetime: pa.timestamp("us", tz="UTC"),
}
_INT64 = 2**63  # smallest positive integer that does not fit into 64 bits

Converter = Callable[[Any], Any]  # function that converts a JSON value to a value of an Arrow type


@cache
def article_schema() -> Schema:
    """Return the schema of articles; its metadata contains the name and version of the contract."""
    (version,) = get_args(ArticleMessage.model_fields["version"].annotation)
    metadata = {"detourage.contract": "article", "detourage.contract_version": str(version)}
    return pa.schema(_fields_of(ArticleMessage), metadata=metadata)


def _fields_of(model: type[BaseModel]) -> list[pa.Field]:
    return [pa.field(name, _type_of(each.annotation)) for name, each in model.model_fields.items()]


def _type_of(annotation: Any) -> pa.DataType:
    """Return the Arrow type for the annotation of a key; raise `TypeError` if it has none."""
    if annotation in _ARROW_TYPES:
        return _ARROW_TYPES[annotation]
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return pa.struct(_fields_of(annotation))
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type_of(arguments[0])
    if origin is list:
        return pa.list_(_type_of(arguments[0]))
    if origin is tuple:
        return pa.struct([*zip(TEXT_LOCATION_FIELDS, map(_type_of, arguments), strict=False)])
    if origin is Literal:
        return _widest([_ARROW_TYPES[type(each)] for each in arguments], annotation)
    if origin in (Union, UnionType):
        return _widest([_type_of(each) for each in arguments if each is not NoneType], annotation)
    raise TypeError(f"no Arrow type for {annotation}")


def _widest(types: list[pa.DataType], annotation: Any) -> pa.DataType:
    """Return the one of several types that contains all fields of the others."""
    widest = max(types, key=lambda each: each.num_fields)
    for each in types:
        if each != widest and not (
            pa.types.is_struct(each) and list(each) == list(widest)[: each.num_fields]
        ):
            raise TypeError(f"no Arrow type for {annotation}")
    return widest


def record_batches(messages: Iterable[Mapping[str, Any]]) -> Iterator[pa.RecordBatch]:
    """Convert article messages (JSON values) to record batches, a few messages at a time."""
    schema = article_schema()
    converters = {field.name: _converter(field.type) for field in schema}
    remaining = iter(messages)
    while chunk := list(islice(remaining, BATCH_MESSAGES)):
        columns = [
            pa.array([convert(each.get(name)) for each in chunk], schema.field(name).type)
            for name, convert in converters.items()
        ]
        yield pa.record_batch(columns, schema=schema)


def to_table(messages: Iterable[Mapping[str, Any]]) -> Table:
    """Convert article messages (JSON values) to a table."""
    return pa.Table.from_batches(list(record_batches(messages)), article_schema())


def write_parquet(path: Path, messages: Iterable[Mapping[str, Any]]) -> int:
    """Write article messages to a Parquet file in bounded memory, and return their number."""
    schema = article_schema()
    written = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for group in _row_groups(record_batches(messages)):
            writer.write_table(pa.Table.from_batches(group, schema))
            written += sum(batch.num_rows for batch in group)
    return written


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    group: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        group.append(batch)
        size += batch.nbytes
        if size >= ROW_GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _converter(kind: pa.DataType) -> Converter:
    """Return the function that converts a JSON value to a value of an Arrow type."""
    if pa.types.is_list(kind):
        convert = _converter(kind.value_type)
        return lambda value: None if value is None else [*map(convert, value)]
    if pa.types.is_struct(kind):
        return _struct_converter({field.name: _converter(field.type) for field in kind})
    if pa.types.is_string(kind):
        return _without_surrogates
    if pa.types.is_integer(kind):
        return lambda value: value if value is not None and -_INT64 <= value < _INT64 else None
    return _timestamp if pa.types.is_timestamp(kind) else lambda value: value


def _struct_converter(converters: Mapping[str, Converter]) -> Converter:
    def to_struct(value: Any) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, Mapping):
            value = dict(zip(converters, value, strict=False))
        return {name: convert(value.get(name)) for name, convert in converters.items()}

    return to_struct


def _without_surrogates(value: str | None) -> str | None:
    """Return a text with U+FFFD instead of lone surrogates, which Arrow cannot store."""
    if value is None or value.isascii():
        return value
    with suppress(UnicodeEncodeError):
        value.encode()
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _timestamp(value: str | None) -> datetime | None:
    with suppress(OverflowError, ValueError):
        return None if value is None else datetime.fromisoformat(value).astimezone(UTC)
    return None
