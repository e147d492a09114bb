"""Quarantined messages, grouped by reason and traceback; requeued or dropped after a preview."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from detourage.text.terminal import printable
from inspector.asking import InspectorRequest
from inspector.registry import Answer, action, page_view
from worker.messaging.broker import queue_states, topology_of
from worker.service.quarantine import RELAY, QuarantinedMessage, browse, drop, requeue
from worker.settings import Settings

ACTIONS = {"requeue": (requeue, "sent back"), "drop": (drop, "dropped")}

_PLACE = re.compile(r"(?m)^ *File \"[^\"\n]{1,500}\", line \d+, in \S+$")


@dataclass(frozen=True)
class ShownMessage:
    """A message as it is displayed."""

    fingerprint: str
    message_id: str | None
    url: str | None
    failed_at: str | None
    age_seconds: float | None
    detail: str
    beginning: str
    size: int


@dataclass(frozen=True)
class Group:
    """Messages that failed in the same way, with the first traceback; URLs contain the key."""

    key: str
    stage: str
    reason: str
    traceback: str | None
    messages: list[ShownMessage]


@page_view("/quarantine", "quarantine.html")
def quarantine(asked: InspectorRequest) -> Answer:
    """Show the quarantined messages in groups, largest first."""
    settings = asked.deployment.settings
    held = _held(settings)
    groups = _groups(each for stage in held for each in _browse(settings, stage))
    held[RELAY] = sum(len(group.messages) for group in groups if group.stage == RELAY)
    done, action = asked.number("done"), asked.choice("action", ACTIONS)
    return Answer(
        {"held": {stage: number for stage, number in held.items() if number}, "groups": groups},
        {
            "most_shown": 20,
            "done": done if action else None,
            "action": ACTIONS[action][1] if action else None,
        },
    )


@page_view("/quarantine/preview", "quarantine_preview.html")
def preview(asked: InspectorRequest) -> Answer:
    """Show the messages that an action would affect."""
    action, stage = asked.choice("action", ACTIONS), asked.text("stage") or ""
    settings = asked.deployment.settings
    if action is None or stage not in (*topology_of(settings).quarantines, RELAY):
        raise HTTPException(404)
    key, fingerprint = asked.text("group"), asked.text("message")
    chosen = [
        message
        for group in _groups(_browse(settings, stage))
        for message in group.messages
        if key in (None, group.key) and fingerprint in (None, message.fingerprint)
    ]
    return Answer(
        {"action": action, "stage": stage, "messages": chosen}, {"words": ACTIONS[action][1]}
    )


@action("/quarantine/requeue")
@action("/quarantine/drop")
def act(asked: InspectorRequest) -> Response:
    """Requeue or delete previewed messages."""
    settings = asked.deployment.settings
    action = asked.request.url.path.rpartition("/")[2]
    stage = asked.fields.get("stage", [""])[0]
    if stage not in (*topology_of(settings).quarantines, RELAY):
        raise HTTPException(404)
    change, _ = ACTIONS[action]
    done = change(settings, stage, only=frozenset(asked.fields.get("message", [])))
    return RedirectResponse(f"/quarantine?{urlencode({'done': done, 'action': action})}", 303)


def _held(settings: Settings) -> dict[str, int]:
    """Return the number of quarantined messages by stage, not counting the relay's."""
    states = queue_states(settings)
    quarantines = topology_of(settings).quarantines
    held = {stage: states[queue].messages for stage, queue in quarantines.items()}
    return {stage: number for stage, number in held.items() if number} | {RELAY: 0}


def _browse(settings: Settings, stage: str) -> list[QuarantinedMessage]:
    # Bodies may be large, so their number is limited.
    return list(browse(settings, stage, 400))


def _groups(messages: Iterable[QuarantinedMessage]) -> list[Group]:
    found: defaultdict[tuple[str, str, str], list[QuarantinedMessage]] = defaultdict(list)
    for message in messages:
        found[message.stage, message.reason, way(message.traceback or "")].append(message)
    now = datetime.now(UTC)
    groups = [
        Group(
            hashlib.sha256("\n".join(key).encode()).hexdigest()[:16],
            key[0],
            printable(key[1]),
            held[0].traceback,
            [_shown(each, now) for each in held],
        )
        for key, held in found.items()
    ]
    return sorted(groups, key=lambda group: (-len(group.messages), group.stage, group.key))


def way(traceback: str) -> str:
    """Return the frames and error type of a traceback, equal for failures with the same cause."""
    lines = traceback.rstrip().rsplit("\n", 1)
    return "\n".join([*_PLACE.findall(traceback), lines[-1].partition(":")[0]])


def _shown(message: QuarantinedMessage, now: datetime) -> ShownMessage:
    beginning = message.body[:2400].decode("utf-8", "replace")[:600]
    return ShownMessage(
        message.fingerprint,
        message.message_id,
        message.url,
        message.failed_at,
        message.age_seconds(now),
        printable(message.detail),
        printable(beginning),
        len(message.body),
    )
