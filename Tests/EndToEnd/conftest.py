"""Fixtures: servers of the built program. Each test kills its servers at the end and shows their
logs when it fails."""

import tempfile

import pytest
from postgresql import TestPostgreSQL

from support.fixtures import require_program
from support.program import PROGRAM, Server
from support.webhooks import WebhookReceiver
from support.wrong_clock import Clock


def pytest_configure(config):
    require_program()


def pytest_generate_tests(metafunc):
    if metafunc.definition.get_closest_marker("both_engines"):
        metafunc.parametrize("engine", ["sqlite", "postgresql"], indirect=True)


def pytest_report_header():
    return f"lifesignal: {PROGRAM}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if report.failed:
        for logs in getattr(item, "server_logs", None) or [
            server.logs() for server in getattr(item, "servers", []) if server.starts
        ]:
            report.sections.append(("Server log", logs))
    return report


# More reruns than this mean a defect of the product or of the machine. `make test-end-to-end` runs
# two processes, which share them (`--second-tries`).
SECOND_TRIES = 3


def pytest_addoption(parser):
    parser.addoption(
        "--second-tries",
        type=int,
        default=SECOND_TRIES,
        help="how many tests may pass only when rerun",
    )


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_sessionfinish(session, exitstatus):
    """Lists tests that passed only when rerun. Fails the run if there are too many."""
    result = yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    repeated = len(reporter.stats.get("rerun", [])) if reporter else 0
    most = session.config.getoption("second_tries", SECOND_TRIES)
    if repeated > most and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        reporter.write_line(f"{repeated} tests passed at the second try only; {most} may.")
    return result


@pytest.fixture
def engine(request):
    """The database engine of all servers. A test marked with `both_engines` runs once per
    engine."""
    return getattr(request, "param", "sqlite")


def _serving(request, engine):
    """Yields a function that makes servers. Kills all of them at the end."""
    servers = request.node.servers = []
    with tempfile.TemporaryDirectory(prefix="lifesignal-test-") as folder:

        def make(*arguments, **options):
            own = options.pop("folder", None) or tempfile.mkdtemp(dir=folder)
            if engine == "postgresql" and "database" not in options:
                options["database"] = request.getfixturevalue("postgresql").make_database()
            servers.append(Server(own, *arguments, **options))
            return servers[-1]

        yield make
        for server in servers:
            server.kill()
        request.node.server_logs = [server.logs() for server in servers if server.starts]


@pytest.fixture
def make_server(request, engine):
    """Makes servers that have not been started: `make_server("--flag", phones=3).start()`."""
    yield from _serving(request, engine)


@pytest.fixture
def server(make_server):
    return make_server().start()


@pytest.fixture
def webhooks():
    receiver = WebhookReceiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="session")
def postgresql():
    with TestPostgreSQL() as server:
        yield server


@pytest.fixture
def postgresql_url(postgresql):
    return postgresql.make_database()


@pytest.fixture
def clock(tmp_path):
    """The wall clock of servers that are started with its `env`. Linux only."""
    folder = tmp_path / "clock"
    folder.mkdir()
    return Clock(folder)
