"""The whole deployment: totals first, then what wants to be looked at."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from worker.errors import ExpectedError
from worker.inspector.asking import Asked
from worker.inspector.processes import processes
from worker.inspector.registry import Answer, Views
from worker.messaging.broker import QueueState, queue_states, topology_of
from worker.messaging.task_names import STAGES
from worker.outcomes import PENDING, PageOutcome
from worker.settings import Settings
from worker.store.inspection_overview import Arrivals, Waits
from worker.store.inspection_overview import overview as read_overview

views = Views()

CHART_HEIGHT = 100.0

LEAST_SLOTS = 24
"""Slots that a chart has room for, however few there are."""

SHOWN = (PageOutcome.ARTICLE, PageOutcome.MENU, "other", PENDING, PageOutcome.FAILED)
"""What a chart tells apart, from its ground up."""


@views.page("/overview", "overview.html")
def overview(asked: Asked) -> Answer:
    """Show the state of the deployment."""
    settings = asked.deployment.settings
    found = asked.deployment.read_lately(read_overview)
    queues, problem = _queues(settings)
    return Answer(
        {
            "overview": found,
            "stages": _stages(settings, found.waits, queues),
            "in_quarantine": _in_quarantine(settings, queues),
            "broker_problem": problem,
            "processes": processes(settings, queues),
        },
        {"chart": _chart(found.arrivals), "shown": SHOWN},
    )


@dataclass(frozen=True)
class Stage:
    """What waits at a stage: messages in its queue, and how long the oldest request has.

    Each is None where it is not known.
    """

    name: str
    queue: str | None
    messages: int | None
    oldest_seconds: float | None


def _stages(settings: Settings, waits: Waits, queues: Mapping[str, QueueState]) -> list[Stage]:
    """Return the stages in the order of a page's way."""
    topology = topology_of(settings)
    names = {
        "intake": topology.pages,
        **{stage: topology.task_queue(stage) for stage in STAGES},
        "articles": topology.articles_queue,
    }
    found = [
        Stage(
            name,
            queue,
            queues[queue].messages if queue in queues else None,
            waits.oldest_seconds.get(name),
        )
        for name, queue in names.items()
    ]
    relay = Stage("relay", None, waits.for_relay, waits.oldest_seconds["relay"])
    return [*found[:-1], relay, found[-1]]


def _in_quarantine(settings: Settings, queues: Mapping[str, QueueState]) -> int | None:
    if not queues:
        return None
    return sum(queues[queue].messages for queue in topology_of(settings).quarantines.values())


def _queues(settings: Settings) -> tuple[dict[str, QueueState], str | None]:
    try:
        return queue_states(settings), None
    except ExpectedError as error:
        return {}, str(error)


def shown_outcomes(outcomes: Mapping[str, int]) -> dict[str, int]:
    """Return numbers of pages by what a chart tells apart."""
    counts = dict.fromkeys(SHOWN, 0)
    for outcome, number in outcomes.items():
        counts[outcome if outcome in counts else "other"] += number
    return counts


@dataclass(frozen=True)
class Chart:
    """Bars of the pages over time.

    Parameters
    ----------
    bars
        The slot of each, its place from the first, and its parts from the ground: what they are,
        how many pages, and where they stand.
    slots
        Number of slots that there is room for.
    end
        When the last of these ends.
    """

    bars: list[dict[str, object]]
    slots: int
    end: datetime


def _chart(arrivals: Arrivals) -> Chart | None:
    if not arrivals.slots:
        return None
    begin = arrivals.slots[0].begins
    highest = max(sum(slot.outcomes.values()) for slot in arrivals.slots)
    bars: list[dict[str, object]] = []
    place = 0
    for slot in arrivals.slots:
        ground = CHART_HEIGHT
        parts = []
        for name, number in shown_outcomes(slot.outcomes).items():
            height = CHART_HEIGHT * number / highest
            ground -= height
            if number:
                parts.append((name, number, round(ground, 2), round(height, 2)))
        place = round((slot.begins - begin).total_seconds() / arrivals.slot_seconds)
        bars.append({"slot": slot, "place": place, "parts": parts})
    slots = max(place + 1, LEAST_SLOTS)
    return Chart(bars, slots, begin + timedelta(seconds=slots * arrivals.slot_seconds))
