"""The list of sites."""

from tests.crawled import SITES, Client


def test_sites_are_listed_with_what_becomes_of_their_pages(client: Client) -> None:
    found = client.values("/sites.json")["sites"]
    assert {each["status"]["key"] for each in found} == set(SITES)
    for each in found:
        assert sum(part["pages"] for part in each["trend"]) == each["status"]["pages"]
    page = client.get("/sites").text
    assert all(site in page for site in SITES)


def test_a_part_of_a_name_finds_a_site(client: Client) -> None:
    found = client.values("/sites.json?name=HARBOUR&order=name")["sites"]
    assert [each["status"]["key"] for each in found] == ["harbour-post.example"]
    assert "No site has a name" in client.get("/sites?name=%25").text
