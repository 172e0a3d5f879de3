"""The proxy of `make run-cluster` has the same settings as the shipped one, as far as a single
machine allows."""

import re

from run import proxy_configuration

from support.program import REPOSITORY


def lines(text):
    return {line.strip() for line in text.splitlines() if line.strip() and "#" not in line}


def test_cluster_proxy_matches_shipped_file():
    shipped = (REPOSITORY / "Deploy/haproxy/haproxy.cfg").read_text()
    local = proxy_configuration(8080, [8081, 8082, 8083])
    assert not re.search(r"10\.0\.0\.|ssl crt|https unless|postgresql", "\n".join(lines(local)))
    assert lines(local) - lines(shipped) == {
        "maxconn 400",
        "bind 127.0.0.1:8080",
        "http-request set-header X-Forwarded-Proto http",
        "cookie lifesignal-server insert indirect nocache httponly",
        *(f"server web{n} 127.0.0.1:808{n} check cookie web{n}" for n in (1, 2, 3)),
    }
