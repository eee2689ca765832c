#!/bin/sh
# Creates the test certificates in this folder, valid for 30 years. The keys are used only on loopback.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

touch "$work/index"
cat >"$work/config" <<CONFIG
[ca]
default_ca = test
[test]
database = $work/index
rand_serial = yes
new_certs_dir = $work
default_md = sha256
policy = any
copy_extensions = copy
default_startdate = 20260101000000Z
default_enddate = 20560101000000Z
unique_subject = no
[any]
commonName = supplied
[req]
distinguished_name = name
[name]
CONFIG

certificate() { # name, common name, extension, then how it is signed
  name=$1 commonName=$2 extension=$3
  shift 3
  [ -f "$name.key.pem" ] || openssl ecparam -name prime256v1 -genkey -noout -out "$name.key.pem"
  openssl req -config "$work/config" -new -key "$name.key.pem" -subj "/CN=$commonName" -addext "$extension" -out "$work/request"
  openssl ca -config "$work/config" -batch -notext -in "$work/request" -out "$name.cert.pem" "$@"
}

own='DNS:localhost,DNS:receiver.test,IP:127.0.0.1'
certificate ca 'Hulaki test CA' 'basicConstraints=critical,CA:TRUE' -selfsign -keyfile ca.key.pem
certificate receiver receiver.test "subjectAltName=$own" -cert ca.cert.pem -keyfile ca.key.pem
certificate other-host other-host.test 'subjectAltName=DNS:other-host.test' -cert ca.cert.pem -keyfile ca.key.pem
certificate self-signed receiver.test "subjectAltName=$own" -selfsign -keyfile self-signed.key.pem

rm ca.key.pem # Prevents further signatures.
