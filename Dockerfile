# The command line and the studio in a container; docs/how-to/containers.md.
# docker build -t publius .                              the studio and all local commands
# docker build -t publius-spark --build-arg EXTRAS=spark,s3 --build-arg SYSTEM=openjdk-17-jre-headless .
FROM python:3.11-slim-bookworm AS wheel
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY docs/licences docs/licences
COPY docs/man docs/man
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim-bookworm
ARG EXTRAS=studio,office
ARG SYSTEM=""
ENV PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# Java for Spark, and nothing else, comes from Debian, in the version that it has.
# hadolint ignore=DL3008
RUN if [ -n "${SYSTEM}" ]; then \
      apt-get update \
      && mkdir -p /usr/share/man/man1 \
      && apt-get install --yes --no-install-recommends ${SYSTEM} \
      && rm -rf /var/lib/apt/lists/*; \
    fi
COPY constraints.txt /install/constraints.txt
COPY --from=wheel /wheels /install/wheels
RUN pip install --no-cache-dir --constraint /install/constraints.txt \
      "$(echo /install/wheels/publius-*.whl)[${EXTRAS}]" \
    && rm -rf /install
# Released folders and the cache belong to nobody in particular, never to root.
RUN useradd --create-home --uid 10001 publius \
    && mkdir /data \
    && chown publius:publius /data
USER 10001
WORKDIR /data
ENTRYPOINT ["publius"]
CMD ["--help"]
