# berth without a shell, a package manager or anything else to run:
#
#   docker build -t ghcr.io/berth/berth:0.1.0 .
#   docker build -t ghcr.io/berth/berth:0.1.0-ssh --target ssh .
#
# The first stage needs the npm registry. `tools/image.ts` builds the others from what this machine has, without a network.
ARG BUILDER=node:24-bookworm@sha256:3a09aa6354567619221ef6c45a5051b671f953f0a1924d1f819ffb236e520e6b
FROM ${BUILDER} AS build
ARG NPM_CONFIG_REGISTRY
WORKDIR /src
COPY . .
RUN npm ci --prefix .ci/toolchain --ignore-scripts \
 || { echo "The npm registry cannot be reached. Build where it can be, or name another: --build-arg NPM_CONFIG_REGISTRY=URL" >&2; exit 1; }
RUN .ci/toolchain/node_modules/.bin/deno run -A tools/image.ts --ssh --prepare

FROM scratch AS program
COPY --from=build /src/dist/image/runtime/ /
COPY --from=build /src/dist/image/program/ /
COPY --from=build --chown=65532:65532 /src/dist/image/volumes/ /

# Counting open files would make each start a third longer, so the check at start is off. `berth doctor` counts them.
# While the root is read-only, /data is the one place for a temporary file, the socket of an engine behind
# ssh, or what `berth login` keeps.
ENV PATH=/usr/bin \
    DENO_DIR=/berth/.deno \
    DENO_NO_UPDATE_CHECK=1 \
    DENO_USR2_MEMORY_TRIM=1 \
    DENO_TLS_CA_STORE=system \
    container=oci \
    HOME=/data \
    TMPDIR=/data \
    BERTH_HOST=0.0.0.0 \
    BERTH_DATA=/data \
    BERTH_MIN_DESCRIPTORS=0 \
    BERTH_ROOTS=/srv/projects

WORKDIR /berth
USER 65532:65532
VOLUME /data
EXPOSE 8700
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s \
    CMD ["/usr/bin/deno", "run", "-A", "--cached-only", "/berth/main.ts", "health", "--ready"]

# The container is the boundary: no shell, no capabilities, a read-only root, and the folders that its owner mounts. With
# less than all of Deno's permissions berth could not hold a folder while it reads or writes a file in it.
ENTRYPOINT ["/usr/bin/deno", "run", "-A", "--cached-only", "/berth/main.ts"]
CMD ["serve"]

# With Debian's ssh and git, for engines that are reached by ssh://, and for folders that follow a Git repository. It still
# has no shell, so jumps (ProxyJump, ProxyCommand) are not for it.
FROM program AS ssh
COPY --from=build /src/dist/image/ssh/ /

FROM program AS berth
