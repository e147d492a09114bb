"""The whole deployment: totals first, then what wants to be looked at."""

from collections.abc import Mapping

from worker.errors import ExpectedError
from worker.inspector.asking import Asked
from worker.inspector.processes import processes
from worker.inspector.registry import Answer, Views
from worker.messaging.broker import QueueState, queue_states
from worker.outcomes import PENDING, PageOutcome
from worker.settings import Settings
from worker.store.inspection_overview import Arrivals
from worker.store.inspection_overview import overview as read_overview

views = Views()

CHART_HEIGHT = 100.0

SHOWN = (PageOutcome.ARTICLE, PageOutcome.MENU, "other", PENDING, PageOutcome.FAILED)
"""What a chart tells apart, from its ground up."""


@views.page("/overview", "overview.html")
def overview(asked: Asked) -> Answer:
    """Show the state of the deployment."""
    settings = asked.deployment.settings
    found = asked.read(read_overview)
    queues, problem = _queues(settings)
    return Answer(
        {
            "overview": found,
            "queues": {name: state._asdict() for name, state in queues.items()},
            "broker_problem": problem,
            "processes": processes(settings, queues),
        },
        {"chart": _chart(found.arrivals), "shown": SHOWN},
    )


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


def _chart(arrivals: Arrivals) -> list[dict[str, object]]:
    """Return the bars of the pages over time: where each stands, and its parts from the ground."""
    if not arrivals.slots:
        return []
    begin = arrivals.slots[0].begins
    highest = max(sum(slot.outcomes.values()) for slot in arrivals.slots)
    bars = []
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
    return bars
