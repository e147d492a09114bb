# syntax=docker/dockerfile:1

# Base image of both stages, which must match because wheels require the Python version that built them;
# deploy/pin-images.sh pins its digest.
ARG PYTHON_IMAGE=docker.io/library/python:3.11.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
RUN apt-get update \
 && apt-get install --yes --no-install-recommends g++ libc6-dev \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
# Dependencies of the service and of the inspector.
COPY requirements-build.txt requirements-image.txt ./
RUN pip install --require-hashes --no-deps --requirement requirements-build.txt \
 && pip wheel --require-hashes --no-deps --wheel-dir /wheels --requirement requirements-image.txt
# Copies only the packages and their metadata, because .dockerignore excludes everything else.
COPY . .
RUN pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . ./worker \
 # Fail if the wheel of the library lacks the native kernel: the final image has no compiler, and without the kernel, comparisons
 # would be slow.
 && python -m zipfile --list /wheels/detourage-[0-9]*.whl | grep 'detourage/template/distance/.*[.]so'

FROM ${PYTHON_IMAGE}
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin detourage
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --disable-pip-version-check --root-user-action=ignore --no-cache-dir \
        --no-index --no-deps /wheels/*.whl
ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /tmp
CMD ["detourage", "--help"]
