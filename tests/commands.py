"""Commands of the command line, with valid and invalid arguments and the expected results."""

from typing import Literal

from click.testing import CliRunner, Result

from detourage.cli import main

USAGE = 2
"""Exit code for invalid arguments."""
FAILED = 1
"""Exit code of a command that cannot do its work."""

Server = Literal["database", "broker"]


def invoke(*arguments: object, code: int = 0, stdin: str | None = None) -> Result:
    """Run ``detourage`` in this process, and assert that it ends with the given exit code."""
    words = [str(each) for each in arguments]
    result = CliRunner().invoke(main, words, input=stdin, catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result


FAILING_COMMANDS: list[tuple[tuple[str, ...], int, str]] = [
    ((), USAGE, "Commands"),
    (("unknown",), USAGE, "No such command"),
    (("run",), USAGE, "Missing"),
    (("run", "pages.jsonl"), USAGE, "--output"),
    (("run", "pages.jsonl", "-o", "pages.jsonl"), USAGE, "would be overwritten"),
    (("run", "pages.jsonl", "-o", "empty"), USAGE, "is a directory"),
    (("run", "pages.jsonl", "-o", "note.txt/o"), USAGE, "'note.txt' is not a folder"),
    (("run", "pages.jsonl", "-o", "/proc/o"), USAGE, "cannot be written"),
    (("run", "pages.jsonl", "-o", "/dev/null"), USAGE, "is not a regular file"),
    (("run", "pages.jsonl", "-o", "o", "--workers", "0"), USAGE, "--workers"),
    (("run", "broken.jsonl.gz", "-o", "o"), FAILED, "broken.jsonl.gz"),
    (("run", "empty", "-o", "o"), FAILED, "contains no JSON lines"),
    (("run", "note.txt", "-o", "o"), FAILED, "is neither"),
    (("run", "[/x].warc", "-o", "o"), FAILED, "WARC"),
    (("run", "html", "-o", "o", "--text-roles", "sidebar"), USAGE, "not a text role"),
    (("run", "html", "-o", "o", "--base-url", "news.example"), USAGE, "--base-url"),
    (("run", "html", "-o", "o", "--base-url", "https://a.example/?q"), USAGE, "no query"),
    (("run", "html", "-o", "o", "--site", "[/x]"), USAGE, "--site"),
    (("run", "pages.jsonl", "-o", "o", "--format", "pdf"), USAGE, "--format"),
    (("export",), USAGE, "--since"),
    (("export", "--since", "2026-11-27"), USAGE, "--to"),
    (("export", "--since", "2026-11-27", "--to", "note.txt"), USAGE, "is a file"),
    (("export", "--since", "2026-11-27", "--to", "out"), FAILED, "DATABASE_URL"),
    (("export", "--since", "dinner", "--to", "out"), USAGE, "not a date or time such as"),
    (
        ("export", "--since", "2026-11-27", "--until", "2026-11-26", "--to", "out"),
        USAGE,
        "--since 2026-11-27 is after --until 2026-11-26",
    ),
    (("export", "--since", "2026-11-27", "--to", "out", "--format", "pdf"), USAGE, "--format"),
    (("export", "--since", "2026-11-27", "--to", "out", "--site"), USAGE, "--site"),
    (("inspect",), FAILED, "DATABASE_URL"),
    (("inspect", "--listen", "0.0.0.0"), FAILED, "--token-file"),
    (("inspect", "--port", "70000"), USAGE, "--port"),
    (("inspect", "--token-file", "missing"), USAGE, "does not exist"),
    (
        ("inspect", "--listen", "0.0.0.0", "--token-file", "broken.jsonl.gz"),
        FAILED,
        "is not UTF-8 text",
    ),
    (("migrate",), FAILED, "DATABASE_URL"),
    (("send",), USAGE, "Missing"),
    (("send", "pages.jsonl"), FAILED, "BROKER_URL"),
    (("extract",), USAGE, "Missing"),
    (("extract", "missing.html"), FAILED, "no such file"),
    (("extract", "html", "--output-dir", "note.txt"), USAGE, "is a file"),
    (("extract", "html", "--processes", "0"), USAGE, "--processes"),
    (("extract", "html", "pages.jsonl", "--url", "https://a.example/1"), USAGE, "one input"),
    (("extract", "empty.html"), FAILED, "empty.html: empty: it has no content"),
    (("extract", "ftp://x/y"), FAILED, "ftp://x/y: only http and https URLs are supported"),
    (("extract", "a.example/1"), FAILED, "URLs begin with http:// or https://"),
    (("extract", "nothing.jsonl"), FAILED, "nothing.jsonl, message 1: no-url: "),
    (("extract", "pages.jsonl", "--format", "pdf"), USAGE, "--format"),
    (("extract", "pages.jsonl", "--favor", "speed"), USAGE, "--favor"),
    (("extract", "html", "--keep-dirs"), USAGE, "--output-dir"),
    (("extract", "html", "-o", "all.jsonl", "--output-dir", "out"), USAGE, "mutually exclusive"),
    (("extract", "pages.jsonl", "--method", "seagull"), USAGE, "unknown method 'seagull'"),
    (("extract", "pages.jsonl", "--method", "deturck_2015"), FAILED, "no page to compare this"),
    (("extract", "pages.jsonl", "--text-roles", "headline"), USAGE, "not a text role"),
    (("extract", "html", "--url", "https://b.example/"), FAILED, "contains no page"),
    (("extract", "html", "--site-pages", "missing"), USAGE, "does not exist"),
    (("extract", "http://127.0.0.1:9/"), FAILED, "127.0.0.1:9 refuses connections"),
    (("extract", "http://[::1"), FAILED, "not a valid URL"),
    (("extract", "note.txt"), FAILED, "is neither"),
    (("explain", "missing.html"), FAILED, "no such file"),
    (("explain", "pages.jsonl", "--site-pages", "missing"), USAGE, "does not exist"),
    (("explain", "empty.html"), FAILED, "empty.html: empty: it has no content"),
    (("explain", "html"), FAILED, "select one with --url"),
    (("explain", "pages.jsonl", "--html", "missing/out.html"), USAGE, "no folder 'missing'"),
    (("explain", "pages.jsonl", "--json", "missing/out.json"), USAGE, "no folder 'missing'"),
    (("explain", "html", "--url", "https://b.example/"), FAILED, "contains no page"),
    (("explain", "missing.jsonl", "--groups"), FAILED, "missing.jsonl"),
    (("explain", "pages.jsonl", "--groups", "--method", "[/x]"), FAILED, "unknown method"),
    (("explain", "nothing.jsonl", "--groups"), FAILED, "no usable page"),
    (("explain", "pages.jsonl", "--groups", "--url", "https://a.example/"), USAGE, "--groups"),
    (("explain", "pages.jsonl", "--method", "dbscan"), USAGE, "--method"),
    (("health", "cook"), USAGE, "cook"),
    (("health", "intake"), FAILED, "has not done anything"),
    (("status", "--top", "-1"), USAGE, "--top"),
    (("status", "--queues", "--pending"), USAGE, "--queues"),
    (("status", "--addresses"), USAGE, "requires SITE"),
    (("status", "a.example", "--addresses", "--pending"), USAGE, "--addresses"),
    (("status", "https://a.example/", "--top", "1"), USAGE, "URL"),
    (("reprocess",), USAGE, "give exactly one of SITE"),
    (("reprocess", "a.example", "--all"), USAGE, "give exactly one of SITE"),
    (("reprocess", "https://a.example/", "--from", "cluster"), USAGE, "--from"),
    (("reprocess", "a.example", "--rate", "1"), USAGE, "--rate"),
    (("reprocess", "--all", "--rate", "0"), USAGE, "--rate"),
    (("reprocess", "--all", "--from", "dinner"), USAGE, "--from"),
    (("reprocess", "--all", "--cancel"), USAGE, "--cancel"),
    (("prune",), USAGE, "--older-than"),
    (("prune", "--older-than", "-1"), USAGE, "--older-than"),
    (("prune", "--older-than", "1", "--only", "cake"), USAGE, "--only"),
    (("prune", "--site", "a.example", "--older-than", "1"), USAGE, "--site"),
    (("prune", "--site", "a.example", "--yes"), FAILED, "DATABASE_URL"),
    (("quarantine", "eat"), USAGE, "No such command"),
    (("quarantine", "list", "--stage", "kitchen"), USAGE, "--stage"),
    (("quarantine", "list", "--limit", "-1"), USAGE, "--limit"),
    (("quarantine", "list", "--reason"), USAGE, "--reason"),
    (("status", "--prometheus", "--port", "0"), USAGE, "--port"),
    (("status", "--port", "9464"), USAGE, "--prometheus"),
    (("status", "--prometheus", "--host", "::1"), USAGE, "--port"),
    (("status", "--prometheus", "--json"), USAGE, "--prometheus"),
    (("health", "intake", "--accepting"), USAGE, "--accepting"),
    (("health", "intake", "--all"), USAGE, "--all"),
]

FAILING_BENCHMARK_COMMANDS: list[tuple[tuple[str, ...], int, str]] = [
    (("evaluate", "missing", "missing"), USAGE, "does not exist"),
    (("evaluate", "empty", "pages.jsonl"), FAILED, "empty"),
    (("evaluate", "deep.jsonl", "pages.jsonl"), FAILED, "deep.jsonl, line 1"),
    (("evaluate", "empty", "pages.jsonl", "--json", "empty"), USAGE, "is a directory"),
    (("bench", "missing"), USAGE, "does not exist"),
    (("bench", "empty"), FAILED, "empty"),
    (("bench", "empty", "--seconds", "0"), USAGE, "--seconds"),
    (("bench", "empty", "--extractors", "seagull"), FAILED, "seagull"),
    (("bench", "empty", "--by", "colour"), USAGE, "--by"),
    (("bench", "empty", "--task", "missing"), USAGE, "does not exist"),
    (("bench", "empty", "--cache", "note.txt"), USAGE, "is a file"),
    (("bench", "empty", "--json", "empty"), USAGE, "is a directory"),
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

BOTH: frozenset[Server] = frozenset(("database", "broker"))
DATABASE: frozenset[Server] = frozenset(("database",))
BROKER: frozenset[Server] = frozenset(("broker",))

DEPLOYMENT_COMMANDS: list[tuple[tuple[str, ...], frozenset[Server]]] = [
    (("migrate",), DATABASE),
    (("intake",), BOTH),
    (("relay",), BOTH),
    (("health",), BOTH),
    (("status", "--prometheus"), BOTH),
    (("status",), BOTH),
    (("status", "a.example"), DATABASE),
    (("status", "--pending", "--top", "3"), BOTH),
    (("status", "--json"), BOTH),
    (("status", "--queues"), BROKER),
    (("status", "a.example", "--addresses"), DATABASE),
    (("export", "--since", "2026-11-27", "--to", "out"), DATABASE),
    (("export", "--since", "2026-11-27T10:00Z", "--to", "out", "--format", "jsonl"), DATABASE),
    (("prune", "--site", "a.example", "--yes"), DATABASE),
    (("status", "https://a.example/"), DATABASE),
    (("status", "https://a.example/", "--json"), DATABASE),
    (("reprocess", "a.example"), DATABASE),
    (("reprocess", "https://a.example/"), DATABASE),
    (("reprocess", "--all", "--from", "cluster", "--rate", "5"), BOTH),
    (("reprocess", "--progress"), DATABASE),
    (("reprocess", "--cancel"), DATABASE),
    (("prune", "--older-than", "1"), DATABASE),
    (("prune", "--older-than", "1", "--only", "html", "--dry-run"), DATABASE),
    (("quarantine", "list"), BOTH),
    (("quarantine", "list", "--reason", "not-json", "--limit", "1"), BOTH),
    (("quarantine", "list", "--stage", "relay"), DATABASE),
    (("quarantine", "show"), BOTH),
    (("quarantine", "show", "id", "--whole"), BOTH),
    (("quarantine", "requeue", "--yes"), BOTH),
    (("quarantine", "drop", "--yes"), BOTH),
    (("quarantine", "drop", "--yes", "--stage", "intake", "id"), BROKER),
    (("send", "pages.jsonl"), BROKER),
]
"""Commands that need a deployment, each with the servers that it contacts if there are no pages."""
