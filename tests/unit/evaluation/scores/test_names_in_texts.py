import pytest

from benchmarks.evaluation.scores import Gazetteer, recogniser_of

TEXTS = [
    "Flu Returns To The Northern Islands\n"
    "On Monday the minister Anna Kowalska spoke in Warsaw. The crowd cheered.\n"
    "Later, Anna Kowalska met the crowd in Warsaw again, with Jean-Pierre Blanc.",
    "In Warsaw the crowd waits for Kowalska. 《人民日报》 says so.",
]


def test_names_are_found_as_spelled_in_the_gold_text() -> None:
    gazetteer = Gazetteer(TEXTS)
    found = gazetteer.find(TEXTS[0])
    assert found["Anna Kowalska"] == 2
    assert found["Warsaw"] == 2
    assert found["Monday"] == 1
    assert "Kowalska" not in found
    assert gazetteer.find(TEXTS[1])["Kowalska"] == 1
    assert gazetteer.find("《人民日报》报道")["人 民 日 报"] == 1
    assert len(Gazetteer([])) == 0
    assert not Gazetteer([]).find("Anna Kowalska")


@pytest.mark.parametrize(
    ("language", "text", "names"),
    [
        (
            "ru",
            "Маргарет Чен прилетела в Москву.\nВ Москве её ждал мэр.",
            ["Маргарет Чен", "Москву"],
        ),
        ("zh", "陈竺在北京表示。\n他去了上海。", ["陈竺", "北京", "上海"]),
    ],
)
def test_a_real_recogniser_finds_names(language: str, text: str, names: list[str]) -> None:
    recogniser = recogniser_of(language)
    assert recogniser is not None
    found = recogniser.find(text)
    assert set(names) <= set(found)
    assert recogniser.find(f"{text}\n\n{text}") == found + found
