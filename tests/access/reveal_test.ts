/** Secrets that a workspace declares: masked for everybody, shown to callers who may see them, and audited when they were. */
import assert from "node:assert/strict";
import { parseNow } from "../../artifacts/files/parse_file.ts";
import { maskedText } from "../../artifacts/report/masked_text.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

const SECRET = "c4n4ry";
/** Every way to declare a secret; the last line of each is behind it. */
const COMPOSE = `name: shop
# DB_PASSWORD: ${SECRET}01
services:
  # the shop window, API_TOKEN=${SECRET}02
  web:
    image: auth:1.2
    ports: ["8080:80"]
    depends_on: [db]
    command: ["redis-cli", "-a", "${SECRET}03", "ping"]
    entrypoint: mysql -p${SECRET}04 shop
    environment:
      DB_PASSWORD: "${SECRET}05"
      PLAIN: shown
      DB_URL: postgres://shop:${SECRET}06@db/shop
      FROM_ENV: \${DB_PASSWORD}
      DB_TOKEN: \${DB_TOKEN:-${SECRET}07}
      API_KEY: \${API_KEY:?set it}
      TLS_PRIVATE: |
        ${SECRET}08
        ${SECRET}09
      AFTER: shown
    labels: { "app.auth": ${SECRET}10, "app.name": shop, image: 1 }
    secrets: [db_password]
    nonsense: here
  db:
    image: postgres:17
    environment:
      - POSTGRES_PASSWORD=${SECRET}11
      - "ESCAPED_SECRET=${SECRET}\\u0031\\u0032"
      - SEEN=shown
    healthcheck:
      test: ["CMD-SHELL", "psql --password ${SECRET}13"]
secrets:
  db_password: { file: ./db_password.txt }
configs:
  app:
    content: |
      user = ada
      password = ${SECRET}14
`;
const LEAK = new RegExp(SECRET);

async function shop(berth: TestService): Promise<string> {
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(path, { recursive: true });
  await Deno.writeTextFile(`${path}/compose.yaml`, COMPOSE);
  await Deno.writeTextFile(`${path}/.env`, `DB_PASSWORD=${SECRET}20\n`);
  await Deno.writeTextFile(`${path}/db_password.txt`, `${SECRET}21\n`);
  await Deno.writeTextFile(
    `${path}/shop.card.yaml`,
    `apiVersion: berth/v1\nkind: Card\nmetadata:\n  name: shop\n  description: "Sign in with --password=${SECRET}15"\nspec:\n  subject: group:shop\n  links: [{ url: "https://ada:${SECRET}16@example.org", title: Board }]\n`,
  );
  const made = await berth.call("POST /api/workspaces", { path });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
}

Deno.test("declared secrets are masked in every answer, and everything beside them is there (F60, R49)", async () => {
  await using berth = await startService();
  const base = `/api/workspaces/${await shop(berth)}/artifacts`;
  const viewer = await berth.key("viewer");

  for (
    const route of [
      "GET ",
      "GET /groups/shop",
      "GET /units/web",
      "GET /units/db",
      "GET /cards/shop",
      "GET /dag",
      "GET /dag?format=mermaid",
      "GET /dag?format=dot",
      "POST /validate",
      "POST /validate?format=sarif",
    ]
  ) {
    const [method, path] = route.split(" ");
    const answer = await viewer.call(`${method} ${base}${path}`);
    assert.equal(answer.status, 200, `${route}: ${answer.text}`);
    assert.doesNotMatch(answer.text, LEAK, route);
  }
  const web = (await viewer.call(`GET ${base}/units/web`)).body;
  assert.equal(web.masked, true);
  assert.equal(web.image, "auth:1.2");
  for (const line of ["      PLAIN: shown", "      FROM_ENV: ${DB_PASSWORD}", "      AFTER: shown"]) {
    assert.ok(web.yaml.includes(`${line}\n`), line);
  }
  assert.ok(web.yaml.includes('"redis-cli", "-a", "********", "ping"'), web.yaml);
  assert.ok(web.yaml.includes("DB_TOKEN: ${DB_TOKEN:-********}\n"), web.yaml);
  assert.ok(web.yaml.includes("API_KEY: ${API_KEY:?set it}\n"), web.yaml);
  assert.ok(web.yaml.includes("DB_URL: postgres://shop:********@db/shop\n"), web.yaml);
  assert.ok(web.yaml.includes("secrets: [db_password]\n"), web.yaml);
});

Deno.test("a finding's line and column stay true in a masked text", async () => {
  await using berth = await startService();
  const id = await shop(berth);
  const { body } = await berth.call(`GET /api/workspaces/${id}/artifacts/units/web`);

  const finding = body.diagnostics.find(({ code }: { code: string }) => code === "schema/unknown-property");
  const { line, column } = finding.location.range.start;
  const shown = body.yaml.split("\n")[line - body.yamlLine];

  assert.equal(shown.slice(column - 1), "nonsense: here");
  assert.equal(body.yaml.split("\n").length, body.source.range.start.line === 0 ? 0 : yamlLines("web"));
});

/** The lines of a service with its comment, and the empty text behind the last line. */
function yamlLines(name: string): number {
  const lines = COMPOSE.split("\n");
  const from = lines.findIndex((line) => line.startsWith(`  ${name}:`)) - 1;
  return lines.findIndex((line, index) => index > from + 1 && /^ {0,2}\S/.test(line)) - from + 1;
}

Deno.test("?reveal=true takes artifacts:reveal, shows the author's text, and is in the audit log first", async () => {
  await using berth = await startService();
  const base = `/api/workspaces/${await shop(berth)}/artifacts`;
  const viewer = await berth.key("viewer");
  const operator = await berth.key("operator");
  const exact = await berth.key(["artifacts:read", "artifacts:reveal"]);

  for (const caller of [viewer, operator]) {
    for (const path of ["units/web", "groups/shop", "cards/shop"]) {
      const refused = await caller.call(`GET ${base}/${path}?reveal=true`);
      assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
      assert.doesNotMatch(refused.text, LEAK);
    }
  }
  const shown = await exact.call(`GET ${base}/groups/shop?reveal=true`);
  assert.deepEqual([shown.status, shown.body.yaml, shown.body.masked], [200, COMPOSE, false]);
  assert.match((await berth.call(`GET ${base}/units/web?reveal=true`)).body.yaml, /c4n4ry08\n.*c4n4ry09/);
  assert.match((await berth.call(`GET ${base}/cards/shop?reveal=true`)).body.description, LEAK);
  assert.doesNotMatch((await exact.call(`GET ${base}/groups/shop`)).text, LEAK, "never without asking");
  const log = await eventually("the audit log has the three", async () => {
    const { body } = await berth.call("GET /api/system/audit?limit=50");
    const rows = body.items.filter(({ action }: { action: string }) => action.includes("/artifacts/"));
    return rows.filter(({ result }: { result: string }) => result === "done").length === 3 && rows;
  });
  assert.deepEqual(
    log.filter(({ result }: { result: string }) => result === "done").map((row: { particulars: unknown }) =>
      row.particulars
    ).reverse(),
    ["group:shop", "unit:shop.web", "card:shop"].map((artifact) => ({ artifact, shown: "secrets" })),
  );
  assert.doesNotMatch(JSON.stringify(log), LEAK);
});

Deno.test("maskedText keeps every line of an environment file that no workspace has, and no value", () => {
  const text =
    `# DB_PASSWORD=${SECRET}\nPLAIN=${SECRET}\nexport B = "${SECRET}\n  ${SECRET}=${SECRET}"\n\n# a comment\n`;
  const masked = maskedText(parseNow({ path: ".env", kind: "env", text, hash: "" }));
  assert.doesNotMatch(masked, LEAK);
  assert.equal(
    masked,
    "# DB_PASSWORD=********\nPLAIN=********\nexport B = ********\n  ********\n\n# a comment\n",
  );
});
