"""The ports that `make run-cluster` and the tests' own PostgreSQL use."""

import socket

from ports import choose_ports
from postgresql import TestPostgreSQL


def test_taken_port_is_replaced_by_unique_one():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        chosen = choose_ports([port, port, 0, 0])
    assert port not in chosen and len(set(chosen)) == 4


def test_test_server_uses_another_port():
    server = TestPostgreSQL()
    with socket.create_server(("127.0.0.1", server.port)), server:
        assert server.sql("SELECT 1") == "1"
