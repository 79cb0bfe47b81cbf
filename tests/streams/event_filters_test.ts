/** Which events a viewer of `/api/terminal/compose-logs` gets: by kind, action and container, without the noise. */
import assert from "node:assert/strict";
import { FIXTURE } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { serveEngines, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { Visitor } from "../support/stream_service.ts";

const { test } = await sharedEngine("docker");

interface Said {
  readonly kind: string;
  readonly action: string;
  readonly container?: { readonly name: string };
  readonly subject?: { readonly id: string };
}

class Watching implements AsyncDisposable {
  readonly visitor: Visitor;

  constructor(berth: TestService, query: string, credential = berth.admin) {
    this.visitor = new Visitor(`${berth.url}/api/terminal/compose-logs?${query}`, undefined, [
      `berth.bearer.${credential}`,
    ]);
  }

  async ready(): Promise<this> {
    await eventually("hello", () => this.visitor.texts.some((text) => text.includes('"hello"')));
    return this;
  }

  events(): Said[] {
    return this.visitor.texts.map((text) => JSON.parse(text))
      .flatMap((one) => one.type === "batch" ? one.items : [one]).filter(({ type }) => type === "event");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.visitor.wire.close();
    await this.visitor.closed;
  }
}

test("a health check's execs are left out unless asked for, and a person's are shown", async (engine) => {
  await using berth = await serveEngines({ docker: engine });
  await engine.cli(
    ..."run -d --name checked --network none --health-interval 1s".split(" "),
    "--health-cmd",
    "true && true",
    FIXTURE,
    "idle",
  );
  await eventually(
    "it is seen",
    async () => (await berth.call("GET /api/containers/checked")).status === 200,
  );
  await using plain = await new Watching(berth, "container=checked").ready();
  await using all = await new Watching(berth, "container=checked&healthChecks=true").ready();
  const count = (of: Watching, action: string) => of.events().filter((one) => one.action === action).length;
  await eventually("two checks ran", () => count(all, "exec_die") >= 2);
  assert.deepEqual(plain.events().filter(({ action }) => action.startsWith("exec_")), []);
  await engine.cli("exec", "checked", "true");
  await eventually(
    "a person's exec is shown from its beginning to its end",
    () => count(plain, "exec_die") === 1,
  );
  assert.deepEqual(
    plain.events().map(({ action }) => action).filter((action) => action.startsWith("exec_")),
    ["exec_create", "exec_start", "exec_die"],
  );
  await engine.cli("rm", "-f", "checked");
});

test("events are chosen by action, by kind and by several containers", async (engine) => {
  await using berth = await serveEngines({ docker: engine });
  for (const name of ["one", "two", "three"]) {
    await engine.cli("create", "--name", name, "--network", "none", FIXTURE, "idle");
  }
  await eventually(
    "they are seen",
    async () => (await berth.call("GET /api/containers/three")).status === 200,
  );
  await using starts = await new Watching(berth, "action=start").ready();
  await using pair = await new Watching(berth, "container=one&container=two&action=start").ready();
  await using volumes = await new Watching(berth, "kind=volume").ready();
  for (const name of ["one", "two", "three"]) await engine.cli("start", name);
  await engine.cli("volume", "create", "watched");
  await eventually("all starts are told", () => starts.events().length === 3);
  assert.deepEqual(starts.events().map(({ action }) => action), ["start", "start", "start"]);
  await eventually("the pair's are told", () => pair.events().length === 2);
  assert.deepEqual(pair.events().map(({ container }) => container?.name), ["one", "two"]);
  await eventually("the volume is told", () => volumes.events().length > 0);
  assert.deepEqual(volumes.events().map(({ kind, action, subject }) => [kind, action, subject?.id]), [
    ["volume", "create", "watched"],
  ]);

  const narrow = await berth.key(["events:read", "containers:read"]);
  const refused = new Watching(berth, "kind=volume", narrow.credential);
  assert.equal((await refused.visitor.closed).code !== 1000, true);
  assert.deepEqual(refused.events(), []);
  await engine.cli("rm", "-f", "one", "two", "three");
  await engine.cli("volume", "rm", "watched");
});
