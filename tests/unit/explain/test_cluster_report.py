import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from detourage.sample import generate
from detourage.sample.site import all_sites
from detourage.text.plural import counted
from worker.cli import main

SITES = sorted(all_sites())[:2]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawl") / "pages.jsonl"
    pages = generate(sites=SITES, pages_per_template=4)
    path.write_text("".join(json.dumps(page.message) + "\n" for page in pages) + "not a page\n")
    return path


def test_prints_and_writes_the_groups_of_each_site(crawl: Path, tmp_path: Path) -> None:
    figures, picture = tmp_path / "groups.json", tmp_path / "groups.png"
    arguments = ["cluster", str(crawl), "--json", str(figures), "--plot", str(picture)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "1 unusable message" in done.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    found = json.loads(figures.read_text())
    assert found["unusable"] == 1
    assert sorted(site["site"] for site in found["sites"]) == SITES
    for site in found["sites"]:
        groups = counted(len(site["groups"]), "group")
        line = f"{site['site']}: {counted(site['pages'], 'page')}, {groups}"
        assert line in done.stdout
        placed = [url for group in site["groups"] for url in group["members"]] + site["outliers"]
        assert len(set(placed)) == len(placed) == site["pages"]
        for group in site["groups"]:
            assert group["size"] == len(group["members"])
            assert group["representative"] in group["members"]
            assert group["representative"] in done.stdout


def test_reports_sites_omitted_from_a_picture(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("detourage.explain.site_picture.MAX_SITES", 1)
    picture = tmp_path / "groups.png"
    done = CliRunner().invoke(main, ["cluster", str(crawl), "--plot", str(picture)])
    assert done.exit_code == 0
    assert done.stderr.splitlines()[-1] == f"{picture} shows the largest 1 site"


def test_another_method_can_be_chosen(crawl: Path, tmp_path: Path) -> None:
    figures = tmp_path / "groups.json"
    arguments = ["cluster", str(crawl), "--method", "dbscan", "--json", str(figures)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert json.loads(figures.read_text())["method"] == "dbscan"


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--method", "guessing"], "unknown method 'guessing'; choose one of average_linkage,"),
        (["--plot", "picture.gif"], "the name of a picture must end in .png or .svg"),
    ],
)
def test_errors_are_reported_in_one_line(crawl: Path, options: list[str], complaint: str) -> None:
    done = CliRunner().invoke(main, ["cluster", str(crawl), *options])
    assert done.exit_code == 1
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
