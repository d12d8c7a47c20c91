"""Deliberately wrong manifests: every rule must notice its own."""

import copy
from collections.abc import Callable, Iterator

import rules
from manifests import Manifests, container_of, pod_of

Change = Callable[[Manifests], object]


def environment_of(manifests: Manifests, deployment: str) -> list[dict]:
    return container_of(pod_of(manifests.of("Deployment")[deployment]))["env"]


def variable(deployment: str, name: str, value: str) -> Change:
    def change(manifests: Manifests) -> None:
        without_variable(deployment, name)(manifests)
        environment_of(manifests, deployment).append({"name": name, "value": value})

    return change


def without_variable(deployment: str, name: str) -> Change:
    def change(manifests: Manifests) -> None:
        environment = environment_of(manifests, deployment)
        environment[:] = [entry for entry in environment if entry["name"] != name]

    return change


def without(kind: str, name: str) -> Change:
    def change(manifests: Manifests) -> None:
        manifests.documents.remove(manifests.of(kind)[name])

    return change


def spec(kind: str, name: str, **values: object) -> Change:
    return lambda manifests: manifests.of(kind)[name]["spec"].update(values)


def pod(deployment: str, **values: object) -> Change:
    return lambda manifests: pod_of(manifests.of("Deployment")[deployment]).update(values)


def container(deployment: str, **values: object) -> Change:
    return lambda manifests: container_of(pod_of(manifests.of("Deployment")[deployment])).update(values)


def trusts_more(manifests: Manifests) -> None:
    policy = manifests.of("NetworkPolicy")["callers-of-wallet"]
    policy["spec"]["ingress"][0]["from"][0]["podSelector"]["matchExpressions"][0]["values"].append("coupon")


def secret_variable(manifests: Manifests) -> None:
    entry = {"name": "CARD_KEY", "valueFrom": {"secretKeyRef": {"name": "wallet", "key": "card-key"}}}
    container_of(pod_of(manifests.of("Deployment")["wallet"]))["env"].append(entry)


def another_certificate(manifests: Manifests) -> None:
    for volume in pod_of(manifests.of("Deployment")["coupon"])["volumes"]:
        if volume["name"] == "tls":
            volume["secret"]["secretName"] = "wallet-tls"


def asynchronous(manifests: Manifests) -> None:
    manifests.of("Cluster")["postgres"]["spec"]["postgresql"]["synchronous"]["dataDurability"] = "preferred"


def no_feedback(manifests: Manifests) -> None:
    del manifests.of("Cluster")["postgres"]["spec"]["postgresql"]["parameters"]["hot_standby_feedback"]


def second_scaler(manifests: Manifests) -> None:
    scaler = copy.deepcopy(manifests.of("HorizontalPodAutoscaler")["gateway"])
    scaler["metadata"]["name"] = scaler["spec"]["scaleTargetRef"]["name"] = "wallet"
    manifests.documents.append(scaler)


def queue_forgotten(manifests: Manifests) -> None:
    manifests.of("ScaledObject")["auth"]["spec"]["triggers"].pop()


def budget_for_one_node(manifests: Manifests) -> None:
    manifests.documents.append({"kind": "PodDisruptionBudget", "apiVersion": "policy/v1", "metadata": {"name": "wallet"}})


def lends_tables(manifests: Manifests) -> None:
    roles = manifests.of("Cluster", "postgresql.cnpg.io")["postgres"]["spec"]["managed"]["roles"]
    roles[0]["inRoles"] = ["adfolio_auth_owner"]


BROKEN: tuple[tuple[Callable, str, Change], ...] = (
    (rules.programs_know_their_variables, "production", variable("auth", "DRAIN_SECONDS", "20")),
    (rules.programs_know_their_variables, "small", variable("web", "NGINX_GATEWAY", "x")),
    (rules.variables_hold_no_secrets, "production", secret_variable),
    (rules.services_are_reached_where_they_listen, "small", variable("plan", "WALLET_URL", "https://auth:50051")),
    (rules.services_are_reached_where_they_listen, "small", variable("coupon", "WALLET_URL", "https://wallet:50051")),
    (rules.services_are_reached_where_they_listen, "production", spec("Service", "wallet", clusterIP="10.0.0.1")),
    (rules.ports_are_the_programs, "production", variable("wallet", "ADMIN_ADDR", "0.0.0.0:9091")),
    (rules.ports_are_the_programs, "small", container("gateway", livenessProbe={"grpc": {"port": 9090}})),
    (rules.images_are_this_version, "small", container("web", image="adfolio/web:latest")),
    (rules.ends_have_time, "small", pod("plan", terminationGracePeriodSeconds=20)),
    (rules.ends_have_time, "small", variable("gateway", "NOTICE_SECONDS", "10")),
    (rules.policies_let_through_what_is_needed_and_nothing_else, "production", trusts_more),
    (rules.policies_let_through_what_is_needed_and_nothing_else, "small", without("NetworkPolicy", "calls-of-plan")),
    (rules.policies_let_through_what_is_needed_and_nothing_else, "small", spec("NetworkPolicy", "default-deny", policyTypes=["Ingress"])),
    (rules.policies_let_through_what_is_needed_and_nothing_else, "small", without("NetworkPolicy", "uses-rabbitmq")),
    (rules.policies_let_through_what_is_needed_and_nothing_else, "production", without("NetworkPolicy", "traces")),
    (rules.policies_let_through_what_is_needed_and_nothing_else, "production", spec("NetworkPolicy", "postgres", ingress=[{}])),
    (rules.policies_let_through_what_is_needed_and_nothing_else, "production", spec("NetworkPolicy", "web", egress=[{}])),
    (rules.connections_fit, "production", variable("coupon", "DATABASE_MAX_CONNECTIONS", "16")),
    (rules.connections_fit, "production", spec("ScaledObject", "wallet", maxReplicaCount=8)),
    (rules.connections_fit, "small", spec("Deployment", "auth", replicas=5)),
    (rules.scalers_do_not_meet, "production", second_scaler),
    (rules.scalers_do_not_meet, "production", spec("Deployment", "plan", replicas=2)),
    (rules.scalers_do_not_meet, "production", without("HorizontalPodAutoscaler", "web")),
    (rules.every_consumer_is_scaled_by_its_queue, "production", queue_forgotten),
    (rules.production_survives_a_node, "production", without("PodDisruptionBudget", "gateway")),
    (rules.production_survives_a_node, "production", pod("auth", topologySpreadConstraints=[])),
    (rules.production_survives_a_node, "production", spec("ScaledObject", "auth", minReplicaCount=1)),
    (rules.production_survives_a_node, "production", asynchronous),
    (rules.production_survives_a_node, "production", spec("RabbitmqCluster", "rabbitmq", replicas=1)),
    (rules.standbys_are_read, "production", without_variable("wallet", "DATABASE_READ_URL_FILE")),
    (rules.standbys_are_read, "production", no_feedback),
    (rules.standbys_are_read, "small", variable("plan", "DATABASE_READ_URL_FILE", "/run/x")),
    (rules.small_holds_no_drain_up, "small", budget_for_one_node),
    (rules.small_holds_no_drain_up, "small", spec("Cluster", "postgres", enablePDB=True)),
    (rules.certificates_say_who_somebody_is, "small", spec("Certificate", "coupon", dnsNames=["coupon", "wallet"])),
    (rules.certificates_say_who_somebody_is, "small", spec("Certificate", "plan", usages=["server auth"])),
    (rules.certificates_say_who_somebody_is, "small", without("Certificate", "network")),
    (rules.processes_have_their_own_certificate, "small", another_certificate),
    (rules.databases_are_the_roles_own, "small", spec("Database", "coupon", owner="adfolio_wallet")),
    (rules.databases_are_the_roles_own, "small", spec("Database", "wallet", databaseReclaimPolicy="delete")),
    (rules.databases_are_the_roles_own, "small", lends_tables),
    (rules.only_init_containers_migrate, "small", pod("wallet", initContainers=[])),
    (rules.only_init_containers_migrate, "production", variable("plan", "DATABASE_MIGRATION_URL_FILE", "/run/x")),
    (rules.everything_is_looked_at_by_prometheus, "small", spec("ServiceMonitor", "processes", endpoints=[{"port": "http"}])),
    (rules.exchanges_are_as_the_services_declare_them, "small", spec("Exchange", "events", type="fanout")),
    (rules.exchanges_are_as_the_services_declare_them, "small", spec("Queue", "unrouted", arguments={})),
)


# What a schema must refuse: unknown fields, wrong types and values out of range.
MISSHAPEN: tuple[Change, ...] = (
    pod("auth", terminationGraceSeconds=30),
    spec("HorizontalPodAutoscaler", "web", maxReplicas="many"),
    spec("Cluster", "postgres", instance=3),
    spec("Cluster", "postgres", instances="three"),
    lambda it: it.of("Cluster")["postgres"]["spec"]["postgresql"]["synchronous"].update(method="some"),
    spec("Certificate", "wallet", dnsName=["wallet"]),
    spec("ScaledObject", "plan", minReplicas=2),
    spec("ServiceMonitor", "processes", endpoint=[]),
    spec("RabbitmqCluster", "rabbitmq", replica=3),
    spec("Permission", "wallet", permissions={"configure": ".*", "writes": ".*", "read": ".*"}),
    spec("ObjectStore", "postgres", retentionPolicy="thirty days"),
)


def misshapen(overlays: list[Manifests]) -> Manifests:
    """One document per change."""
    (production,) = (overlay for overlay in overlays if overlay.name == "production")
    documents = []
    for number, change in enumerate(MISSHAPEN):
        changed = Manifests("", copy.deepcopy(production.documents))
        change(changed)
        (document,) = (new for old, new in zip(production.documents, changed.documents, strict=True) if old != new)
        document["metadata"]["name"] = f"{number + 1}"
        documents.append(document)
    return Manifests("on purpose", documents)


def overlooked(overlays: list[Manifests]) -> Iterator[str]:
    by_name = {overlay.name: overlay for overlay in overlays}
    for number, (rule, name, change) in enumerate(BROKEN):
        wrong = Manifests(name, copy.deepcopy(by_name[name].documents))
        change(wrong)
        if not list(rule(wrong)):
            yield f"{rule.__name__} misses a deliberate mistake (row {number + 1} of broken.py)"
    for rule in set(rules.RULES) - {rule for rule, _, _ in BROKEN}:
        yield f"nothing in broken.py shows that {rule.__name__} can fail"
