/** A stack that uses every field which `docker stack deploy` reads, and what it refers to. */
import type { TestEngine } from "../support/engine.ts";
import type { Files } from "../support/workspace_folder.ts";

const IMAGE = "127.0.0.1:1/fixture:1";

/** Nothing in it is refused by the client of Docker 20.10 or later. */
export const STACK = `version: "3.13"
x-berth: { target: swarm }
services:
  web:
    image: ${IMAGE}
    command: ["idle", "x y"]
    entrypoint: ["/fixture", "z"]
    environment: { B: "2", A: own, EMPTY: "" }
    env_file: [web.env]
    labels: { container.label: "1" }
    user: "1000:1000"
    working_dir: /tmp
    hostname: webhost
    tty: true
    stdin_open: true
    init: true
    stop_signal: SIGINT
    stop_grace_period: 1m30s
    read_only: true
    healthcheck: { test: "true", interval: 10s, timeout: 3s, retries: 4, start_period: 5s, start_interval: 1s }
    ports:
      - "8080:80"
      - "9000-9001:9000-9001/udp"
      - "81"
      - { target: 443, published: 8443, protocol: tcp, mode: host }
    networks:
      front: { aliases: [www, site] }
      shared:
      named: { driver_opts: { a.b: c } }
    volumes:
      - data:/data
      - named:/named:ro
      - ext:/ext:nocopy
      - /etc/hostname:/h:ro
      - { type: bind, source: /tmp, target: /t, bind: { propagation: rslave } }
      - { type: tmpfs, target: /mem, tmpfs: { size: 1048576 } }
      - /anon
      - { type: volume, source: data, target: /sub, volume: { nocopy: true } }
    secrets:
      - key
      - { source: key, target: other, uid: "5", gid: "6", mode: 0400 }
      - outside
      - named
    configs:
      - site
      - { source: site, target: /etc/site.conf, mode: 0444 }
    dns: [10.0.0.1]
    dns_search: [example.org]
    extra_hosts: ["a:10.1.1.1", "b:10.1.1.2"]
    cap_add: [NET_ADMIN, SYS_TIME]
    cap_drop: [ALL]
    sysctls: { net.core.somaxconn: "1024" }
    ulimits: { nofile: { soft: 1000, hard: 2000 }, nproc: 50 }
    logging: { driver: json-file, options: { max-size: 1m } }
    isolation: default
    deploy:
      mode: replicated
      replicas: 2
      endpoint_mode: vip
      labels: { service.label: "2" }
      update_config: { parallelism: 2, delay: 5s, failure_action: rollback, monitor: 10s, max_failure_ratio: 0.25, order: start-first }
      rollback_config: { parallelism: 0, order: stop-first }
      resources:
        limits: { cpus: "0.5", memory: 64M, pids: 50 }
        reservations: { cpus: "0.1", memory: 16M, generic_resources: [ { discrete_resource_spec: { kind: gpu, value: 2 } } ] }
      restart_policy: { condition: on-failure, delay: 1s, max_attempts: 3, window: 30s }
      placement: { constraints: [node.role==manager, "node.labels.x != y"], preferences: [ { spread: node.labels.zone } ], max_replicas_per_node: 4 }
  plain:
    image: ${IMAGE}
  never:
    image: ${IMAGE}
    restart: "no"
    command: idle "two words"
    extra_hosts: { z: 1.1.1.1, a: 2.2.2.2 }
    healthcheck: { disable: true }
  always:
    image: ${IMAGE}
    restart: always
    deploy: { mode: global, update_config: {}, resources: {} }
  failing:
    image: ${IMAGE}
    restart: on-failure:4
    cap_add: [ALL]
    stop_grace_period: 0s
    networks: [default, shared]
    logging: { options: { max-file: "2" } }
  job:
    image: ${IMAGE}
    deploy: { mode: replicated-job, replicas: 3, restart_policy: { condition: none } }
  gjob:
    image: ${IMAGE}
    deploy: { mode: global-job, restart_policy: { condition: none } }
networks:
  front: { driver: overlay, driver_opts: { encrypted: "" }, labels: { net.label: "3" }, attachable: true, ipam: { driver: default, config: [ { subnet: 10.77.0.0/24 } ] } }
  shared: { external: true }
  named: { name: other-net, internal: true }
volumes:
  data: { driver: local, driver_opts: { type: tmpfs, device: tmpfs }, labels: { vol.label: "4" } }
  named: { name: other-vol }
  ext: { external: true }
secrets:
  key: { file: ./key.txt, labels: { secret.label: "5" } }
  outside: { external: true }
  named: { file: ./key.txt, name: other-secret }
configs:
  site: { file: ./site.conf, template_driver: golang }
`;

export const STACK_FILES: Files = {
  "compose.yaml": STACK,
  "web.env": "FROM_FILE=1\nA=file\n",
  "key.txt": "secret-content",
  "site.conf": "config-content",
};

/** Makes the external objects that the stack refers to. */
export async function makeOutside(engine: TestEngine, folder: string): Promise<void> {
  await engine.cli("secret", "create", "outside", `${folder}/key.txt`);
  await engine.cli("network", "create", "--driver", "overlay", "--attachable", "shared");
}

/** Deploys with Docker's own client. */
export async function deployByClient(engine: TestEngine, file: string, name: string): Promise<string> {
  return await engine.cli("stack", "deploy", "--detach=true", "--resolve-image", "never", "-c", file, name);
}
