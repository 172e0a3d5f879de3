import pytest
from check import Check


@pytest.fixture(scope="session")
def check(tmp_path_factory):
    """Apple's modules as they are declared here; compiled once."""
    check = Check(tmp_path_factory.mktemp("modules"))
    check.declare_apple()
    return check
