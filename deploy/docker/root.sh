#!/bin/sh
# Creates, below a folder, the file system that these programs need in an otherwise empty image.
set -eu
folder=$1
shift

mkdir -p "$folder/etc/ssl/certs" "$folder/tmp"
chmod 1777 "$folder/tmp"
# ldd prints `libm.so.6 => /lib/…/libm.so.6 (0x…)`, or the loader's path alone. The kernel's vdso has no path.
for program in "$@"; do
    ldd "$program"
done | sed -n 's#^[^/]*\(/[^ ]*\) (0x.*#\1#p' | sort -u | while read -r library; do
    mkdir -p "$folder$(dirname "$library")"
    cp --dereference "$library" "$folder$library"
done
cp --dereference /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
echo 'adfolio:x:10001:10001:Adfolio:/:/usr/sbin/nologin' >"$folder/etc/passwd"
echo 'adfolio:x:10001:' >"$folder/etc/group"
echo 'hosts: files dns' >"$folder/etc/nsswitch.conf"
mkdir -p /uploads
