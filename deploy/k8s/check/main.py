"""`main.py RENDERED MODELS`: checks the rendered manifests, with the programs of the operators' models in MODELS."""

import sys
from pathlib import Path

import broken
import schemas
import secrets_of
from manifests import Manifests
from rules import RULES


def main(rendered: Path, models: Path) -> int:
    overlays = [Manifests.read(rendered / f"{name}.yaml") for name in ("small", "production", "adfolioctl")]
    made = Manifests.read(rendered / "secrets.yaml")
    rules = rendered / "rules.yaml"
    documents = [*overlays, made, *([Manifests.read(rules)] if rules.exists() else [])]
    faults = list(schemas.faults(documents, rendered, models, broken.misshapen(overlays)))
    # Rules cannot inspect documents of the wrong shape.
    if not faults:
        faults += [f"{overlay.name}: {fault}" for overlay in overlays for rule in RULES for fault in sorted(rule(overlay))]
        faults += secrets_of.faults(overlays, made, Path("deploy/k8s/README.md"))
        faults += broken.overlooked(overlays)
    for fault in faults:
        print(f"✗ {fault}", file=sys.stderr)
    if not faults:
        print(f"{len(RULES)} rules hold, and each notices what breaks it")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
