/** Compose projects made of chance: what people write in its many forms, and now and then what they should not. */

import { numbers } from "../../support/numbers.ts";

/** A value as it will stand in a file: a text is written as it is, so that quotes and tags can be chosen. */
type Written = string | Written[] | { readonly [key: string]: Written };

/** The files of one project by path. The same seed makes the same project. */
export function generated(seed: number): Record<string, string> {
  return new Generator(numbers(seed)).project();
}

const SERVICES = ["web", "db", "api", "cache.main", "job_1"];
const VARIABLES = ["TAG", "PORT", "HOST_DIR", "EMPTY", "NOWHERE", "LEVEL"];
const WORDS = ["a", "b c", "x=y", "3", "007", "1.50", "true", "~", "null", "#no", "it's", "é", "on"];

class Generator {
  readonly #random: () => number;
  #services: string[] = [];
  #networks: string[] = [];
  #volumes: string[] = [];
  readonly #files: Record<string, string> = {};

  constructor(random: () => number) {
    this.#random = random;
  }

  project(): Record<string, string> {
    this.#services = this.#some(SERVICES, 1, 4);
    this.#networks = this.#some(["front", "back-end", "n.3"], 0, 2);
    this.#volumes = this.#some(["data", "logs_1", "v.2"], 0, 2);
    if (this.#chance(0.6)) this.#files[".env"] = this.#dotenv();
    const name = this.#pick(["compose.yaml", "compose.yaml", "docker-compose.yml"]);
    this.#files[name] = this.#file(true);
    if (this.#chance(0.35)) this.#files["compose.override.yaml"] = this.#file(false);
    if (this.#chance(0.1)) {
      this.#files["more/compose.yaml"] = text({
        services: { extra: { image: "extra:1", volumes: ["./here:/there"] } },
      });
      this.#files[name] = `include: [more/compose.yaml]\n${this.#files[name]}`;
    }
    for (const file of ["common.yaml", "a.env", "b.env", "labels.env"]) this.#supply(file);
    return this.#files;
  }

  /** Files that may have been named: there as a rule, and missing now and then. */
  #supply(file: string): void {
    const isNamed = Object.values(this.#files).some((written) => written.includes(file));
    if (!isNamed || this.#chance(0.05)) return;
    this.#files[file] = file === "common.yaml"
      ? text({ services: { base: this.#service(false, this.#services), other: { image: "other" } } })
      : this.#dotenv();
  }

  #file(whole: boolean): string {
    const top: Record<string, Written> = {};
    if (whole && this.#chance(0.1)) top["version"] = '"3.8"';
    if (whole && this.#chance(0.2)) {
      top["name"] = this.#pick(["shop", "my-shop", "${TAG:-shop}", "Shop", "${NOWHERE}"]);
    }
    const services: Record<string, Written> = {};
    for (const name of whole ? this.#services : this.#some(this.#services, 1, 2)) {
      services[name] = this.#service(whole, this.#services.filter((other) => other !== name));
    }
    if (this.#chance(0.02)) services["bad name"] = { image: "x" };
    top["services"] = services;
    if (whole && this.#networks.length > 0) {
      top["networks"] = Object.fromEntries(this.#networks.map((name) => [name, this.#network()]));
    }
    if (whole && this.#volumes.length > 0) {
      top["volumes"] = Object.fromEntries(this.#volumes.map((name) => [name, this.#volume()]));
    }
    if (whole && this.#chance(0.15)) {
      top["secrets"] = {
        token: this.#pick<Written>([{ file: "./token.txt" }, { environment: "TAG" }, { external: "true" }]),
      };
      top["configs"] = {
        site: this.#pick<Written>([{ content: "hello" }, { file: "./site.conf" }, { environment: "TAG" }]),
      };
    }
    const anchor = this.#chance(0.2)
      ? `x-base: &base\n${text({ restart: "always", labels: { tier: "low" } }, 1)}`
      : "";
    return anchor + text(top).replaceAll("<<: base", this.#chance(0.3) ? "!!merge <<: *base" : "<<: *base")
      .replaceAll("*base", anchor === "" ? "{ init: true }" : "*base");
  }

  #service(whole: boolean, others: readonly string[]): Written {
    const service: Record<string, Written> = {};
    const set = (key: string, chance: number, value: () => Written) => {
      if (this.#chance(chance)) service[key] = value();
    };
    if (this.#chance(0.1)) service["<<"] = "base";
    if (whole || this.#chance(0.3)) {
      if (this.#chance(0.85)) service["image"] = this.#image();
      else if (this.#chance(0.9)) service["build"] = this.#build();
    }
    set("command", 0.2, () => this.#command());
    set("entrypoint", 0.1, () => this.#command());
    set("environment", 0.4, () => this.#pairs(["TAG", "LEVEL", "A", "B.C", "_x"], true));
    set("env_file", 0.2, () => this.#envFile());
    set("labels", 0.25, () => this.#pairs(["com.example.a", "tier", "b"], false));
    set("label_file", 0.04, () => "labels.env");
    set("ports", 0.4, () => this.#list(0, 3, () => this.#port()));
    set("expose", 0.1, () => this.#list(1, 2, () => this.#pick(["80", '"81"', '"90/udp"'])));
    set("volumes", 0.4, () => this.#list(0, 3, () => this.#mount()));
    set("tmpfs", 0.08, () => this.#pick<Written>(["/run", ["/tmp", "/run:size=64m"]]));
    set("networks", 0.25, () => this.#joined());
    set("network_mode", 0.05, () => this.#pick(["host", "none", `service:${others[0] ?? "missing"}`]));
    set("depends_on", 0.3, () => this.#dependsOn(others));
    set("links", 0.05, () => others.map((name) => this.#pick([name, `${name}:other`])));
    set("volumes_from", 0.03, () => others.slice(0, 1).map((name) => `${name}:ro`));
    set("healthcheck", 0.2, () => this.#healthcheck());
    set("restart", 0.25, () => this.#pick(["always", "unless-stopped", "no", '"no"', "on-failure:3"]));
    set("profiles", 0.12, () => this.#some(["dev", "prod", "x.y"], 1, 2));
    set("extends", 0.06, () => this.#extends());
    set("extra_hosts", 0.08, () => this.#hosts());
    set("container_name", 0.06, () => this.#pick(["shop-1", "${NOWHERE}", "a_b", "x"]));
    set("hostname", 0.05, () => this.#pick(["host-1", "${TAG:-h}"]));
    set("user", 0.06, () => this.#pick(["1000", '"1000:1000"', "root", "0"]));
    set("working_dir", 0.06, () => this.#pick(["/app", "/app/"]));
    set("privileged", 0.04, () => this.#pick(["true", "false", '"true"', "${EMPTY:-true}"]));
    set("read_only", 0.04, () => this.#pick(["true", "yes", "no"]));
    set("tty", 0.04, () => "true");
    set("cap_add", 0.06, () => this.#list(1, 3, () => this.#pick(["NET_ADMIN", "SYS_TIME", "ALL"])));
    set("dns", 0.05, () => this.#pick<Written>(["1.1.1.1", ["8.8.8.8", "1.1.1.1"]]));
    set("mem_limit", 0.06, () => this.#pick(["512m", "1.5g", "1024", "64 MB"]));
    set("cpus", 0.05, () => this.#pick(["0.5", '"1.25"', "2"]));
    set("pids_limit", 0.03, () => "100");
    set("scale", 0.03, () => this.#pick(["2", "0", '"3"']));
    set("deploy", 0.06, () => this.#deploy());
    set("sysctls", 0.04, () => this.#pairs(["net.core.somaxconn"], false));
    set("stop_grace_period", 0.05, () => this.#pick(["1m30s", "10s", "1h"]));
    set("init", 0.05, () => "true");
    set(
      "secrets",
      0.04,
      () => this.#list(1, 2, () => this.#pick<Written>(["token", { source: "token", target: "t" }])),
    );
    set("configs", 0.04, () => this.#pick<Written>([["site"], [{ source: "site", target: "/etc/site" }]]));
    set("wrong_key", 0.006, () => "true");
    if (!whole && this.#chance(0.1)) service["ports"] = "!reset []";
    if (!whole && this.#chance(0.08)) service["volumes"] = '!override ["/only"]';
    return service;
  }

  #image(): Written {
    return this.#pick([
      "nginx",
      "nginx:1.27",
      "nginx:${TAG}",
      "registry.local:5000/team/app:${TAG:-1}",
      "postgres:17",
      "${NOWHERE:-busybox}",
      '"redis"',
      "nginx@sha256:" + "ab".repeat(32),
    ]);
  }

  #build(): Written {
    return this.#pick<Written>([".", "./app", {
      context: this.#pick([".", "./app", "${HOST_DIR:-.}"]),
      ...(this.#chance(0.4) && { dockerfile: "Dockerfile.dev" }),
      ...(this.#chance(0.4) && { args: this.#pairs(["TAG", "X"], false) }),
      ...(this.#chance(0.3) && { target: "prod" }),
    }]);
  }

  #command(): Written {
    return this.#pick<Written>([
      "npm start",
      '["sh", "-c", "echo $${HOME} ${TAG:-x}"]',
      "echo 'a b'  \"c d\" e\\ f",
      "[]",
      '""',
      "null",
      "run --level=${LEVEL} --dir ${EMPTY:-/x}",
      ["a", "b c", "3"],
      "${TAG}",
      "run; stop",
      'sh -c "a b" | tee x',
      "echo $$(date) `x y`",
    ]);
  }

  #pairs(keys: readonly string[], mayBeBare: boolean): Written {
    const chosen = this.#some(keys, 1, 3);
    const value = () =>
      this.#pick([
        ...WORDS.map(quoted),
        "plain",
        "${TAG}",
        "${NOWHERE-}",
        '"${EMPTY:-d}"',
        "1",
        "true",
        "3.10",
        "1e6",
        "0x1F",
        "010",
        "1_000",
        ".5",
      ]);
    if (this.#chance(0.5)) {
      return chosen.map((key) =>
        mayBeBare && this.#chance(0.2) ? key : quoted(`${key}=${this.#pick([...WORDS, "${TAG}", "", "a=b"])}`)
      );
    }
    return Object.fromEntries(chosen.map((key) => [key, mayBeBare && this.#chance(0.15) ? "" : value()]));
  }

  #envFile(): Written {
    return this.#pick<Written>([
      "a.env",
      ["a.env", "b.env"],
      [{ path: "a.env" }, { path: "./missing.env", required: "false" }],
      ["b.env", { path: "a.env", required: "true" }],
    ]);
  }

  #port(): Written {
    const number = () => this.#pick(["80", "8080", "443", "53"]);
    return this.#pick<Written>([
      number(),
      `"${number()}:${number()}"`,
      `"127.0.0.1:${number()}:${number()}"`,
      `"${number()}:${number()}/udp"`,
      '"8000-8002:80-82"',
      '"9000-9005:90"',
      '"[::1]:6001:6001"',
      '"3000-3001"',
      '"${PORT}:80"',
      '"${NOWHERE:-7000}:70"',
      this.#chance(0.1) ? '"${NOWHERE}:80"' : '"${PORT:-81}:81"',
      { target: number(), published: `"${number()}"` },
      { target: number(), published: number(), protocol: "udp", host_ip: "127.0.0.1" },
      this.#chance(0.08) ? '"99999:1"' : '"82:82"',
      this.#chance(0.1) ? '"1.2.3:80:80"' : '"83:83/tcp"',
    ]);
  }

  #mount(): Written {
    const volume = this.#chance(0.95) ? this.#volumes[0] ?? "./dir" : "undefined";
    const target = () => this.#pick(["/x", "/x/", "/data", "/var/lib/y", "/x/../z"]);
    return this.#pick<Written>([
      `${volume}:${target()}`,
      `./src:${target()}:ro`,
      `../out:${target()}`,
      target(),
      `/abs/path:${target()}:rw,z`,
      `~/home:${target()}`,
      `\${HOST_DIR:-./h}:${target()}`,
      { type: "bind", source: "./b", target: target(), read_only: this.#pick(["true", "false"]) },
      { type: "volume", source: volume, target: target() },
      { type: "tmpfs", target: target() },
      { type: "bind", source: "${HOST_DIR}", target: target(), bind: { create_host_path: "false" } },
      this.#chance(0.1) ? `\${NOWHERE}:${target()}` : target(),
      this.#chance(0.05) ? "aa:bb:cc:dd" : target(),
    ]);
  }

  #network(): Written {
    return this.#pick<Written>(["", {}, { driver: "bridge" }, { name: "real-${TAG:-n}" }, {
      external: "true",
    }, {
      external: "true",
      name: "proxy",
    }, { internal: "true", labels: this.#pairs(["a"], false) }]);
  }

  #volume(): Written {
    return this.#pick<Written>(["", {}, { driver: "local" }, { name: "real_${NOWHERE:-v}" }, {
      external: "true",
    }, {
      external: { name: "old" },
    }]);
  }

  #joined(): Written {
    const names = this.#chance(0.04)
      ? ["undefined"]
      : this.#networks.length > 0
      ? this.#networks
      : ["default"];
    return this.#chance(0.6) ? [...names] : Object.fromEntries(
      names.map((
        name,
      ) => [name, this.#pick<Written>(["", { aliases: ["one", "two"] }, { ipv4_address: "172.16.0.5" }])]),
    );
  }

  #dependsOn(others: readonly string[]): Written {
    const names = this.#some(others, 1, 2);
    if (this.#chance(0.03)) names.push("undefined");
    return this.#chance(0.5) ? names : Object.fromEntries(names.map((name) => [name, {
      condition: this.#pick(["service_started", "service_healthy", "service_completed_successfully"]),
      ...(this.#chance(0.3) && { required: this.#pick(["true", "false"]) }),
      ...(this.#chance(0.3) && { restart: "true" }),
    }]));
  }

  #healthcheck(): Written {
    return this.#pick<Written>([
      { test: "curl -f http://localhost", interval: "10s", retries: "3" },
      { test: '["CMD", "true"]', timeout: "1m", start_period: "5s" },
      { test: '["CMD-SHELL", "exit ${NOWHERE:-0}"]', interval: '"1h30m"' },
      { disable: "true" },
      { test: '["NONE"]' },
      this.#chance(0.1) ? { test: '["curl"]' } : { test: "a", start_interval: "1s", start_period: "2s" },
    ]);
  }

  #extends(): Written {
    return this.#pick<Written>([
      { file: "common.yaml", service: "base" },
      { file: "common.yaml", service: this.#chance(0.05) ? "missing" : "other" },
      { service: this.#services[0]! },
      this.#services[0]!,
    ]);
  }

  #hosts(): Written {
    return this.#pick<Written>([
      ['"db.local:10.0.0.5"', '"v6=::1"'],
      { "db.local": "10.0.0.5", gate: "host-gateway" },
      { many: ["10.0.0.1", "10.0.0.2"] },
      this.#chance(0.15) ? ['":1.2.3.4"'] : ['"host.docker.internal:host-gateway"'],
    ]);
  }

  #deploy(): Written {
    return this.#pick<Written>([
      { replicas: "2" },
      { resources: { limits: { cpus: "'0.5'", memory: "256M" } } },
      { restart_policy: { condition: "on-failure", delay: "5s" } },
      { replicas: "${NOWHERE:-3}", labels: this.#pairs(["a"], false) },
    ]);
  }

  #dotenv(): string {
    const lines = this.#some(VARIABLES.filter((name) => name !== "NOWHERE"), 1, 5).map((name) => {
      if (name === "EMPTY") return "EMPTY=";
      const value = name === "PORT" ? "8088" : name === "HOST_DIR" ? "./host" : this.#pick([
        "1",
        '"two words"',
        "'single ${PORT}'",
        "plain # comment",
        "${PORT:-9}x",
        '"a\\nb"',
        "v=w",
        "$$5",
        '"esc\\"aped"',
      ]);
      return `${this.#chance(0.1) ? "export " : ""}${name}${
        this.#pick(["=", "=", "=", " = ", ": "])
      }${value}`;
    });
    if (this.#chance(0.1)) lines.push("# a comment", "");
    if (this.#chance(0.05)) lines.push("COMPOSE_PROFILES=dev");
    if (this.#chance(0.05)) lines.push("BARE");
    if (this.#chance(0.02)) lines.push("not a line");
    return `${lines.join(this.#chance(0.1) ? "\r\n" : "\n")}\n`;
  }

  #list(least: number, most: number, item: () => Written): Written[] {
    const length = least + Math.floor(this.#random() * (most - least + 1));
    return Array.from({ length }, item);
  }

  #some<T>(all: readonly T[], least: number, most: number): T[] {
    const wanted = Math.min(all.length, least + Math.floor(this.#random() * (most - least + 1)));
    const left = [...all];
    return Array.from({ length: wanted }, () => left.splice(Math.floor(this.#random() * left.length), 1)[0]!);
  }

  #pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)]!;
  }

  #chance(chance: number): boolean {
    return this.#random() < chance;
  }
}

const quoted = (word: string): string => JSON.stringify(word);

/** Block style; texts stand as they are. */
function text(value: Written, depth = 0): string {
  const indent = "  ".repeat(depth);
  if (typeof value === "string") return `${indent}${value}\n`;
  if (Array.isArray(value)) {
    return value.map((item) =>
      typeof item === "string" ? `${indent}- ${item}\n` : `${indent}-\n${text(item, depth + 1)}`
    ).join("");
  }
  return Object.entries(value).map(([key, item]) => {
    const name = /^[\w.-]+$|^<<$/.test(key) ? key : JSON.stringify(key);
    if (typeof item === "string") return `${indent}${name}: ${item}\n`;
    const isEmpty = Array.isArray(item) ? item.length === 0 : Object.keys(item).length === 0;
    if (isEmpty) return `${indent}${name}: ${Array.isArray(item) ? "[]" : "{}"}\n`;
    return `${indent}${name}:\n${text(item, depth + 1)}`;
  }).join("");
}
