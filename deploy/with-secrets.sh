#!/bin/sh
# with-secrets.sh COMMAND...: runs a command that knows passwords from its environment alone, with
# each variable *_PASSWORD_FILE, *_AUTH_FILE and *_URL_FILE read into that without _FILE. So no list
# of a container's settings shows them.
set -eu
for variable in $(env | sed -n 's/^\([A-Z_]*\(PASSWORD\|AUTH\|URL\)\)_FILE=.*/\1/p'); do
    eval "file=\$${variable}_FILE"
    value=$(cat "$file")
    export "$variable=$value"
done
exec "$@"
