"""Commands of the command line, with valid and invalid arguments and the expected results."""

from typing import Literal

from click.testing import CliRunner, Result

from detourage.cli import main

USAGE_ERROR = 2  # exit code for invalid arguments
FAILED = 1  # exit code of a command that cannot do its work

Server = Literal["database", "broker"]


def invoke(*arguments: object, code: int = 0, stdin: str | None = None) -> Result:
    """Run ``detourage`` in this process, and assert that it ends with the given exit code."""
    words = [str(each) for each in arguments]
    result = CliRunner().invoke(main, words, input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


EXPORT = ("export", "--since", "2026-11-27", "--to", "out")

FAILING_COMMANDS: list[tuple[tuple[str, ...], int, str]] = [
    ((), USAGE_ERROR, "Commands"),
    (("unknown",), USAGE_ERROR, "No such command"),
    (("run",), USAGE_ERROR, "Missing"),
    (("run", "pages.jsonl"), USAGE_ERROR, "--output"),
    (("run", "pages.jsonl", "-o", "pages.jsonl"), USAGE_ERROR, "would be overwritten"),
    (("extract", "html", "--output-dir", "html"), USAGE_ERROR, "would be overwritten"),
    (("explain", "pages.jsonl", "--json", "pages.jsonl"), USAGE_ERROR, "would be overwritten"),
    (("run", "pages.jsonl", "-o", "empty"), USAGE_ERROR, "is a directory"),
    (("run", "pages.jsonl", "-o", "note.txt/o"), USAGE_ERROR, "'note.txt' is not a folder"),
    (("run", "pages.jsonl", "-o", "/proc/o"), USAGE_ERROR, "cannot be written"),
    (("run", "pages.jsonl", "-o", "/dev/null"), USAGE_ERROR, "is not a regular file"),
    (("run", "pages.jsonl", "-o", "o", "--workers", "0"), USAGE_ERROR, "--workers"),
    (("run", "broken.jsonl.gz", "-o", "o"), FAILED, "broken.jsonl.gz"),
    (("run", "empty", "-o", "o"), FAILED, "contains no JSON lines"),
    (("run", "note.txt", "-o", "o"), FAILED, "is neither"),
    (("run", "urls.txt", "-o", "o"), FAILED, "which only `detourage extract` fetches"),
    (("send", "https://a.example/"), USAGE_ERROR, "only `detourage extract` fetches URLs"),
    (("run", "[/x].warc", "-o", "o"), FAILED, "WARC"),
    (("run", "html", "-o", "o.csv"), FAILED, "no format ends in .csv"),
    (("run", "html", "-o", "o", "--text-roles", "sidebar"), USAGE_ERROR, "not a text role"),
    (("run", "html", "-o", "o", "--base-url", "news.example"), USAGE_ERROR, "--base-url"),
    (("run", "html", "-o", "o", "--base-url", "https://a.example/?q"), USAGE_ERROR, "no query"),
    (("run", "html", "-o", "o", "--site", "[/x]"), USAGE_ERROR, "--site"),
    (("run", "pages.jsonl", "-o", "o", "--format", "pdf"), USAGE_ERROR, "--format"),
    (("export",), USAGE_ERROR, "--since"),
    (("export", "--since", "2026-11-27"), USAGE_ERROR, "--to"),
    (("export", "--since", "2026-11-27", "--to", "note.txt"), USAGE_ERROR, "is a file"),
    (EXPORT, FAILED, "DATABASE_URL"),
    (("export", "--since", "dinner", "--to", "out"), USAGE_ERROR, "not a date or time such as"),
    ((*EXPORT, "--until", "2026-11-26"), USAGE_ERROR, "2026-11-27 is after --until 2026-11-26"),
    ((*EXPORT, "--format", "pdf"), USAGE_ERROR, "--format"),
    ((*EXPORT, "--site"), USAGE_ERROR, "--site"),
    (("inspect",), FAILED, "DATABASE_URL"),
    (("inspect", "--listen", "0.0.0.0"), FAILED, "--token-file"),
    (("inspect", "--port", "70000"), USAGE_ERROR, "--port"),
    (("inspect", "--token-file", "missing"), USAGE_ERROR, "does not exist"),
    (
        ("inspect", "--listen", "0.0.0.0", "--token-file", "broken.jsonl.gz"),
        FAILED,
        "is not UTF-8 text",
    ),
    (("migrate",), FAILED, "DATABASE_URL"),
    (("send",), USAGE_ERROR, "Missing"),
    (("send", "pages.jsonl"), FAILED, "BROKER_URL"),
    (("extract", "html", "--output-dir", "note.txt"), USAGE_ERROR, "is a file"),
    (("extract", "html", "--processes", "0"), USAGE_ERROR, "--processes"),
    (("extract", "html", "pages.jsonl", "--url", "https://a.example/1"), USAGE_ERROR, "one input"),
    (("extract", "empty.html"), FAILED, "empty.html: empty: it has no content"),
    (("extract", "ftp://x/y"), FAILED, "ftp://x/y: only http and https URLs are supported"),
    (("extract", "a.example/1"), FAILED, "URLs begin with http:// or https://"),
    (("extract", "nothing.jsonl"), FAILED, "nothing.jsonl, message 1: no-url: "),
    (("extract", "pages.jsonl", "--format", "pdf"), USAGE_ERROR, "--format"),
    (("extract", "pages.jsonl", "--favor", "speed"), USAGE_ERROR, "--favor"),
    (("extract", "html", "--keep-dirs"), USAGE_ERROR, "--output-dir"),
    (
        ("extract", "html", "-o", "all.jsonl", "--output-dir", "out"),
        USAGE_ERROR,
        "mutually exclusive",
    ),
    (("extract", "pages.jsonl", "--method", "seagull"), USAGE_ERROR, "unknown method 'seagull'"),
    (("extract", "pages.jsonl", "--method", "deturck_2015"), FAILED, "no page to compare this"),
    (("extract", "pages.jsonl", "--text-roles", "headline"), USAGE_ERROR, "not a text role"),
    (("extract", "html", "--url", "https://b.example/"), FAILED, "contains no page"),
    (("extract", "html", "--site-pages", "missing"), USAGE_ERROR, "does not exist"),
    (("extract", "http://127.0.0.1:9/"), FAILED, "127.0.0.1:9 refuses connections"),
    (("extract", "http://[::1"), FAILED, "not a valid URL"),
    (("extract", "note.txt"), FAILED, "is neither"),
    (("explain", "pages.jsonl", "--site-pages", "missing"), USAGE_ERROR, "does not exist"),
    (("explain", "html"), FAILED, "select one with --url"),
    (("extract", "html/0.html", "-o", "article.foo"), USAGE_ERROR, "no format ends in .foo"),
    (("explain", "missing.jsonl", "--groups"), FAILED, "missing.jsonl"),
    (("explain", "pages.jsonl", "--groups", "--method", "[/x]"), FAILED, "unknown method"),
    (("explain", "nothing.jsonl", "--groups"), FAILED, "no usable page"),
    (
        ("explain", "pages.jsonl", "--groups", "--url", "https://a.example/"),
        USAGE_ERROR,
        "--groups",
    ),
    (("explain", "pages.jsonl", "--method", "dbscan"), USAGE_ERROR, "--method"),
    (("health", "cook"), USAGE_ERROR, "cook"),
    (("health", "intake"), FAILED, "has not done anything"),
    (("status", "--top", "-1"), USAGE_ERROR, "--top"),
    (("status", "--queues", "--pending"), USAGE_ERROR, "--queues"),
    (("status", "--addresses"), USAGE_ERROR, "requires SITE"),
    (("status", "a.example", "--addresses", "--pending"), USAGE_ERROR, "--addresses"),
    (("status", "https://a.example/", "--top", "1"), USAGE_ERROR, "URL"),
    (("reprocess",), USAGE_ERROR, "give exactly one of SITE"),
    (("reprocess", "a.example", "--all"), USAGE_ERROR, "give exactly one of SITE"),
    (("reprocess", "https://a.example/", "--from", "cluster"), USAGE_ERROR, "--from"),
    (("reprocess", "a.example", "--rate", "1"), USAGE_ERROR, "--rate"),
    (("reprocess", "--all", "--rate", "0"), USAGE_ERROR, "--rate"),
    (("reprocess", "--all", "--from", "dinner"), USAGE_ERROR, "--from"),
    (("reprocess", "--all", "--cancel"), USAGE_ERROR, "--cancel"),
    (("prune",), USAGE_ERROR, "--older-than"),
    (("prune", "--older-than", "-1"), USAGE_ERROR, "--older-than"),
    (("prune", "--older-than", "1", "--only", "cake"), USAGE_ERROR, "--only"),
    (("prune", "--site", "a.example", "--older-than", "1"), USAGE_ERROR, "--site"),
    (("prune", "--site", "a.example", "--yes"), FAILED, "DATABASE_URL"),
    (("quarantine", "eat"), USAGE_ERROR, "No such command"),
    (("quarantine", "list", "--stage", "kitchen"), USAGE_ERROR, "--stage"),
    (("quarantine", "list", "--limit", "-1"), USAGE_ERROR, "--limit"),
    (("quarantine", "list", "--reason"), USAGE_ERROR, "--reason"),
    (("status", "--prometheus", "--port", "0"), USAGE_ERROR, "--port"),
    (("status", "--port", "9464"), USAGE_ERROR, "--prometheus"),
    (("status", "--prometheus", "--host", "::1"), USAGE_ERROR, "--port"),
    (("status", "--prometheus", "--json"), USAGE_ERROR, "--prometheus"),
    (("health", "intake", "--accepting"), USAGE_ERROR, "--accepting"),
    (("health", "intake", "--all"), USAGE_ERROR, "--all"),
]

FAILING_BENCHMARK_COMMANDS: list[tuple[tuple[str, ...], int, str]] = [
    (("evaluate", "missing", "missing"), USAGE_ERROR, "does not exist"),
    (("evaluate", "empty", "pages.jsonl"), FAILED, "empty"),
    (("evaluate", "deep.jsonl", "pages.jsonl"), FAILED, "deep.jsonl, line 1"),
    (("evaluate", "empty", "pages.jsonl", "--json", "empty"), USAGE_ERROR, "is a directory"),
    (("bench", "missing"), USAGE_ERROR, "does not exist"),
    (("bench", "empty"), FAILED, "empty"),
    (("bench", "empty", "--seconds", "0"), USAGE_ERROR, "--seconds"),
    (("bench", "empty", "--extractors", "seagull"), FAILED, "seagull"),
    (("bench", "empty", "--by", "colour"), USAGE_ERROR, "--by"),
    (("bench", "empty", "--task", "missing"), USAGE_ERROR, "does not exist"),
    (("bench", "empty", "--cache", "note.txt"), USAGE_ERROR, "is a file"),
    (("bench", "empty", "--json", "empty"), USAGE_ERROR, "is a directory"),
]
"""Invalid arguments for ``python -m benchmarks``, with the exit code and a part of the message."""

SUCCEEDING_COMMANDS: list[tuple[tuple[str, ...], str]] = [
    (("--version",), ", version "),
    (("run", "--help"), "INPUT"),
    (("health", "--all"), "none configured"),
    (("extract", "pages.jsonl"), "Bridge story number 1"),
    (("extract", "html", "--processes", "1", "--output-dir", "out"), ""),
    (("extract", "html", "--processes", "1", "--output-dir", "out", "--keep-dirs"), ""),
    (("extract", "pages.jsonl", "--output", "article.txt"), ""),
    (("extract", "pages.jsonl", "--no-comments", "--no-links", "--no-images"), "Bridge story"),
    (("extract", "pages.jsonl", "--text-roles", "paragraph", "--format", "json"), '"role"'),
    (("extract", "html/0.html", "--site-pages", "html", "--format", "json"), '"blocks"'),
    (("extract", "pages.jsonl", "--method", "html_killer"), "three hours of debate"),
    (("extract", "html/0.html", "--site-pages", "html", "--method", "deturck_2015"), "Bridge"),
    (
        ("extract", "pages.jsonl", "--method", "wutsi>justext", "--format", "json"),
        '"wutsi>justext"',
    ),
    (("explain", "pages.jsonl", "--json", "why.json", "--html", "why.html"), "Bridge"),
    (("explain", "pages.jsonl", "--groups", "--json", "groups.json"), "a.example"),
]
"""Arguments that work without a deployment, each with a part of what the command prints."""

BOTH_SERVERS: frozenset[Server] = frozenset(("database", "broker"))
ONLY_DATABASE: frozenset[Server] = frozenset(("database",))
ONLY_BROKER: frozenset[Server] = frozenset(("broker",))

DEPLOYMENT_COMMANDS: list[tuple[tuple[str, ...], frozenset[Server]]] = [
    (("migrate",), ONLY_DATABASE),
    (("intake",), BOTH_SERVERS),
    (("relay",), BOTH_SERVERS),
    (("health",), BOTH_SERVERS),
    (("status", "--prometheus"), BOTH_SERVERS),
    (("status",), BOTH_SERVERS),
    (("status", "a.example"), ONLY_DATABASE),
    (("status", "--pending", "--top", "3"), BOTH_SERVERS),
    (("status", "--json"), BOTH_SERVERS),
    (("status", "--queues"), ONLY_BROKER),
    (("status", "a.example", "--addresses"), ONLY_DATABASE),
    (EXPORT, ONLY_DATABASE),
    (("export", "--since", "2026-11-27T10:00Z", "--to", "out", "--format", "jsonl"), ONLY_DATABASE),
    (("prune", "--site", "a.example", "--yes"), ONLY_DATABASE),
    (("status", "https://a.example/"), ONLY_DATABASE),
    (("status", "https://a.example/", "--json"), ONLY_DATABASE),
    (("reprocess", "a.example"), ONLY_DATABASE),
    (("reprocess", "https://a.example/"), ONLY_DATABASE),
    (("reprocess", "--all", "--from", "cluster", "--rate", "5"), BOTH_SERVERS),
    (("reprocess", "--progress"), ONLY_DATABASE),
    (("reprocess", "--cancel"), ONLY_DATABASE),
    (("prune", "--older-than", "1"), ONLY_DATABASE),
    (("prune", "--older-than", "1", "--only", "html", "--dry-run"), ONLY_DATABASE),
    (("quarantine", "list"), BOTH_SERVERS),
    (("quarantine", "list", "--reason", "not-json", "--limit", "1"), BOTH_SERVERS),
    (("quarantine", "list", "--stage", "relay"), ONLY_DATABASE),
    (("quarantine", "show"), BOTH_SERVERS),
    (("quarantine", "show", "id", "--whole"), BOTH_SERVERS),
    (("quarantine", "requeue", "--yes"), BOTH_SERVERS),
    (("quarantine", "drop", "--yes"), BOTH_SERVERS),
    (("quarantine", "drop", "--yes", "--stage", "intake", "id"), ONLY_BROKER),
    (("send", "pages.jsonl"), ONLY_BROKER),
]
"""Commands that need a deployment, each with the servers that it contacts if there are no pages."""
