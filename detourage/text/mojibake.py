"""Repair of UTF-8 text decoded as Latin-1 or Windows-1252, such as ``MontrÃ©al``."""

import re
from itertools import islice
from typing import Final

from detourage.text.lazy_patterns import lazy_pattern

MAX_ROUNDS: Final = 3  # times that a text may have been decoded incorrectly
MAX_RUNS: Final = 100_000  # sequences examined per text, far more than on any real page
# Bytes above 0x7F, by their character in Windows-1252, or in Latin-1 if undefined there.
_BYTES: Final = {
    ord(bytes([byte]).decode(encoding)): byte
    for encoding in ("latin-1", "cp1252")
    for byte in range(0x80, 0x100)
    if encoding == "latin-1" or byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)
}
_HIGH: Final = "".join(map(chr, _BYTES))
_CONTINUATION: Final = "".join(character for character in _HIGH if _BYTES[ord(character)] < 0xC0)
_RUN: Final = lazy_pattern(f"[\xc2-\xf4][{_CONTINUATION}][{_HIGH}]*")
# In UTF-8, a character of `_CONTINUATION`, and the start of a run that can be decoded.
_NEXT: Final = b"(?:[\xc2\xc5\xc6\xcb].|\xe2..)"
_RUN_IN_UTF8: Final = re.compile(
    b"\xc3(?:[\x82-\x9f]|[\xa0-\xaf]%b|[\xb0-\xb4]%b{2})%b" % (_NEXT, _NEXT, _NEXT), re.DOTALL
)
_LEADS: Final = frozenset("ÂÃÄÅâãðÎÏÐÑØÙÚÛ")  # first bytes of UTF-8, misread
_CONTROL: Final = lazy_pattern("[\x80-\x9f]")
# Never part of a word: a letter followed by a currency sign, low quotation mark or dagger.
_PUNCTUATION: Final = lazy_pattern("â[€‚„†‡ˆ].|ðŸ..", re.DOTALL)
_URL_DELIMITERS: Final = " \n\"'<>"
_URL_ATTRIBUTES: Final = ("href=", "src=", "srcset=", "action=")
_QUOTES: Final = "‘’“”"
_AFTER_CAPITAL: Final = "‘’“”«»‹›–—…\xa0"  # characters that may well follow a capital such as Ã
_MAX_URL_CHARACTERS: Final = 500  # characters before a sequence searched for the start of a URL


def may_need_repair(utf8: bytes) -> bool:
    """Return whether a text in UTF-8 may contain mojibake; this takes less time than a repair."""
    return _RUN_IN_UTF8.search(utf8) is not None


def repair(text: str) -> str:
    """Return a text with unmistakable mojibake repaired.

    URLs are left unchanged, and so are sequences that may be intended, such as a capital letter
    before a symbol, or an isolated quotation mark, which may be the subject of the text.
    """
    for _ in range(MAX_ROUNDS):
        repaired = _with_repaired_runs(text)
        if repaired == text:
            break
        text = repaired
    return text


def _with_repaired_runs(text: str) -> str:
    """Return a text with its runs repaired, which are found in UTF-8 in a tenth of the time."""
    utf8 = text.encode("utf-8", "surrogatepass")
    pieces: list[str] = []
    start = end = utf8_start = 0
    for found in islice(_RUN_IN_UTF8.finditer(utf8), MAX_RUNS):
        start += len(utf8[utf8_start : found.start()].decode("utf-8", "surrogatepass"))
        utf8_start = found.start()
        if start >= end and (run := _RUN.match(text, start)):
            pieces += text[end:start], _repaired_run(run)
            end = run.end()
    return "".join((*pieces, text[end:]))


def _repaired_run(run: re.Match[str]) -> str:
    """Return the original text of a run that is certainly mojibake, or else the run itself."""
    found = run[0]
    try:
        meant = bytes(_BYTES[ord(character)] for character in found).decode()
    except UnicodeDecodeError:
        return found
    start, end = run.span()
    text = run.string
    before, after = text[start - 1 : start], text[end : end + 1]
    if ord(before or " ") in _BYTES or not _is_certain(found, meant, before, after):
        return found
    return found if _is_in_url(text, start) else meant


def _is_in_url(text: str, place: int) -> bool:
    earliest = max(0, place - _MAX_URL_CHARACTERS)
    begin = max(earliest, *(text.rfind(each, earliest, place) + 1 for each in _URL_DELIMITERS))
    before_place = text[begin:place]
    return (
        "://" in before_place
        or before_place.startswith(_URL_ATTRIBUTES)
        or text[max(0, begin - 8) : begin].rstrip("\"'").endswith(_URL_ATTRIBUTES)
    )


def _is_certain(found: str, meant: str, before: str, after: str) -> bool:
    """Return whether a run is certainly mojibake for `meant`, given the characters around it."""
    if "\ufffd" in meant or "\ufeff" in meant:
        return False
    # An isolated quotation mark counts only at the end of a sentence.
    if meant in _QUOTES and not (before.isalnum() or after.isalnum()):
        return before != "" and before in ".,!?"
    if _CONTROL.search(found) or _PUNCTUATION.fullmatch(found):
        return True
    if len(meant) > 1:
        leads = {character for character in found if _BYTES[ord(character)] >= 0xC0}
        return leads <= _LEADS and any(character not in "\xa0\xad" for character in found[1::2])
    if found[0] == "Â":
        return not before.isupper()
    is_in_word = after.islower() and not (before.isupper() and found[1] in _AFTER_CAPITAL)
    return found[0] in "ÃÄÅ" and (before.islower() or is_in_word)
