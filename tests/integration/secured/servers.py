"""PostgreSQL and RabbitMQ with certificates and passwords, set up with the documented scripts."""

import json
import os
import pwd
import secrets
import subprocess
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from sqlalchemy import URL, text

from detourage.limits import MAX_MESSAGE_BYTES
from tests.certificates import Authority
from tests.faults.proving_ground import RABBITMQCTL
from tests.services import (
    postgresql_programs,
    private_node,
    start_rabbitmq,
    unused_ports,
    wait_for_broker,
)
from worker.processes.supervisor import Supervisor
from worker.store.database import Database

SCRIPTS = Path(__file__).parents[3] / "deploy"

CERTIFIED = "localhost"  # the only host name in the servers' certificates

UNCERTIFIED = "127.0.0.1"
"""A host name of the servers that their certificates do not cover."""

OWNER = "detourage"  # name of the database and of the role that owns it


class SecuredServers:
    """Both servers, with methods that create the documented roles and users.

    `authority` is the certificate file of the authority that signed the servers' certificates;
    `stranger` is the file of an unrelated authority. The broker refuses messages above 16 MiB. Its
    administrator may connect without encryption.
    """

    def __init__(self) -> None:
        self._home = Path(tempfile.mkdtemp(prefix="detourage-secured-"))
        # PostgreSQL refuses to run as root, so another user must be able to enter this directory.
        self._home.chmod(0o711)
        self._supervisor = Supervisor(remove=[self._home])
        authority = Authority(self._home, "authority")
        self.authority = authority.file
        self.stranger = Authority(self._home, "stranger").file
        self._certificate, self._key = authority.issue_certificate(CERTIFIED)
        for file in (self.authority, self._certificate):
            file.chmod(0o644)
        self._passwords = {
            name: secrets.token_hex(8)
            for name in (OWNER, "service", "read", "crawler", "recogniser")
        }
        self._database_port, self._port, self._tls_port, *others = unused_ports(5)
        self.administrator_url = f"amqp://guest:guest@127.0.0.1:{self._port}//"
        self._node = private_node(self._home / "broker", self._port, *others)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._supervisor)
            self._start_broker()
            self._start_postgresql()
            assert wait_for_broker(self.administrator_url)
            # A test shows that a crawler waits for a queue with room for a single page.
            self.make_users(BROKER_PAGES_LIMIT="1")
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_error: object) -> None:
        self._stack.close()

    def database_url(
        self,
        role: str,
        *,
        host: str = CERTIFIED,
        authority: Path | None = None,
        database: str = OWNER,
        password: str | None = None,
    ) -> str:
        """Return a database URL for a role that requires a valid certificate of the server."""
        return URL.create(
            "postgresql+psycopg2",
            username=role,
            password=password or self._passwords[role.removeprefix("detourage_")],
            host=host,
            port=self._database_port,
            database=database,
            query={"sslmode": "verify-full", "sslrootcert": str(authority or self.authority)},
        ).render_as_string(hide_password=False)

    def broker_url(self, user: str, *, host: str = CERTIFIED) -> str:
        """Return a broker URL for a user, which requires TLS."""
        password = self._passwords[user.removeprefix("detourage_")]
        return f"amqps://{user}:{password}@{host}:{self._tls_port}//"

    def make_roles(self) -> None:
        """Create the database roles with the documented script."""
        url = self.database_url(OWNER).replace("+psycopg2", "")
        script = f"--file={SCRIPTS / 'database-roles.sql'}"
        self._run_script("psql", "--no-psqlrc", script, url)

    def make_users(self, **variables: str) -> None:
        """Create the broker users, and limit the queues, with the documented script."""
        node = ("--node", self._node["RABBITMQ_NODENAME"])
        self._run_script(SCRIPTS / "broker-users.sh", *node, **variables)

    def operator_policies(self) -> Any:
        """Return the operator policies of the broker."""
        node = ["--node", self._node["RABBITMQ_NODENAME"]]
        command = [str(RABBITMQCTL), "--quiet", *node, "list_operator_policies", "--formatter=json"]
        return json.loads(subprocess.check_output(command, env={**os.environ, **self._node}))

    def _run_script(self, *command: str | Path, **variables: str) -> None:
        passwords = {
            f"{server}_{name.upper()}_PASSWORD": password
            for name, password in self._passwords.items()
            for server in ("DATABASE", "BROKER")
        }
        path = os.pathsep.join([str(RABBITMQCTL.parent), os.environ["PATH"]])
        env = {**self._node, **passwords, "PATH": path, **variables}
        result = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")

    def _start_broker(self) -> None:
        home = self._home / "broker"
        home.mkdir()
        (home / "rabbitmq.conf").write_text(
            f"listeners.ssl.1 = 127.0.0.1:{self._tls_port}\n"
            f"ssl_options.cacertfile = {self.authority}\n"
            f"ssl_options.certfile = {self._certificate}\n"
            f"ssl_options.keyfile = {self._key}\n"
            f"max_message_size = {MAX_MESSAGE_BYTES}\n"
        )
        start_rabbitmq(self._supervisor, self._node, home, self._home / "broker.log")

    def _start_postgresql(self) -> None:
        programs = postgresql_programs()
        nobody = pwd.getpwnam("nobody")
        user = (nobody.pw_uid, nobody.pw_gid) if os.geteuid() == 0 else None
        data, key, password = (self._home / name for name in ("data", "key", "password"))
        data.mkdir(mode=0o700)
        key.write_bytes(self._key.read_bytes())
        password.write_text(self._passwords[OWNER])
        for file in (key, password):
            file.chmod(0o600)
        if user is not None:
            for path in (data, key, password):
                os.chown(path, *user)
        files = (f"--pgdata={data}", f"--username={OWNER}", f"--pwfile={password}")
        flags = ("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync")
        subprocess.run(
            [programs / "initdb", *files, *flags],
            check=True,
            capture_output=True,
            cwd="/",
            user=user[0] if user else None,
            group=user[1] if user else None,
            extra_groups=[] if user else None,
        )
        (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": self._database_port,
            "unix_socket_directories": "",
            "ssl": "on",
            "ssl_cert_file": self._certificate,
            "ssl_key_file": key,
            "fsync": "off",
        }
        options = [word for each in settings.items() for word in ("-c", "{}={}".format(*each))]
        self._supervisor.start(
            "postgresql",
            [programs / "postgres", "-D", data, *options],
            log=self._home / "postgresql.log",
            cwd=Path("/"),
            user=user,
        )
        with Database(self.database_url(OWNER, database="postgres")) as database:
            database.wait()
            engine = database.engine.execution_options(isolation_level="AUTOCOMMIT")
            with engine.connect() as connection:
                connection.execute(text(f"CREATE DATABASE {OWNER}"))
