#!/usr/bin/env bash
# Prints every Secret that Adfolio needs and no operator creates, with new random passwords and keys. Once, before the
# first rollout:
#
#     deploy/k8s/secrets.sh | kubectl create -f -
#
# SMTP_URL is the mail server's, with user and password; without it, replace the example by hand. BROKER_NODES is the
# number of RabbitMQ's nodes, 1 unless it is set: 3 for production.
#
# Another run prints other values, which match neither the databases nor data sealed with the old key; `create` replaces
# nothing. Keep a copy of the Secrets of auth and wallet: without their keys no second factor and no transaction password
# can be checked, and no bank card can be read.
set -euo pipefail

namespace=${NAMESPACE:-adfolio}
databases=(auth plan wallet coupon notification acceptor)

random() { openssl rand -hex 32; }

# Lines as one line of a quoted string in YAML.
escaped() { printf '%s\n' "${1//$'\n'/\\n}\n"; }

# The key pair of identity tokens: auth signs, all services verify.
identity_key=$(openssl genpkey -algorithm ed25519)
identity_public_keys=$(openssl pkey -pubout <<<"$identity_key")

# Signs requests to push services.
vapid_key=$(openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256)

# secret NAME TYPE KEY VALUE ...
secret() {
    local name=$1 type=$2
    shift 2
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  namespace: %s\n' "$name" "$namespace"
    printf 'type: %s\nstringData:\n' "$type"
    while [ $# -gt 0 ]; do
        printf '  %s: "%s"\n' "$1" "$2"
        shift 2
    done
}

# The addresses of RabbitMQ's nodes. Clients know each, so that they go back to one that was away.
broker_nodes() {
    local node nodes=()
    [ "${BROKER_NODES:-1}" != 1 ] || { printf rabbitmq:5672 && return; }
    for ((node = 0; node < BROKER_NODES; node++)); do
        nodes+=("rabbitmq-server-$node.rabbitmq-nodes.$namespace.svc:5672")
    done
    (IFS=, && printf '%s' "${nodes[*]}")
}
broker_nodes=$(broker_nodes)

# A user of RabbitMQ, for the operator that creates it.
broker_user() { secret "rabbitmq-$1" Opaque username "$1" password "$2"; }

for service in "${databases[@]}"; do
    broker=$(random) database=$(random) migration=$(random)
    broker_user "$service" "$broker"
    secret "postgres-$service" kubernetes.io/basic-auth username "adfolio_$service" password "$database"
    secret "postgres-$service-migration" kubernetes.io/basic-auth \
        username "adfolio_${service}_migrate" password "$migration"
    path="5432/adfolio_$service?sslmode=verify-full&sslrootcert=/run/postgres/ca.crt"
    server=postgres-rw:$path
    secret "$service-migration" Opaque \
        database-url "postgres://adfolio_$service:$database@$server" \
        database-migration-url "postgres://adfolio_${service}_migrate:$migration@$server"
    settings=(
        amqp-url "amqp://$service:$broker@$broker_nodes"
        identity-public-keys "$(escaped "$identity_public_keys")"
        database-url "postgres://adfolio_$service:$database@$server"
        database-read-url "postgres://adfolio_$service:$database@postgres-ro:$path"
    )
    [ "$service" != auth ] ||
        settings+=(second-factor-key "$(random)" identity-key "$(escaped "$identity_key")")
    [ "$service" != wallet ] ||
        settings+=(pay-password-pepper "$(random)" card-key "$(random)" checkpoint-key "$(random)")
    [ "$service" != notification ] || settings+=(
        smtp-url "${SMTP_URL:-smtps://user:password@smtp.example.com}" vapid-key "$(escaped "$vapid_key")")
    secret "$service" Opaque "${settings[@]}"
done

for client in gateway adfolioctl; do
    broker=$(random)
    broker_user "$client" "$broker"
    secret "$client" Opaque amqp-url "amqp://$client:$broker@$broker_nodes"
done

broker_user reader "$(random)"
broker=$(random)
broker_user keda "$broker"
# Used from KEDA's namespace; %2F is the virtual host "/".
secret keda-rabbitmq Opaque host "amqp://keda:$broker@rabbitmq.$namespace.svc:5672/%2F"
secret first-staff Opaque password "$(random)" second-password "$(random)"
