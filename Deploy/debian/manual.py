#!/usr/bin/env python3
"""Prints the manual page: manual.py GENERATOR PROGRAM DATE.

GENERATOR is ArgumentParser's generate-manual. It runs a program with --experimental-dump-help and
writes what that prints as mdoc. It leaves out default values and letters beyond ASCII, repeats
--help and --version for each subcommand, and says only that failures have a status above 0. So it
gets the help of PROGRAM in a form that it writes well, and manual.mdoc follows its page.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path


def output(*command):
    # The generator writes the month in the language of the environment.
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.check_output(command, env=environment, text=True)


def with_default(argument):
    """Adds the default value to the text of an argument."""
    if "defaultValue" not in argument:
        return argument
    # The name of the machine that builds the package.
    default = re.sub("(?<=^lifesignal on ).*", "HOST", argument["defaultValue"])
    text = f"{argument.get('abstract', '')} (default: {default})".strip()
    return {**argument, "abstract": text}


def joined(arguments):
    """Makes one of --x and --no-x, because both have the text of --x."""
    result = []
    for argument in arguments:
        names = argument.get("names", [])
        before = result[-1].get("names", []) if result else []
        if names and before and names[0]["name"] == f"no-{before[0]['name']}":
            result[-1] = {**result[-1], "names": before + names}
        else:
            result.append(argument)
    return result


def prepared(command, common=()):
    """Returns a command's help with its defaults, and without the arguments in `common`."""
    arguments = command.get("arguments", [])
    own = [with_default(argument) for argument in arguments if argument not in common]
    result = {**command, "arguments": joined(own)}
    if "subcommands" in command:
        common = common or arguments
        result["subcommands"] = [prepared(one, common) for one in command["subcommands"]]
    return result


def generated(generator, dump, date):
    """Returns the generator's page of a program that prints `dump` whatever it is asked for."""
    text = unicodedata.normalize("NFKD", json.dumps(dump, ensure_ascii=False))
    text.encode("ascii")  # Fails here; the generator would leave letters out.
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program")
        program.write_text('#!/bin/sh\nexec cat "$0.json"\n')
        program.chmod(0o755)
        Path(folder, "program.json").write_text(text)
        return output(generator, program, "--date", date, "--output-directory", "-")


def manual(generator, program, date):
    dump = json.loads(output(program, "--experimental-dump-help"))
    root = prepared(dump["command"])
    root["discussion"], _, codes = root["discussion"].partition("\n\nEXIT CODES: ")
    page, section, _ = generated(generator, {**dump, "command": root}, date).partition(
        '.Sh "EXIT STATUS"\n'
    )
    if not codes or not section:
        sys.exit("manual.py: the exit codes are missing in the help or in the generated page")

    # `whatis` shows quotes. Names of options and variables are copied, so they stay whole.
    page = re.sub(r'^\.Nd "(.*?)\.?"$', r".Nd \1", page, flags=re.MULTILINE)
    page = page.replace("\n.Os\n", "\n.Os\n.hlm 0\n").replace("\n\n", "\n.Pp\n")
    page = page.replace("\n.Pp\n.It", "\n.It")
    statuses = re.sub(r"(\d+) (.+?)(?:; |\.$)", r".It \1\n\2\n", codes).strip()
    rest = Path(__file__).with_name("manual.mdoc").read_text()
    return page + rest.replace("@EXIT_STATUS@", statuses)


if __name__ == "__main__":
    sys.stdout.write(manual(*sys.argv[1:]))
