#!/bin/sh
# The edge in its container: writes nginx's configuration and becomes nginx. `edge.sh healthcheck` asks it whether a gateway is ready.
#
#   GATEWAY          name of the gateway (gateway)
#   FRAME_ANCESTORS  who may show the web client in a frame: 'none', or the origin of a native host shell
#   NGINX_GATEWAYS, NGINX_GATEWAY_ADMINS, NGINX_REAL_IP
#                    directives to use instead of those made here, as nginx.conf.template describes them
set -eu

if [ "${1:-serve}" = healthcheck ]; then
    exec curl --silent --fail --show-error --output /dev/null --max-time 4 http://127.0.0.1:8080/healthz
fi

fail() { echo "$*" >&2; exit 2; }

gateway=${GATEWAY:-gateway}
ancestors=${FRAME_ANCESTORS:-"'none'"}
# They go into directives: neither may end one.
case $gateway in *[!A-Za-z0-9._-]*) fail "GATEWAY is no name: $gateway" ;; esac
case $ancestors in *[\"\;,\$\\]*) fail "FRAME_ANCESTORS are no sources of frames: $ancestors" ;; esac

# From 1.27.3 on nginx looks a name up again while it runs, so gateways may come and go; before, only when it starts.
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
# An address of IPv6 stands in brackets.
resolvers=$(awk '$1 == "nameserver" { print $2 ~ /:/ ? "[" $2 "]" : $2 }' /etc/resolv.conf | paste -s -d ' ' -)

export NGINX_ACCOUNT='' NGINX_LISTEN=8080 NGINX_PID_FILE=/tmp/nginx.pid NGINX_TEMP_FOLDER=/tmp \
    NGINX_MIME_TYPES=/etc/nginx/mime.types NGINX_ACCESS_LOG=/dev/stdout NGINX_ERROR_LOG=/dev/stderr \
    NGINX_WEB_ROOT=/usr/share/adfolio NGINX_FRAME_ANCESTORS="$ancestors"
NGINX_GATEWAYS=${NGINX_GATEWAYS:-$(server gateway 8080)}
NGINX_GATEWAY_ADMINS=${NGINX_GATEWAY_ADMINS:-$(server gateway_admin 9090)}
export NGINX_GATEWAYS NGINX_GATEWAY_ADMINS NGINX_REAL_IP="${NGINX_REAL_IP:-}"

# These alone: nginx's own variables stay.
# shellcheck disable=SC2016
names=$(env | sed -n 's/^\(NGINX_[A-Z_]*\)=.*/${\1}/p' | tr '\n' ' ')
envsubst "$names" </etc/adfolio/nginx.conf.template >/tmp/nginx.conf
exec nginx -e /dev/stderr -p /tmp -c /tmp/nginx.conf -g 'daemon off;'
