"""Data that is derived from other packages is current, and complete."""

from importlib.resources import files
from pathlib import Path

import idna
from publicsuffixlist import PSLFILE, PublicSuffixList

from benchmarks.language.names import names, written
from detourage.html import site_of


def test_the_names_of_months_and_weekdays_are_up_to_date() -> None:
    found = files("detourage.text").joinpath("names.json").read_text(encoding="utf-8")
    assert found == written(names()), "run python -m benchmarks.language.names"


def test_every_rule_has_the_same_effect_as_in_the_full_list() -> None:
    whole = PublicSuffixList(accept_unknown=False)
    for line in Path(PSLFILE).read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("//"):
            continue
        rule = line.lstrip("!").replace("*", "any")
        for host in (rule, f"www.news.{rule}"):
            ascii_host = idna.encode(host, uts46=True).decode()
            expected = whole.privatesuffix(ascii_host) or ascii_host
            assert site_of(f"https://{host}/") == expected
