import pytest
from check import Check


@pytest.fixture(scope="session")
def check(tmp_path_factory):
    """The declared modules of Apple, compiled once per test run."""
    check = Check(tmp_path_factory.mktemp("modules"))
    check.declare_apple()
    return check
