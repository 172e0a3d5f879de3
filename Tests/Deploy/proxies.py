"""Caddy and HAProxy with the files of `Deploy`, in front of a test's servers."""

import os
import re
import subprocess

from daemons import program, succeeded
from paths import DEPLOY, adapted
from ports import free_ports
from support.waiting import wait_until

OWN_CERTIFICATE = """{
	admin off
	auto_https disable_redirects
	skip_install_trust
	local_certs
}

"""


class Proxy:
    """A running proxy. Its clients trust its certificate."""

    def __init__(self, port, daemon):
        self.port = port
        self.daemon = daemon
        self.url = f"https://localhost:{port}"


def caddy(start, folder, *servers):
    """Starts Caddy with an internal certificate in front of one or several servers."""
    (port,) = free_ports(1)
    several = len(servers) > 1
    addresses = [f"127.0.0.1:{server.port}" for server in servers]
    shipped = "10.0.0.21:8080 10.0.0.22:8080 10.0.0.23:8080" if several else "127.0.0.1:8080"
    file = adapted(
        "caddy/Caddyfile.several" if several else "caddy/Caddyfile",
        ("\nlifesignal.example.org {", f"\n{OWN_CERTIFICATE}https://localhost:{port} {{"),
        (shipped, " ".join(addresses)),
        folder=folder,
    )
    text = file.read_text()
    file.write_text(text[text.index(OWN_CERTIFICATE) :])
    daemon = start(
        *["caddy", "run", "--adapter", "caddyfile", "--config", file],
        env={**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder / "caddy")},
    )
    daemon.wait_for_port(port)
    wait_until(lambda: has_certificate(port), 20, f"a certificate\n{daemon.output()}")
    return Proxy(port, daemon)


def has_certificate(port):
    """Returns whether Caddy has made its certificate. Caddy listens earlier."""
    address = f"https://localhost:{port}"
    return subprocess.run(["curl", "-sk", "-o", "/dev/null", address]).returncode == 0


def certificate(folder):
    """Writes a certificate for localhost and its key to one file, as HAProxy expects."""
    key, chain, both = (folder / name for name in ("key.pem", "chain.pem", "lifesignal.pem"))
    succeeded(
        *["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
        *["-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", key, "-out", chain],
    )
    both.write_text(chain.read_text() + key.read_text())
    return both


def nginx(start, folder, server):
    """Starts nginx with the shipped file in front of one server, as a user without special
    rights."""
    (port,) = free_ports(1)
    certificate(folder)
    file = adapted(
        "nginx/lifesignal.conf",
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("server_name lifesignal.example.org;", "server_name localhost;"),
        ("/etc/letsencrypt/live/lifesignal.example.org/fullchain.pem", f"{folder}/chain.pem"),
        ("/etc/letsencrypt/live/lifesignal.example.org/privkey.pem", f"{folder}/key.pem"),
        ("127.0.0.1:8080", f"127.0.0.1:{server.port}"),
        folder=folder,
    )
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "\n".join(f"    {kind}_temp_path {folder}/{kind};" for kind in kinds)
    whole = folder / "nginx.conf"
    whole.write_text(
        f"daemon off;\nworker_processes 1;\npid {folder}/nginx.pid;\n"
        f"error_log {folder}/nginx.log;\nevents {{}}\n"
        f"http {{\n    access_log {folder}/access.log;\n{temporary}\n    include {file};\n}}\n"
    )
    daemon = start(program("nginx"), "-e", folder / "nginx.log", "-c", whole)
    return Proxy(port, daemon.wait_for_port(port))


def haproxy_file(folder, servers=(), databases=(), ports=(0, 0, 0), log=""):
    """Returns the shipped file with other ports for PostgreSQL, HTTP and HTTPS. `servers` are ports
    of web servers. `databases` are pairs of PostgreSQL's port and Patroni's. Removes the file's
    other servers."""
    text = (DEPLOY / "haproxy/haproxy.cfg").read_text()
    changes = [
        ("    user haproxy\n    group haproxy\n    maxconn 20000\n", "    maxconn 1000\n"),
        ("bind 127.0.0.1:5432", f"bind 127.0.0.1:{ports[0]}"),
        ("bind :80\n", f"bind 127.0.0.1:{ports[1]}\n"),
        ("bind :443 ", f"bind 127.0.0.1:{ports[2]} "),
        ("/etc/haproxy/lifesignal.pem", str(certificate(folder))),
    ]
    for number in (1, 2, 3):
        web, node = f"    server web{number} 10.0.0.2{number}:8080", f"    server pg{number} "
        if number <= len(servers):
            changes.append((web, web.replace(f"10.0.0.2{number}:8080", servers[number - 1])))
        else:
            changes.append((f"{web} check cookie web{number}\n", ""))
        shipped = f"{node}10.0.0.1{number}:5432 check port 8008\n"
        if number <= len(databases):
            port, checked = databases[number - 1]
            changes.append((shipped, f"{node}127.0.0.1:{port} check port {checked}\n"))
        else:
            changes.append((shipped, ""))
    assert len(re.findall(r"^    server ", text, re.MULTILINE)) == 6
    return adapted("haproxy/haproxy.cfg", *changes, folder=folder)


def haproxy(start, folder, *servers):
    """Starts HAProxy with a certificate of its own in front of one or several servers."""
    ports = free_ports(3)
    addresses = [f"127.0.0.1:{server.port}" for server in servers]
    file = haproxy_file(folder, servers=addresses, ports=ports)
    daemon = start(program("haproxy"), "-db", "-f", file)
    return Proxy(ports[2], daemon.wait_for_port(ports[2]))
