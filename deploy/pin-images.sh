#!/bin/sh
# Pins the images of docker-compose.yml and the Dockerfile: queries the registry for the digest of each
# tag, and prints lines for .env, from which Docker Compose reads them:
#
#   deploy/pin-images.sh >>.env                pin the images of the compose file
#   POSTGRES_IMAGE=… deploy/pin-images.sh      pin an image of another registry or version
#
# Uses docker (buildx) or, if unavailable, podman, which pulls the images.
set -eu
cd "$(dirname "$0")/.."

digest() {
    if command -v docker >/dev/null 2>&1 && docker buildx version >/dev/null 2>&1; then
        docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1"
    else
        podman pull --quiet "$1" >/dev/null
        podman image inspect --format '{{.Digest}}' "$1"
    fi
}

# The pipeline yields lines such as `POSTGRES_IMAGE docker.io/library/postgres:17.6`.
sed -n 's/.*\${\([A-Z]*_IMAGE\):-\([^}]*\)}.*/\1 \2/p' docker-compose.yml | sort -u |
    while read -r name image; do
        eval "image=\${$name:-$image}"
        image=${image%@*}
        pinned=$(digest "$image")
        echo "$name=$image@$pinned"
    done
