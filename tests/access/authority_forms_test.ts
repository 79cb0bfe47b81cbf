/**
 * Every key of the Compose specification, in every form, written in five ways: the plan of an operator of one project
 * asks for `projects:host`, or is blocked, or what it makes sees no canary. The kernel says what a process sees.
 */
import assert from "node:assert/strict";
import { HARMLESS } from "./harmless_fields.ts";
import { SERVICE } from "../../artifacts/rules/compose_shape.ts";
import type { Plan } from "../../projects/plan/plan_shape.ts";
import { type ApplyScene, project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { lawEngine } from "../support/shared_engine.ts";
import type { TestCaller } from "../support/service.ts";
import { type Form, FORMS, FURTHER, OUTSIDE } from "./compose_forms.ts";
import { type Beside, beyond, type Sight, sightOf } from "./inner_sight.ts";
import { WAYS } from "./ways_of_writing.ts";

const CANARY = "canary-4cdbe1f0";
const IS_PROOF = Deno.env.get("BERTH_PROOF") === "1";
/** Made on every commit, too; all others in `deno task proof`. */
const NEAREST =
  /^(?:volumes|volumes_from|network_mode|networks|pid|ipc|uts|userns_mode|cgroup|links|security_opt)$/;
const MARK = `unseen-${CANARY}`;

interface Case {
  readonly key: string;
  readonly form: Form;
  readonly line: string;
}

const CASES: readonly Case[] = Object.entries(FORMS).flatMap(([key, [text, list, mapping]]) => [
  { key, form: "text" as const, value: text },
  { key, form: "list" as const, value: list },
  { key, form: "mapping" as const, value: mapping },
  ...(FURTHER[key] ?? []).map(([form, value]) => ({ key, form, value })),
]).map(({ key, form, value }) => ({ key, form, line: `${key}: ${value}` }));

Deno.test("Every key that berth knows of a service is among the forms", () => {
  assert.ok(typeof SERVICE === "object" && "keys" in SERVICE);
  assert.deepEqual(Object.keys(SERVICE.keys).filter((key) => FORMS[key] === undefined), []);
});

/** Other parts of a project, all its own. */
const OWN = "networks: { inner: {} }\nvolumes: { data: {} }\n";
/** The same, with names of things that others own. */
const withOthers = (outside: string) =>
  `networks:
  inner: {}
  host: { external: true }
  theirs: { external: true }
volumes: { data: {}, theirs: { external: true } }
secrets: { shadow: { file: ${outside}/whose } }
configs: { passwd: { file: ${outside}/whose } }
`;

/** A neighbour with a network and a volume of its own, and a folder of the host. All hold the canary. */
async function plant(engine: TestEngine, outside: string): Promise<string> {
  await Deno.writeTextFile(`${outside}/whose`, `${MARK}\n`);
  await Deno.writeTextFile(`${outside}/whose.env`, `WHOSE=${MARK}\n`);
  await Deno.writeTextFile(
    `${outside}/whose.yaml`,
    `services: { whose: { image: ${FIXTURE}, labels: { a: ${MARK} } } }\n`,
  );
  await engine.cli("network", "create", "theirs");
  await engine.cli("volume", "create", "theirs");
  const listen = `echo ${MARK} > /theirs/whose; while :; do nc -l -p 8080 < /dev/null; done`;
  const mounts = ["--volume", "theirs:/theirs"];
  await engine.cli(
    "run",
    "--detach",
    "--name",
    "theirs",
    "--network",
    "theirs",
    ...mounts,
    FIXTURE,
    "sh",
    "-c",
    listen,
  );
  return await engine.cli("inspect", "--format", "{{.NetworkSettings.Networks.theirs.IPAddress}}", "theirs");
}

/** Stands for the host: a container of its namespaces, with rights of its own and the canary's folder. */
async function sightOfHost(engine: TestEngine, outside: string): Promise<Sight | null> {
  const { status, json } = await engine.ask("POST /containers/create?name=ashost", {
    Image: FIXTURE,
    Cmd: ["idle"],
    HostConfig: {
      PidMode: "host",
      NetworkMode: "host",
      IpcMode: "host",
      UTSMode: "host",
      CapAdd: ["NET_ADMIN"],
      SecurityOpt: ["seccomp=unconfined"],
      Devices: [{ PathOnHost: "/dev/null", PathInContainer: "/dev/x", CgroupPermissions: "r" }],
      Binds: [`${outside}:/outside`],
    },
  });
  assert.equal(status, 201, JSON.stringify(json));
  await engine.ask("POST /containers/ashost/start");
  return await sightOf(engine, "ashost", CANARY, "");
}

/** Values that the table of rights calls harmless: a sixth of them on every commit, each in the proof. */
const HARMLESS_CASES: readonly Named[] = HARMLESS.map((line, n) => {
  const [key = ""] = line.split(":");
  return { key, form: "text" as const, line, name: `h${n}` };
}).filter((_, n) => IS_PROOF || n % 6 === 0);

/** Values that an engine of this kind does not start with: Podman's crun, for one, no negative number of processes. */
const MOST_REFUSED = 8;

type Verdict = "host" | "others" | "blocked" | "own" | "absent";
type Named = Case & { readonly name: string };

/** Says how the plan treats one service. A fault in its form blocks the whole project, and names the service. */
function verdictOf(plan: Plan, { name, key, line }: Named): Verdict {
  const unit = `unit:forms.${name}`;
  const steps = plan.steps.filter((one) => one.unit === unit);
  const needs = steps.flatMap((one) => one.needs.map(({ permission }) => permission));
  if (needs.includes("projects:host")) return "host";
  const isIts = ({ subject, message }: Plan["blocked"][number]) =>
    subject === unit || message.includes(`services.${name}.`) || message.includes(`services.${name} `);
  if (plan.blocked.some(isIts)) return "blocked";
  // A file that may not be read is the group's fault.
  if (key === "extends" && plan.blocked.some(({ code }) => code === "project/incomplete")) return "blocked";
  const unseen = plan.blocked.flatMap(({ subject }) =>
    /^(?:network|volume):\.(.*)/.exec(subject ?? "")?.[1] ?? []
  );
  if (/^(?:networks|volumes)$/.test(key) && unseen.some((other) => line.includes(other))) return "blocked";
  if (needs.some((one) => !one.startsWith("projects:"))) return "others";
  return steps.some(({ kind }) => kind === "container.create") ? "own" : "absent";
}

class Forms {
  constructor(readonly scene: ApplyScene, readonly operator: TestCaller, readonly outside: string) {}

  /** Plans all forms in one way of writing; returns how many got each verdict, and those that ask for nothing. */
  async judged(way: string): Promise<{ counts: Record<Verdict, number>; own: Named[] }> {
    const cases = CASES.map((one, n) => ({
      ...one,
      name: `s${n}`,
      line: one.line.replaceAll(OUTSIDE, this.outside),
    }));
    await this.#write(way, cases, withOthers(this.outside));
    const plan = await this.scene.plan({}, this.operator);
    const counts = { host: 0, others: 0, blocked: 0, own: 0, absent: 0 };
    const own = cases.filter((one) => {
      const verdict = verdictOf(plan, one);
      counts[verdict] += 1;
      return verdict === "own";
    });
    return { counts, own };
  }

  /** Makes what asked for nothing, as the operator, and returns what any of it has beyond the project. */
  async made(way: string, own: readonly Named[], beside: Beside, address: string): Promise<string[]> {
    const { scene } = this;
    const cases = await this.#started(way, own);
    const found: string[] = [];
    let running = 0;
    for (const { name, key, line } of cases) {
      const container = key === "container_name" ? "formsnamed" : `forms-${name}-1`;
      const sight = await sightOf(scene.engine, container, CANARY, address);
      if (sight === null) continue;
      running += 1;
      for (const one of beyond(sight, beside)) found.push(`${line} has ${one}`);
    }
    await scene.clear();
    assert.ok(running > cases.length * 0.9, `Only ${running} of ${cases.length} run`);
    console.log(`${way}: looked from inside ${running} of ${cases.length}`);
    return found;
  }

  /** Applies the project, without what the engine refuses to start, which reaches nothing; returns what runs. */
  async #started(way: string, own: readonly Named[]): Promise<readonly Named[]> {
    const { scene, operator } = this;
    let left = own;
    for (let tries = 0; tries <= MOST_REFUSED; tries++) {
      await eventually("the engine answers", async () => { // Podman needs a while after a hundred containers
        const { body } = await scene.berth.call("GET /api/system/backends");
        return body.items.every((one: { state: string }) => one.state === "up");
      });
      const { cases, plan } = await this.#unblocked(way, left);
      const begun = await scene.begin(plan, {}, operator);
      assert.equal(begun.status, 202, begun.text);
      const apply = await scene.over(begun.body.id);
      if (apply.state === "done") return cases;
      const failed = apply.steps.filter(({ state }) => state === "failed");
      const said = JSON.stringify(failed.map(({ target, error }) => [target, error]));
      assert.ok(failed.length > 0 && failed.every(({ error }) => error?.code === "engine_failed"), said);
      const refused = new Set(failed.map(({ target }) => target));
      left = cases.filter(({ name }) => !refused.has(`forms-${name}-1`));
      assert.equal(left.length, cases.length - refused.size, said);
      console.log(`${way}: the engine refuses`, said);
    }
    throw new Error(`The engine refuses more than ${MOST_REFUSED} of ${own.length}`);
  }

  /** Plans what is left until nothing blocks: a broken part hides faults of others. */
  async #unblocked(way: string, own: readonly Named[]): Promise<{ cases: readonly Named[]; plan: Plan }> {
    let cases = own;
    for (let tries = 0; tries < 4; tries++) {
      await this.#write(way, cases, OWN);
      const plan = await this.scene.plan({}, this.operator);
      assert.deepEqual(plan.missing, []);
      if (plan.blocked.length === 0) return { cases, plan };
      const blocked = new Set(plan.blocked.map(({ subject }) => subject));
      const rest = cases.filter(({ name }) => !blocked.has(`unit:forms.${name}`));
      assert.ok(rest.length < cases.length, JSON.stringify(plan.blocked));
      cases = rest;
    }
    throw new Error("Something blocks the plan again and again");
  }

  async #write(way: string, cases: readonly Named[], more: string): Promise<void> {
    const { scene: { path } } = this;
    const names = ["plain", ...cases.map(({ name }) => name)];
    const lines = ["ipc: shareable", ...cases.map(({ line }) => line)];
    const files = WAYS[way]?.("forms", names, lines, more) ?? {};
    for (const [file, text] of Object.entries(files)) {
      if (file !== "compose.yaml") await Deno.writeTextFile(`${path}/${file}`, text);
    }
    await this.scene.write(files["compose.yaml"] ?? "");
  }
}

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test("No form of any key reaches the host or another project unless it is asked for", async (engine) => {
    const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
    const address = await plant(engine, outside);
    await engine.cli("run", "--detach", "--name", "ordinary", FIXTURE, "idle");
    const [ordinary, stranger, host] = [
      await sightOf(engine, "ordinary", CANARY, address),
      await sightOf(engine, "theirs", CANARY, address),
      await sightOfHost(engine, outside),
    ];
    assert.ok(ordinary && stranger && host);
    // The oracle itself: it has to see that these two are not of the project.
    const control = beyond(host, { ordinary, strangers: [stranger, host], own: [] }).join("\n");
    for (
      const each of ["canary /outside/whose", "the pid namespace", "the net namespace", "more capabilities"]
        .concat(["no filter of system calls", "the device", "mounted at /outside"])
    ) {
      assert.ok(control.includes(each), `${each}: ${control}`);
    }
    const theirs = beyond(stranger, { ordinary, strangers: [host], own: [] });
    assert.ok(theirs.includes("canary /theirs/whose"), theirs.join("\n"));
    let planned = 0;
    await scene(engine, "forms", project("forms", [service("plain")]), async (scene) => {
      await Deno.mkdir(`${scene.path}/own`);
      const forms = new Forms(scene, await scopedOperator(scene, "forms"), outside);
      const own = [`${scene.path.slice(scene.path.lastIndexOf("/"))}/own`, "forms_data/"];
      const beside = { ordinary, strangers: [stranger, host], own };
      for (const way of Object.keys(WAYS)) {
        const { counts, own } = await forms.judged(way);
        planned += CASES.length;
        console.log(`${way}:`, counts);
        assert.ok(counts.absent < CASES.length / 10, "a file that cannot be read asks for nothing");
        const chosen = IS_PROOF
          ? [...own]
          : way === "plain"
          ? own.filter(({ key }) => NEAREST.test(key))
          : [];
        if (way === "plain") chosen.push(...HARMLESS_CASES);
        if (chosen.length > 0) assert.deepEqual(await forms.made(way, chosen, beside, address), [], way);
      }
    });
    assert.ok(planned >= 1_500);
    console.log(`${planned} planned cases`);
    await Deno.remove(outside, { recursive: true });
  });
}
