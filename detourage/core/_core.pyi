from typing import Any

from _typeshed import ReadableBuffer

WORDS: int
SHAPES: int
LINK_WORDS: int
PLACES: int
NAMES: int
PAGE_WORDS: int
KNOWN: int
MAX_CELL_TOKENS: int

def load(model: ReadableBuffer, /) -> Any: ...
def document(*columns: Any) -> Any: ...
def judge(network: Any, document: Any, url: str, known: bytes, /) -> tuple[int, bytes, bytes]: ...
def columns(document: Any, url: str, /) -> dict[str, Any]: ...
def blocks(document: Any, *body: Any) -> tuple[list[Any], list[Any]]: ...
