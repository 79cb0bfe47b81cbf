/** For every rule one workspace that provokes it and one that does not: what the rules promise, as files. */

import type { RuleCode } from "../../artifacts/rules/catalog.ts";

/** Texts by path. A path ending in `/` is a folder, `->` makes a symbolic link. */
export type Files = Readonly<Record<string, string>>;

/** A pair of workspaces that differ in one thing. */
export interface Example {
  readonly bad: Files;
  readonly good: Files;
}

const service = (lines: string, more = ""): Files => ({
  "compose.yaml": `services:\n  web:\n    image: nginx:1.27\n${
    lines.split("\n").filter((line) => line !== "").map((line) => `    ${line}\n`).join("")
  }${more}`,
});
const compose = (text: string, more: Files = {}): Files => ({ "compose.yaml": text, ...more });
const one = "services:\n  web:\n    image: nginx:1.27\n";
const two = (lines: string) => `${one}${lines}  db:\n    image: postgres:17\n`;
const card = (text: string): Files => ({
  ...compose(one, { "README.md": "" }),
  "shop.card.yaml": `apiVersion: berth/v1\nkind: Card\nmetadata:\n  name: shop-card\n${text}`,
});
const named = "name: shop\n";
const swarm = (lines: string, more = ""): Files => service(lines, `x-berth:\n  target: swarm\n${more}`);
const data = "volumes: [data:/data]\n";
const pinned = "deploy: { placement: { constraints: [node.labels.disk == ssd] } }\n";
const rollback = (more: string) => `deploy:\n  update_config:\n    failure_action: rollback\n${more}`;
const health = 'healthcheck: { test: "true", start_period: 30s }\n';
const hostPort = "ports: [{ target: 80, published: 80, mode: host }]\n";
const memory = (reserved: string) =>
  `deploy: { resources: { limits: { memory: 1G }, reservations: { memory: ${reserved} } } }\n`;

/** Every rule that is found by reading files alone. */
export const EXAMPLES: Readonly<Partial<Record<RuleCode, Example>>> = {
  "workspace/empty": { bad: { "notes.txt": "" }, good: compose(one) },

  "fs/not-utf8": { bad: compose(`${one}    command: "\udcff"\n`), good: compose(one) },
  "fs/too-large": {
    bad: compose(one, { "other/compose.yaml": `${one}#${" ".repeat(1_100_000)}` }),
    good: compose(one),
  },
  "fs/limit-reached": {
    bad: compose(one, { [`${"d/".repeat(14)}compose.yaml`]: one }),
    good: compose(one, { "d/compose.yaml": one }),
  },
  "fs/symlink-escape": {
    bad: compose(one, { "b/compose.yaml": "-> /etc/hostname" }),
    good: compose(one, { "b/compose.yaml": one }),
  },
  "fs/path-escape": {
    bad: service("env_file: ../../outside.env"),
    good: { ...service("env_file: in.env"), "in.env": "A=1\n" },
  },

  "yaml/syntax": { bad: compose("services:\n  web: [\n"), good: compose(one) },
  "yaml/style": { bad: compose(`%ODD thing\n---\n${one}`), good: compose(one) },
  "yaml/duplicate-key": { bad: compose(`${one}    image: nginx:1.28\n`), good: compose(one) },
  "yaml/undefined-alias": {
    bad: service("labels: *none"),
    good: compose(`x-l: &l\n  a: b\n${one}    labels: *l\n`),
  },
  "yaml/alias-cycle": {
    bad: compose(`${one}x-a: &a\n  b: *a\n`),
    good: compose(`${one}x-a: &a {}\nx-b: *a\n`),
  },
  "yaml/alias-bomb": {
    bad: compose(
      `${one}x-a: &a [1,2,3,4,5,6,7,8,9]\n${
        ["b", "c", "d", "e", "f", "g"].map((name, i) => {
          const before = String.fromCharCode(name.charCodeAt(0) - 1);
          return `x-${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]${i === 9 ? "" : ""}`;
        }).join("\n")
      }\n`,
    ),
    good: compose(`${one}x-a: &a [1, 2]\nx-b: [*a, *a]\n`),
  },
  "yaml/too-deep": {
    bad: compose(`${one}x-a: ${"[".repeat(300)}${"]".repeat(300)}\n`),
    good: compose(`${one}x-a: [[[]]]\n`),
  },
  "yaml/bad-merge": {
    bad: compose(`${one}x-a:\n  <<: text\n`),
    good: compose(`x-b: &b { c: d }\n${one}x-a:\n  <<: *b\n`),
  },
  "yaml/non-string-key": {
    bad: compose(`${one}x-a:\n  ? [a, b]\n  : c\n`),
    good: compose(`${one}x-a:\n  a: c\n`),
  },
  "yaml/unknown-tag": { bad: compose(`${one}x-a: !secret b\n`), good: compose(`${one}x-a: b\n`) },
  "yaml/boolean-word": { bad: service("tty: yes"), good: service("tty: true") },
  "yaml/multi-document": { bad: compose(`${one}---\n${one}    user: "1"\n`), good: compose(one) },
  "yaml/unused-anchor": { bad: compose(`x-a: &a b\n${one}`), good: compose(`x-a: &a b\nx-b: *a\n${one}`) },
  "yaml/duplicate-anchor": {
    bad: compose(`x-a: &a b\nx-b: *a\nx-c: &a d\nx-e: *a\n${one}`),
    good: compose(`x-a: &a b\nx-b: *a\n${one}`),
  },

  "schema/invalid": { bad: service("ports: 80"), good: service('ports: ["80"]') },
  "schema/unknown-property": { bad: service("imge: nginx"), good: service("x-imge: nginx") },
  "schema/missing-name": {
    bad: compose(one, { "a.group.yaml": "apiVersion: berth/v1\nkind: Group\nmetadata: {}\nspec: {}\n" }),
    good: compose(one, {
      "a.group.yaml": "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: {}\n",
    }),
  },
  "schema/invalid-name": {
    bad: compose(one, {
      "a.group.yaml": "apiVersion: berth/v1\nkind: Group\nmetadata: { name: 'a b' }\nspec: {}\n",
    }),
    good: compose(one, {
      "a.group.yaml": "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: {}\n",
    }),
  },
  "schema/unknown-kind": {
    bad: compose(one, { "a.yaml": "apiVersion: berth/v1\nkind: Gruop\nmetadata: { name: a }\nspec: {}\n" }),
    good: compose(one, { "a.yaml": "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: {}\n" }),
  },

  "compose/service-null": { bad: compose(`${one}  db:\n`), good: compose(one) },
  "compose/no-image-or-build": { bad: compose(`${one}  db:\n    restart: always\n`), good: compose(one) },
  "compose/no-services": { bad: compose("# nothing\n"), good: compose(one) },
  "compose/multiple-defaults": {
    bad: compose(one, { "docker-compose.yml": one }),
    good: compose(one, { "compose.override.yaml": one }),
  },
  "compose/version-obsolete": { bad: compose(`version: "3"\n${one}`), good: compose(one) },
  "compose/name-invalid": { bad: compose(`name: "!"\n${one}`), good: compose(`${named}${one}`) },
  "compose/name-normalized": { bad: { "My.Shop/compose.yaml": one }, good: { "shop/compose.yaml": one } },
  "compose/name-missing": { bad: compose(one), good: compose(`${named}${one}`) },
  "compose/image-and-build": {
    bad: { ...service("build: ."), "Dockerfile": "FROM scratch\n" },
    good: service("restart: always"),
  },
  "compose/links-legacy": {
    bad: compose(two("    links: [db]\n")),
    good: compose(two("    depends_on: [db]\n")),
  },
  "compose/network-mode-and-networks": {
    bad: service("network_mode: host\nnetworks: [a]", "networks:\n  a:\n"),
    good: service("networks: [a]", "networks:\n  a:\n"),
  },
  "compose/dockerfile-and-inline": {
    bad: compose(
      "services:\n  web:\n    build:\n      context: .\n      dockerfile: Dockerfile\n      dockerfile_inline: FROM scratch\n",
      {
        Dockerfile: "FROM scratch\n",
      },
    ),
    good: compose("services:\n  web:\n    build:\n      context: .\n      dockerfile_inline: FROM scratch\n"),
  },
  "compose/external-conflict": {
    bad: service("networks: [a]", "networks:\n  a:\n    external: true\n    driver: bridge\n"),
    good: service("networks: [a]", "networks:\n  a:\n    external: true\n    name: proxy\n"),
  },
  "compose/file-object-exclusive": {
    bad: { ...service("secrets: [a]", "secrets:\n  a:\n    file: a.txt\n    environment: A\n"), "a.txt": "" },
    good: { ...service("secrets: [a]", "secrets:\n  a:\n    file: a.txt\n"), "a.txt": "" },
  },
  "compose/device-count-and-ids": {
    bad: service(
      "deploy:\n  resources:\n    reservations:\n      devices:\n        - capabilities: [gpu]\n          count: 1\n          device_ids: ['0']",
    ),
    good: service(
      "deploy:\n  resources:\n    reservations:\n      devices:\n        - capabilities: [gpu]\n          count: 1",
    ),
  },
  "compose/scale-vs-replicas": {
    bad: service("scale: 2\ndeploy:\n  replicas: 3"),
    good: service("scale: 3\ndeploy:\n  replicas: 3"),
  },
  "compose/negative-scale": { bad: service("scale: -1"), good: service("scale: 0") },
  "compose/container-name-with-scale": {
    bad: service("container_name: web-1\nscale: 2"),
    good: service("container_name: web-1\nscale: 1"),
  },
  "compose/duplicate-mount-target": {
    bad: service("tmpfs: /data\nvolumes: ['disk:/data']", "volumes:\n  disk:\n"),
    good: service("tmpfs: /run\nvolumes: ['disk:/data']", "volumes:\n  disk:\n"),
  },
  "compose/duplicate-port": {
    bad: service('ports: ["80:80", "0.0.0.0:80:80/tcp"]'),
    good: service('ports: ["80:80", "80:80/udp"]'),
  },
  "compose/limits-mismatch": {
    bad: service("mem_limit: 1g\ndeploy:\n  resources:\n    limits:\n      memory: 2g"),
    good: service("mem_limit: 1g\ndeploy:\n  resources:\n    limits:\n      memory: 1024m"),
  },
  "compose/port-range-mismatch": {
    bad: service('ports: ["8000-8001:80-84"]'),
    good: service('ports: ["8000-8004:80-84", "9000-9010:90"]'),
  },
  "compose/platform-not-built": {
    bad: compose(
      "services:\n  web:\n    platform: linux/arm64\n    build:\n      context: .\n      platforms: [linux/amd64]\n",
      {
        Dockerfile: "FROM scratch\n",
      },
    ),
    good: compose(
      "services:\n  web:\n    platform: linux/amd64\n    build:\n      context: .\n      platforms: [linux/amd64]\n",
      {
        Dockerfile: "FROM scratch\n",
      },
    ),
  },
  "compose/secret-without-source": {
    bad: service("secrets: [a]", "secrets:\n  a: {}\n"),
    good: service("secrets: [a]", "secrets:\n  a: { environment: A }\n"),
  },
  "compose/watch-target-missing": {
    bad: { ...service("develop:\n  watch:\n    - action: sync\n      path: src"), "src/": "" },
    good: {
      ...service("develop:\n  watch:\n    - action: sync\n      path: src\n      target: /app"),
      "src/": "",
    },
  },
  "compose/healthcheck-test": {
    bad: service('healthcheck:\n  test: ["curl", "localhost"]'),
    good: service('healthcheck:\n  test: ["CMD", "curl", "localhost"]'),
  },
  "compose/start-interval-without-period": {
    bad: service("healthcheck:\n  test: ['CMD', 'true']\n  start_interval: 1s"),
    good: service("healthcheck:\n  test: ['CMD', 'true']\n  start_interval: 1s\n  start_period: 9s"),
  },
  "compose/bad-port": { bad: service('ports: ["eighty:80"]'), good: service('ports: ["80:80/udp"]') },
  "compose/bad-host-ip": {
    bad: service('ports: ["300.0.0.1:80:80"]'),
    good: service('ports: ["[::1]:80:80"]'),
  },
  "compose/bad-extra-host": {
    bad: service('extra_hosts: [":1.2.3.4"]'),
    good: service('extra_hosts: ["db:1.2.3.4", "v6=::1"]'),
  },
  "compose/bad-mount": { bad: service('volumes: ["data:"]'), good: service('volumes: ["/data"]') },
  "compose/bad-command": { bad: service(`command: "echo 'a"`), good: service(`command: "echo 'a'"`) },
  "compose/command-cut": {
    bad: service("command: echo a && echo b"),
    good: service("command: sh -c 'echo a && echo b'"),
  },
  "compose/bad-duration": {
    bad: service("stop_grace_period: soon"),
    good: service("stop_grace_period: 1m30s"),
  },
  "compose/bad-image-ref": {
    bad: compose("services:\n  web:\n    image: 'Nginx:1:2'\n"),
    good: compose("services:\n  web:\n    image: localhost:5000/team/web:1.2\n"),
  },
  "compose/bad-bytes": { bad: service("mem_limit: much"), good: service("mem_limit: 512m") },
  "compose/host-network-with-ports": {
    bad: service('network_mode: host\nports: ["80:80"]'),
    good: service('ports: ["80:80"]'),
  },
  "compose/include-conflict": {
    bad: compose(`include: [more.yaml]\n${one}`, {
      "more.yaml": "services:\n  web:\n    image: nginx:1.26\n",
    }),
    good: compose(`include: [more.yaml]\n${one}`, {
      "more.yaml": "services:\n  db:\n    image: postgres:17\n",
    }),
  },

  "env/required-variable-missing": {
    bad: service('user: "${WHO:?say who}"'),
    good: { ...service('user: "${WHO:?}"'), ".env": "WHO=1\n" },
  },
  "env/invalid-template": { bad: service('user: "${WHO"'), good: service('user: "$${WHO"') },
  "env/unset-variable": { bad: service('user: "${WHO}"'), good: service('user: "${WHO:-1}"') },
  "env/dotenv-syntax": {
    bad: compose(one, { ".env": 'A="open\n' }),
    good: compose(one, { ".env": 'A="closed"\n' }),
  },
  "env/compose-variable": {
    bad: compose(one, { ".env": "COMPOSE_PROJECT_NAME=shop\n" }),
    good: compose(one, { ".env": "A=1\n" }),
  },
  "env/unused": {
    bad: compose(one, { ".env": "A=1\n" }),
    good: { ...service('user: "${A}"'), ".env": "A=1\n" },
  },

  "ref/unknown-service": {
    bad: compose(two("    depends_on: [bd]\n")),
    good: compose(two("    depends_on: [db]\n")),
  },
  "ref/unknown-link": {
    bad: compose(two("    links: [bd]\n")),
    good: compose(two('    links: ["db:database"]\n')),
  },
  "ref/unknown-namespace": {
    bad: compose(two("    pid: service:bd\n")),
    good: compose(two("    pid: service:db\n")),
  },
  "ref/unknown-volumes-from": {
    bad: compose(two("    volumes_from: [bd]\n")),
    good: compose(two('    volumes_from: ["db:ro", "container:other"]\n')),
  },
  "ref/unknown-build-context": {
    bad: compose(
      "services:\n  web:\n    build:\n      context: .\n      additional_contexts: { base: 'service:none' }\n",
      {
        Dockerfile: "FROM base\n",
      },
    ),
    good: compose(
      "services:\n  web:\n    build:\n      context: .\n      additional_contexts: { base: 'service:base' }\n  base:\n    build: .\n",
      { Dockerfile: "FROM scratch\n" },
    ),
  },
  "ref/unknown-network": {
    bad: service("networks: [a]"),
    good: service("networks: [a]", "networks:\n  a:\n"),
  },
  "ref/unknown-volume": {
    bad: service("volumes: ['disk:/a']"),
    good: service("volumes: ['disk:/a']", "volumes:\n  disk:\n"),
  },
  "ref/unknown-secret": {
    bad: service("secrets: [a]"),
    good: service("secrets: [a]", "secrets:\n  a: { environment: A }\n"),
  },
  "ref/unknown-config": {
    bad: service("configs: [a]"),
    good: service("configs: [a]", "configs:\n  a: { content: hi }\n"),
  },
  "ref/unknown-model": {
    bad: service("models: [a]"),
    good: service("models: [a]", "models:\n  a: { model: ai/smollm2 }\n"),
  },
  "ref/build-context-not-buildable": {
    bad: compose(
      "services:\n  web:\n    build:\n      context: .\n      additional_contexts: { base: 'service:base' }\n  base:\n    image: nginx:1.27\n",
      { Dockerfile: "FROM base\n" },
    ),
    good: compose(
      "services:\n  web:\n    build:\n      context: .\n      additional_contexts: { base: 'service:base' }\n  base:\n    build: .\n",
      { Dockerfile: "FROM scratch\n" },
    ),
  },
  "ref/extends-missing": {
    bad: service("extends:\n  service: base"),
    good: compose(`${one}    extends:\n      service: base\n  base:\n    image: nginx:1.27\n`),
  },
  "ref/include-missing": {
    bad: compose(`include: [more.yaml]\n${one}`),
    good: compose(`include: [more.yaml]\n${one}`, {
      "more.yaml": "services:\n  db:\n    image: postgres:17\n",
    }),
  },
  "ref/disabled-by-profile": {
    bad: compose(`${two("    depends_on: [db]\n")}    profiles: [data]\n`),
    good: compose(`${two("    depends_on: [db]\n    profiles: [data]\n")}    profiles: [data]\n`),
  },
  "ref/remote-not-loaded": {
    bad: compose(`include: ["https://example.com/compose.git"]\n${one}`),
    good: compose(one),
  },
  "ref/unknown-group": {
    bad: compose(one, {
      "a.group.yaml":
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: { dependsOn: ['group:none'] }\n",
    }),
    good: compose(`${named}${one}`, {
      "a.group.yaml":
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: { dependsOn: ['group:shop'] }\n",
    }),
  },
  "ref/unknown-unit": {
    bad: compose(`${named}${one}`, {
      "a.unit.yaml":
        "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: job }\nspec: { type: cron, dependsOn: ['unit:shop.none'] }\n",
    }),
    good: compose(`${named}${one}`, {
      "a.unit.yaml":
        "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: job }\nspec: { type: cron, dependsOn: ['unit:shop.web'] }\n",
    }),
  },
  "ref/ambiguous": {
    bad: {
      "a/compose.yaml": one,
      "b/compose.yaml": one,
      "j.unit.yaml":
        "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: job }\nspec: { type: cron, dependsOn: [web] }\n",
    },
    good: {
      "a/compose.yaml": one,
      "b/compose.yaml": one,
      "j.unit.yaml":
        "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: job }\nspec: { type: cron, dependsOn: [a.web] }\n",
    },
  },

  "graph/cycle": {
    bad: compose(`${two("    depends_on: [db]\n")}    depends_on: [web]\n`),
    good: compose(two("    depends_on: [db]\n")),
  },
  "graph/self-dependency": {
    bad: service("depends_on: [web]"),
    good: compose(two("    depends_on: [db]\n")),
  },
  "graph/extends-cycle": {
    bad: compose(`${two("    extends: { service: db }\n")}    extends: { service: web }\n`),
    good: compose(two("    extends: { service: db }\n")),
  },
  "graph/include-cycle": {
    bad: compose(`include: [more.yaml]\n${one}`, { "more.yaml": "include: [compose.yaml]\n" }),
    good: compose(`include: [more.yaml]\n${one}`, {
      "more.yaml": "services:\n  db:\n    image: postgres:17\n",
    }),
  },
  "graph/healthy-without-healthcheck": {
    bad: compose(two("    depends_on: { db: { condition: service_healthy } }\n")),
    good: compose(
      `${two("    depends_on: { db: { condition: service_healthy } }\n")}    healthcheck: { test: 'true' }\n`,
    ),
  },
  "graph/healthcheck-disabled": {
    bad: compose(
      `${
        two("    depends_on: { db: { condition: service_healthy } }\n")
      }    healthcheck: { disable: true }\n`,
    ),
    good: compose(`${two("    depends_on: [db]\n")}    healthcheck: { disable: true }\n`),
  },
  "graph/completed-but-restarts": {
    bad: compose(
      `${
        two("    depends_on: { db: { condition: service_completed_successfully } }\n")
      }    restart: always\n`,
    ),
    good: compose(
      `${
        two("    depends_on: { db: { condition: service_completed_successfully } }\n")
      }    restart: on-failure\n`,
    ),
  },
  "graph/group-cycle": {
    bad: {
      "a.group.yaml":
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: { dependsOn: ['unit:b.y'] }\n---\n" +
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: b }\nspec: { dependsOn: ['unit:a.x'] }\n",
      "u.unit.yaml":
        "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: x }\nspec: { group: a, type: cron }\n---\n" +
        "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: y }\nspec: { group: b, type: cron }\n",
    },
    good: {
      "a.group.yaml":
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: { dependsOn: ['group:b'] }\n---\n" +
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: b }\nspec: {}\n",
    },
  },
  "graph/redundant-edge": {
    bad: compose(
      `${two("    depends_on: [db, disk]\n")}    depends_on: [disk]\n  disk:\n    image: nginx:1.27\n`,
    ),
    good: compose(`${two("    depends_on: [db]\n")}    depends_on: [disk]\n  disk:\n    image: nginx:1.27\n`),
  },
  "graph/isolated": { bad: compose(one), good: compose(two("    depends_on: [db]\n")) },

  "name/duplicate-unit": {
    bad: {
      "u.unit.yaml": "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: x }\nspec: { type: cron }\n---\n" +
        "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: x }\nspec: { type: cron }\n",
    },
    good: {
      "u.unit.yaml": "apiVersion: berth/v1\nkind: Unit\nmetadata: { name: x }\nspec: { type: cron }\n",
    },
  },
  "name/duplicate-card": {
    bad: {
      ...card("spec: { subject: 'group:shop' }\n"),
      "other.card.yaml":
        "apiVersion: berth/v1\nkind: Card\nmetadata: { name: shop-card }\nspec: { subject: x }\n",
    },
    good: card("spec: { subject: 'group:shop' }\n"),
  },
  "name/duplicate-native": {
    bad: {
      "a.group.yaml": "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: {}\n---\n" +
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: {}\n",
    },
    good: { "a.group.yaml": "apiVersion: berth/v1\nkind: Group\nmetadata: { name: a }\nspec: {}\n" },
  },
  "name/duplicate-group": {
    bad: { "a/shop/compose.yaml": one, "b/shop/compose.yaml": one },
    good: { "a/shop/compose.yaml": one, "b/other/compose.yaml": one },
  },
  "name/project-collision": {
    bad: {
      "a/compose.yaml": `name: shop\n${one}`,
      "b/compose.yaml": `name: shop\n${one}`,
      "b/b.group.yaml":
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: b }\nspec: { compose: [compose.yaml] }\n",
    },
    good: {
      "a/compose.yaml": `name: shop\n${one}`,
      "b/compose.yaml": `name: other\n${one}`,
      "b/b.group.yaml":
        "apiVersion: berth/v1\nkind: Group\nmetadata: { name: b }\nspec: { compose: [compose.yaml] }\n",
    },
  },
  "name/case-collision": { bad: compose(`${one}  Web:\n    image: nginx:1.27\n`), good: compose(two("")) },
  "name/duplicate-container-name": {
    bad: compose(`${two("    container_name: same\n")}    container_name: same\n`),
    good: compose(`${two("    container_name: one\n")}    container_name: other\n`),
  },
  "name/container-name-invalid": {
    bad: service("container_name: 'a b'"),
    good: service("container_name: a_b"),
  },
  "name/shared-volume": {
    bad: {
      "a/compose.yaml": `${one}    volumes: ['disk:/v']\nvolumes:\n  disk: { name: data }\n`,
      "b/compose.yaml": `${one}    volumes: ['disk:/v']\nvolumes:\n  disk: { name: data }\n`,
    },
    good: {
      "a/compose.yaml": `${one}    volumes: ['disk:/v']\nvolumes:\n  disk:\n`,
      "b/compose.yaml": `${one}    volumes: ['disk:/v']\nvolumes:\n  disk:\n`,
    },
  },

  "file/env-file-missing": {
    bad: service("env_file: a.env"),
    good: service("env_file: [{ path: a.env, required: false }]"),
  },
  "file/label-file-missing": {
    bad: service("label_file: a.labels"),
    good: { ...service("label_file: a.labels"), "a.labels": "" },
  },
  "file/secret-missing": {
    bad: service("secrets: [a]", "secrets:\n  a: { file: a.txt }\n"),
    good: { ...service("secrets: [a]", "secrets:\n  a: { file: a.txt }\n"), "a.txt": "" },
  },
  "file/config-missing": {
    bad: service("configs: [a]", "configs:\n  a: { file: a.txt }\n"),
    good: { ...service("configs: [a]", "configs:\n  a: { file: a.txt }\n"), "a.txt": "" },
  },
  "file/build-context-missing": {
    bad: compose("services:\n  web:\n    build: ./app\n"),
    good: compose("services:\n  web:\n    build: ./app\n", { "app/Dockerfile": "FROM scratch\n" }),
  },
  "file/dockerfile-missing": {
    bad: compose("services:\n  web:\n    build: ./app\n", { "app/main.ts": "" }),
    good: compose("services:\n  web:\n    build: ./app\n", { "app/Dockerfile": "FROM scratch\n" }),
  },
  "file/bind-file-missing": {
    bad: service("volumes: ['./nginx.conf:/etc/nginx/nginx.conf']"),
    good: { ...service("volumes: ['./nginx.conf:/etc/nginx/nginx.conf']"), "nginx.conf": "" },
  },
  "file/bind-dir-missing": {
    bad: service("volumes: ['./data:/data']"),
    good: { ...service("volumes: ['./data:/data']"), "data/": "" },
  },
  "file/type-mismatch": {
    bad: { ...service("volumes: ['./nginx.conf:/etc/nginx/nginx.conf']"), "nginx.conf/": "" },
    good: { ...service("volumes: ['./nginx.conf:/etc/nginx/nginx.conf']"), "nginx.conf": "" },
  },
  "file/absolute-path": {
    bad: service("volumes: ['/srv/data:/data']"),
    good: { ...service("volumes: ['./data:/data']"), "data/": "" },
  },

  "port/conflict": {
    bad: compose(`${two('    ports: ["8080:80"]\n')}    ports: ["127.0.0.1:8080:5432"]\n`),
    good: compose(
      `${two('    ports: ["8080:80", "127.0.0.1:90:90"]\n')}    ports: ["8080:53/udp", "127.0.0.2:90:90"]\n`,
    ),
  },
  "port/conflict-across-groups": {
    bad: {
      "a/compose.yaml": `${one}    ports: ["80:80"]\n`,
      "b/compose.yaml": `${one}    ports: ["80:80"]\n`,
    },
    good: {
      "a/compose.yaml": `${one}    ports: ["80:80"]\n`,
      "b/compose.yaml": `${one}    ports: ["81:80"]\n`,
    },
  },

  "image/no-tag": {
    bad: compose("services:\n  web:\n    image: nginx\n"),
    good: compose("services:\n  web:\n    image: localhost:5000/nginx:1\n"),
  },
  "image/latest": { bad: compose("services:\n  web:\n    image: nginx:latest\n"), good: compose(one) },
  "sec/docker-socket": {
    bad: service("volumes: ['/var/run/docker.sock:/var/run/docker.sock:ro']"),
    good: service("volumes: ['/var/run/other.sock:/var/run/other.sock']"),
  },
  "sec/privileged": { bad: service("privileged: true"), good: service("privileged: false") },
  "sec/host-namespace": { bad: service("pid: host"), good: service("ipc: shareable") },
  "sec/sensitive-host-path": {
    bad: service("volumes: ['/etc:/host:ro']"),
    good: service("volumes: ['/etc/localtime:/etc/localtime:ro']"),
  },
  "sec/inline-secret": {
    bad: service(`environment:\n  KEY: ghp_${"a1B2".repeat(9)}`),
    good: service("environment:\n  PASSWORD: example"),
  },
  "sec/port-on-all-interfaces": {
    bad: service('ports: ["80:80"]'),
    good: service('ports: ["127.0.0.1:80:80"]'),
  },
  "ops/no-healthcheck": { bad: compose(one), good: service("healthcheck: { test: 'true' }") },
  "ops/no-restart": { bad: compose(one), good: service("restart: 'no'") },
  "ops/no-limits": { bad: compose(one), good: service("mem_limit: 1g") },

  "swarm/host-ip-ignored": {
    bad: swarm('ports: ["127.0.0.1:5432:5432"]'),
    good: swarm('ports: ["5432:5432", "0.0.0.0:81:80", "[::]:82:80"]'),
  },
  "swarm/build-without-image": {
    bad: {
      "compose.yaml": "x-berth: { target: swarm }\nservices:\n  web:\n    build: .\n",
      Dockerfile: "FROM a",
    },
    good: { ...swarm("build: ."), Dockerfile: "FROM a" },
  },
  "swarm/reservation-over-limit": { bad: swarm(memory("1025M")), good: swarm(memory("1024M")) },
  "swarm/restart-no": {
    bad: swarm('restart: "no"'),
    good: swarm('restart: "no"\ndeploy: { restart_policy: { condition: none } }'),
  },
  "swarm/container-name": { bad: swarm("container_name: a\nscale: 2"), good: swarm("scale: 2") },
  "swarm/field-ignored": {
    bad: swarm("privileged: true"),
    good: swarm("privileged: false\ndevices: []\nlinks: [web]"),
  },
  "swarm/local-volume-many-nodes": {
    bad: swarm(data, "volumes: { data: {} }\n"),
    good: swarm(`${data}${pinned}`, "volumes: { data: {} }\n"),
  },
  "swarm/bind-needs-node": {
    bad: { ...swarm("volumes: [./in:/in]"), "in/": "" },
    good: { ...swarm(`volumes: [./in:/in]\n${pinned}`), "in/": "" },
  },
  "swarm/start-first-host-port": {
    bad: swarm(`${hostPort}deploy: { update_config: { order: start-first } }`),
    good: swarm(`${hostPort}deploy: { update_config: { order: stop-first } }`),
  },
  "swarm/rollback-without-monitor": {
    bad: swarm(`${health}${rollback("    monitor: 29s\n")}`),
    good: swarm(`${health}${rollback("    monitor: 30s\n")}`),
  },
  "swarm/depends-on-ignored": {
    bad: compose(`x-berth: { target: swarm }\n${two("    depends_on: [db]\n")}`),
    good: compose(`x-berth: { target: swarm }\n${two("")}`),
  },
  "swarm/cli-refuses": { bad: swarm("scale: 2"), good: swarm("deploy: { replicas: 2 }") },

  "unused/network": {
    bad: compose(`${one}networks:\n  a:\n`),
    good: service("networks: [a]", "networks:\n  a:\n  default:\n"),
  },
  "unused/volume": {
    bad: compose(`${one}volumes:\n  disk:\n`),
    good: service("volumes: ['disk:/a']", "volumes:\n  disk:\n"),
  },
  "unused/secret": {
    bad: compose(`${one}secrets:\n  a: { environment: A }\n`),
    good: service("secrets: [a]", "secrets:\n  a: { environment: A }\n"),
  },
  "unused/config": {
    bad: compose(`${one}configs:\n  a: { content: hi }\n`),
    good: service("configs: [a]", "configs:\n  a: { content: hi }\n"),
  },

  "card/no-subject": { bad: card("spec: { owner: me }\n"), good: card("spec: { subject: 'web' }\n") },
  "card/bad-link": {
    bad: card("  links: [{ url: 'javascript:alert(1)' }]\nspec: { subject: web }\n"),
    good: card("  links: [{ url: 'https://example.com/board' }]\nspec: { subject: web }\n"),
  },
  "card/unknown-subject": { bad: card("spec: { subject: wbe }\n"), good: card("spec: { subject: web }\n") },
  "card/duplicate-subject": {
    bad: {
      ...card("spec: { subject: web }\n"),
      "other.card.yaml":
        "apiVersion: berth/v1\nkind: Card\nmetadata: { name: other }\nspec: { subject: web }\n",
    },
    good: card("spec: { subject: web }\n"),
  },
  "card/runbook-missing": {
    bad: card("spec: { subject: web, runbook: ./RUNBOOK.md }\n"),
    good: { ...card("spec: { subject: web, runbook: ./RUNBOOK.md }\n"), "RUNBOOK.md": "# Run\n" },
  },
  "card/unknown-lifecycle": {
    bad: card("spec: { subject: web, lifecycle: someday }\n"),
    good: card("spec: { subject: web, lifecycle: production }\n"),
  },
  "card/missing-owner": {
    bad: card("spec: { subject: web }\n"),
    good: card("spec: { subject: web, owner: me }\n"),
  },
};
