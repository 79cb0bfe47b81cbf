/** The cost of one validation: chains, profiles and anchors without end, and several at once by one caller. */
import assert from "node:assert/strict";
import { WorkspaceReader } from "../../artifacts/reading/workspace_reader.ts";
import { checkInTurns } from "../../artifacts/rules/check.ts";
import { startService } from "../support/service.ts";
import { workspaceFolder } from "../support/workspace_folder.ts";

const MANY = 20_000;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
/** Far more than are followed. */
const LONG = 3_000;
const services = (lines: readonly string[]) => `services:\n${lines.map((line) => `  ${line}\n`).join("")}`;

/** Returns the findings of an unsaved text, and the time that the rules took. */
async function validated(text: string): Promise<{ codes: string[]; messages: string[]; ms: number }> {
  await using folder = await workspaceFolder({ "compose.yaml": services(["a: { image: 'a:1' }"]) });
  const model = await new WorkspaceReader(folder.path).overlaid(new Map([["compose.yaml", text]]));
  const began = performance.now();
  const { findings } = await checkInTurns(model);
  const told = findings.filter(({ code }) => code.startsWith("fs/") || code.startsWith("yaml/"));
  return {
    codes: [...new Set(findings.map(({ code }) => code))],
    messages: told.map(({ message }) => message),
    ms: performance.now() - began,
  };
}

const TOO_DEEP = ["`extends` goes over 100 levels deep; the rest was not followed"];

Deno.test("a chain of extends is followed 100 deep, whichever way round it is written, and told of once (F79)", async () => {
  const forward = numbers(LONG).map((n) => `s${n}: { extends: s${n + 1} }`);
  const backward = numbers(LONG).map((n) => `s${n + 1}: { extends: s${n} }`);

  assert.deepEqual(
    (await validated(services([...forward, `s${LONG}: { image: 'a:1' }`]))).messages,
    TOO_DEEP,
  );
  assert.deepEqual((await validated(services(["s0: { image: 'a:1' }", ...backward]))).messages, TOO_DEEP);
  const deep = ["s0: { image: 'a:1' }", ...backward.slice(0, 100)];
  assert.deepEqual((await validated(services(deep))).messages, [], "100 is not too deep");
});

Deno.test("a thousand units below one with 20,000 profiles are told of in short, and soon (F79)", async () => {
  const base = `s: { image: 'a:1', profiles: [${numbers(MANY).map((n) => `p${n}`).join()}] }`;
  const below = numbers(1_000).map((n) => `t${n}: { image: 'a:1', depends_on: [s], profiles: [q${n}] }`);

  const { codes, ms } = await validated(services([base, ...below]));

  assert.ok(codes.includes("ref/disabled-by-profile"));
  assert.ok(ms < 4_000, `${ms} ms`);
});

Deno.test("one caller validates one thing at a time: the next wait, and one too many is told when to come back", async () => {
  await using berth = await startService();
  const path = `${berth.folder}/workspaces/shop`;
  await Deno.mkdir(path);
  await Deno.writeTextFile(`${path}/compose.yaml`, services(["a: { image: 'a:1' }"]));
  const { body: { id } } = await berth.call("POST /api/workspaces", { path });
  const viewer = await berth.key("viewer");
  const long = { files: { "compose.yaml": services(numbers(1_000).map((n) => `s${n}: { image: 'a:1' }`)) } };
  const validate = (caller = viewer) => caller.call(`POST /api/workspaces/${id}/artifacts/validate`, long);

  const answers = await Promise.all(numbers(7).map(() => validate()));
  const statuses = answers.map(({ status }) => status).sort();

  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429, 429]);
  for (const refused of answers.filter(({ status }) => status === 429)) {
    assert.equal(refused.body.code, "too_many_requests");
    assert.equal(refused.headers.get("retry-after"), "5");
  }
  const pair = await Promise.all([validate(), validate(), validate(await berth.key("viewer"))]);
  assert.deepEqual(pair.map(({ status }) => status), [200, 200, 200], "a pipeline that runs two is served");
});
