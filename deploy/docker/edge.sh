#!/bin/sh
# The edge in its container: writes nginx's configuration and becomes nginx. `edge.sh healthcheck` asks nginx whether a
# gateway is ready.
#
#   GATEWAY          name of the gateway (gateway)
#   FRAME_ANCESTORS  who may frame the web client: 'none', or the origin of a native host shell
#   NGINX_GATEWAYS, NGINX_GATEWAY_ADMINS, NGINX_REAL_IP
#                    directives that replace the generated ones; see nginx.conf.template
set -eu

if [ "${1:-serve}" = healthcheck ]; then
    exec curl --silent --fail --show-error --output /dev/null --max-time 4 http://127.0.0.1:8080/healthz
fi

fail() { echo "$*" >&2; exit 2; }

gateway=${GATEWAY:-gateway}
ancestors=${FRAME_ANCESTORS:-"'none'"}
# Both become part of a directive and must not end it.
case $gateway in *[!A-Za-z0-9._-]*) fail "GATEWAY is not a host name: $gateway" ;; esac
case $ancestors in *[\"\;,\$\\]*) fail "FRAME_ANCESTORS is not a list of frame sources: $ancestors" ;; esac

# From 1.27.3 on nginx resolves names again while it runs, so gateways may come and go. Earlier versions resolve only at
# start.
follows_names() {
    printf '1.27.3\n%s\n' "$1" | sort -V -C
}
version=$(nginx -v 2>&1 | sed 's#^[^/]*/\([0-9.]*\).*#\1#')
server() {
    if follows_names "$version"; then
        echo "zone $1 64k; resolver $resolvers valid=5s; server $gateway:$2 resolve max_fails=0;"
    else
        echo "server $gateway:$2 max_fails=0;"
    fi
}
# IPv6 addresses need brackets.
resolvers=$(awk '$1 == "nameserver" { print $2 ~ /:/ ? "[" $2 "]" : $2 }' /etc/resolv.conf | paste -s -d ' ' -)

export NGINX_ACCOUNT='' NGINX_LISTEN=8080 NGINX_PID_FILE=/tmp/nginx.pid NGINX_TEMP_FOLDER=/tmp \
    NGINX_MIME_TYPES=/etc/nginx/mime.types NGINX_ACCESS_LOG=/dev/stdout NGINX_ERROR_LOG=/dev/stderr \
    NGINX_WEB_ROOT=/usr/share/adfolio NGINX_FRAME_ANCESTORS="$ancestors"
NGINX_GATEWAYS=${NGINX_GATEWAYS:-$(server gateway 8080)}
NGINX_GATEWAY_ADMINS=${NGINX_GATEWAY_ADMINS:-$(server gateway_admin 9090)}
export NGINX_GATEWAYS NGINX_GATEWAY_ADMINS NGINX_REAL_IP="${NGINX_REAL_IP:-}"

# Substitute these names only, and leave nginx's own variables alone.
# shellcheck disable=SC2016
names=$(env | sed -n 's/^\(NGINX_[A-Z_]*\)=.*/${\1}/p' | tr '\n' ' ')
envsubst "$names" </etc/adfolio/nginx.conf.template >/tmp/nginx.conf
exec nginx -e /dev/stderr -p /tmp -c /tmp/nginx.conf -g 'daemon off;'
