"""A copy of the program with many mutants in one build."""

import json
import os
import re
import shutil
import subprocess
from collections import defaultdict
from functools import cached_property

from areas import AREAS
from weave import SWITCH, woven

# Parts of `.build` to copy, so that the packages aren't fetched.
PACKAGES = ("artifacts", "checkouts", "prebuilts", "repositories")
ERROR = re.compile(r"^(/.*\.swift):(\d+):(\d+): error: (.*)$", re.MULTILINE)
# Appended to the copy's manifest: builds only the needed targets.
ONLY_WANTED = """
var wanted: Set<String> = [%s]
var known = 0
while wanted.count != known {
    known = wanted.count
    for target in package.targets where wanted.contains(target.name) {
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): wanted.insert(name)
            default: break
            }
        }
    }
}
package.targets.removeAll { !wanted.contains($0.name) }
package.products.removeAll { $0.name == "lifesignal" }
"""


class BuildFailed(Exception):
    pass


class Program:
    def __init__(self, root, swift="swift", work=".build-mutants", suites=True):
        self.root, self.swift, self.suites = root, swift, suites
        self.work = root / work
        self.copy, self.scratch = self.work / "copy", self.work / "build"
        self.woven = {}

    @property
    def configuration(self):
        """An optimised simulation plays three times as many days. The suites need a debug build."""
        return "debug" if self.suites else "release"

    @property
    def binaries(self):
        return self.scratch / self.configuration

    @cached_property
    def refused(self):
        """The ids of candidates that didn't compile in earlier builds."""
        file = self.work / "refused.json"
        return set(json.loads(file.read_text())) if file.exists() else set()

    def build(self, mutants, say=print):
        """Builds the program with these mutants. Returns the mutants that compile."""
        self._prepare()
        mutants = [one for one in mutants if one.id not in self.refused]
        steps = [("--target", area.target) for area in AREAS]
        steps += [("--build-tests",)] if self.suites else []
        for step in steps + [("--product", "simulate")]:
            retried = False
            while True:
                self._write([one for one in mutants if one.id not in self.refused])
                say(f"Building {step[1] if step[0] != '--build-tests' else 'the tests'} …")
                output = self._swift_build(*step)
                if output is None:
                    break
                blamed = self._blamed(output)
                if blamed:
                    say(f"{len(blamed)} mutants don't compile.")
                    self._refuse(blamed)
                elif retried:
                    (self.work / "build.log").write_text(output)
                    raise BuildFailed(f"It does not build; see {self.work.name}/build.log.")
                # Retry once, because a busy disk may have failed.
                retried = not blamed
        return [one for one in mutants if one.id not in self.refused]

    def _swift_build(self, *arguments):
        """Returns the output of a failed build, or None after a success."""
        done = subprocess.run(
            [self.swift, "build", "--package-path", self.copy, "--scratch-path", self.scratch]
            + ["--configuration", self.configuration, *arguments],
            env=os.environ | {"LIFESIGNAL_ALLOWS_WARNINGS": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        return None if done.returncode == 0 else done.stdout

    def _refuse(self, ids):
        self.refused.update(ids)
        (self.work / "refused.json").write_text(json.dumps(sorted(self.refused)))

    def _blamed(self, output):
        ids = set()
        for path, line, column, _ in set(ERROR.findall(output)):
            for relative, source in self.woven.items():
                if path == str(self.copy / relative):
                    ids.update(source.ids_at(int(line), int(column)))
        return ids

    def _prepare(self):
        self.scratch.mkdir(parents=True, exist_ok=True)
        for part in PACKAGES:
            if (self.root / ".build" / part).exists() and not (self.scratch / part).exists():
                shutil.copytree(self.root / ".build" / part, self.scratch / part, symlinks=True)

    def _write(self, mutants):
        """Updates the copy. Unchanged files keep their time, so that they aren't recompiled."""
        by_file = defaultdict(list)
        for one in mutants:
            by_file[one.path].append(one)
        wanted = {}
        # Tests compare the sources with the documents.
        for folder in ("Sources", "Tests", "Docs", "Deploy"):
            for file in (self.root / folder).rglob("*"):
                if (
                    file.is_file()
                    and "__pycache__" not in file.parts
                    and ".build" not in file.parts
                ):
                    wanted[str(file.relative_to(self.root))] = file.read_bytes()
        for path, ones in by_file.items():
            source = self.woven[path] = woven(wanted[path].decode(), ones)
            wanted[path] = source.text.encode()
            self.refused.update(source.rejected)
        for area in AREAS:
            wanted[f"{area.sources}/Mutants.swift"] = SWITCH.encode()
        wanted |= self._manifest()
        for path, content in wanted.items():
            file = self.copy / path
            if not file.exists() or file.read_bytes() != content:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content)
        for file in list(self.copy.rglob("*")):
            if file.is_file() and str(file.relative_to(self.copy)) not in wanted:
                file.unlink()

    def _manifest(self):
        names = {"simulate"} | {area.target for area in AREAS}
        if self.suites:
            names |= {suite for area in AREAS for suite in area.suites}
        manifest = (self.root / "Package.swift").read_text()
        manifest += ONLY_WANTED % ", ".join(f'"{name}"' for name in sorted(names))
        found = {"Package.swift": manifest.encode()}
        if (self.root / "Package.resolved").exists():
            found["Package.resolved"] = (self.root / "Package.resolved").read_bytes()
        return found
