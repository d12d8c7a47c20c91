"""Validates each document against the schema of its kind, including unknown fields."""

import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import kubernetes_validate
import yaml

from manifests import Manifests

# The oldest version that README.md supports, and a recent one.
KUBERNETES = ("1.30", "1.36")
HERE = Path(__file__).parent


def faults(overlays: list[Manifests], rendered: Path, models: Path, wrong: Manifests) -> Iterator[str]:
    """The faults of the documents. Every document of `wrong` must have one."""
    found = list(all_faults(overlays, wrong, rendered, models))
    yield from (fault for fault in found if not fault.startswith(f"{wrong.name}: "))
    for document in wrong.documents:
        name = name_of(wrong, document)
        if not any(fault.startswith(f"{name}: ") for fault in found):
            yield f"no schema notices the deliberate mistake in {name}"


def name_of(overlay: Manifests, document: dict) -> str:
    return f"{overlay.name}: {document['kind']} {document['metadata']['name']}"


def all_faults(overlays: list[Manifests], wrong: Manifests, rendered: Path, models: Path) -> Iterator[str]:
    own = yaml.safe_load((HERE / "own-schemas.yaml").read_text())["kinds"]
    by_kubernetes, by_models, by_own = Counter(), Counter(), Counter()
    for_models = []
    for overlay in [*overlays, wrong]:
        counted = overlay is not wrong
        for document in overlay.documents:
            name = name_of(overlay, document)
            try:
                for version in KUBERNETES:
                    kubernetes_validate.validate(document, version, strict=True)
                by_kubernetes[document["kind"]] += counted
            except kubernetes_validate.ValidationError as error:
                yield f"{name}: {'.'.join(map(str, error.path))}: {error.message}"
            except kubernetes_validate.SchemaNotFoundError:
                if document["kind"] in own:
                    by_own[document["kind"]] += counted
                    yield from (f"{name}: {fault}" for fault in own_faults(document, own[document["kind"]]))
                else:
                    by_models[document["kind"]] += counted
                    for_models.append({"name": name, "document": document})
    (rendered / "for-models.json").write_text(json.dumps(for_models))
    command = ["node", str(HERE / "models.mjs"), str(rendered / "for-models.json"), str(models)]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    yield from filter(None, said.stdout.splitlines())
    if said.returncode != 0:
        yield f"the operators' models failed: {said.stderr.strip()[-2000:]}"
    for what, kinds in (
        (f"schemas of Kubernetes {' and '.join(KUBERNETES)}", by_kubernetes),
        ("schemas of the operators", by_models),
        ("no published schema at hand, the fields that own-schemas.yaml lists", by_own),
    ):
        print(f"{sum(kinds.values())} documents by {what}: {', '.join(sorted(kinds))}")


def own_faults(document: dict, schema: dict) -> Iterator[str]:
    whole = {"type": "object", "additionalProperties": False, **schema}
    for error in jsonschema.Draft202012Validator(whole).iter_errors(document["spec"]):
        yield f"{'.'.join(map(str, error.path))}: {error.message}"
