"""The metrics that the program declares, and the metrics that an expression uses."""

import re

from support.program import REPOSITORY

SOURCES = REPOSITORY / "Sources"
# Metrics of Prometheus itself, the blackbox exporter, the node exporter and Patroni's REST
# interface.
OTHERS = {
    *("up", "probe_success", "node_filesystem_avail_bytes", "node_filesystem_size_bytes"),
    "node_textfile_scrape_error",
    *("patroni_primary", "patroni_sync_standby", "patroni_postgres_running"),
}

# `lifesignal canary` writes its metrics to a file of its own.
CANARY = re.compile(r'"# TYPE (lifesignal_canary_\w+) (gauge)"')
CASE = re.compile(r'case (\w+) = "((?:lifesignal|process)_\w+)"')
# A metric's name. Unlike a function or a label, no call or value follows it.
NAME = re.compile(r"(?<![\w$.])([a-z_:][a-z0-9_:]*)(?!\w|\s*\(|\s*[!=]~?\")")
WORDS = set(
    "by or and unless on ignoring without offset group_left group_right bool vector".split()
)


def declared():
    journal = SOURCES / "Apps/CommandLine/Canary/CanaryJournal.swift"
    return server_metrics() | dict(CANARY.findall(journal.read_text()))


def server_metrics():
    """Returns the kinds of the server's metrics by name. They follow the rule of `Metric.kind`."""
    text = (SOURCES / "Server/HTTPServer/Observability/Metric.swift").read_text()
    buckets = text.partition("var buckets")[2].partition("default:")[0]
    histograms = re.findall(r"\.(\w+)", buckets)
    kinds = {}
    for case, name in CASE.findall(text):
        other = "histogram" if case in histograms else "gauge"
        kinds[name] = "counter" if name.endswith("_total") else other
    return kinds


def samples():
    """Returns all names that samples of `/metrics` can have."""
    names = set()
    for name, kind in declared().items():
        parts = ("_bucket", "_sum", "_count") if kind == "histogram" else ("",)
        names |= {name + part for part in parts}
    return names


def named(expression):
    text = re.sub(r'"[^"]*"', '""', expression)
    text = re.sub(r"\b(by|without|on|ignoring)\s*\([^)]*\)", " ", text)
    text = re.sub(r"\[[^\]]*\]|\boffset\s+\w+", " ", text)
    text = re.sub(r"\{[^}]*\}", " ", text)
    return {name for name in NAME.findall(text) if name not in WORDS}


def unknown(expression):
    return named(expression) - samples() - OTHERS
