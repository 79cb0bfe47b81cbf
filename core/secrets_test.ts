/** Every form in which people write secrets, and the text beside it that must stay readable. */
import assert from "node:assert/strict";
import { FORMS, looksSecret, maskArguments, maskCommandOf, maskText, secretSpans } from "./secrets.ts";

const S = "c4n4ryc4n4ryc4n4ry01";

/** Texts that people write → the secret in each. As one command line, and as arguments. */
const WRITTEN: readonly (readonly [what: string, args: readonly string[], secret?: string])[] = [
  ["mysql's glued password", ["mysqldump", "-h", "db", `-p${S}`, "shop"]],
  ["the password of redis-cli", ["redis-cli", "-h", "cache", "-a", S, "ping"]],
  ["the password of redis-server", ["redis-server", "--requirepass", S, "--port", "7000"]],
  ["a replica's password of redis-server", ["redis-server", "--masterauth", S]],
  ["sshpass", ["sshpass", "-p", S, "ssh", "host"]],
  ["sshpass, glued", ["sshpass", `-p${S}`, "ssh", "host"]],
  ["a Go database address", ["app", `-dsn=shop:${S}@tcp(db:3306)/shop`]],
  ["a key as an option", ["app", `--key=${S}`]],
  ["a key as two arguments", ["app", "--api-key", S]],
  ["an alias of mc", ["mc", "alias", "set", "store", "http://minio:9000", "admin1", S]],
  ["a host of mc", ["/usr/bin/mc", "config", "host", "add", "store", "http://minio:9000", "admin1", S]],
  ["JSON", ["app", "--config", `{"user":"ada","password":"${S}"}`]],
  ["JSON inside a string", ["app", `{\\"db_password\\": \\"${S}\\"}`]],
  ["a parameter api_key", ["curl", `http://x/y?a=1&api_key=${S}`]],
  ["a signature", ["curl", `https://blob.example/x?se=2026&sig=${S}`]],
  ["a JWT flag", ["app", "--jwt", S]],
  ["a password flag", ["client", "--password", S]],
  ["a password option", ["client", `--db.password=${S}`]],
  ["a password in a URL", ["psql", `postgres://shop:${S}@db/shop`]],
  ["a token as user of a URL", ["git", "clone", `https://${S}@git.example/x.git`]],
  ["curl's user", ["curl", "-u", `admin:${S}`, "http://x"]],
  ["curl's user, glued", ["curl", `-uadmin:${S}`, "http://x"]],
  ["a variable before a command", [`PGPASSWORD=${S}`, "psql"]],
  ["an authorization header", ["curl", "-H", `Authorization: Bearer ${S}`]],
  ["a shell's command", ["sh", "-c", `exec mysql -uroot -p${S} shop`]],
  ["a registry's login", ["docker", "login", "-u", "ada", "-p", S, "registry.example"]],
  ["a registry's login in a shell", ["sh", "-c", `exec docker login -u ada -p ${S}`]],
  ["smbclient's user", ["smbclient", "//nas/share", "-U", `ada%${S}`]],
  ["smbclient's user, glued", ["smbclient", "//nas/share", `-Uada%${S}`]],
  ["smbclient's user as an option", ["smbclient", "//nas/share", `--user=ada%${S}`]],
  ["lftp's user", ["lftp", "-u", `ada,${S}`, "sftp://host"]],
  ["mongosh's password", ["mongosh", "-u", "ada", "-p", S]],
  ["mongodump's password, glued", ["mongodump", "-u", "ada", `-p${S}`]],
  ["a dictionary of Python", ["python", "-c", `run({'user': 'ada', 'password': '${S}'})`]],
  ["an assignment in an option", ["docker", "run", `--env=DB_PASSWORD=${S}`]],
  ["an assignment in a shell's parentheses", ["sh", "-c", `echo $(PASSWORD=${S} show) | (TOKEN=${S} show)`]],
  ["an assignment behind a stray sign", [`=DB_PASSWORD=${S}`]],
  ["a password in SQL", ["psql", "-c", `ALTER USER shop WITH PASSWORD '${S}'`]],
  ["a password of a user of MySQL", ["mysql", "-e", `CREATE USER shop IDENTIFIED BY '${S}'`]],
  ["a token behind an address", ["curl", `https://x.example/#access_token=${S}`]],
  ["an element of XML", ["app", `<login><password>${S}</password></login>`]],
  ["an element of XML with attributes", ["app", `<x:api-key kind="a">${S}</x:api-key>`]],
  ["a password behind a colon", ["app", `password: ${S}`]],
  ["htpasswd with a file", ["htpasswd", "-bc", "/etc/users", "ada", S]],
  ["htpasswd without a file", ["htpasswd", "-nbB", "-C", "10", "ada", S]],
  ["ldapsearch", ["ldapsearch", "-x", "-D", "cn=admin", "-w", S, "-b", "dc=example"]],
  ["ldapwhoami, glued", ["ldapwhoami", "-x", "-D", "cn=admin", `-w${S}`]],
  ["a setting of aws", ["aws", "configure", "set", "aws_secret_access_key", S]],
  ["a header with a key", ["curl", "-H", `X-Api-Key: ${S}`, "http://x"]],
  ["a header with a cookie", ["curl", "-H", `Cookie: session=${S}`, "http://x"]],
  ["a second command", ["sh", "-c", `sleep 1; redis-cli -a ${S} ping | cat`]],
];

for (const [what, args] of WRITTEN) {
  Deno.test(`${what} is masked, as arguments and as one line`, () => {
    assert.ok(!maskArguments(args).join("\n").includes(S), maskArguments(args).join(" "));
    const line = args.map((arg) => /[\s"]/.test(arg) ? `'${arg}'` : arg).join(" ");
    assert.ok(!maskText(line).includes(S), maskText(line));
    // In the raw object of an engine the line is one text among others.
    assert.ok(
      !maskText(JSON.stringify(args.join(" "))).includes(S),
      maskText(JSON.stringify(args.join(" "))),
    );
  });
}

/** Forms that are known by themselves, wherever they stand. Put together here, so that no file holds one whole. */
const letters = "Ab3dEf6hIj9lMn2pQr5tUv8xYz1BcD4fGh7J";
const KNOWN: Readonly<Record<string, string>> = {
  "GitHub token": "ghp" + `_${letters}`,
  "GitLab token": "glpat" + `-${letters.slice(0, 20)}`,
  "Slack token": "xoxb" + `-1234567890-${letters.slice(0, 24)}`,
  "Slack webhook": "https://hooks.slack.com/services" + `/T00000000/B00000000/${letters.slice(0, 24)}`,
  "Discord webhook": "https://discord.com/api/webhooks" + `/123456789/${letters}`,
  "AWS access key": "AKIA" + "ABCDEFGHIJKLMNOP",
  "Stripe key": "sk_live" + `_${letters.slice(0, 24)}`,
  "npm token": "npm" + `_${letters}`,
  "Google key": "AIza" + letters.slice(0, 35),
  "JSON Web Token": "eyJhbGciOiJIUzI1NiJ9" + `.${letters}.${letters}`,
  "age key": "AGE-SECRET-KEY-1" + letters.toUpperCase(),
  "key of berth": "berth_0123456789abcdef" + `_${letters}`,
  "private key block": `-----BEGIN OPENSSH PRIVATE KEY-----\n${letters}\n-----END OPENSSH PRIVATE KEY-----`,
};

for (const [form, value] of Object.entries(KNOWN)) {
  Deno.test(`a ${form} is masked wherever it stands`, () => {
    assert.ok(FORMS.some(([name]) => name === form));
    for (const text of [value, `a label that holds ${value} in its middle`, `x=${value},y`]) {
      const masked = maskText(text);
      assert.ok(!masked.includes(form === "private key block" ? letters : value.slice(-24, -8)), masked);
    }
  });
}

Deno.test("what is no secret stays readable", () => {
  for (
    const line of [
      "chown -u 1000:1000 /data",
      "app --no-token-check --port 80",
      "app --password-file /run/secrets/db",
      "wget http://host:80/path",
      "postgres -c max_connections=100",
      "docker run -p 8080:80 -v /a:/b nginx",
      "mkdir -p /var/lib/mysql",
      "redis-server --appendonly yes",
      "Host(`shop.example`) && PathPrefix(`/api`)",
      "ghcr.io/owner/image:1.2@sha256:" + "a".repeat(64),
      "tcp://0.0.0.0:2375",
      "git@github.com:owner/repository.git",
      "monkey business",
      "docker run -p 8080:80 --name login nginx",
      "htpasswd -c /etc/users ada",
      'Unknown property "secret"; there are a, b',
      "rsync -p --chmod=u=rw,g=r /a /b",
      "lftp -u ada sftp://host",
      "secrets: [db_password]",
      "keyboard=de",
    ]
  ) assert.equal(maskText(line), line);
  assert.deepEqual(maskArguments(["run", "--user", "1000:1000"]), ["run", "--user", "1000:1000"]);
});

Deno.test("a program in a list of its own says which of the arguments behind it are secrets", () => {
  assert.deepEqual(maskArguments([`-p${S}`, "shop"], ["/usr/bin/mysql"]), ["-p********", "shop"]);
  assert.deepEqual(maskArguments(["-a", S], ["redis-cli"]), ["-a", "********"]);
  assert.deepEqual(maskArguments(["-p", "80"], ["nginx"]), ["-p", "80"]);
  assert.equal(maskCommandOf(["mongosh"], `-p ${S} shop`), "-p ******** shop");
});

Deno.test("names say whether their values are secrets", () => {
  for (
    const name of [
      "DB_PASSWORD",
      "db.pass",
      "API_KEY",
      "AccessKey",
      "SECRET",
      "JWT",
      "signing.key",
    ]
  ) {
    assert.ok(looksSecret(name), name);
  }
  assert.ok(looksSecret("traefik.http.middlewares.x.basicauth.users"));
  for (
    const name of [
      "PASSWORD_FILE",
      "token-ttl",
      "keyboard",
      "monkey",
      "compass",
      "author",
      "com.docker.compose.project",
    ]
  ) {
    assert.ok(!looksSecret(name), name);
  }
});

Deno.test("masking twice changes nothing more, and spans are in order", () => {
  for (const [, args] of WRITTEN) {
    const line = args.join(" ");
    assert.equal(maskText(maskText(line)), maskText(line));
    const spans = secretSpans(line);
    for (let i = 1; i < spans.length; i++) assert.ok(spans[i]![0] > spans[i - 1]![1]);
  }
});

/** A busy machine may take a hundred times as long as a quiet one, and a search that is not linear takes minutes on a quiet one. */
const LONGEST_MS = 60_000;

Deno.test("a long command line is searched in linear time (F59)", () => {
  const began = performance.now();
  secretSpans("mysql -pfoo --password=bar mc alias set a b c d; mc x y z htpasswd -x \n".repeat(8_000));
  assert.ok(performance.now() - began < LONGEST_MS, `${performance.now() - began} ms`);
});

Deno.test("a long text without end is searched in linear time (F59)", () => {
  for (
    const piece of [
      "password",
      "a:",
      "-u ",
      "eyJa",
      "://",
      'key="',
      '{"',
      "token ",
      "--password-stdin ",
      "| chpasswd ",
      "${password:-",
      "authorization: x ",
      "password =",
    ]
  ) {
    const text = piece.repeat(100_000);
    const started = performance.now();
    maskText(text);
    assert.ok(performance.now() - started < LONGEST_MS, `${piece} took ${performance.now() - started} ms`);
  }
});
