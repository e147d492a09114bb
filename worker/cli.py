"""The command line, ``detourage``.

What only one command needs, and takes long to import, is imported by it: health
checks and errors should not wait for the numerical libraries.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import click
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Column, Table

from models.messages import ArticleMessage, PageMessage
from worker.errors import ExpectedError
from worker.messaging.task_names import REPROCESS, REPROCESS_ALL, REPROCESS_STAGES, STAGES
from worker.processes.heartbeat import Heartbeat
from worker.settings import Settings, load_settings
from worker.store.removable import KINDS, Kind

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from models.tables import DesignChange
    from worker.evaluation.bench.measuring import Grouped
    from worker.evaluation.bench.measuring import Progress as OnProgress
    from worker.evaluation.bench.results import CorpusTable
    from worker.local.run import RunSummary
    from worker.service.checks import Finding
    from worker.service.quarantine import QuarantinedMessage
    from worker.store.database import Database
    from worker.store.progress import RunProgress, SiteHistory, SiteStatus

T = TypeVar("T")

EXIT_FAILED = 1
EXIT_UNUSABLE_INPUT = 3
"""The run itself went well, but messages were quarantined or pages failed."""

LINE_SECONDS = 10.0
"""Time between two lines of progress where there is no terminal."""

FILE_COLUMNS = 200
"""Width of tables that go elsewhere than to a terminal, whose width is its own."""

QUARANTINED_STAGES = ("intake", *STAGES)

PROCESSES = ("intake", "relay", "worker", "beat")

console = Console(stderr=True)

input_paths = click.argument(
    "inputs",
    nargs=-1,
    required=True,
    metavar="INPUT…",
    type=click.Path(exists=True, allow_dash=True, path_type=Path),
)


class Commands(click.Group):
    """Commands whose expected errors end in one line instead of a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except ExpectedError as error:
            first, *rest = str(error).splitlines() or [type(error).__name__]
            for line in rest:
                click.echo(line, err=True)
            raise click.ClickException(first) from error
        except OSError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="detourage")
def main() -> None:
    """Cut clean articles out of crawled news pages.

    INPUT is a folder of HTML, a file of page messages (JSON lines, may be
    gzipped), a WARC file, or - for JSON lines on standard input.
    """


@main.command()
@input_paths
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the articles, one a line; compressed if it ends in .gz.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one a core",
    help="Processes that run tasks.",
)
def run(inputs: tuple[Path, ...], output: Path, workers: int) -> None:
    """Process pages and write their articles.

    Runs on the configured database and broker; without them it brings up its
    own for the time of the run. Ends when every page has its outcome. Exit code
    0: all went well; 1: the run failed; 3: it was completed, but some messages
    were unusable or some pages failed.
    """
    from worker.local.run import Run
    from worker.processes.supervisor import termination_as_exit

    output.parent.mkdir(parents=True, exist_ok=True)
    with termination_as_exit(), _progress_bars() as bars:
        summary = Run(load_settings(), workers, bars.update).execute(_messages(inputs), output)
    _print_summary(summary, output)
    if summary.quarantined or summary.failed_pages:
        click.echo(
            f"Error: {summary.quarantined} messages were unusable and {summary.failed_pages} pages"
            f" failed{_where_quarantined(summary)}",
            err=True,
        )
        sys.exit(EXIT_UNUSABLE_INPUT)


@main.command()
@input_paths
def send(inputs: tuple[Path, ...]) -> None:
    """Publish pages to a deployment, as a crawler does."""
    from worker.messaging.publishing import publish_pages

    sent = publish_pages(load_settings(), _messages(inputs), message_prefix=f"send-{uuid4()}-")
    click.echo(f"{sent} messages sent")


@main.command()
@click.argument("site", required=False)
@click.option("--all", "every", is_flag=True, help="All sites, one after the other.")
@click.option(
    "--from",
    "stage",
    type=click.Choice(REPROCESS_STAGES),
    default="extract",
    show_default=True,
    help="First stage to be done again.",
)
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    metavar="PAGES",
    help="With --all: pages a minute at most; no limit unless given.",
)
def reprocess(site: str | None, every: bool, stage: str, rate: float | None) -> None:
    """Take all pages of SITE through the service again; each article gets a new revision.

    With --all those of all sites; `detourage reprocessing` shows how far that is.
    """
    from worker.service.application import create_app

    if every == (site is not None):
        raise click.UsageError("either SITE or --all must be given")
    if rate is not None and not every:
        raise click.UsageError("--rate goes with --all only")
    settings = load_settings()
    if site is None:
        if _is_reprocessing(settings):
            raise click.ClickException(
                "all sites are being reprocessed already: see `detourage reprocessing`"
            )
        task, arguments = REPROCESS_ALL, {"stage": stage, "pages_per_minute": rate}
    else:
        if not site_status(settings, site):
            raise click.ClickException(f"no page of site {site!r} is known")
        task, arguments = REPROCESS, {"site": site, "stage": stage}
    create_app(settings).send_task(task, kwargs=arguments)
    click.echo(f"reprocessing of {site or 'all sites'} from {stage} requested")


def _is_reprocessing(settings: Settings) -> bool:
    from worker.store import reprocessings

    found = _read_store(settings, reprocessings.progress)
    return found is not None and found.state != "ended"


@main.group(invoke_without_command=True)
@click.pass_context
def reprocessing(context: click.Context) -> None:
    """Show how far the reprocessing of all sites is, pause it, go on, or cancel it."""
    from worker.store import reprocessings

    if context.invoked_subcommand:
        return
    found = _read_store(load_settings(), reprocessings.progress)
    if found is None:
        raise click.ClickException("all sites were never reprocessed")
    rate = "" if found.pages_per_minute is None else f", {found.pages_per_minute:g} pages a minute"
    click.echo(
        f"{found.state}: {found.sites_done} of {found.sites} sites, {found.pages} pages"
        f" from {found.stage} on{rate}"
    )


@reprocessing.command("pause")
def reprocessing_pause() -> None:
    """Take up no more sites until `resume`; those taken up are finished."""
    from worker.store import reprocessings

    _change_reprocessing(reprocessings.pause, "paused")


@reprocessing.command("resume")
def reprocessing_resume() -> None:
    """Go on where it was paused."""
    from worker.store import reprocessings

    _change_reprocessing(reprocessings.resume, "resumed")


@reprocessing.command("cancel")
def reprocessing_cancel() -> None:
    """Take up no more sites at all."""
    from worker.store import reprocessings

    _change_reprocessing(reprocessings.cancel, "cancelled")


def _change_reprocessing(change: Callable[[Session], bool], done: str) -> None:
    if not _with_store(load_settings(), lambda database: database.run(change)):
        raise click.ClickException("all sites are not being reprocessed")
    click.echo(done)


@main.command()
@click.argument("site", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def status(site: str | None, as_json: bool) -> None:
    """Show sites, groups, outcomes and queues of a deployment."""
    from worker.messaging.broker import queue_depths

    settings = load_settings()
    sites = site_status(settings, site)
    if site and not sites:
        raise click.ClickException(f"no page of site {site!r} is known")
    depths = queue_depths(settings)
    history = site_history(settings, sites[0].key) if site and len(sites) == 1 else None
    if as_json:
        values: dict[str, Any] = {"sites": [vars(each) for each in sites], "queues": depths}
        if history:
            values["groups"] = [vars(group) for group in history.groups]
            values["design_changes"] = [_change_to_json(each) for each in history.changes]
        click.echo(json.dumps(values, ensure_ascii=False, indent=2, default=datetime.isoformat))
        return
    out = Console()
    out.print(_site_table(sites))
    _print_changed_designs(out, sites)
    _print_not_clustered(out, sites)
    if history:
        out.print(_history_table(history))
        for change in history.changes:
            out.print(_change_line(change), soft_wrap=True, highlight=False)
    queues = Table("queue", "messages")
    for name, depth in depths.items():
        queues.add_row(name, str(depth))
    out.print(queues)


def site_status(settings: Settings, name: str | None = None) -> list[SiteStatus]:
    """Return the state of the sites of a name, or of all of the deployment."""
    from worker.store import pages, progress

    def query(session: Session) -> list[SiteStatus]:
        keys = None if name is None else list(pages.sites_called(session, name).values())
        return progress.site_statuses(session, keys)

    return _read_store(settings, query)


def site_history(settings: Settings, key: str) -> SiteHistory:
    """Return the history of a site's groups and design."""
    from worker.store import progress

    return _read_store(settings, lambda session: progress.site_history(session, key))


def _read_store(settings: Settings, query: Callable[[Session], T]) -> T:
    return _with_store(settings, lambda database: database.read_snapshot(query))


def _with_store(settings: Settings, use: Callable[[Database], T]) -> T:
    from worker.store.database import Database

    database = Database(settings.require_database_url())
    try:
        return use(database)
    finally:
        database.dispose()


@main.command()
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Serve them over HTTP on this port until stopped, instead of printing them once.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to serve on.")
def metrics(port: int | None, host: str) -> None:
    """Show what a monitor watches, in Prometheus' text format."""
    from worker.service.metrics import metrics_text, serve_metrics

    settings = _service_settings()
    if port is None:
        click.echo(metrics_text(settings), nl=False)
        return
    serve_metrics(settings, host, port, _stop_on_signals())


def _stop_on_signals() -> threading.Event:
    """Return what SIGTERM and SIGINT set from now on."""
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


@main.command()
@click.option(
    "--older-than",
    "days",
    required=True,
    type=click.FloatRange(min=0),
    metavar="DAYS",
    help="Age from which HTML, revisions and receipts go.",
)
@click.option(
    "--only",
    "kinds",
    multiple=True,
    type=click.Choice(KINDS),
    help="Only this kind; may be given several times.",
)
@click.option("--dry-run", is_flag=True, help="Count what would go, and keep it.")
def prune(days: float, kinds: tuple[Kind, ...], dry_run: bool) -> None:
    """Remove what need not be kept for ever.

    HTML of pages that have their outcome, revisions that later ones replaced, receipts; and of
    any age, places in past clusterings and trees of no page. A page without its HTML keeps its
    article, and cannot be reprocessed. May be interrupted: what was removed until then stays
    removed, and each transaction is small.
    """
    from worker.tasks.maintenance import pruning

    removed = dict.fromkeys(kinds or KINDS, 0)
    stop = _stop_on_signals()

    def remove(database: Database) -> None:
        for step in pruning(database, removed, days, dry_run=dry_run):
            removed[step.kind] += step.removed
            if stop.is_set():
                break

    _with_store(load_settings(), remove)
    for kind, number in removed.items():
        click.echo(f"{kind}\t{number}")
    if stop.is_set():
        raise click.ClickException("interrupted; the same command goes on with it")


stage_option = click.option(
    "--stage",
    type=click.Choice(QUARANTINED_STAGES),
    help="Only this stage.",
)


@main.group()
def quarantine() -> None:
    """Look at messages that could not be handled, send them back or drop them."""


@quarantine.command("list")
@stage_option
def quarantine_list(stage: str | None) -> None:
    """List quarantined messages, one a line."""
    for message in _quarantined(stage):
        columns = (message.message_id or "-", message.reason, message.failed_at or "-")
        click.echo("\t".join((message.stage, *columns, message.detail)))


@quarantine.command("show")
@click.argument("message_id", required=False)
@stage_option
def quarantine_show(message_id: str | None, stage: str | None) -> None:
    """Print quarantined messages whole, as JSON lines; only MESSAGE_ID if given."""
    found = [each for each in _quarantined(stage) if message_id in (None, each.message_id)]
    if message_id and not found:
        raise click.ClickException(f"no message {message_id!r} is in quarantine")
    for message in found:
        click.echo(json.dumps(message.to_json(), ensure_ascii=False))


@quarantine.command("requeue")
@click.argument("message_id", required=False)
@stage_option
def quarantine_requeue(message_id: str | None, stage: str | None) -> None:
    """Send quarantined messages back to their queue; only MESSAGE_ID if given."""
    from worker.service.quarantine import requeue

    settings = load_settings()
    moved = sum(requeue(settings, each, message_id) for each in _stages(stage))
    _report_moved(moved, message_id, "sent back")


@quarantine.command("drop")
@click.argument("message_id", required=False)
@stage_option
@click.confirmation_option(prompt="Delete these messages for good?")
def quarantine_drop(message_id: str | None, stage: str | None) -> None:
    """Delete quarantined messages for good; only MESSAGE_ID if given."""
    from worker.service.quarantine import drop

    settings = load_settings()
    dropped = sum(drop(settings, each, message_id) for each in _stages(stage))
    _report_moved(dropped, message_id, "dropped")


@main.command()
@click.argument("message", type=click.Choice(("page", "article")))
def schema(message: str) -> None:
    """Print the JSON Schema of a message contract."""
    model = PageMessage if message == "page" else ArticleMessage
    mode = "validation" if message == "page" else "serialization"
    click.echo(json.dumps(model.model_json_schema(mode=mode), indent=2))  # type: ignore[arg-type]


@main.command()
def doctor() -> None:
    """Check the installation and the configured deployment."""
    from worker.service.checks import examine

    _report_findings(examine(load_settings()))


@main.command()
@click.option(
    "--accepting",
    is_flag=True,
    help="Also fail while the intake waits, as too many pages are under way.",
)
def ready(accepting: bool) -> None:
    """Tell whether the deployment has all that a process needs to work.

    The database answers and has the schema of this version, the broker answers and has the
    queues. Exit code 0: it has; 1: it has not. Whether a process is alive tells `health`.
    """
    from worker.service.checks import readiness

    settings = load_settings()
    settings.require_database_url()
    settings.require_broker_url()
    _report_findings(readiness(settings, accepting=accepting))


def _report_findings(findings: list[Finding]) -> None:
    for finding in findings:
        click.echo(f"{'ok  ' if finding.healthy else 'FAIL'}  {finding.name}: {finding.detail}")
    if not all(finding.healthy for finding in findings):
        sys.exit(EXIT_FAILED)


@main.command()
@click.argument("directory", type=click.Path(file_okay=False, path_type=Path))
def sample(directory: Path) -> None:
    """Write the sample crawl, with its gold, into DIRECTORY."""
    from worker.sample import write_crawl

    directory.mkdir(parents=True, exist_ok=True)
    write_crawl(directory)
    click.echo(f"sample crawl written to {directory}")


@main.command()
@input_paths
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for a picture, .png or .svg.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the groups with all their pages.",
)
@click.option("--method", help="How the pages are grouped; the service's method unless given.")
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one a core",
    help="Threads that compare.",
)
def cluster(
    inputs: tuple[Path, ...],
    plot: Path | None,
    json_file: Path | None,
    method: str | None,
    threads: int,
) -> None:
    """Show the template groups of the pages of each site, without any service."""
    from worker.inspection.cluster_report import check_drawable, cluster_pages, draw_clustering

    if plot:
        check_drawable(plot)
    with _measurement_bar() as progress:
        found = cluster_pages(_messages(inputs), method, threads=threads, progress=progress)
    click.echo("\n".join(found.to_lines()))
    if json_file:
        groups = json.dumps(found.to_json(), ensure_ascii=False, indent=1)
        json_file.write_text(groups + "\n", encoding="utf-8")
    if plot and (drawn := draw_clustering(found, plot)) < len(found.sites):
        click.echo(f"{plot} shows the largest {drawn} sites", err=True)


@main.command()
@click.argument("page", metavar="URL|FILE")
@click.option(
    "--site-pages",
    type=click.Path(exists=True, path_type=Path),
    help="File or folder with other pages of the site, to compare the page with.",
)
@click.option("--url", help="Address of the page: which one of a FILE of several, or its own.")
@click.option(
    "--html",
    "html_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the page itself, what was kept in green and the template in blue.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for every line with all its reasons.",
)
def explain(
    page: str,
    site_pages: Path | None,
    url: str | None,
    html_file: Path | None,
    json_file: Path | None,
) -> None:
    """Show which lines of one page were kept and dropped, and why.

    URL is fetched; FILE holds the page: HTML, a page message, or several with
    --url to name one. Reasons are in log odds, compared with the page's mean line.
    """
    from worker.comments import read_comments
    from worker.content import apart_from_article, comments_of
    from worker.extraction import explain_article
    from worker.inspection import load_subject, to_html, to_json, to_terminal

    subject = load_subject(page, site_pages, url, threads=os.cpu_count() or 1)
    found = comments_of(subject.page)
    comments = read_comments(found.records, subject.page.url)
    explanation = explain_article(subject.page, subject.pivot, apart_from_article(found))
    if json_file:
        values = json.dumps(
            to_json(explanation, subject.group_size, comments), ensure_ascii=False, indent=1
        )
        json_file.write_text(values + "\n", encoding="utf-8")
    if html_file:
        overlay = to_html(explanation, subject.page, subject.group_size, len(comments))
        html_file.write_text(overlay, encoding="utf-8")
    out = _output()
    for table in to_terminal(explanation, subject.group_size, len(comments)):
        out.print(table)


by_option = click.option(
    "--by", type=click.Choice(("site", "language")), help="Average by site or language too."
)
json_option = click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for all figures.",
)
html_option = click.option(
    "--html",
    "html_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for a report with sortable tables and plots.",
)


@main.command()
@click.argument("gold", type=click.Path(exists=True, path_type=Path))
@click.argument(
    "articles",
    nargs=-1,
    required=True,
    metavar="ARTICLES…",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@by_option
@click.option(
    "--title/--no-title",
    "title_in_text",
    default=None,
    help="Whether the texts of the gold begin with the headline; known of the known corpora.",
)
@json_option
@html_option
def evaluate(
    gold: Path,
    articles: tuple[Path, ...],
    by: Grouped | None,
    title_in_text: bool | None,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Score files of articles against GOLD.

    GOLD is a folder with pages.jsonl.gz and gold.jsonl.gz, or a file of gold
    records. ARTICLES are files of article messages.
    """
    from worker.evaluation.bench import evaluate as evaluate_articles

    with _measurement_bar() as progress:
        table = evaluate_articles(
            gold, articles, by=by, title_in_text=title_in_text, progress=progress
        )
    _report([table], by, json_file, html_file)


@main.command()
@click.argument(
    "corpora",
    nargs=-1,
    required=True,
    metavar="CORPUS…",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
)
@click.option(
    "--extractors",
    default="all",
    show_default=True,
    metavar="A,B,C>D",
    help="Names, and chains that feed the first one's result to the second.",
)
@by_option
@click.option("--limits", is_flag=True, help="Add what could be reached: best subtree and blocks.")
@click.option(
    "--task",
    "diseases",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Names of diseases by language: add what the texts do to the system downstream.",
)
@click.option(
    "--train",
    "training",
    metavar="CORPUS",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Train nclean on this corpus, without the sites that are measured.",
)
@click.option("--statistics", is_flag=True, help="Count paragraphs, lines, words and characters.")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of results that are not computed again.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=lambda: os.cpu_count() or 1,
    show_default="one a core",
    help="Pages at the same time.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Only so many pages of each corpus.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Time limit of a page.",
)
@json_option
@html_option
def bench(
    corpora: tuple[Path, ...],
    extractors: str,
    by: Grouped | None,
    limits: bool,
    diseases: Path | None,
    training: Path | None,
    statistics: bool,
    cache: Path | None,
    jobs: int,
    sample: int | None,
    seconds: float,
    json_file: Path | None,
    html_file: Path | None,
) -> None:
    """Run extractors over corpora and score them."""
    from worker.evaluation.bench import Bench
    from worker.evaluation.methods import Runner, extractor_names
    from worker.evaluation.scores import load_diseases

    names = extractor_names() if extractors == "all" else extractors.split(",")
    with _measurement_bar() as progress:
        measurement = Bench(
            methods=[name.strip() for name in names],
            with_limits=limits,
            with_statistics=statistics,
            by=by,
            diseases=load_diseases(diseases) if diseases else None,
            training=training,
            sample=sample,
            runner=Runner(processes=jobs, seconds_per_page=seconds, cache=cache),
            progress=progress,
        )
        tables = list(measurement.measure(corpora))
    _report(tables, by, json_file, html_file)


@main.command()
def migrate() -> None:
    """Bring the database to the schema of this version."""
    from worker.store import migrations

    _with_store(load_settings(), migrations.migrate)


@main.command()
def intake() -> None:
    """Run the intake: page messages into the store."""
    from worker.service.intake import Intake

    settings = _service_settings()
    Intake(settings).run_until_signalled()


@main.command()
def relay() -> None:
    """Run the relay: from the outbox to the broker."""
    from worker.service.relay import Relay

    settings = _service_settings()
    Relay(settings).run_until_signalled()


@main.command()
@click.argument("process", type=click.Choice(PROCESSES))
def health(process: str) -> None:
    """Tell whether a process on this host is alive, by the age of its heartbeat."""
    heartbeat = Heartbeat(load_settings().heartbeat_directory, process)
    age = heartbeat.age_seconds()
    if not heartbeat.is_alive():
        seen = "never" if age is None else f"{age:.0f} seconds ago"
        raise click.ClickException(f"{process} was last alive {seen}")
    click.echo(f"{process} was alive {age:.0f} seconds ago")


def _service_settings() -> Settings:
    from worker import logs

    settings = load_settings()
    logs.configure(settings.log_level, settings.log_format, secrets=settings.secrets)
    settings.require_database_url()
    settings.require_broker_url()
    return settings


def _messages(inputs: tuple[Path, ...]) -> Iterator[bytes]:
    from worker.inputs import read_messages

    # Each is looked at before the first message is sent.
    return chain.from_iterable([read_messages(path) for path in inputs])


def _stages(stage: str | None) -> list[str]:
    return [stage] if stage else list(QUARANTINED_STAGES)


def _quarantined(stage: str | None) -> Iterator[QuarantinedMessage]:
    from worker.service.quarantine import browse

    settings = load_settings()
    for each in _stages(stage):
        yield from browse(settings, each)


def _report_moved(moved: int, message_id: str | None, done: str) -> None:
    if message_id and not moved:
        raise click.ClickException(f"no message {message_id!r} is in quarantine")
    click.echo(f"{moved} messages {done}")


class _Bars:
    """Progress of a run by stage: bars on a terminal, else a line now and then."""

    STAGES = ("intake", "comparison", "grouping", "extraction")

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks = {stage: progress.add_task(stage, total=None) for stage in self.STAGES}
        self._last_line = time.monotonic()

    def update(self, sent: int, counts: RunProgress) -> None:
        """Show the counts."""
        stages = {
            "intake": (counts.received, sent),
            "comparison": (counts.compared, counts.pairs),
            "grouping": (counts.grouped, counts.pages),
            "extraction": (max(0, counts.pages - counts.pending), counts.pages),
        }
        for stage, (done, total) in stages.items():
            self._progress.update(self._tasks[stage], completed=done, total=total)
        now = time.monotonic()
        if not console.is_terminal and now - self._last_line >= LINE_SECONDS:
            self._last_line = now
            line = ", ".join(f"{stage} {done}/{total}" for stage, (done, total) in stages.items())
            console.print(line, soft_wrap=True, highlight=False)


def _progress_display() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def _progress_bars() -> Iterator[_Bars]:
    with _progress_display() as progress:
        yield _Bars(progress)


@contextmanager
def _measurement_bar() -> Iterator[OnProgress]:
    with _progress_display() as progress:
        task = progress.add_task("", total=None)
        last_line = time.monotonic()

        def update(what: str, done: int, total: int) -> None:
            nonlocal last_line
            progress.update(task, description=what, completed=done, total=total)
            if not console.is_terminal and time.monotonic() - last_line >= LINE_SECONDS:
                last_line = time.monotonic()
                console.print(f"{what} {done}/{total}", soft_wrap=True, highlight=False)

        yield update


def _report(
    tables: list[CorpusTable], by: str | None, json_file: Path | None, html_file: Path | None
) -> None:
    from worker.evaluation.bench import Report, tables_of, to_html

    report = Report.now(tables, by)
    if json_file:
        figures = json.dumps(report.to_json(), ensure_ascii=False, indent=1)
        json_file.write_text(figures + "\n", encoding="utf-8")
    if html_file:
        html_file.write_text(to_html(report), encoding="utf-8")
    out = _output()
    for table in tables:
        for drawn in tables_of(table, by):
            out.print(drawn)
        for remark in table.remarks:
            out.print(remark, highlight=False, markup=False)


def _output() -> Console:
    out = Console()
    if not out.is_terminal:
        out.width = FILE_COLUMNS
    return out


def _print_summary(summary: RunSummary, output: Path) -> None:
    if len(summary.sites) <= 40:
        console.print(_site_table(summary.sites))
    _print_changed_designs(console, summary.sites)
    _print_not_clustered(console, summary.sites)
    counts = summary.progress
    groups = sum(len(site.groups) for site in summary.sites)
    outliers = sum(site.outliers for site in summary.sites)
    console.print(
        f"{summary.sent} messages, {counts.pages} pages of {len(summary.sites)} sites,"
        f" {groups} groups, {outliers} outliers, {summary.seconds:.1f} seconds"
    )
    for title, numbers in (
        ("messages", counts.results),
        ("outcomes", counts.outcomes),
        ("unusable", counts.quarantine_reasons),
    ):
        if numbers:
            console.print(f"{title}: {_listed(numbers)}")
    console.print(f"{summary.articles} articles in {output}", soft_wrap=True)


def _where_quarantined(summary: RunSummary) -> str:
    return f"; see {summary.quarantine_file}" if summary.quarantine_file else ""


def _site_table(sites: list[SiteStatus]) -> Table:
    table = Table(
        Column("site", no_wrap=True),
        *(Column(name, justify="right") for name in ("pages", "pending", "generation", "outliers")),
        "groups",
        "outcomes",
        box=SIMPLE,
        padding=0,
        pad_edge=False,
    )
    for site in sites:
        table.add_row(
            site.key,
            str(site.pages),
            str(site.pending),
            str(site.generation),
            str(site.outliers),
            ", ".join(f"{number}: {size}" for number, size in site.groups.items()),
            _listed(site.outcomes),
        )
    return table


def _listed(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items())


def _print_changed_designs(out: Console, sites: list[SiteStatus]) -> None:
    for site in sites:
        if site.changed_design:
            out.print(
                f"{site.key} has a new design since {site.changed_design:%Y-%m-%d %H:%M}",
                soft_wrap=True,
                highlight=False,
            )


def _print_not_clustered(out: Console, sites: list[SiteStatus]) -> None:
    for site in sites:
        if site.not_clustered_since:
            out.print(
                f"{site.key} is in quarantine since {site.not_clustered_since:%Y-%m-%d %H:%M}:"
                f" {site.not_clustered_because}",
                soft_wrap=True,
                highlight=False,
            )


def _history_table(history: SiteHistory) -> Table:
    table = Table("group", "pages", "at most", "since", "until", "compared with")
    for group in history.groups:
        table.add_row(
            str(group.number),
            str(group.size) if group.size else "gone",
            str(group.largest),
            f"{group.since:%Y-%m-%d %H:%M}",
            "" if group.size else f"{group.until:%Y-%m-%d %H:%M}",
            group.example,
        )
    return table


def _change_line(change: DesignChange) -> str:
    groups = ", ".join(map(str, change.new_groups)) or "none"
    gone = ", ".join(map(str, change.gone_groups)) or "none"
    return (
        f"design changed with {change.first_url}, fetched {change.since:%Y-%m-%d %H:%M}:"
        f" {change.new_share:.0%} of the newest pages are new, groups {groups}; gone: {gone}"
    )


def _change_to_json(change: DesignChange) -> dict[str, Any]:
    return {
        column.name: getattr(change, column.name)
        for column in change.__table__.columns
        if column.name != "site_id"
    }


if __name__ == "__main__":
    main()
