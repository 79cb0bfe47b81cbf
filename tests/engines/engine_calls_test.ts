/** Every call that changes an engine is listed here with what judges it, so that a new one cannot be forgotten. */
import assert from "node:assert/strict";
import { sources } from "../house/sources.ts";

/** All that sends something to an engine. */
const ROOMS = ["engines/", "plugins/containers/", "plugins/swarm/"];

/** A call that sends a body to an engine: the judge that its file must name, or why it needs none. */
type Verdict = { readonly judge: RegExp } | { readonly harmless: string };

/** `file: path of the call` → its verdict. `EngineActs` is judged by `projects/apply/judged_acts.ts`, see below. */
const CALLS: Readonly<Record<string, Verdict>> = {
  "acts/engine_acts.ts: /containers/create": { harmless: "judged as EngineActs.create" },
  "acts/engine_acts.ts: /networks/create": { harmless: "judged as EngineActs.createNetwork" },
  "acts/engine_acts.ts: /volumes/create": { harmless: "judged as EngineActs.createVolume" },
  "acts/engine_acts.ts: /images/${new SlashedName(id)}/tag": { harmless: "names an image that is there" },
  "acts/engine_acts.ts: path": { harmless: "judged as EngineActs.start, restart, update, and connect" },
  "links/host_sight.ts: path": {
    harmless: "mounts a registered folder, read-only, into a container that is never started",
  },
  "links/bare_container.ts: /containers/create": {
    harmless: "an image alone, for a container that is never started",
  },
  "lent.ts: path": { harmless: "sent for a plugin that the operator installed, which judges it itself" },
  "networks/routes.ts: /networks/create": { judge: /networkNeeds\(.*mustHold\(.*networks\/create/s },
  "volumes/routes.ts: /volumes/create": { judge: /volumeNeeds\(.*mustHold\(.*volumes\/create/s },
  "networks/membership.ts: path": { judge: /joinNeeds\(.*mustHold\(.*changeMembership\(/s },
  "containers/control.ts: /containers/${row.id}/${verb}": {
    harmless: "sends no spec; docs/hardening.md says that a start follows links",
  },
  "containers/control.ts: /containers/${row.id}/rename": { harmless: "sends a name" },
  "containers/copy_into.ts: /containers/${id}/archive": { harmless: "writes into a container of the apply" },
  "exec/exec_session.ts: /containers/${container.id}/exec": { harmless: "judged as EngineActs.run" },
  "exec/exec_session.ts: /exec/${this.id}/resize": { harmless: "sends a size" },
  "exec/command.ts: /containers/${command.container}/exec": {
    harmless: "berth's own command, no privileges",
  },
  "exec/command.ts: /exec/${id}/start": { harmless: "berth's own command, no privileges" },
  "prune/carry_out.ts: /build/prune": { harmless: "makes nothing" },
  "mirror/managers.ts: path": { harmless: "passes on what its callers send, which are listed here" },
  "acts/update_service.ts: /services/${id}/update": {
    harmless:
      "the definition of now with another number, or the one before, judged by `hostRightsOf`; of an apply " +
      "judged as StackActs.updateService",
  },
  "acts/stack_acts.ts: path": {
    harmless: "removes, or is judged as StackActs.createService, createNetwork and createFile",
  },
  "acts/service_acts.ts: /services/${id}": { harmless: "removes" },
  "acts/node_acts.ts: /nodes/${node.id}/update": { harmless: "sends a node's availability" },
};

/** Acts of `EngineActs` that bring no new right: they look, end, or name. Every other one must be judged. */
const UNJUDGED = [
  "isAway",
  "find",
  "copy",
  "stop",
  "kill",
  "rename",
  "remove",
  "lastWords",
  "checkHealth",
  "network",
]
  .concat(["networkNow", "recreateNetwork"]) // a network of the project comes back as it was
  .concat(["usersOf", "removeNetwork", "disconnect", "volume", "removeVolume", "imageId", "pull", "tag"]);

const read = (path: string) => Deno.readTextFile(new URL(`../../${path}`, import.meta.url));

/** A connection's own call, or one of an engine or a manager that a plugin was lent. */
const CALL =
  /(?<!\w)(?:engine\s*\.(?:post|put)\(|(?:engine|managers)\s*\.send\(\s*(?:"(?:POST|DELETE)"|method),)\s*(?:at`([^`]*)`|(\w+))/g;

/** The calls of a file: the written path, or the name of the variable that holds it. */
const callsIn = (text: string): string[] => [...text.matchAll(CALL)].map(([, path, name]) => path ?? name!); // One of them is there.

/** The methods that an interface declares. */
const methodsOf = (text: string, name: string): string[] => {
  const body = new RegExp(`interface ${name} \\{\\n(.*?)\\n\\}`, "s").exec(text)?.[1] ?? "";
  return [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, method]) => method!); // The group always matches.
};

/** The methods that the judge replaces. */
const judgedIn = (text: string): string[] => {
  const body = /function judgedActs\(.*?return \{(.*?)\n {2}\};/s.exec(text)?.[1] ?? "";
  return [...body.matchAll(/^ {4}(\w+):/gm)].map(([, method]) => method!); // As above.
};

Deno.test("Every call that changes an engine is known, and those that make something are judged", async () => {
  const found = new Set<string>();
  for (const room of ROOMS) {
    for await (const path of sources(room)) {
      if (path.endsWith("_test.ts")) continue;
      const text = await read(path);
      for (const call of callsIn(text)) {
        const key = `${path.slice(room.length)}: ${call}`;
        found.add(key);
        const verdict = CALLS[key];
        assert.ok(verdict, `${key} is judged by nobody: judge its spec, and list it here`);
        if ("judge" in verdict) assert.match(text, verdict.judge, `${key} is not judged in its file`);
      }
    }
  }
  assert.deepEqual([...found].sort(), Object.keys(CALLS).sort());
});

Deno.test("Every act of an apply that could bring a right is judged", async () => {
  const acts = methodsOf(await read("core/engine_acts.ts"), "EngineActs");
  assert.ok(acts.length > 20, "the interface was found");
  const judged = judgedIn(await read("projects/apply/judged_acts.ts"));
  assert.deepEqual([...judged, ...UNJUDGED].sort(), [...acts].sort());
});

/** Acts of `StackActs` that bring no new right. */
const UNJUDGED_ON_SWARM: Readonly<Record<string, string>> = {
  restoreService: "what ran before, judged by the table of the act `rollback`",
  removeService: "ends",
  removeNetwork: "ends",
  removeFile: "ends",
};

Deno.test("Every act of an apply on a swarm is judged in its step right before it is sent", async () => {
  const acts = methodsOf(await read("core/stack_acts.ts"), "StackActs").filter((name) =>
    /^(?:create|update|remove|restore)/.test(name)
  );
  assert.equal(acts.length, 8, "the interface was found");
  const steps = await read("projects/apply/stack_steps.ts");
  for (const act of acts.filter((name) => UNJUDGED_ON_SWARM[name] === undefined)) {
    assert.match(
      steps,
      new RegExp(`await hand\\.refuse\\(making(?:(?!\\nasync function).)*acts\\.${act}\\(`, "s"),
      act,
    );
  }
  const removals = [...steps.matchAll(/acts\.remove\w+\(/g)].length;
  const judged = [...steps.matchAll(/await hand\.refuse\(hand\.step\.needs\);\s+await acts\.remove\w+\(/g)];
  assert.deepEqual([judged.length, removals], [3, 3], "also with the rights of the moment that it is sent");
  for (const file of ["stack_back", "stack_waiting", "step_runner", "run"]) {
    assert.doesNotMatch(await read(`projects/apply/${file}.ts`), /acts\.(?:create|update)\w+\(/, file);
  }
});

Deno.test("A planted call that is not listed is found, and so is an act that lost its judge", () => {
  const text = "await engine.post(at`/build`, {});\nthis.engine.put(path, {});\nlink.engine\n  .post(at`/x`)";
  const lent = 'cluster.managers.send("POST", at`/y`, {});\nengine.send(method, other, call)';
  assert.deepEqual(callsIn(text + lent), ["/build", "path", "/x", "/y", "other"]);
  assert.deepEqual(methodsOf("interface A {\n  one(): void;\n  two(a: B): C;\n}", "A"), ["one", "two"]);
  assert.deepEqual(judgedIn("function judgedActs() {\n  return {\n    ...acts,\n    one: 1,\n  };\n}"), [
    "one",
  ]);
});
