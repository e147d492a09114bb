"""A broker that is started for the tests never touches the machine's own broker."""

from pathlib import Path

import pytest

from tests.services import private_node


def test_a_private_node_shares_no_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RABBITMQ_NODENAME", "rabbit@localhost")
    monkeypatch.setenv("RABBITMQ_QUORUM_DIR", "/var/lib/rabbitmq/quorum")
    first = private_node(tmp_path, 1, 2, 3)
    assert "RABBITMQ_QUORUM_DIR" not in first
    places = [value for value in first.values() if value.startswith(("/var", "/etc"))]
    assert not [value for value in places if "rabbitmq" in value]
    for name in ("HOME", "RABBITMQ_CONF_ENV_FILE", "RABBITMQ_LOG_BASE", "RABBITMQ_MNESIA_BASE"):
        assert Path(first[name]).is_relative_to(tmp_path)
    assert first["RABBITMQ_NODENAME"] != private_node(tmp_path, 1, 2, 3)["RABBITMQ_NODENAME"]
