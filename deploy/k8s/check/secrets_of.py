"""Checks that something creates every Secret that the manifests use, with the keys that are used."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from manifests import Manifests, container_of, variables_of
from rules import SECRETS_BY_HAND


def used(manifests: Manifests) -> Iterator[tuple[str, str, str | None]]:
    """The users of each Secret, and the key if one is named."""
    for name, pod in manifests.pods().items():
        first = pod.get("initContainers", [])
        mounts = {mount["name"]: mount["mountPath"] for one in [container_of(pod), *first] for mount in one.get("volumeMounts", [])}
        variables = variables_of(pod) | {entry["name"]: entry["value"] for one in first for entry in one["env"]}
        files = {str(value) for variable, value in variables.items() if variable.endswith("_FILE")}
        # Two containers may read the same variable from different places.
        files |= {str(value) for variable, value in variables_of(pod).items() if variable.endswith("_FILE")}
        for volume in pod["volumes"]:
            if "secret" not in volume:
                continue
            folder = mounts.get(volume["name"])
            if folder is None:
                raise ValueError(f"{name} mounts {volume['name']} nowhere")
            yield name, volume["secret"]["secretName"], None
            for file in files:
                if file.startswith(folder + "/"):
                    yield name, volume["secret"]["secretName"], file.removeprefix(folder + "/")
        for entry in container_of(pod).get("env", []):
            reference = entry.get("valueFrom", {}).get("secretKeyRef")
            if reference:
                yield name, reference["name"], reference["key"]
    for cluster in manifests.of("Cluster", "postgresql.cnpg.io").values():
        for role in cluster["spec"]["managed"]["roles"]:
            if "passwordSecret" in role:
                yield "postgres", role["passwordSecret"]["name"], "password"
        yield "postgres", cluster["spec"]["certificates"]["serverTLSSecret"], "tls.key"
        yield "postgres", cluster["spec"]["certificates"]["serverCASecret"], "ca.crt"
    for user in manifests.of("User", "rabbitmq.com").values():
        yield "rabbitmq", user["spec"]["importCredentialsSecret"]["name"], "password"
    for authentication in manifests.of("TriggerAuthentication").values():
        for target in authentication["spec"]["secretTargetRef"]:
            yield "keda", target["name"], target["key"]
    for store in manifests.of("ObjectStore").values():
        for reference in store["spec"]["configuration"]["s3Credentials"].values():
            yield "backup", reference["name"], reference["key"]
    for issuer in manifests.of("Issuer").values():
        if "ca" in issuer["spec"]:
            yield "cert-manager", issuer["spec"]["ca"]["secretName"], "tls.key"


def faults(overlays: list[Manifests], made: Manifests, readme: Path) -> Iterator[str]:
    keys = {name: set(document["stringData"]) for name, document in made.of("Secret").items()}
    for overlay in overlays:
        for certificate in overlay.of("Certificate").values():
            keys[certificate["spec"]["secretName"]] = {"tls.crt", "tls.key", "ca.crt"}
    uses = {use for overlay in overlays for use in used(overlay)}
    for owner, secret, key in sorted(uses, key=str):
        if secret in SECRETS_BY_HAND:
            if f"generic {secret}" not in readme.read_text() or f"--from-literal={key}=" not in readme.read_text():
                yield f"{owner}: README.md does not say how to create {secret} with {key}"
        elif secret not in keys:
            yield f"{owner}: nothing creates the Secret {secret}"
        elif key is not None and key not in keys[secret]:
            yield f"{owner}: {secret} has no {key}"
    secrets = {name: document["stringData"] for name, document in made.of("Secret").items()}
    for name in sorted(set(secrets) - {secret for _, secret, _ in uses}):
        yield f"secrets.sh creates {name}, which nothing uses"
    clusters = [cluster for overlay in overlays for cluster in overlay.of("RabbitmqCluster").values()]
    yield from addresses(secrets, max(cluster["spec"]["replicas"] for cluster in clusters))


def addresses(secrets: dict[str, dict[str, str]], nodes: int) -> Iterator[str]:
    """Checks that the addresses of the servers match the users that are created there, and RabbitMQ's nodes."""
    hosts = ",".join(f"rabbitmq-server-{node}.rabbitmq-nodes.adfolio.svc:5672" for node in range(nodes))
    for name, values in secrets.items():
        if "amqp-url" in values:
            user = secrets[f"rabbitmq-{name}"]
            if values["amqp-url"] != f"amqp://{user['username']}:{user['password']}@{hosts}":
                yield f"{name}: its amqp-url is not its user's at each node"
        owner = name.removesuffix("-migration")
        for key, role_of, server in (
            ("database-url", owner, "postgres-rw"),
            ("database-read-url", owner, "postgres-ro"),
            ("database-migration-url", name, "postgres-rw"),
        ):
            if key not in values:
                continue
            database = urlsplit(values[key])
            role = secrets[f"postgres-{role_of}"]
            query = {"sslmode": ["verify-full"], "sslrootcert": ["/run/postgres/ca.crt"]}
            if (database.username, database.password, database.hostname) != (role["username"], role["password"], server):
                yield f"{name}: its {key} is not its role's"
            if database.path != f"/adfolio_{owner}" or parse_qs(database.query) != query:
                yield f"{name}: its {key} enters another database, or does not verify the server"
