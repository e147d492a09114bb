#!/bin/sh
# with-secrets.sh COMMAND...: runs a command that can read passwords only from its environment. For
# each variable *_PASSWORD_FILE, *_AUTH_FILE or *_URL_FILE, it sets the variable without _FILE to the
# content of the file, so that the container's configuration does not contain the passwords.
set -eu
for variable in $(env | sed -n 's/^\([A-Z_]*\(PASSWORD\|AUTH\|URL\)\)_FILE=.*/\1/p'); do
    eval "file=\$${variable}_FILE"
    value=$(cat "$file")
    export "$variable=$value"
done
exec "$@"
