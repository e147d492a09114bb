from typing import Any

WORDS: int
SHAPES: int
LINK_WORDS: int
PLACES: int
NAMES: int
PAGE_WORDS: int
KNOWN: int

def load(model: bytes, /) -> Any: ...
def document(*columns: Any) -> Any: ...
def judge(network: Any, document: Any, url: str, known: bytes, /) -> tuple[int, bytes, bytes]: ...
def columns(document: Any, url: str, /) -> dict[str, Any]: ...
