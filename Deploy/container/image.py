#!/usr/bin/env python3
"""Writes an OCI image without a container engine: image.py PACKAGE FOLDER.

PACKAGE is the Debian package, FOLDER gets lifesignal_<version>_<architecture>.oci.tar and its bill
of materials. The image has the package's program and, from the machine that builds it, the
libraries that the program is linked with, the root certificates, the time zones, and curl for the
health check. It has no shell and no package manager. The same package and machine give the same
bytes.

An OCI image's configuration has no field for a health check. Docker and Podman read theirs there
all the same, so it is here, as BuildKit does it.
"""

import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from datetime import UTC, datetime
from pathlib import Path

USER = 10001
DATA = "/data"
DOCUMENTS = "usr/share/doc/lifesignal"
OCI = "application/vnd.oci.image"
# The internal port speaks plain HTTP even if the public one speaks TLS or is another.
# Engines hand their own http_proxy to containers. No proxy reaches the container's own port.
HEALTH = ["CMD", "/usr/bin/curl", "-fsS", "--noproxy", "*", "-o", "/dev/null"]
HEALTH += ["http://127.0.0.1:8081/health/ready"]
SECOND = 1_000_000_000  # Docker counts in nanoseconds.
TEXTS = {
    "etc/passwd": f"lifesignal:x:{USER}:{USER}:LifeSignal:{DATA}:/usr/sbin/nologin\n",
    "etc/group": f"lifesignal:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}
LINKS = {"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64", "etc/os-release": None}
# ZBar converts the texts of QR codes from these.
CHARACTER_SETS = ["ISO8859-1.so", "SJIS.so", "BIG5.so", "gconv-modules", "gconv-modules.d"]


def output(*command, **options):
    return subprocess.check_output([str(part) for part in command], text=True, **options)


def linked(program, beside=None):
    """Returns the libraries of a program, as the loader finds them: paths by name. Those in the
    folder `beside` are found, and left out."""
    told = output("ldd", program, env={**os.environ, "LD_LIBRARY_PATH": str(beside or "")})
    found = dict(re.findall(r"^\s*(?:(?:\S+) => )?(/\S*/(\S+)) \(0x", told, re.MULTILINE))
    return {
        name: path
        for path, name in found.items()
        if beside is None or not path.startswith(str(beside))
    }


class Layer:
    """A tape archive in which only the content counts: no owners, no times, sorted names."""

    def __init__(self, moment):
        self.moment = moment
        self.entries = {}

    def put(self, name, content=None, *, mode=None, link=None, user=0):
        for parent in list(Path(name).parents)[-2::-1]:
            folder = self._info(str(parent), tarfile.DIRTYPE, 0o755)
            self.entries.setdefault(str(parent), (folder, None))
        if link is not None:
            info = self._info(name, tarfile.SYMTYPE, 0o777)
            info.linkname = link
        elif content is None:
            info = self._info(name, tarfile.DIRTYPE, mode or 0o755)
        else:
            info = self._info(name, tarfile.REGTYPE, mode or 0o644)
            info.size = len(content)
        info.uid = info.gid = user
        self.entries[name] = (info, content)

    def put_tree(self, source, name, leaving_out=()):
        for path in sorted(Path(source).rglob("*")):
            inner = path.relative_to(source)
            if inner.parts[0] in leaving_out or path.is_dir():
                continue
            if path.is_symlink():
                self.put(f"{name}/{inner}", link=os.readlink(path))
            else:
                mode = 0o755 if os.access(path, os.X_OK) and path.stat().st_mode & 0o111 else 0o644
                self.put(f"{name}/{inner}", path.read_bytes(), mode=mode)

    def _info(self, name, kind, mode):
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.mtime = kind, mode, self.moment
        return info

    def bytes(self):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for name in sorted(self.entries):
                info, content = self.entries[name]
                archive.addfile(info, io.BytesIO(content) if content else None)
        return buffer.getvalue()


def of_debian(moment, package_root):
    """Returns the layer of what comes from Debian, and the files whose packages the bill names."""
    layer = Layer(moment)
    libraries = package_root / "usr/lib/lifesignal"
    found = linked("/usr/bin/curl") | linked(package_root / "usr/bin/lifesignal", libraries)
    for library in sorted(libraries.glob("*.so")):
        found |= linked(library, libraries)
    sources = []
    for name, path in found.items():
        source = os.path.realpath(path)
        # With merged /usr, the loader finds a library in /lib as in /usr/lib.
        place = path if path.startswith("/usr/") else f"/usr{path}"
        layer.put(place.lstrip("/"), Path(source).read_bytes(), mode=0o755)
        sources.append(source)
    layer.put("usr/bin/curl", Path("/usr/bin/curl").read_bytes(), mode=0o755)
    (libc,) = [path for name, path in found.items() if name == "libc.so.6"]
    conversions = Path(libc).resolve().parent / "gconv"
    for name in CHARACTER_SETS:
        inside = f"usr/lib/{conversions.parent.name}/gconv/{name}"
        if (conversions / name).is_dir():
            layer.put_tree(conversions / name, inside)
        elif (conversions / name).exists():
            layer.put(inside, (conversions / name).read_bytes())
    layer.put_tree("/usr/share/zoneinfo", "usr/share/zoneinfo", leaving_out=("posix", "right"))
    certificates = "etc/ssl/certs/ca-certificates.crt"
    layer.put(certificates, Path("/", certificates).read_bytes())
    layer.put("usr/lib/ssl/cert.pem", link=f"/{certificates}")
    layer.put("usr/lib/os-release", Path("/usr/lib/os-release").read_bytes())
    for name, text in TEXTS.items():
        layer.put(name, text.encode())
    for name, target in LINKS.items():
        layer.put(name, link=target or "../usr/lib/os-release")
    for name in ("dev", "proc", "sys", "run"):
        layer.put(name)
    layer.put("tmp", mode=0o1777)
    layer.put(DATA.lstrip("/"), mode=0o700, user=USER)
    others = ["/usr/bin/curl", "/usr/share/zoneinfo/UTC", "/usr/sbin/update-ca-certificates"]
    return layer, sources + others


def add_packages(layer, bill):
    """Adds the licences of Debian's packages, and the entries in which scanners look for them."""
    for one in bill["components"]:
        if not one.get("purl", "").startswith("pkg:deb/"):
            continue
        name = one["name"]
        path = Path("/usr/share/doc", name, "copyright")
        layer.put(f"usr/share/doc/{name}/copyright", path.read_bytes())
        layer.put(f"var/lib/dpkg/status.d/{name}", output("dpkg-query", "--status", name).encode())


def of_program(moment, package_root, bill):
    layer = Layer(moment)
    for folder in ("usr/bin", "usr/lib/lifesignal", DOCUMENTS):
        layer.put_tree(package_root / folder, folder)
    layer.put(f"{DOCUMENTS}/sbom.cdx.json", bill.encode())
    return layer


def configuration(version, architecture, moment, layers):
    build = re.search(r"\(\S*?([0-9a-f]{12}(?:-dirty)?)\)", version)
    created = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "title": "LifeSignal",
        "description": "Personal safety network: check-ins, alerts, responders",
        "version": version,
        "revision": build[1] if build else "unknown",
        "created": created,
    }
    return {
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": [
                "PATH=/usr/bin",
                "LIFESIGNAL_HOST=0.0.0.0",
                "LIFESIGNAL_PORT=8080",
                "LIFESIGNAL_INTERNAL_PORT=8081",
                f"LIFESIGNAL_DATABASE={DATA}/lifesignal.sqlite",
            ],
            "Entrypoint": ["/usr/bin/lifesignal"],
            "Cmd": ["serve"],
            "WorkingDir": DATA,
            "ExposedPorts": {"8080/tcp": {}},
            "Volumes": {DATA: {}},
            "StopSignal": "SIGTERM",
            "Labels": {f"org.opencontainers.image.{name}": text for name, text in labels.items()},
            "Healthcheck": {
                "Test": HEALTH,
                "Interval": 30 * SECOND,
                "Timeout": 5 * SECOND,
                "StartPeriod": 10 * SECOND,
                "Retries": 3,
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [digest(content) for content in layers]},
        "history": [
            {"created": created, "created_by": f"Deploy/container/image.py: {what}"}
            for what in ("Debian's libraries", "LifeSignal and Swift's runtime")
        ],
    }


def digest(content):
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def write(target, version, architecture, moment, layers):
    blobs = {}

    def blob(kind, content):
        blobs[digest(content)] = content
        return {"mediaType": f"{OCI}.{kind}", "digest": digest(content), "size": len(content)}

    contents = [layer.bytes() for layer in layers]
    described = json.dumps(configuration(version, architecture, moment, contents)).encode()
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{OCI}.manifest.v1+json",
        "config": blob("config.v1+json", described),
        "layers": [
            blob("layer.v1.tar+gzip", gzip.compress(content, 6, mtime=0)) for content in contents
        ],
    }
    entry = blob("manifest.v1+json", json.dumps(manifest).encode())
    name = f"lifesignal:{version.split()[0]}"
    entry["platform"] = {"architecture": architecture, "os": "linux"}
    entry["annotations"] = {"org.opencontainers.image.ref.name": name}
    index = {"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": [entry]}
    archive = Layer(moment)
    archive.put("oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
    archive.put("index.json", json.dumps(index).encode())
    for name, content in blobs.items():
        archive.put(f"blobs/{name.replace(':', '/')}", content)
    target.write_bytes(archive.bytes())


def main(package, folder):
    package_version, architecture = output(
        "dpkg-deb", "--showformat=${Version} ${Architecture}", "--show", package
    ).split()
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        subprocess.run(["dpkg-deb", "--extract", package, root], check=True)
        moment = int((root / DOCUMENTS / "sbom.cdx.json").stat().st_mtime)
        debian, files = of_debian(moment, root)
        bill = output(
            Path(__file__).parents[1] / "sbom.py",
            *["--onto", root / DOCUMENTS / "sbom.cdx.json", *files],
            env={**os.environ, "SOURCE_DATE_EPOCH": str(moment)},
        )
        add_packages(debian, json.loads(bill))
        version = json.loads(bill)["metadata"]["component"]["version"]
        target = Path(folder, f"lifesignal_{package_version}_{architecture}.oci.tar")
        write(target, version, architecture, moment, [debian, of_program(moment, root, bill)])
    target.with_suffix(".cdx.json").write_text(bill)
    print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
