#!/bin/sh
# Writes a password for each that docker-compose.yml asks for into the file .env, unless it is there.
# A password of which only the line is new is taken over when the deployment starts; those of
# POSTGRES and RABBITMQ, the owner's and the administrator's, are those of the first start.
set -eu
umask 077
file=${1:-.env}
touch "$file"
chmod 600 "$file"
for name in POSTGRES DATABASE_SERVICE DATABASE_READ \
    RABBITMQ BROKER_SERVICE BROKER_CRAWLER BROKER_RECOGNISER GRAFANA FLOWER INSPECTOR; do
    if ! grep -q "^${name}_PASSWORD=" "$file"; then
        # Hexadecimal digits need no quoting in a URL.
        password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
        printf '%s_PASSWORD=%s\n' "$name" "$password" >>"$file"
    fi
done
