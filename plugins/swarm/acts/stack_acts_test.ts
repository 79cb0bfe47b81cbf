/** Acts of an apply on a swarm that exists as a manager's answers alone, and what its manager is sent. */
import assert from "node:assert/strict";
import { ServiceError } from "../../../core/error.ts";
import type { RegistryLogin } from "../../../core/engine_acts.ts";
import type { ServiceSpec } from "../../../core/service_spec.ts";
import type { EngineCall } from "../../../engines/calls/call.ts";
import { objectOf } from "../../../engines/calls/wire.ts";
import type { EnginePath } from "../../../engines/calls/path.ts";
import type { Cluster } from "../mirror/cluster.ts";
import type { Clusters } from "../mirror/clusters.ts";
import { StackOnSwarm } from "./stack_acts.ts";

const Platforms = [{ Architecture: "amd64", OS: "linux" }];
const definition = (Image: string) => ({
  Name: "shop_web",
  TaskTemplate: { ContainerSpec: { Image }, Placement: { Platforms } },
});
const asked = (image: string) =>
  ({
    name: "shop_web",
    labels: {},
    mode: "replicated",
    replicas: null,
    container: { image },
    volumes: {},
    stopGrace: null,
    secrets: [],
    configs: [],
    ports: [],
    endpointMode: "vip",
    restart: null,
    limits: null,
    reservations: null,
    placement: { constraints: [], spread: [], maxPerNode: 0 },
    update: null,
    rollback: null,
  }) satisfies ServiceSpec;

interface Scene {
  /** The images of the definition of now, and of the one before. */
  readonly runs: string;
  readonly ran?: string;
  /** Stored logins, by the names of their repositories. */
  readonly logins?: Readonly<Record<string, RegistryLogin>>;
}

/** Returns the acts, and the logins that the manager is sent: null for no header. */
function actsOn({ runs, ran = runs, logins = {} }: Scene) {
  const sent: (Record<string, string> | null)[] = [];
  const placed: unknown[] = [];
  const cluster = {
    state: "up",
    managers: {
      get: ({ text }: EnginePath) =>
        Promise.resolve(
          text === "/nodes"
            ? [{ ManagerStatus: { Addr: "127.0.0.1:2377", Reachability: "reachable" } }]
            : [{ ID: "s1", Version: { Index: 7 }, Spec: definition(runs), PreviousSpec: definition(ran) }],
        ),
      send: (_method: string, _path: EnginePath, { headers, body }: EngineCall) => {
        placed.push(objectOf(objectOf(objectOf(body).TaskTemplate).Placement).Platforms);
        const auth = headers?.["x-registry-auth"];
        sent.push(
          auth === undefined
            ? null
            : JSON.parse(new TextDecoder().decode(Uint8Array.fromBase64(auth, { alphabet: "base64url" }))),
        );
        return Promise.resolve({});
      },
    },
  } as unknown as Cluster; // as far as acts use it
  const clusters = { changed: () => Promise.resolve() } as unknown as Clusters; // as above
  const acts = new StackOnSwarm(cluster, clusters, {
    find: (host, repository) => Promise.resolve(logins[`${host}/${repository}`]),
  }, (image) => {
    if (image.startsWith("refused.example/")) throw new ServiceError("forbidden", "Not allowed");
  });
  return { acts, sent, placed };
}

const NO_FILES = { secrets: new Map(), configs: new Map() };
const held = { id: "s1", version: 7 };
const ada = { username: "ada", password: "canary" };

Deno.test("the login of a service never goes to the registry of another image", async () => {
  const toward = async (image: string, scene: Partial<Scene> = {}) => {
    const { acts, sent } = actsOn({ runs: "lan.example/team/app:1@sha256:" + "a".repeat(64), ...scene });
    await acts.updateService(held, asked(image), NO_FILES, () => undefined);
    return sent;
  };
  assert.deepEqual(await toward("evil.example/team/app:1"), [{}], "another registry");
  assert.deepEqual(await toward("lan.example/other/app:1"), [{}], "another repository of it");
  assert.deepEqual(await toward("lan.example/team/app:2"), [null], "the swarm keeps the one it has");
  const logins = { "evil.example/team/app": ada };
  assert.deepEqual(await toward("evil.example/team/app:1", { logins }), [
    { ...ada, serveraddress: "evil.example" },
  ]);
});

Deno.test("The platforms of an image stay with it", async () => {
  const image = "lan.example/app:1@sha256:" + "a".repeat(64);
  const { acts, placed } = actsOn({ runs: image });
  await acts.updateService(held, asked(image), NO_FILES, () => undefined);
  await acts.updateService(held, asked("lan.example/app:2"), NO_FILES, () => undefined);
  assert.deepEqual(placed, [Platforms, undefined]);
});

Deno.test("a definition that comes back has the login that it had, or one of its own image", async () => {
  const back = async (scene: Scene) => {
    const { acts, sent } = actsOn(scene);
    await acts.restoreService(held, JSON.stringify(definition("lan.example/team/app:1")), () => undefined);
    return sent;
  };
  const runs = "evil.example/app:1";
  const logins = { "lan.example/team/app": ada };
  assert.deepEqual(await back({ runs, ran: "lan.example/team/app:1", logins }), [null]);
  assert.deepEqual(await back({ runs }), [{}], "somebody posted the new image twice");
  assert.deepEqual(await back({ runs, logins }), [{ ...ada, serveraddress: "lan.example" }]);
});

Deno.test("a removed service comes back with a login for its image", async () => {
  const back = async (logins: NonNullable<Scene["logins"]>, loginFor: () => RegistryLogin | undefined) => {
    const { acts, sent } = actsOn({ runs: "lan.example/team/app:1", logins });
    await acts.restoreService(null, JSON.stringify(definition("lan.example/team/app:1")), loginFor);
    return sent;
  };
  const bob = { username: "bob", password: "another" };
  const serveraddress = "lan.example";
  assert.deepEqual(await back({ "lan.example/team/app": ada }, () => undefined), [{ ...ada, serveraddress }]);
  assert.deepEqual(await back({ "lan.example/team/app": ada }, () => bob), [{ ...bob, serveraddress }]);
  assert.deepEqual(await back({}, () => undefined), [null]);
});

Deno.test("an image from a registry that is not allowed is sent to no swarm", async () => {
  const image = "refused.example/app:1";
  const { acts, sent } = actsOn({ runs: image });
  const isRefused = (error: unknown) => error instanceof ServiceError && error.message === "Not allowed";
  await assert.rejects(acts.createService(asked(image), NO_FILES, () => undefined), isRefused);
  await assert.rejects(acts.updateService(held, asked(image), NO_FILES, () => undefined), isRefused);
  assert.deepEqual(sent, []);
});
