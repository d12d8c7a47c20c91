"""The rendered manifests of one overlay, and common queries on them."""

from pathlib import Path

import yaml

NAME = "app.kubernetes.io/name"
COMPONENT = "app.kubernetes.io/component"


class Manifests:
    def __init__(self, name: str, documents: list[dict]) -> None:
        self.name = name
        self.documents = documents

    @classmethod
    def read(cls, path: Path) -> "Manifests":
        return cls(path.stem, [document for document in yaml.safe_load_all(path.read_text()) if document])

    def of(self, kind: str, group: str = "") -> dict[str, dict]:
        """By name. A group distinguishes kinds of the same name."""
        return {
            document["metadata"]["name"]: document
            for document in self.documents
            if document["kind"] == kind and document["apiVersion"].startswith(group)
        }

    def processes(self) -> dict[str, dict]:
        """The pods' specifications of gateway and services."""
        return {
            name: pod_of(deployment)
            for name, deployment in self.of("Deployment").items()
            if deployment["metadata"]["labels"][COMPONENT] in ("service", "gateway")
        }

    def pods(self) -> dict[str, dict]:
        """The pods' specifications of everything of ours."""
        return {name: pod_of(document) for kind in ("Deployment", "Job") for name, document in self.of(kind).items()}


def pod_of(document: dict) -> dict:
    return document["spec"]["template"]["spec"]


def container_of(pod: dict) -> dict:
    (container,) = pod["containers"]
    return container


def variables_of(pod: dict) -> dict[str, str | None]:
    """None for a value from another source."""
    return {entry["name"]: entry.get("value") for entry in container_of(pod).get("env", [])}


def port_of(address: str) -> int:
    return int(address.rpartition(":")[2])


def selected(selector: dict, key: str) -> list[str]:
    """The values of a label that a selector matches."""
    values = [selector.get("matchLabels", {}).get(key)]
    for expression in selector.get("matchExpressions", []):
        if expression["key"] == key and expression["operator"] == "In":
            values += expression["values"]
    return [value for value in values if value is not None]

