#!/usr/bin/env python3
"""Prints a bill of materials as CycloneDX 1.6: what a build contains, with versions and licences.

sbom.py --version VERSION --packages FOLDER FILE…
    FOLDER is SwiftPM's: it has the resolved versions and the checkouts. The Debian packages that
    own the files follow.
sbom.py --onto SBOM FILE…
    adds the Debian packages that own the files to another bill.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import UTC, datetime
from pathlib import Path

# Runs inside the compiler only.
NOT_IN_THE_PROGRAM = {"swift-syntax"}
RUNTIME_LICENCE = "Apache-2.0 WITH Swift-exception"


def output(*command):
    return subprocess.check_output([str(part) for part in command], text=True)


def licence_of(text, name):
    """Returns the SPDX expression of a licence's text."""
    if "Apache License" in text:
        return RUNTIME_LICENCE if "Runtime Library Exception" in text else "Apache-2.0"
    if "Permission is hereby granted, free of charge" in text:
        return "MIT"
    sys.exit(f"sbom.py: the licence of {name} is neither Apache 2.0 nor MIT; teach me to name it")


def swift_packages(folder):
    state = json.loads((folder / "workspace-state.json").read_text())
    for one in state["object"]["dependencies"]:
        address = one["packageRef"]["location"].removesuffix(".git")
        checkout = one["state"]["checkoutState"]
        name = address.rsplit("/", 1)[-1]
        (file, *_) = sorted((folder / "checkouts" / one["subpath"]).glob("LICENSE*"))
        yield {
            "type": "library",
            "bom-ref": f"swift:{name}",
            "name": name,
            "version": checkout["version"],
            "scope": "excluded" if name in NOT_IN_THE_PROGRAM else "required",
            "licenses": [{"expression": licence_of(file.read_text(), name)}],
            "purl": f"pkg:swift/{address.removeprefix('https://')}@{checkout['version']}",
            "properties": [{"name": "lifesignal:commit", "value": checkout["revision"]}],
            "externalReferences": [{"type": "vcs", "url": address}],
        }


def swift_runtime():
    told = output(os.environ.get("SWIFT", "swift"), "--version")
    version = re.search(r"Swift version (\S+)", told)[1]
    return {
        "type": "framework",
        "bom-ref": "swift-runtime",
        "name": "swift-runtime",
        "version": version,
        "description": "Swift's libraries, libdispatch and Foundation with ICU",
        "scope": "required",
        "licenses": [{"expression": f"({RUNTIME_LICENCE}) AND Unicode-3.0"}],
        "externalReferences": [{"type": "website", "url": "https://www.swift.org"}],
    }


def debian_licence(package):
    """Returns what the package's copyright file says about most of its files."""
    text = Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
    stanzas = re.split(r"\n\s*\n", text)
    for stanza in stanzas:
        if re.search(r"^Files:\s*\*\s*$", stanza, re.MULTILINE):
            named = re.search(r"^License:\s*(\S.*)$", stanza, re.MULTILINE)
            if named:
                return named[1].strip()
    return f"see /usr/share/doc/{package}/copyright"


def owner(file):
    """Returns the Debian package that has this file. Paths in /usr may be listed without /usr."""
    path = os.path.realpath(file)
    for one in (path, path.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "--search", one], capture_output=True, text=True)
        if found.returncode == 0:
            return found.stdout.split(":", 1)[0]
    sys.exit(f"sbom.py: no Debian package has {path}")


def debian_packages(files):
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)', Path("/etc/os-release").read_text(), re.M))
    for package in sorted({owner(file) for file in files}):
        show = "${Version}\n${Architecture}\n"
        # An architecture in the name would be needed only where several are installed.
        version, architecture, *_ = output("dpkg-query", "--show", f"-f={show}", package).split()
        system = f"{release['ID']}-{release['VERSION_ID']}"
        yield {
            "type": "library",
            "bom-ref": f"debian:{package}",
            "name": package,
            "version": version,
            "scope": "required",
            "licenses": [{"license": {"name": debian_licence(package)}}],
            "purl": f"pkg:deb/{release['ID']}/{package}@{version.replace(':', '%3A')}"
            f"?arch={architecture}&distro={system}",
        }


def bill(version, components):
    """The serial number follows from the content, so that the same build gives the same bill."""
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", 0)) or datetime.now(UTC).timestamp()
    content = json.dumps([version, components])
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": "lifesignal",
                "name": "lifesignal",
                "version": version,
            },
        },
        "components": components,
        "dependencies": [
            {
                "ref": "lifesignal",
                "dependsOn": [one["bom-ref"] for one in components if one["scope"] == "required"],
            }
        ],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version")
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--onto", type=Path)
    parser.add_argument("files", nargs="*")
    given = parser.parse_args()
    if given.onto:
        before = json.loads(given.onto.read_text())
        version = before["metadata"]["component"]["version"]
        components = before["components"]
    else:
        version = given.version
        components = [*swift_packages(given.packages), swift_runtime()]
    known = {one["bom-ref"] for one in components}
    more = [one for one in debian_packages(given.files) if one["bom-ref"] not in known]
    json.dump(bill(version, components + more), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
