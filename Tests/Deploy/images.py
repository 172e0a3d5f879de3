"""The image, built from a package, inspected by skopeo, and its root file system in namespaces."""

import json
import os
import shlex
import signal
import subprocess
import tarfile
from pathlib import Path

from daemons import Daemon, succeeded
from paths import DEPLOY
from support.program import environment


class Image:
    def __init__(self, folder, package):
        told = succeeded(DEPLOY / "container/image.py", package, folder, timeout=300)
        self.file = Path(told.splitlines()[-1])
        self.bill = self.file.with_suffix(".cdx.json")
        self.reference = f"oci-archive:{self.file}"

    def inspect(self, *options):
        return json.loads(succeeded("skopeo", "inspect", *options, self.reference))

    def configuration(self):
        """Returns what engines read. skopeo shows only OCI's fields, so the file itself is read."""
        return json.loads(self._blob(self.inspect("--raw")["config"]["digest"]).read())

    def _blob(self, digest):
        archive = tarfile.open(self.file)
        return archive.extractfile(f"blobs/{digest.replace(':', '/')}")

    def unpack(self, root):
        """Writes the layers, one above the other, with the owners of the files."""
        for layer in self.inspect("--raw")["layers"]:
            with tarfile.open(fileobj=self._blob(layer["digest"])) as archive:
                archive.extractall(root, numeric_owner=True)
        root.chmod(0o755)
        return root


class Container:
    """The image's program as its user and as process 1, with its root file system read-only and one
    volume. It has no capabilities, and shares the machine's network."""

    def __init__(self, image, root, volume):
        self.configuration = image.configuration()["config"]
        self.root = root
        self.volume = volume
        self.volume.mkdir(mode=0o700)
        user, group = map(int, self.configuration["User"].split(":"))
        os.chown(self.volume, user, group)

    def command(self, *arguments):
        (volume,) = self.configuration["Volumes"]
        root = shlex.quote(str(self.root))
        user, group = self.configuration["User"].split(":")
        script = (
            f"mount --bind {root} {root} && mount -o remount,bind,ro {root}"
            f" && mount --bind {shlex.quote(str(self.volume))} {root}{volume}"
            f" && mount --rbind /proc {root}/proc && mount --rbind /dev {root}/dev"
            f" && exec setpriv --no-new-privs chroot"
            f' --userspec={user}:{group} --groups= {root} "$@"'
        )
        namespaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"]
        return [*namespaces, "sh", "-c", script, "sh", *arguments]

    def environment(self, **more):
        # Nothing of the machine's environment reaches a container.
        given = dict(one.split("=", 1) for one in self.configuration["Env"])
        return {**given, **more}

    def start(self, log, **variables):
        arguments = [*self.configuration["Entrypoint"], *self.configuration["Cmd"]]
        return Daemon(
            *self.command(*arguments), log=log, env=self._with_path(self.environment(**variables))
        )

    def ask_to_stop(self, daemon):
        """Sends SIGTERM to process 1, as an engine does, and returns its exit status."""
        parent = daemon.process.pid
        (child,) = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        os.kill(int(child), signal.SIGTERM)
        return daemon.process.wait(20)

    def run(self, *arguments, **variables):
        return subprocess.run(
            self.command(*arguments),
            env=self._with_path(self.environment(**variables)),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )

    def _with_path(self, variables):
        # `unshare`, `mount` and `chroot` need the machine's path until they have changed the root.
        return {**variables, "PATH": environment()["PATH"] + ":/usr/sbin:/sbin"}
