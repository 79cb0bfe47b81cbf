/** Forty ways in which people write a secret into a Compose file, six ways to break one, and aliases of each. */

/** The secrets of the files; no answer to a viewer may hold it. */
export const CANARY = "c4n4ryc4n4ry";

export interface Shape {
  readonly name: string;
  /** Lines of a service; `%` stands for the scalar. */
  readonly lines: readonly string[];
  /** The scalar that holds the secret. */
  readonly scalar: string;
  /** docker-compose 1.29 does not know it. */
  readonly isNew?: true;
}

const S = CANARY;
const environment = (name: string, key: string, scalar: string): Shape => ({
  name,
  lines: [`environment: { PLAIN: shown, ${key}: % }`],
  scalar,
});
/** `%` stands for the scalar. */
const command = (name: string, words: string, scalar: string): Shape => ({
  name,
  lines: [`command: ${words}`],
  scalar,
});

export const SHAPES: readonly Shape[] = [
  environment("a password", "DB_PASSWORD", S),
  environment("a password in quotes", "DB_PASSWORD", `"${S} and more"`),
  environment("a token", "API_TOKEN", `'${S}'`),
  environment("an address with a password", "DB_URL", `postgres://shop:${S}@db/shop`),
  environment("an address of Go", "DSN", `"shop:${S}@tcp(db:3306)/shop"`),
  environment("JSON", "SETTINGS", `'{"user":"ada","password":"${S}"}'`),
  environment("a parameter", "HOOK", `"https://x.example/y?a=1&api_key=${S}"`),
  environment("a webhook", "NOTIFY", `https://hooks.slack.com/services/T00000000/B00000000/${S}`),
  {
    name: "an item of a list",
    lines: ["environment:", "  - PLAIN=shown", "  - %"],
    scalar: `DB_PASSWORD=${S}`,
  },
  {
    name: "a block",
    lines: ["environment:", "  TLS_PRIVATE: |", `    ${S}`, `    ${S}: more`, "  PLAIN: %"],
    scalar: "shown",
  },
  {
    name: "a text over lines",
    lines: ["environment:", '  DB_PASSWORD: "one', `    ${S}`, '    three"', "  PLAIN: %"],
    scalar: "shown",
  },
  { name: "a label", lines: ['labels: { "app.auth": % }'], scalar: S },
  { name: "a label of a proxy", lines: ['labels: { "x.basicauth.users": % }'], scalar: `ada:${S}` },
  { name: "an item of labels", lines: ["labels: [%]"], scalar: `"app.token=${S}"` },
  { name: "a comment", lines: [`# DB_PASSWORD: ${S}`, "labels: { a: % }"], scalar: "b" },
  { name: "a build argument", lines: ["build: { context: ., args: { NPM_TOKEN: % } }"], scalar: S },
  command("mysql", '["mysqldump", %]', `"-p${S}"`),
  command("redis", '["redis-cli", "-a", %]', S),
  command("sshpass", '["sshpass", "-p", %, "ssh", "host"]', S),
  command("a flag", '["app", "--api-key", %]', S),
  command("an option", '["app", %]', `"--db.password=${S}"`),
  command("mc", '["mc", "alias", "set", "store", "http://minio:9000", "admin1", %]', S),
  command("curl's user", '["curl", "-u", %, "http://x"]', `"admin:${S}"`),
  command("a bearer", '["curl", "-H", %]', `"Authorization: Bearer ${S}"`),
  command("a line", "%", `mysql -p${S} shop`),
  command("a line of a shell", '["sh", "-c", %]', `"exec redis-cli -a ${S} ping"`),
  command("docker login", '["docker", "login", "-u", "ada", "-p", %]', S),
  command("smbclient", '["smbclient", "//nas/x", "-U", %]', `"ada%${S}"`),
  command("lftp", '["lftp", "-u", %, "sftp://x"]', `"ada,${S}"`),
  command("mongosh", '["mongosh", "-p", %]', S),
  command("a dictionary of Python", '["python", "-c", %]', `"run({'password': '${S}'})"`),
  command("XML", '["app", %]', `"<login><password>${S}</password></login>"`),
  command("a colon", '["app", %]', `"password: ${S}"`),
  command("htpasswd", '["htpasswd", "-nb", "ada", %]', S),
  command("ldapsearch", '["ldapsearch", "-D", "cn=admin", "-w", %]', S),
  command("aws", '["aws", "configure", "set", "aws_secret_access_key", %]', S),
  command("a header", '["curl", "-H", %]', `"X-Api-Key: ${S}"`),
  {
    name: "an entrypoint beside its arguments",
    lines: ['entrypoint: ["mysql"]', "command: [%]"],
    scalar: `"-p${S}"`,
  },
  {
    name: "a health check",
    lines: ['healthcheck: { test: ["CMD-SHELL", %] }'],
    scalar: `"PGPASSWORD=${S} psql"`,
  },
  {
    name: "a hook",
    lines: ['post_start: [{ command: ["redis-cli", "-a", %] }]'],
    scalar: S,
    isNew: true,
  },
];

/** A Compose file with a service for each shape. */
export function fileOf(
  shapes: readonly Shape[],
  image: string,
  isAliased = false,
  comment = "as it was",
): string {
  const values = shapes.map(({ scalar }, index) => `  - &v${index} ${scalar}`);
  const services = shapes.flatMap(({ lines, scalar }, index) => [
    `  s${index}:`,
    `    image: ${image}`,
    "    network_mode: none",
    ...lines.map((line) => `    ${line.replace("%", () => isAliased ? `*v${index}` : scalar)}`),
  ]);
  return [
    'version: "3.4"',
    "# " + comment,
    ...(isAliased ? ["x-values:", ...values] : []),
    "services:",
    ...services,
    "",
  ].join("\n");
}

/** Ways to break a file. */
export const BREAKS: Readonly<Record<string, (text: string) => string>> = {
  "a tab as indentation": (text) => text.replace("services:\n", "services:\n\tbroken: 1\n"),
  "a quote without an end": (text) => `x-open: "begin\n${text}`,
  "a bracket without an end": (text) => text.replace("services:\n", "x-open: [a, b\nservices:\n"),
  "an indentation that fits nothing": (text) => text.replace("    image:", "   x: 1\n    image:"),
  "an alias of nothing": (text) => `${text}x-none: *${CANARY}\n`,
  "a sign that begins no value": (text) => text.replace("services:\n", `x-sign: @${CANARY}\nservices:\n`),
};
