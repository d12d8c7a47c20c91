"""Looks at the documents of make.sh: `check.py FOLDER PROGRAM...`. Each must be valid, name the licence of every library from
outside, and leave out none that cargo builds the program with or npm installs for the client.

Documents of programs name more than that: also what only features that are switched off would need.
"""

import json
import subprocess
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

# Packages whose program has another name.
PACKAGES = {"adfolioctl": "adfolio-ctl"}


def built(program: str) -> set[tuple[str, str]]:
    """The libraries that a program is linked from, as cargo would build it."""
    package = PACKAGES.get(program, program)
    command = ["cargo", "tree", "--locked", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    # "name v1.2.3 (where)"
    found = {(name, version.removeprefix("v")) for name, version, *_ in map(str.split, filter(None, lines))}
    return {(name, version) for name, version in found if name != package}


def installed() -> set[tuple[str, str]]:
    """The packages that the client is built from, by its lock file."""
    packages = json.loads(Path("web/package-lock.json").read_text())["packages"]
    return {
        (path.rpartition("node_modules/")[2], entry["version"])
        for path, entry in packages.items()
        if path and not any(entry.get(kind) for kind in ("dev", "optional", "devOptional", "peer"))
    }


def name_of(component: dict) -> str:
    group = component.get("group")
    return f"{group}/{component['name']}" if group else component["name"]


def faults(document: str, expected: set[tuple[str, str]]) -> list[str]:
    invalid = JsonStrictValidator(SchemaVersion.V1_5).validate_str(document)
    if invalid is not None:
        return [f"is not valid: {str(invalid.data)[:500]}"]
    components = json.loads(document)["components"]
    named = {(name_of(component), component["version"]) for component in components}
    found = [f"leaves out {name} {version}" for name, version in sorted(expected - named)]
    for component in components:
        if name_of(component).startswith("adfolio-"):
            continue
        if not component.get("licenses"):
            found.append(f"says no licence of {name_of(component)}")
    return found


def main(folder: Path, programs: list[str]) -> int:
    expected = {program: built(program) for program in programs} | {"web": installed()}
    failed = False
    for name, libraries in expected.items():
        document = (folder / f"{name}.cdx.json").read_text()
        for fault in faults(document, libraries):
            print(f"{name}: {fault}", file=sys.stderr)
            failed = True
        print(f"{folder.name}/{name}.cdx.json: {len(json.loads(document)['components'])} components, {len(libraries)} of them built in")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
