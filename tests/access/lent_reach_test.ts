/** A service that joins another one of its project has its folders and namespaces, and needs what those need. */
import assert from "node:assert/strict";
import { project, scene, scopedOperator, service } from "../apply/apply_scene.ts";
import { lawEngine } from "../support/shared_engine.ts";

const SECRET = "the host's own word";
const READING = "[sh, -c, 'cat /h/whose /proc/*/root/h/whose; exec idle']";

for (const kind of ["docker", "podman"] as const) {
  const { test } = await lawEngine(kind);

  test(
    "a service takes over nothing of the host from another one that its applier may not",
    async (engine, context) => {
      const name = "lending";
      const outside = await Deno.makeTempDir({ prefix: "berth-canary-" });
      await Deno.writeTextFile(`${outside}/whose`, SECRET);
      const own = "network_mode: none\n";
      const proxy = service("proxy", `${own}volumes: ['${outside}:/h:ro']`);
      const namespaces = service("machine", "network_mode: host\nipc: host\npid: host\nuts: host");
      const plain = service("plain", own);
      await scene(engine, name, project(name, [proxy, namespaces, plain]), async (scene) => {
        assert.equal((await scene.apply()).state, "done");
        const operator = await scopedOperator(scene, name);
        const all = [proxy, namespaces, plain];
        const reached = async () => {
          const { json } = await engine.ask("GET /containers/json?all=1");
          const logs = await Promise.all(json.map(({ Id }: { Id: string }) => engine.cli("logs", Id)));
          return logs.some((log) => log.includes(SECRET));
        };
        const begin = async (services: readonly string[]) => {
          await scene.write(project(name, services));
          const plan = await scene.plan({}, operator);
          assert.deepEqual(plan.blocked, []);
          const begun = await scene.begin(plan, {}, operator);
          if (begun.status === 202) await scene.over(begun.body.id);
          const needs = plan.steps.filter(({ kind }) => kind === "container.create").flatMap((step) =>
            step.needs
          );
          return { begun, host: needs.filter(({ permission }) => permission === "projects:host") };
        };
        const cases: readonly (readonly [string, string, string, string?])[] = [
          ["the volumes", "volumesFrom", `${own}volumes_from: [proxy]`],
          ["the volumes for reading", "volumesFrom", `${own}volumes_from: ['proxy:ro']`],
          [
            "the volumes, by a second one",
            "volumesFrom",
            `${own}volumes_from: [between]`,
            `${own}volumes_from: [proxy]`,
          ],
          ["the processes, and with them the files", "pid", `${own}pid: service:proxy`],
          ["the host's network", "networks", "network_mode: service:machine"],
          [
            "the host's network, by a second one",
            "networks",
            "network_mode: service:between",
            "network_mode: service:machine",
          ],
          ["the host's shared memory", "ipc", `${own}ipc: service:machine`],
          ["the host's processes", "pid", `${own}pid: service:machine`],
        ];
        for (const [what, field, lines, between] of cases) {
          await context.step(`a service joins ${what}`, async () => {
            const more = between === undefined ? [] : [service("between", between)];
            const { begun, host } = await begin([...all, ...more, service("b", lines, READING)]);
            assert.ok(!await reached(), "The container of an operator read a file of the host");
            assert.equal(begun.status, 403, begun.text);
            assert.ok(host.some((need) => need.field === field && need.why && need.at), JSON.stringify(host));
          });
        }

        await context.step(
          "a container that runs has what it was made with, whatever its file says by now",
          async () => {
            const harmless = service("proxy", own);
            const others = [harmless, namespaces, plain];
            await scene.write(
              project(name, [...others, service("b", `${own}volumes_from: [proxy]`, READING)]),
            );
            const plan = await scene.plan({ units: [`unit:${name}.b`] }, operator);
            const steps = plan.steps.flatMap(({ n, kind }) => kind === "container.swap" ? [] : [n]);
            assert.ok(steps.length > 0 && steps.length < plan.steps.length, JSON.stringify(plan.steps));
            const begun = await scene.begin(plan, { steps }, operator);
            if (begun.status === 202) assert.equal((await scene.over(begun.body.id)).state, "failed");
            assert.ok(!await reached(), "The container of an operator read a file of the host");
          },
        );

        await context.step(
          "a volume that a folder of the host was bound to stays one for whoever uses it",
          async () => {
            const options = `{ type: none, o: bind, device: ${outside} }`;
            const volumes = `volumes: { bound: { driver_opts: ${options} } }\n`;
            const keeper = service("keeper", `${own}volumes: ['bound:/h']`);
            await scene.write(project(name, [keeper], volumes));
            assert.equal((await scene.apply()).state, "done");
            const reader = service("b", `${own}volumes: ['bound:/h']`, READING);
            await scene.write(project(name, [keeper, reader], volumes));
            const begun = await scene.begin(await scene.plan({}, operator), {}, operator);
            if (begun.status === 202) await scene.over(begun.body.id);
            assert.ok(!await reached(), "The container of an operator read a file of the host");
            assert.equal(begun.status, 403, begun.text);
          },
        );

        await context.step(
          "an operator updates a service with a volume that is no folder of the host",
          async () => {
            const volumes = "volumes: { memory: { driver_opts: { type: tmpfs, device: tmpfs } } }\n";
            const user = (more: string) => service("keeper", `${own}volumes: ['memory:/h']${more}`);
            await scene.write(project(name, [user("")], volumes));
            assert.equal((await scene.apply()).state, "done");
            await scene.write(project(name, [user("\nenvironment: { CHANGED: 'yes' }")], volumes));
            const begun = await scene.begin(await scene.plan({}, operator), {}, operator);
            assert.equal(begun.status, 202, begun.text);
            assert.equal((await scene.over(begun.body.id)).state, "done");
          },
        );

        await context.step("joining a harmless one takes nothing", async () => {
          const lines =
            "network_mode: service:plain\nipc: service:shares\npid: service:shares\nvolumes_from: [shares]";
          const shares = service("shares", `${own}ipc: shareable\nvolumes: ['./data:/data']`);
          const { begun, host } = await begin([
            service("proxy", own),
            namespaces,
            plain,
            shares,
            service("b", lines),
            service("bridged", "network_mode: bridge"),
            service("c", "network_mode: service:bridged"),
          ]);
          assert.equal(begun.status, 202, begun.text);
          assert.deepEqual(host, []);
          const { body } = await scene.berth.call(`GET /api/applies/${begun.body.id}`);
          assert.equal(body.state, "done", JSON.stringify(body));
        });
      });
      await Deno.remove(outside, { recursive: true });
    },
  );
}
