#!/bin/sh
# with-secrets.sh COMMAND...: runs a command that only reads passwords from its environment. The files
# named by *_PASSWORD_FILE, *_AUTH_FILE and *_URL_FILE become the variables without _FILE, so that the
# settings of the container do not show them.
set -eu
for variable in $(env | sed -n 's/^\([A-Z_]*\(PASSWORD\|AUTH\|URL\)\)_FILE=.*/\1/p'); do
    eval "file=\$${variable}_FILE"
    value=$(cat "$file")
    export "$variable=$value"
done
exec "$@"
