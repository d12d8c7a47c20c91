"""Rules for the manifests against the programs and each other. A rule yields faults; broken.py shows that each can fail."""

from collections.abc import Iterator

import network
import source
from manifests import COMPONENT, NAME, Manifests, container_of, pod_of, port_of, selected, variables_of

Faults = Iterator[str]

# Created by hand as README.md says; secrets.sh and cert-manager create the others.
SECRETS_BY_HAND = {"uploads-bucket", "backup-bucket"}
# Variables of the bucket's client, which reads its keys only there.
BUCKET = {"AWS_REGION", "AWS_ENDPOINT", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
# PostgreSQL's reserve, its operator's connections, and some for operators' sessions.
CONNECTIONS_BESIDE = 20

# Connections of a replica for its group commits, beside DATABASE_MAX_CONNECTIONS.
WRITERS = {"plan": 2, "wallet": 1}


def programs_know_their_variables(manifests: Manifests) -> Faults:
    for name, pod in manifests.pods().items():
        program = "adfolioctl" if name == "first-staff" else name
        known = source.nginx_variables() if name == "web" else source.variables(program)
        for variable in variables_of(pod).keys() - known - (BUCKET if name == "gateway" else set()):
            yield f"{name}: no program reads {variable}"


def variables_hold_no_secrets(manifests: Manifests) -> Faults:
    for name, pod in manifests.pods().items():
        for entry in container_of(pod).get("env", []):
            if "valueFrom" in entry and entry["name"] not in BUCKET:
                yield f"{name}: {entry['name']} must be a file"


def services_are_reached_where_they_listen(manifests: Manifests) -> Faults:
    services = manifests.of("Service")
    for name, pod in manifests.pods().items():
        program = "adfolioctl" if name == "first-staff" else name
        variables = variables_of(pod)
        named = {variable.removesuffix("_URL").lower(): value for variable, value in variables.items() if variable.endswith("_URL")}
        named = {peer: url for peer, url in named.items() if peer in source.SERVICES}
        if name != "web" and set(named) != source.peers(program):
            yield f"{name}: needs the addresses of {sorted(source.peers(program))}, has {sorted(named)}"
        for peer, url in named.items():
            if url != f"https://{peer}:50051":
                yield f"{name}: {url} is not the address of {peer}"
    if manifests.of("Deployment"):
        for peer in source.SERVICES:
            if services[peer]["spec"].get("clusterIP") != "None":
                yield f"{peer}: callers balance over addresses, which needs a headless Service"


def ports_are_the_programs(manifests: Manifests) -> Faults:
    deployments, services = manifests.of("Deployment"), manifests.of("Service")
    for name, deployment in deployments.items():
        container = container_of(pod_of(deployment))
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        for port in services[name]["spec"]["ports"]:
            if port["targetPort"] not in ports:
                yield f"{name}: the Service's port {port['name']} targets no container port"
        if services[name]["spec"]["selector"] != {NAME: name} or deployment["spec"]["template"]["metadata"]["labels"][NAME] != name:
            yield f"{name}: the Service does not select its pods"
        if name not in manifests.processes():
            continue
        variables = variables_of(pod_of(deployment))
        listener = ports.get("grpc") or ports["http"]
        if port_of(variables["LISTEN_ADDR"]) != listener or port_of(variables["ADMIN_ADDR"]) != ports["admin"]:
            yield f"{name}: does not listen on its declared ports"
        probes = {kind: container.get(f"{kind}Probe", {}).get("grpc") for kind in ("startup", "liveness", "readiness")}
        alive, ready = {"port": ports["admin"], "service": "liveness"}, {"port": ports["admin"]}
        if probes != {"startup": alive, "liveness": alive, "readiness": ready}:
            yield f"{name}: probes do not use the admin port's health check: {probes}"


def images_are_this_version(manifests: Manifests) -> Faults:
    for name, pod in manifests.pods().items():
        program = "ctl" if name == "first-staff" else name
        image = container_of(pod)["image"]
        if image != f"adfolio/{program}:{source.version()}":
            yield f"{name}: {image} is not version {source.version()}"


def ends_have_time(manifests: Manifests) -> Faults:
    for name, pod in manifests.processes().items():
        variables = variables_of(pod)
        drain = int(variables.get("DRAIN_LIMIT_SECONDS") or source.default_of("DRAIN_LIMIT_SECONDS"))
        notice = int(variables.get("NOTICE_SECONDS") or source.default_of("NOTICE_SECONDS"))
        if pod.get("terminationGracePeriodSeconds", 30) <= drain:
            yield f"{name}: is killed before its {drain} s have passed"
        if name == "gateway" and drain < 3 * notice:
            yield f"{name}: {drain} s are not three times the notice of {notice} s"


def policies_let_through_what_is_needed_and_nothing_else(manifests: Manifests) -> Faults:
    if manifests.of("NetworkPolicy"):
        yield from network.faults(manifests)


def connections_fit(manifests: Manifests) -> Faults:
    for cluster in manifests.of("Cluster", "postgresql.cnpg.io").values():
        wanted = 0
        for name, pod in manifests.processes().items():
            if name != "gateway":
                # One more replica during a rollout, and two more connections per replica: one watches the primary, one
                # migrates.
                of_replica = int(variables_of(pod)["DATABASE_MAX_CONNECTIONS"]) + 2 + WRITERS.get(name, 0)
                wanted += (most_replicas(manifests, name) + 1) * of_replica
        there = int(cluster["spec"]["postgresql"]["parameters"]["max_connections"])
        if wanted + CONNECTIONS_BESIDE > there:
            yield f"replicas may open {wanted} connections, with {CONNECTIONS_BESIDE} others more than {there}"


def most_replicas(manifests: Manifests, name: str) -> int:
    scaled = manifests.of("ScaledObject").get(name)
    if scaled:
        return scaled["spec"]["maxReplicaCount"]
    scaler = manifests.of("HorizontalPodAutoscaler").get(name)
    if scaler:
        return scaler["spec"]["maxReplicas"]
    return manifests.of("Deployment")[name]["spec"].get("replicas", 1)


def scalers_do_not_meet(manifests: Manifests) -> Faults:
    by_cpu = [it["spec"]["scaleTargetRef"]["name"] for it in manifests.of("HorizontalPodAutoscaler").values()]
    by_queue = [it["spec"]["scaleTargetRef"]["name"] for it in manifests.of("ScaledObject").values()]
    for name in set(by_cpu) & set(by_queue):
        yield f"{name}: has two scalers"
    deployments = manifests.of("Deployment")
    for name in by_cpu + by_queue:
        if name not in deployments:
            yield f"{name}: is scaled but does not exist"
        elif "replicas" in deployments[name]["spec"]:
            yield f"{name}: every rollout would reset its replicas"
    if manifests.name == "production":
        for name in deployments.keys() - set(by_cpu + by_queue):
            yield f"{name}: is not scaled"


def every_consumer_is_scaled_by_its_queue(manifests: Manifests) -> Faults:
    objects = manifests.of("ScaledObject")
    if not objects:
        return
    queues = {
        (name, trigger["metadata"]["queueName"])
        for name, document in objects.items()
        for trigger in document["spec"]["triggers"]
        if trigger["type"] == "rabbitmq"
    }
    wanted = {(service, source.queue(service, consumer)) for service, consumer in source.consumers()}
    for name, queue in sorted(wanted ^ queues):
        yield f"{name}: {queue} is " + ("polled, but not consumed" if (name, queue) in queues else "not polled")


def production_survives_a_node(manifests: Manifests) -> Faults:
    if manifests.name != "production":
        return
    budgets = manifests.of("PodDisruptionBudget")
    for name, pod in manifests.pods().items():
        if len(pod.get("topologySpreadConstraints", [])) < 2:
            yield f"{name}: replicas may all run on one node"
        if name not in budgets or budgets[name]["spec"]["selector"] != {"matchLabels": {NAME: name}}:
            yield f"{name}: a drain may evict all replicas"
    least = [it["spec"]["minReplicaCount"] for it in manifests.of("ScaledObject").values()]
    least += [it["spec"]["minReplicas"] for it in manifests.of("HorizontalPodAutoscaler").values()]
    if min(least) < 2:
        yield "something runs once only"
    cluster = manifests.of("Cluster", "postgresql.cnpg.io")["postgres"]["spec"]
    synchronous = cluster["postgresql"].get("synchronous", {})
    kept = {"number": 1, "dataDurability": "required", "failoverQuorum": True}
    if cluster["instances"] < 3 or any(synchronous.get(key) != value for key, value in kept.items()):
        yield "PostgreSQL confirms what a failover may lose"
    if manifests.of("RabbitmqCluster")["rabbitmq"]["spec"]["replicas"] < 3:
        yield "RabbitMQ's quorums are no majorities"


def standbys_are_read(manifests: Manifests) -> Faults:
    cluster = manifests.of("Cluster", "postgresql.cnpg.io").get("postgres")
    if not cluster:
        return
    has_standbys = cluster["spec"]["instances"] > 1
    for name in sorted(set(manifests.processes()) & set(source.SERVICES)):
        if ("DATABASE_READ_URL_FILE" in variables_of(manifests.pods()[name])) != has_standbys:
            yield f"{name}: {'does not read' if has_standbys else 'reads'} at standbys"
    feedback = cluster["spec"]["postgresql"]["parameters"].get("hot_standby_feedback")
    if has_standbys and feedback != "on":
        yield "vacuuming at the primary cancels reads at the standbys"


def small_holds_no_drain_up(manifests: Manifests) -> Faults:
    if manifests.name == "small":
        for kind in ("PodDisruptionBudget", "HorizontalPodAutoscaler", "ScaledObject"):
            yield from (f"{kind} {name}: is not for one node" for name in manifests.of(kind))
        if manifests.of("Cluster", "postgresql.cnpg.io")["postgres"]["spec"].get("enablePDB", True):
            yield "PostgreSQL's operator lets nobody drain its node"


def certificates_say_who_somebody_is(manifests: Manifests) -> Faults:
    certificates = {
        name: document["spec"]
        for name, document in manifests.of("Certificate").items()
        if document["spec"]["issuerRef"]["name"] == "authority" and document["metadata"].get("labels")
    }
    if not certificates:
        return
    names, _ = source.callers()
    if set(certificates) != names:
        yield f"certificates are for {sorted(certificates)}, callers are {sorted(names)}"
    for name, certificate in certificates.items():
        if certificate["dnsNames"] != [name] or certificate["secretName"] != f"{name}-tls":
            yield f"{name}: its certificate has another name"
        if not {"server auth", "client auth"} <= set(certificate["usages"]):
            yield f"{name}: its certificate is not for both server and client"


def processes_have_their_own_certificate(manifests: Manifests) -> Faults:
    for name, pod in manifests.pods().items():
        owner = "adfolioctl" if name == "first-staff" else name
        secrets = [volume["secret"]["secretName"] for volume in pod["volumes"] if volume["name"] == "tls"]
        if secrets != ([] if name == "web" else [f"{owner}-tls"]):
            yield f"{name}: uses the certificate {secrets}"


def databases_are_the_roles_own(manifests: Manifests) -> Faults:
    clusters = manifests.of("Cluster", "postgresql.cnpg.io")
    if not clusters:
        return
    roles = {role["name"]: role for role in clusters["postgres"]["spec"]["managed"]["roles"]}
    databases = {document["spec"]["name"]: document["spec"] for document in manifests.of("Database").values()}
    wanted = {f"adfolio_{service}" for service in source.SERVICES}
    kinds = {f"{name}{kind}" for name in wanted for kind in ("", "_owner", "_migrate")}
    if set(roles) != kinds or set(databases) != wanted:
        yield f"roles {sorted(roles)} must be {sorted(kinds)}, and databases {sorted(databases)} {sorted(wanted)}"
        return
    for name, database in databases.items():
        if database["owner"] != f"{name}_owner" or database["databaseReclaimPolicy"] != "retain":
            yield f"{name}: has another owner, or is deleted with its manifest"
        if roles[f"{name}_owner"]["login"] or "inRoles" in roles[name]:
            yield f"{name}: who serves may change its tables"
        migrating = roles[f"{name}_migrate"]
        if migrating["inherit"] or migrating["inRoles"] != [f"{name}_owner"]:
            yield f"{name}: its migrations are not the owner's"
    entries = ["hostssl sameuser all all scram-sha-256"]
    entries += [f"hostssl adfolio_{name} adfolio_{name}_migrate all scram-sha-256" for name in source.SERVICES]
    if clusters["postgres"]["spec"]["postgresql"]["pg_hba"] != [*entries, "host all all all reject"]:
        yield "a role may enter another's database, or without TLS"


def only_init_containers_migrate(manifests: Manifests) -> Faults:
    for name in set(manifests.of("Deployment")) & set(source.SERVICES):
        pod = manifests.pods()[name]
        migrate = next(iter(pod.get("initContainers", [])), {})
        image = container_of(pod)["image"]
        if (migrate.get("name"), migrate.get("image"), migrate.get("args")) != ("migrate", image, ["migrate"]):
            yield f"{name}: nothing migrates its database"
        unknown = {entry["name"] for entry in migrate.get("env", [])} - source.variables(name)
        if unknown:
            yield f"{name}: does not know {sorted(unknown)}"
        mounted = {mount["name"] for mount in container_of(pod)["volumeMounts"]}
        if "migration" in mounted or any("MIGRATION" in variable for variable in variables_of(pod)):
            yield f"{name}: who serves may change its tables"


def everything_is_looked_at_by_prometheus(manifests: Manifests) -> Faults:
    monitors = manifests.of("ServiceMonitor")
    if not manifests.of("Deployment"):
        return
    components = selected(monitors["processes"]["spec"]["selector"], COMPONENT)
    ports = [endpoint["port"] for endpoint in monitors["processes"]["spec"]["endpoints"]]
    for name in manifests.processes():
        service = manifests.of("Service")[name]
        found = service["metadata"]["labels"][COMPONENT] in components
        if not found or ports != ["admin"] or "admin" not in [port["name"] for port in service["spec"]["ports"]]:
            yield f"{name}: its metrics are not scraped"


def exchanges_are_as_the_services_declare_them(manifests: Manifests) -> Faults:
    queues = manifests.of("Queue")
    if not manifests.of("RabbitmqCluster"):
        return
    limits = {
        "x-max-length": source.constant("services/kit/src/broker/topology.rs", "UNROUTED_LENGTH_LIMIT"),
        "x-overflow": "drop-head",
        "x-message-ttl": source.constant("services/kit/src/broker/topology.rs", "UNROUTED_AGE_MS"),
    }
    if queues["unrouted"]["spec"]["arguments"] != limits:
        yield f"the queue of unrouted events is not {limits}"
    kinds = {document["spec"]["name"]: document["spec"]["type"] for document in manifests.of("Exchange").values()}
    if kinds != {"adfolio.events": "topic", "adfolio.dead": "direct", "adfolio.unrouted": "fanout"}:
        yield f"exchanges are {kinds}"


RULES = (
    programs_know_their_variables,
    variables_hold_no_secrets,
    services_are_reached_where_they_listen,
    ports_are_the_programs,
    images_are_this_version,
    ends_have_time,
    policies_let_through_what_is_needed_and_nothing_else,
    connections_fit,
    scalers_do_not_meet,
    every_consumer_is_scaled_by_its_queue,
    production_survives_a_node,
    standbys_are_read,
    small_holds_no_drain_up,
    certificates_say_who_somebody_is,
    processes_have_their_own_certificate,
    databases_are_the_roles_own,
    only_init_containers_migrate,
    everything_is_looked_at_by_prometheus,
    exchanges_are_as_the_services_declare_them,
)
