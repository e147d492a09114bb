"""Text processing in plain Python: the reference for the native code."""

from itertools import chain, repeat

import numpy as np

from detourage.text import words
from detourage.text.texts import LAST_CHARACTER, Table, Trait

FIRST_IDEOGRAPH = "\u2e80"
LAST_UNSPACED = 0x3FFFF

_COUNTED = np.array(
    [
        Trait.UPPER,
        Trait.DECIMAL,
        Trait.COMMA,
        Trait.QUOTE,
        Trait.SEPARATOR,
        Trait.AT,
        Trait.COPYRIGHT,
    ],
    dtype=np.uint32,
)


def count(text: str, traits: Table) -> tuple[int, int]:
    """Count the tokens (see `detourage.text.texts.count_words`)."""
    del traits
    return len(words.tokens(text)), words.count_unspaced(text)


def read(
    texts: list[str], lines: list[str], traits: Table, lower: Table, seed: int
) -> tuple[list[str], list[str], list[str], bytes, bytes, bytes]:
    """Process texts (see `detourage.text.texts`); the last two are for the native code."""
    del lower, seed
    clean: list[str] = []
    tokens: list[str] = []
    repeated: list[bool] = []
    counts: list[list[int]] = []
    for text, is_line in chain(zip(texts, repeat(False)), zip(lines, repeat(True))):
        shown = words.clean(text)
        found = words.tokens(shown if is_line else text)
        codes = np.frombuffer(shown.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        rare = np.where(codes <= LAST_UNSPACED, np.uint32(Trait.UNSPACED), np.uint32(0))
        known = traits[np.minimum(codes, LAST_CHARACTER)]
        own = np.where(codes > LAST_CHARACTER, rare, known)
        begins = codes != ord(" ")
        begins[1:] &= codes[:-1] == ord(" ")
        counts.append(
            [
                len(found),
                words.count_sentences(shown),
                words.count_unspaced(text),
                len(shown),
                *np.count_nonzero(own[:, None] & _COUNTED, axis=0).tolist(),
                int(np.count_nonzero(begins)),
                int(np.count_nonzero(begins & ((own & _COUNTED[0]) != 0))),
                sum(len(token) == 1 and token >= FIRST_IDEOGRAPH for token in found),
                int(own[0]) if shown else 0,
                int(own[-1]) if shown else 0,
            ]
        )
        clean.append(shown)
        tokens += found
        firsts = {token: place for place, token in reversed([*enumerate(found)])}
        repeated += [firsts[token] < place for place, token in enumerate(found)]
    distinct = dict.fromkeys(tokens)
    number_of = dict(zip(distinct, range(len(distinct)), strict=True))
    numbers = np.fromiter(map(number_of.__getitem__, tokens), np.int32, len(tokens))
    of_texts = np.array(counts, dtype=np.int32).tobytes()
    return clean, tokens, [*distinct], numbers.tobytes(), bytes(repeated), of_texts
