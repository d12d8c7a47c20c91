"""Compares the connections that the NetworkPolicies admit with the needed ones, pod by pod and port by port."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import source
from manifests import COMPONENT, NAME, Manifests

NAMESPACE = "adfolio"
NAMESPACE_LABEL = "kubernetes.io/metadata.name"
# Every port that something listens on; of ranges the first, and one port that nothing needs.
PORTS = (50051, 9090, 8080, 8089, 5432, 8000, 9187, 5672, 15672, 15692, 4369, 25672, 35672, 6000, 6501, 4317, 22)
# Between the broker's nodes: port mapper, distribution, command line, replicas of streams.
DISTRIBUTION = (4369, 25672, 35672, 6000)


@dataclass(frozen=True)
class Pod:
    name: str
    labels: tuple[tuple[str, str], ...]
    namespace: str = NAMESPACE


def pods_of(manifests: Manifests) -> list[Pod]:
    """Ours, those that operators create, those that README.md allows beside them, and those in other namespaces."""
    templates = [*manifests.of("Deployment").values()]
    inside = {document["metadata"]["name"]: document["spec"]["template"]["metadata"]["labels"] for document in templates}
    inside |= {
        "postgres": {"cnpg.io/cluster": "postgres", COMPONENT: "postgres"},
        "rabbitmq": {NAME: "rabbitmq", COMPONENT: "rabbitmq"},
        "adfolioctl": {NAME: "adfolioctl", COMPONENT: "operator"},
        "network": {NAME: "network", COMPONENT: "adapter"},
        "consumer": {NAME: "reports", COMPONENT: "consumer"},
        "solver": {"acme.cert-manager.io/http01-solver": "true"},
        "stranger": {NAME: "stranger"},
    }
    around = ("ingress", "monitoring", "keda", "cnpg-system", "rabbitmq-system", "observability", "default")
    pods = [Pod(name, tuple(labels.items())) for name, labels in inside.items()]
    return pods + [Pod(namespace, (), namespace) for namespace in around]


def needed(manifests: Manifests) -> set[tuple[str, str, int]]:
    services, processes = set(source.SERVICES), set(manifests.processes())
    _, calls = source.callers()
    flows = {(caller, callee, 50051) for caller, callee in calls}
    flows |= {("ingress", "web", 8080), ("web", "gateway", 8080), ("web", "gateway", 9090), ("ingress", "solver", 8089)}
    flows |= {("monitoring", process, 9090) for process in processes}
    flows |= {("monitoring", "postgres", 9187), ("monitoring", "rabbitmq", 15692)}
    flows |= {(service, "postgres", 5432) for service in services}
    flows |= {(peer, "postgres", port) for peer in ("postgres", "cnpg-system") for port in (5432, 8000)}
    flows |= {(client, "rabbitmq", 5672) for client in processes | {"adfolioctl", "network", "consumer", "keda"}}
    flows |= {("rabbitmq-system", "rabbitmq", 15672)}
    flows |= {("rabbitmq", "rabbitmq", port) for port in DISTRIBUTION}
    if manifests.name == "production":
        flows |= {(process, "observability", 4317) for process in processes}
        flows |= {("gateway", "monitoring", 9090)}
    return flows


def faults(manifests: Manifests) -> Iterator[str]:
    policies = list(manifests.of("NetworkPolicy").values())
    pods = pods_of(manifests)

    @cache
    def applying(pod: Pod, side: str) -> tuple[list[dict], bool]:
        """The rules for a pod, and whether any policy applies to it."""
        if pod.namespace != NAMESPACE:
            return [], False
        specs = [policy["spec"] for policy in policies if side.capitalize() in policy["spec"]["policyTypes"]]
        chosen = [spec for spec in specs if matches(spec["podSelector"], dict(pod.labels))]
        return [rule for spec in chosen for rule in spec.get(side, [])], bool(chosen)

    def passes(pod: Pod, side: str, word: str, peer: Pod, port: int) -> bool:
        rules, denied = applying(pod, side)
        return not denied or any(has_port(rule, port) and has_peer(rule.get(word), peer) for rule in rules)

    # Check each side by itself: both must admit a call, so one side alone could hide a mistake in the other.
    wanted = needed(manifests)
    inside = {pod.name for pod in pods if pod.namespace == NAMESPACE}
    pairs = [(caller, callee, port) for caller in pods for callee in pods for port in PORTS]
    sent = {(caller.name, callee.name, port) for caller, callee, port in pairs if passes(caller, "egress", "to", callee, port)}
    taken = {(caller.name, callee.name, port) for caller, callee, port in pairs if passes(callee, "ingress", "from", caller, port)}
    for verb, flows, ours in (("may call", sent, 0), ("is admitted by", taken, 1)):
        flows = {flow for flow in flows if flow[ours] in inside}
        must = {flow for flow in wanted if flow[ours] in inside}
        for caller, callee, port in sorted(must ^ flows):
            what = "must be admitted, but is not" if (caller, callee, port) in must else "must not be admitted"
            yield f"{caller} {verb} {callee} at port {port}: {what}"
    if manifests.of("NetworkPolicy")["default-deny"]["spec"] != {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}:
        yield "default-deny does not deny everything to everybody"


def has_port(rule: dict, port: int) -> bool:
    if "ports" not in rule:
        return True
    return any(entry["port"] <= port <= entry.get("endPort", entry["port"]) and entry["protocol"] == "TCP" for entry in rule["ports"])


def has_peer(peers: list[dict] | None, pod: Pod) -> bool:
    # Address blocks mean the outside world.
    return peers is None or any(is_peer(peer, pod) for peer in peers if "ipBlock" not in peer)


def is_peer(peer: dict, pod: Pod) -> bool:
    if "namespaceSelector" in peer:
        in_namespace = matches(peer["namespaceSelector"], {NAMESPACE_LABEL: pod.namespace})
    else:
        in_namespace = pod.namespace == NAMESPACE
    return in_namespace and matches(peer.get("podSelector", {}), dict(pod.labels))


def matches(selector: dict, labels: dict[str, str]) -> bool:
    for expression in selector.get("matchExpressions", []):
        if expression["operator"] != "In":
            raise ValueError(f"{expression['operator']} is not supported here")
        if labels.get(expression["key"]) not in expression["values"]:
            return False
    return all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
