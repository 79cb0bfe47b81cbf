/** Projects whose applies succeed and fail while they hold secrets. */
import { FIXTURE } from "../support/engine.ts";
import { CANARY, fileOf, SHAPES } from "./masked_shapes.ts";

const LINK = `postgres://shop:${CANARY}${CANARY}@db/shop`;

/** Brings the secret of a link to where berth cuts what an engine or a check says, behind so many characters of theirs. */
const cut = (before: number) => `${"y/".repeat(300).slice(0, 512 - before - LINK.length + 12)}/${LINK}`;

/** Services that fail, and whose engine or program repeats a secret. */
const FAILING: Readonly<Record<string, readonly string[]>> = {
  program: [`entrypoint: ["DB_PASSWORD=${CANARY}"]`],
  cut: [`entrypoint: ["${cut(7)}"]`],
  check: [
    `healthcheck: { test: ["CMD-SHELL", "echo ${cut(0)}; exit 1"], interval: 200ms, retries: 1 }`,
    "command: [idle]",
  ],
  key: [
    `command: ["sh", "-c", "echo '-----BEGIN PRIVATE KEY-----'; echo ${CANARY}; echo ${CANARY}; exit 3"]`,
  ],
  hook: [
    "command: [idle]",
    `post_start: [{ command: ["sh", "-c", "echo --env=DB_PASSWORD=${CANARY} >&2; exit 3"] }]`,
  ],
  "bare-check": [
    `environment: { DB_PASSWORD: ${CANARY} }`,
    `healthcheck: { test: ["CMD-SHELL", "echo no user takes $$DB_PASSWORD; exit 1"], interval: 200ms, retries: 1 }`,
    "command: [idle]",
  ],
  "bare-hook": [
    `environment: { DB_PASSWORD: ${CANARY} }`,
    "command: [idle]",
    `post_start: [{ command: ["sh", "-c", "$$DB_PASSWORD; exit 3"] }]`,
  ],
  "bare-words": [
    `environment: { API_TOKEN: ${CANARY} }`,
    `command: ["sh", "-c", "$$API_TOKEN; exit 3"]`,
  ],
  option: [`command: ["tool", "--env=DB_PASSWORD=${CANARY}"]`],
  shell: [`command: ["sh", "-c", "echo $$(PASSWORD=${CANARY} none); exit 3"]`],
  sql: [`command: ["psql", "-c", "ALTER USER shop PASSWORD '${CANARY}'"]`],
  environment: [`environment: ["=DB_PASSWORD=${CANARY}"]`],
  user: [`user: "password=${CANARY}"`],
};

const after = (name: string, lines: readonly string[]) =>
  [
    "services:",
    "  s0:",
    `    image: ${FIXTURE}`,
    ...lines.map((line) => `    ${line}`),
    "  after:",
    `    image: ${FIXTURE}`,
    `    depends_on: { s0: { condition: service_${name.endsWith("check") ? "healthy" : "started"} } }`,
    "",
  ].join("\n");

const VOLUME = `services:
  s0:
    image: ${FIXTURE}
    volumes: ["data:/data"]
volumes:
  data:
    driver_opts: { type: cifs, device: "//127.0.0.1/none", o: "username=ada,password=${CANARY}" }
`;

/** Each shape in `deno task proof`: on a commit masked_shapes_test.ts looks at all, and a fourth of them are applied. */
const APPLIED = SHAPES.filter((_, at) => Deno.env.get("BERTH_PROOF") === "1" || at % 4 === 0);

/** Compose files by the names of their projects. */
export const ACTING: Readonly<Record<string, string>> = {
  ...Object.fromEntries(APPLIED.map((shape, at) => [`shape${at}`, fileOf([shape], FIXTURE)])),
  ...Object.fromEntries(Object.entries(FAILING).map(([name, lines]) => [name, after(name, lines)])),
  volume: VOLUME,
};
