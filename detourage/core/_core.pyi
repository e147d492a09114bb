from typing import Any

WORDS: int
SHAPES: int
LINK_WORDS: int
PLACES: int
NAMES: int
PAGE_WORDS: int
KNOWN: int

def load(model: bytes, /) -> Any: ...
def judge(network: Any, known: bytes, /, *page: Any) -> tuple[int, bytes, bytes]: ...
def columns(*page: Any) -> dict[str, Any]: ...
