#!/bin/sh
# passwords.sh [DIRECTORY [FILE]]: generates the secrets of docker-compose.yml in DIRECTORY (default:
# secrets): a password for each user that has none yet, and the files derived from it. Passwords that
# an earlier version wrote to FILE (default: .env) are copied from it.
#
# To change a password, write it to its file, in characters that need no quoting in a URL, and run
# this script again; the password applies from the next start of the deployment. The passwords of
# postgres (the owner) and rabbitmq (the administrator) apply only at the first start.
set -eu
umask 077
directory=${1:-secrets} old_file=${2:-.env}
mkdir -p "$directory"
# Only the owner can enter the directory; the files in it are world-readable, because containers run
# as other users.
chmod 700 "$directory"
cd "$directory"
case $old_file in /*) ;; *) old_file=$OLDPWD/$old_file ;; esac

# secret NAME: writes standard input to the file, atomically.
secret() {
    cat >".$1"
    chmod 644 ".$1"
    mv -f ".$1" "$1"
}

for user in postgres database_service database_read \
    rabbitmq broker_service broker_crawler broker_recogniser grafana flower inspector; do
    name=${user}_password
    [ ! -e "$name" ] || continue
    variable=$(printf %s "$name" | tr '[:lower:]' '[:upper:]')
    password=$(sed -n "s/^$variable=//p" "$old_file" 2>/dev/null | tail -n 1 | tr -d "\"'\r")
    # Hexadecimal digits, which need no quoting in a URL.
    [ -n "$password" ] || password=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
    printf %s "$password" | secret "$name"
done

database() { printf 'postgresql+psycopg2://%s:%s@postgres/detourage' "$1" "$(cat "$2_password")"; }
broker=amqp://detourage_service:$(cat broker_service_password)@rabbitmq//
database detourage postgres | secret database_url_owner
database detourage_service database_service | secret database_url_service
database detourage_read database_read | secret database_url_read
printf %s "$broker" | secret broker_url
printf 'detourage:%s' "$(cat flower_password)" | secret flower_basic_auth
printf 'default_user = detourage\ndefault_pass = %s\n' "$(cat rabbitmq_password)" |
    secret rabbitmq_administrator.conf
