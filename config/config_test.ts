/** Promises of the settings. */
import assert from "node:assert/strict";
import { type Config, readConfig, SettingsError } from "./config.ts";
import { SETTINGS } from "./settings.ts";
import { nearest } from "../core/nearest.ts";
import { checkPluginSettings } from "../plugins/plugin_settings.ts";
import { PLUGINS } from "../plugins/plugins.ts";

async function read({ container, ...variables }: Record<string, string>): Promise<Config> {
  return await readConfig(
    {
      env: (name) => ({ HOME: "/home/ada", ...variables })[name],
      names: () => Object.keys(variables),
      isContained: container !== undefined,
    },
    (given) => Promise.resolve(checkPluginSettings(PLUGINS, given).mistakes),
  );
}

/** Returns a plugin's settings, or the mistakes in them. */
async function readPlugin(name: string, variables: Record<string, string>) {
  const { settings, mistakes } = checkPluginSettings(PLUGINS, await read(variables));
  return { settings: settings.get(name) as Record<string, unknown> | undefined, mistakes };
}

async function mistakesOf(variables: Record<string, string>): Promise<readonly string[]> {
  try {
    await read(variables);
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
  return [];
}

async function withFile(text: string, use: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/config.yaml`, text);
    await use(`${folder}/config.yaml`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("readConfig needs nothing: it listens on loopback and allows the home folder", async () => {
  const config = await read({});

  assert.deepEqual([config.host, config.port, config.roots], ["127.0.0.1", 8700, ["/home/ada"]]);
  assert.deepEqual([config.plugins, config.identityProvider], [null, null]);
});

Deno.test("readConfig lists all mistakes at once, those of plugins too, each by the name its writer used", async () => {
  const mistakes = await mistakesOf({
    BERTH_PORT: "70000",
    BERTH_LOG_LEVEL: "loud",
    BERTH_ROOTS: "relative",
    BERTH_HOST: "0.0.0.0",
    BERTH_IDP_ISSUER: "github",
    BERTH_ENGINES: "one=ftp://example",
  });

  assert.deepEqual(mistakes.map((mistake) => mistake.split(":")[0]).sort(), [
    "BERTH_ENGINES.0.url",
    "BERTH_HOST",
    "BERTH_LOG_LEVEL",
    "BERTH_PORT",
    "BERTH_ROOTS.0",
    "identityProvider.clientId",
    "identityProvider.redirectUris",
  ]);
});

for (const host of ["0.0.0.0", "::", "192.0.2.7", "berth.example"]) {
  Deno.test(`readConfig refuses ${host} without TLS and without trusted proxies (R1)`, async () => {
    const [mistake] = await mistakesOf({ BERTH_HOST: host });
    assert.match(mistake ?? "", /^BERTH_HOST: .*can be reached from other machines/);

    const tls = { BERTH_TLS_CERT: "/etc/cert.pem", BERTH_TLS_KEY: "/etc/key.pem" };
    assert.deepEqual(await mistakesOf({ BERTH_HOST: host, ...tls }), []);
    assert.deepEqual(await mistakesOf({ BERTH_HOST: host, BERTH_TRUSTED_PROXIES: "10.0.0.2" }), []);
  });
}

Deno.test("readConfig reads engines and role rules from variables", async () => {
  const variables = {
    BERTH_ENGINES: "docker=unix:///run/docker.sock, podman=unix:///run/podman.sock",
    BERTH_ROLES: "groups=urn:x:ops:operator,email=ada@example.org:admin",
  };

  assert.deepEqual((await readPlugin("container-runtime", variables)).settings?.engines, [
    { name: "docker", url: "unix:///run/docker.sock" },
    { name: "podman", url: "unix:///run/podman.sock" },
  ]);
  assert.deepEqual((await read(variables)).roles, [
    { claim: "groups", value: "urn:x:ops", role: "operator" },
    { claim: "email", value: "ada@example.org", role: "admin" },
  ]);
  const none = await readPlugin("container-runtime", { BERTH_ENGINES: "none", HOME: "/home/ada" });
  assert.deepEqual([none.settings?.engines, none.settings?.home], [[], "/home/ada"]);
});

Deno.test("readConfig refuses an engine on another host without mutual TLS", async () => {
  const { mistakes: [mistake] } = await readPlugin("container-runtime", {
    BERTH_ENGINES: "far=tcp://192.0.2.1:2376",
  });

  assert.match(mistake ?? "", /^BERTH_ENGINES\.0\.url: .*mutual TLS/);
});

Deno.test("readConfig reads config.yaml, and the environment goes before it", async () => {
  const text = `
port: 9000
logLevel: debug
engines:
  - { name: far, url: "tcp://192.0.2.1:2376", ca: /tls/ca.pem, cert: /tls/cert.pem, key: /tls/key.pem }
roles:
  - { claim: groups, value: ops, role: operator }
pluginSettings:
  container-runtime: { registries: [ghcr.io] }
`;
  await withFile(text, async (path) => {
    const variables = { BERTH_CONFIG: path, BERTH_PORT: "9001" };
    const config = await read(variables);
    const { settings } = await readPlugin("container-runtime", variables);

    assert.deepEqual([config.port, config.logLevel, config.file], [9001, "debug", path]);
    assert.equal((settings?.engines as { ca: string }[])[0]?.ca, "/tls/ca.pem");
    assert.deepEqual(settings?.registries, ["ghcr.io"]);
  });
});

Deno.test("readConfig refuses unknown names and broken YAML in config.yaml, with their place", async () => {
  await withFile("prot: 9000\nport: many\n", async (path) => {
    assert.deepEqual(await mistakesOf({ BERTH_CONFIG: path }), [
      "port: expected a whole number from 0 to 65535",
      `"prot" in "${path}" is not a setting`,
    ]);
  });
  await withFile("port: [1\n", async (path) => {
    const mistakes = await mistakesOf({ BERTH_CONFIG: path });
    assert.ok(mistakes.some((mistake) => mistake.startsWith(`"${path}:`)), mistakes.join("\n"));
  });
  const ten = (what: string) => `[${Array(10).fill(what).join(", ")}]`;
  for (
    const text of ["roots: *nowhere", `x: [&a ${ten("1")}, &b ${ten("*a")}, &c ${ten("*b")}, ${ten("*c")}]`]
  ) {
    await withFile(`${text}\n`, async (path) => {
      assert.deepEqual(await mistakesOf({ BERTH_CONFIG: path }), [
        `"${path}" is not valid YAML: an alias such as "*name" has no anchor, or there are too many`,
      ]);
    });
  }
});

Deno.test("readConfig says so when the file that BERTH_CONFIG names is not there", async () => {
  assert.deepEqual(await mistakesOf({ BERTH_CONFIG: "/nowhere/config.yaml" }), [
    `"/nowhere/config.yaml" cannot be read: it does not exist`,
  ]);
});

Deno.test("readConfig keeps the values of settings out of its mistakes", async () => {
  const mistakes = await mistakesOf({ BERTH_DATABASE_URL: "mysql://ada:canary-7f3a@db/berth" });

  assert.equal(mistakes.length, 1);
  assert.ok(!mistakes.join().includes("canary-7f3a"));
});

Deno.test("readConfig reads where the database is, by name, address and socket", async () => {
  const key = { BERTH_SEALING_KEY_FILE: "/etc/berth/sealing-key" };
  for (
    const [address, host, port, user, name] of [
      ["postgres://ada@db.example/berth", "db.example", 5432, "ada", "berth"],
      ["postgresql://ada@[2001:db8::7]:6000/berth", "2001:db8::7", 6000, "ada", "berth"],
      ["postgres://ada@%2Frun%2Fpostgresql/my%20berth", "/run/postgresql", 5432, "ada", "my berth"],
    ] as const
  ) {
    const { database } = await read({ BERTH_DATABASE_URL: address, ...key });
    assert.deepEqual(database, { host, port, user, name, passwordFile: null, ca: null, pool: 8 });
  }
  const all = { BERTH_DATABASE_PASSWORD_FILE: "/p", BERTH_DATABASE_CA: "/c", BERTH_DATABASE_POOL: "3" };
  const { database } = await read({ BERTH_DATABASE_URL: "postgres://a@b/c", ...key, ...all });
  assert.deepEqual([database?.passwordFile, database?.ca, database?.pool], ["/p", "/c", 3]);
  assert.equal((await read({})).database, null);
});

for (
  const [address, words] of [
    ["postgres://ada:canary@db/berth", /a password may be seen there .* BERTH_DATABASE_PASSWORD_FILE/],
    ["postgres://ada@db/berth?password=canary", /a password may be seen there/],
    ["postgres://ada@db/berth?sslmode=disable", /expected no options: TLS is always checked/],
    ["postgres://db/berth", /expected postgres:\/\/user@host\/name/],
    ["postgres://ada@db", /expected postgres:\/\/user@host\/name/],
    ["postgres://ada@db/a/b", /expected postgres:\/\/user@host\/name/],
    ["db.example:5432", /expected postgres:\/\/user@host\/name/],
  ] as const
) {
  Deno.test(`readConfig refuses the database "${address.replace("canary", "...")}"`, async () => {
    const mistakes = await mistakesOf({ BERTH_DATABASE_URL: address, BERTH_SEALING_KEY_FILE: "/k" });
    assert.equal(mistakes.length, 1);
    assert.match(mistakes[0]!, words);
    assert.ok(!mistakes[0]!.includes("canary"));
  });
}

Deno.test("readConfig wants one sealing key for all replicas, and no password without a database", async () => {
  const [mistake] = await mistakesOf({ BERTH_DATABASE_URL: "postgres://a@b/c" });
  assert.match(mistake ?? "", /^sealingKeyFile: all replicas .* the same sealing key/);
  assert.match(
    (await mistakesOf({ BERTH_DATABASE_PASSWORD_FILE: "/p" })).join(),
    /set BERTH_DATABASE_URL, too/,
  );
});

Deno.test("readConfig takes an empty variable for one that is not set", async () => {
  const config = await read({
    BERTH_CONFIG: "",
    BERTH_PORT: " ",
    XDG_DATA_HOME: "",
    XDG_RUNTIME_DIR: "",
    DOCKER_HOST: "",
    LOCALAPPDATA: "",
  });

  assert.deepEqual({ ...config, variable: null }, { ...await read({}), variable: null });
  assert.deepEqual(await mistakesOf({ HOME: "" }), ["data: no home folder is known: set BERTH_DATA"]);
});

Deno.test("readConfig takes BERTH_PUBLISHED=loopback in a container only, and there names it beside TLS and proxies (R1)", async () => {
  const inside = { BERTH_HOST: "0.0.0.0", container: "oci" };

  const [refused] = await mistakesOf(inside);
  assert.match(refused ?? "", /BERTH_TRUSTED_PROXIES\. .*127\.0\.0\.1:8700:8700.*BERTH_PUBLISHED=loopback/);
  assert.equal((await read({ ...inside, BERTH_PUBLISHED: "loopback" })).host, "0.0.0.0");

  const outside = await mistakesOf({ BERTH_HOST: "0.0.0.0", BERTH_PUBLISHED: "loopback" });
  assert.match(outside.join(), /^BERTH_PUBLISHED: this is no container/);
  assert.ok(!(await mistakesOf({ BERTH_HOST: "0.0.0.0" })).join().includes("PUBLISHED"));
});

Deno.test("readConfig uses the files of CREDENTIALS_DIRECTORY by their short names, unless a setting says otherwise", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["tls-cert", "tls-key", "unknown"]) await Deno.writeTextFile(`${folder}/${name}`, "x");

    const found = await read({ CREDENTIALS_DIRECTORY: folder });
    assert.deepEqual(found.tls, { cert: `${folder}/tls-cert`, key: `${folder}/tls-key` });
    const own = await read({ CREDENTIALS_DIRECTORY: folder, BERTH_TLS_KEY: "/etc/key.pem" });
    assert.deepEqual(own.tls, { cert: `${folder}/tls-cert`, key: "/etc/key.pem" });
    assert.equal((await read({ CREDENTIALS_DIRECTORY: `${folder}/none` })).tls, null);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("readConfig reads where the audit log goes, over TCP, TLS and UDP", async () => {
  for (
    const [address, transport, hostname, port] of [
      ["tcp://logs.example:601", "tcp", "logs.example", 601],
      ["tls://logs.example:6514/", "tls", "logs.example", 6514],
      ["udp://192.0.2.7:514", "udp", "192.0.2.7", 514],
      ["tcp://[2001:db8::7]:601", "tcp", "2001:db8::7", 601],
    ] as const
  ) {
    const { auditSyslog } = await read({ BERTH_AUDIT_SYSLOG: address });
    assert.deepEqual(auditSyslog, { transport, hostname, port, ca: null });
  }
  const tls = { BERTH_AUDIT_SYSLOG: "tls://logs.example:6514", BERTH_AUDIT_SYSLOG_CA: "/etc/ca.pem" };
  assert.equal((await read(tls)).auditSyslog?.ca, "/etc/ca.pem");
  assert.equal((await read({})).auditSyslog, null);
});

for (
  const address of [
    "logs.example:514",
    "http://logs.example:514",
    "tcp://logs.example",
    "tcp://:514",
    "tcp://logs.example:0",
    "tcp://logs.example:70000",
    "tcp://me:secret@logs.example:514",
    "tcp://logs.example:514/path",
    "tcp://logs.example:514?x=1",
    "tcp://logs.example:514#x",
    "unix:///dev/log",
    "tcp://",
    "nonsense",
  ]
) {
  Deno.test(`readConfig refuses to send the audit log to "${address}"`, async () => {
    const [mistake, ...others] = await mistakesOf({ BERTH_AUDIT_SYSLOG: address });
    assert.match(mistake ?? "", /^BERTH_AUDIT_SYSLOG: expected tcp:\/\//);
    assert.deepEqual(others, []);
    assert.doesNotMatch(mistake ?? "", /secret/);
  });
}

Deno.test("readConfig refuses authorities for a receiver that shows no certificate", async () => {
  for (const address of ["tcp://logs.example:514", undefined]) {
    const [mistake] = await mistakesOf({
      ...(address === undefined ? {} : { BERTH_AUDIT_SYSLOG: address }),
      BERTH_AUDIT_SYSLOG_CA: "/etc/ca.pem",
    });
    assert.match(mistake ?? "", /^BERTH_AUDIT_SYSLOG_CA: only a receiver with tls/);
  }
});

Deno.test("a misspelt variable within two edits stops the start and is told what was meant, a plugin's too", async () => {
  assert.deepEqual(await mistakesOf({ BERTH_PROT: "1", BERTH_DATTA: "/x" }), [
    "BERTH_PROT: there is no such setting; did you mean BERTH_PORT?",
    "BERTH_DATTA: there is no such setting; did you mean BERTH_DATA?",
  ]);
  const { mistakes } = checkPluginSettings(PLUGINS, await read({ BERTH_ENGINE: "none" }));
  assert.deepEqual(mistakes, ["BERTH_ENGINE: there is no such setting; did you mean BERTH_ENGINES?"]);
});

Deno.test("other variables that begin with BERTH_ are let be: those of plugins, tests and other programs; empty ones", async () => {
  const config = await read({
    BERTH_ENGINES: "none",
    BERTH_TEST_CORPUS: "/corpus",
    BERTH_KEY: "berth_x",
    BERTH_PROT: " ",
    BERTH_COLOUR_OF_NOTHING: "red",
    BERTH_SERVICE_HOST: "10.0.0.1",
  });
  assert.deepEqual(checkPluginSettings(PLUGINS, config).unread, [
    "BERTH_COLOUR_OF_NOTHING",
    "BERTH_SERVICE_HOST",
  ]);
});

Deno.test("no variable of a plugin is so near another setting that it could be taken for its misspelling", () => {
  const core = SETTINGS.map(({ variable }) => variable);
  for (const name of PLUGINS.flatMap(({ variables }) => Object.values(variables))) {
    assert.equal(nearest(name, core, 2), null, name);
  }
});

Deno.test("BERTH_PORT as Kubernetes sets it for a service named berth is said to be that, with what to do", async () => {
  const [mistake, ...more] = await mistakesOf({ BERTH_PORT: "tcp://10.96.0.12:8700" });
  assert.match(mistake ?? "", /^BERTH_PORT: Kubernetes sets it .*enableServiceLinks: false/);
  assert.deepEqual(more, []);
});

const GROUPED = {
  identityProvider: {
    issuer: "https://login.example",
    clientId: "berth",
    clientSecretFile: "/etc/secret",
    redirectUris: ["https://berth.example/"],
  },
  auditSyslog: { transport: "tls", hostname: "logs.example", port: 6514, ca: "/etc/ca.pem" },
  metricsPort: 9700,
  metricsHost: "127.0.0.2",
};

async function readFileOf(yaml: string, variables: Record<string, string> = {}): Promise<Config> {
  const file = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(file, yaml);
    return await read({ BERTH_CONFIG: file, ...variables });
  } finally {
    await Deno.remove(file);
  }
}

const grouped = ({ identityProvider, auditSyslog, metricsPort, metricsHost }: Config) => ({
  identityProvider,
  auditSyslog,
  metricsPort,
  metricsHost,
});

Deno.test("readConfig reads the identity provider, metrics and syslog as one key of the file each", async () => {
  const config = await readFileOf(`
identityProvider: { issuer: "https://login.example", clientId: berth, clientSecretFile: /etc/secret, redirectUris: ["https://berth.example/"] }
auditSyslog: { address: "tls://logs.example:6514", ca: /etc/ca.pem }
metrics: { port: 9700, host: 127.0.0.2 }
`);
  assert.deepEqual(grouped(config), GROUPED);
  assert.deepEqual(config.former, []);
});

Deno.test("readConfig reads former names of variables and keys as before, and names their successors", async () => {
  const variables = {
    BERTH_IDP_ISSUER: "https://login.example",
    BERTH_IDP_CLIENT_ID: "berth",
    BERTH_IDP_CLIENT_SECRET_FILE: "/etc/secret",
    BERTH_IDP_REDIRECT_URIS: "https://berth.example/",
    BERTH_AUDIT_SYSLOG: "tls://logs.example:6514",
    BERTH_AUDIT_SYSLOG_CA: "/etc/ca.pem",
    BERTH_METRICS_PORT: "9700",
    BERTH_METRICS_HOST: "127.0.0.2",
    BERTH_COMPOSE_VERSION: "5.1.0",
    BERTH_DATABASE_POOL: "3",
  };
  const byVariables = await read(variables);
  assert.deepEqual(grouped(byVariables), GROUPED);
  assert.equal(byVariables.composeVersion, "5.1.0");
  assert.deepEqual(byVariables.former.map(({ name }) => name).sort(), Object.keys(variables).sort());
  const now = (config: Config, asked: string) => config.former.find(({ name }) => name === asked)?.now;
  assert.equal(now(byVariables, "BERTH_IDP_CLIENT_ID"), "identityProvider.clientId");
  assert.equal(now(byVariables, "BERTH_METRICS_PORT"), "metrics.port");
  assert.equal(now(byVariables, "BERTH_AUDIT_SYSLOG"), "auditSyslog.address");
  assert.equal(now(byVariables, "BERTH_DATABASE_POOL"), null);

  const byKeys = await readFileOf(`
idpIssuer: https://login.example
idpClientId: berth
idpClientSecretFile: /etc/secret
idpRedirectUris: ["https://berth.example/"]
auditSyslog: tls://logs.example:6514
auditSyslogCa: /etc/ca.pem
metricsPort: 9700
metricsHost: 127.0.0.2
`);
  assert.deepEqual(grouped(byKeys), GROUPED);
  assert.equal(now(byKeys, "metricsHost"), "metrics.host");
  assert.equal(now(byKeys, "idpIssuer"), "identityProvider.issuer");
});

Deno.test("readConfig lets a variable go before the file's group, and names parts that are wrong or unknown", async () => {
  const config = await readFileOf("metrics: { port: 9700 }", { BERTH_METRICS_PORT: "9800" });
  assert.equal(config.metricsPort, 9800);
  const wrong =
    'metrics: { port: 70000, hots: a }\nauditSyslog: { address: "ftp://a:1" }\nidentityProvider: x';
  await assert.rejects(readFileOf(wrong), (error: SettingsError) => {
    const names = error.mistakes.map((mistake) => mistake.split(":")[0]).sort();
    assert.deepEqual(names, ["auditSyslog.address", "identityProvider", "metrics.hots", "metrics.port"]);
    return true;
  });
});
