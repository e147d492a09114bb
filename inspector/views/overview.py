"""Overview of the whole deployment: totals first, then the things that need attention."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic

from detourage.expected_errors import ExpectedError
from detourage.outcomes import PageOutcome
from inspector.broker import STAGES, QueueState, quarantine_of, queue_names, queue_states
from inspector.reads.articles import PENDING
from inspector.reads.overview import Arrivals, Overview
from inspector.reads.overview import overview as read_overview
from inspector.registry import ViewResponse, page_view
from inspector.request import InspectorRequest
from inspector.settings import InspectorSettings

CHART_HEIGHT = 100.0  # height of the chart, in SVG units

MIN_CHART_SLOTS = 24  # with fewer, the bars of a new deployment would be too wide

ROUND_TOPS = (1, 2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 60, 80, 100)
"""Possible upper ends of the chart's scale, to be multiplied by a power of ten. The middle of the
scale is labelled, too, so all but 1 are even."""

CATEGORIES = (PageOutcome.ARTICLE, PageOutcome.MENU, "other", PENDING, PageOutcome.FAILED)
"""Categories of the chart, from the bottom up."""


@page_view("/overview", "overview.html")
def overview(request: InspectorRequest) -> ViewResponse:
    """Show totals, the chart of received pages, stages, processes, and recent problems."""
    settings = request.deployment.settings
    state = request.deployment.read_cached(read_overview)
    queues: dict[str, QueueState] = {}
    broker_problem = None
    try:
        queues = queue_states(settings)
    except ExpectedError as error:
        broker_problem = str(error)
    suffix = quarantine_of("")
    quarantines = [each for name, each in queues.items() if name.endswith(suffix)]
    return ViewResponse(
        {
            "overview": state,
            "stages": _stages(settings, state, queues),
            "in_quarantine": sum(each.messages for each in quarantines) if queues else None,
            "broker_problem": broker_problem,
            "processes": _processes(settings, queues),
        },
        {"chart": _chart(state.arrivals), "categories": CATEGORIES},
    )


@dataclass(frozen=True)
class Stage:
    """A processing stage: its queue, the messages in it, and times. Unknown values are None.

    ``oldest_seconds`` is the age of the oldest request, and ``mean_seconds`` the mean duration.
    """

    name: str
    queue: str | None
    messages: int | None
    oldest_seconds: float | None
    mean_seconds: float | None


def _stages(
    settings: InspectorSettings, state: Overview, queues: Mapping[str, QueueState]
) -> list[Stage]:
    """Return the stages in display order."""
    oldest, means = state.waits.oldest_seconds, state.mean_seconds
    stages = [
        Stage(
            name,
            queue,
            queues[queue].messages if queue in queues else None,
            oldest.get(name),
            means.get(name, means.get(f"detourage.{name}")),
        )
        for name, queue in queue_names(settings.queue_prefix).items()
    ]
    relay = Stage("relay", None, state.waits.for_relay, oldest["relay"], None)
    return [*stages[:-1], relay, stages[-1]]


@dataclass(frozen=True)
class Process:
    """A kind of process, with the number of consumers and the age of the heartbeat, if known."""

    name: str
    consumers: int | None
    beat_seconds: float | None
    is_alive: bool | None


def _processes(settings: InspectorSettings, queues: dict[str, QueueState]) -> list[Process]:
    """Return the kinds of processes of the service, and whether any process of a kind is alive."""
    names = queue_names(settings.queue_prefix)
    consumed = {"intake": [names["intake"]], "worker": [names[stage] for stage in STAGES]}
    processes = []
    for name in ("intake", "relay", "worker", "beat"):
        counts = [queues[queue].consumers for queue in consumed.get(name, []) if queue in queues]
        # The embedded broker of a local run does not report consumers.
        consumers = max(counts) if counts and settings.broker_is_amqp else None
        seconds, is_recent = _heartbeat(settings.heartbeat_directory / f"{name}.heartbeat")
        is_alive: bool | None = None
        if seconds is not None or consumers is not None:
            is_alive = is_recent or bool(consumers)
        processes.append(Process(name, consumers, seconds, is_alive))
    return processes


def _heartbeat(file: Path) -> tuple[float | None, bool]:
    """Return the age of a process's last confirmed work, if any, and whether it is recent."""
    try:
        confirmed = json.loads(file.read_text())
        # The time is on the host's monotonic clock. If it is in the future, the host has restarted.
        age, allowed = monotonic() - confirmed["at"], confirmed["allowed_seconds"]
    except (OSError, ValueError, TypeError, KeyError):
        return None, False
    return (age, age <= allowed) if age >= 0 else (None, False)


def pages_by_category(outcomes: Mapping[str, int]) -> dict[str, int]:
    """Return the number of pages by chart category."""
    counts = dict.fromkeys(CATEGORIES, 0)
    for outcome, number in outcomes.items():
        counts[outcome if outcome in counts else "other"] += number
    return counts


@dataclass(frozen=True)
class Chart:
    """A bar chart of pages over time, with one bar per slot.

    A bar has its slot, its index, and its parts from the bottom up (category, number of pages,
    vertical position and height). ``slots`` is the number of slots, ``middle`` and ``end`` are
    times, and ``top`` is the number of pages at the upper end of the scale.
    """

    bars: list[dict[str, object]]
    slots: int
    middle: datetime
    end: datetime
    top: int


def round_top(highest: int) -> int:
    """Return the smallest round number that is at least `highest`, such as 1200 for 1050."""
    power = 1
    while ROUND_TOPS[-1] * power < highest:
        power *= 10
    return next(top * power for top in ROUND_TOPS if top * power >= highest)


def _chart(arrivals: Arrivals) -> Chart | None:
    """Return the chart of the pages received over time, or None without any pages."""
    if not arrivals.slots:
        return None
    begin = arrivals.slots[0].begins
    top = round_top(max(sum(slot.outcomes.values()) for slot in arrivals.slots))
    bars: list[dict[str, object]] = []
    index = 0
    for slot in arrivals.slots:
        y = CHART_HEIGHT
        parts = []
        for name, number in pages_by_category(slot.outcomes).items():
            height = CHART_HEIGHT * number / top
            y -= height
            if number:
                parts.append((name, number, round(y, 2), round(height, 2)))
        index = round((slot.begins - begin).total_seconds() / arrivals.slot_seconds)
        bars.append({"slot": slot, "index": index, "parts": parts})
    slots = max(index + 1, MIN_CHART_SLOTS)
    span = timedelta(seconds=slots * arrivals.slot_seconds)
    return Chart(bars, slots, begin + span / 2, begin + span, top)
