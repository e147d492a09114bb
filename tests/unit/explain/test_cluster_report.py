import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from detourage.cli import main
from detourage.text.plural import pluralise
from examples.sample_crawl import all_sites, generate

SITES = sorted(all_sites())[:2]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("crawl") / "pages.jsonl"
    pages = generate(sites=SITES, pages_per_template=4)
    path.write_text("".join(json.dumps(page.message) + "\n" for page in pages) + "not a page\n")
    return path


def test_the_groups_of_each_site_are_printed_and_written(crawl: Path, tmp_path: Path) -> None:
    json_file = tmp_path / "groups.json"
    result = CliRunner().invoke(main, ["explain", str(crawl), "--groups", "--json", str(json_file)])
    assert result.exit_code == 0, result.output
    assert "1 unusable message" in result.stdout
    values = json.loads(json_file.read_text())
    assert values["unusable"] == 1
    assert sorted(site["site"] for site in values["sites"]) == SITES
    for site in values["sites"]:
        groups = pluralise(len(site["groups"]), "group")
        line = f"{site['site']}: {pluralise(site['pages'], 'page')}, {groups}"
        assert line in result.stdout
        placed = [url for group in site["groups"] for url in group["members"]] + site["outliers"]
        assert len(set(placed)) == len(placed) == site["pages"]
        for group in site["groups"]:
            assert group["size"] == len(group["members"])
            assert group["representative"] in group["members"]
            assert group["representative"] in result.stdout


def test_another_method_can_be_chosen(crawl: Path, tmp_path: Path) -> None:
    json_file = tmp_path / "groups.json"
    arguments = ["explain", str(crawl), "--groups", "--method", "dbscan", "--json", str(json_file)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert json.loads(json_file.read_text())["method"] == "dbscan"
