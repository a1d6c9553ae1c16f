#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs inside the new namespaces: addresses, certificates, resolver, then the program. Usage: inside.sh BUILD FOLDER PROGRAM [PART]
set -eu
build=$1
folder=$2

# ---- addresses: public ones on lo, one of "our own" on another interface, and private ones that nobody may call
ip link set lo up
for a in 34 35 40 41 50 51 52; do
    ip addr add "93.184.216.$a/32" dev lo
done
ip addr add 8.8.8.8/32 dev lo
ip addr add 10.0.0.1/32 dev lo
ip addr add 169.254.169.254/32 dev lo
ip -6 addr add 2606:4700:4700::1111/128 dev lo
ip -6 addr add 64:ff9b::808:808/128 dev lo
ip link add own0 type veth peer name own1
ip addr add 93.184.218.1/32 dev own0
ip link set own0 up

# ---- names: our DNS and nothing else
cd "$folder"
printf 'nameserver 127.0.0.53\nsearch search.test\noptions timeout:5 attempts:2\n' >resolv.conf
printf 'hosts: dns\n' >nsswitch.conf
mkdir -p nscd
mount --bind resolv.conf "$(readlink -f /etc/resolv.conf)"
mount --bind nsswitch.conf /etc/nsswitch.conf
[ ! -d /run/nscd ] || mount --bind nscd /run/nscd

# ---- certificates: one key, an authority, and leaves that are right or wrong in one thing each
quiet() {
    "$@" 2>openssl.log || { cat openssl.log >&2; exit 1; }
}
quiet openssl ecparam -name prime256v1 -genkey -noout -out key.pem
quiet openssl req -x509 -new -key key.pem -subj "/CN=lab authority" -days 2 -out ca.pem
leaf() { # NAME SUBJECT-ALTERNATIVE-NAMES DAYS
    printf 'subjectAltName=%s\n' "$2" >ext
    quiet openssl req -new -key key.pem -subj "/CN=$1" -out csr.pem
    quiet openssl x509 -req -in csr.pem -CA ca.pem -CAkey key.pem -CAcreateserial -days "$3" -extfile ext -out "$1.pem"
}
names=
for n in a b v6 dns64 failover rebind flips self own slow old xn--bcher-kva.a; do
    names="${names}DNS:$n.test,"
done
leaf good "${names}DNS:*.hop.test,DNS:*.flip.test,IP:8.8.8.8,IP:2606:4700:4700::1111" 2
leaf other DNS:elsewhere.example 2
leaf expired DNS:expired.test -1
quiet openssl req -x509 -new -key key.pem -subj /CN=lab -addext subjectAltName=DNS:selfsigned.test -days 2 -out self.pem

exec python3 -B "$3" "$build" "$folder" "${4:-}"
