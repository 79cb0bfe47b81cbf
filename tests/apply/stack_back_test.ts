/** The way back of a stack's apply, on a swarm of the test's own: what it sends, and what it says of what it leaves. */
import assert from "node:assert/strict";
import { ServiceError } from "../../core/error.ts";
import { Patience } from "../../projects/apply/patience.ts";
import { takeBack, takeBackPatiently } from "../../projects/apply/stack_back.ts";
import { StackHands } from "../../projects/apply/stack_hands.ts";
import { carryOutOnSwarm } from "../../projects/apply/stack_steps.ts";
import { BackScene, definitionOf } from "./stack_back_scene.ts";

const BIND = definitionOf("shop_web", { mounts: ["/etc"] });
const PLAIN = definitionOf("shop_web", {});
const OTHER = definitionOf("shop_db", {});

Deno.test("A hold of a host comes back only with the permission for it, and nothing else comes back without", async () => {
  const scene = new BackScene().updated(2, PLAIN, BIND).updated(1, OTHER, before(OTHER));
  scene.permissions = ["projects:apply"];

  await assert.rejects(takeBack(scene.options), /"shop_web" back needs the permission "projects:host"/);
  assert.deepEqual(scene.sent, []);

  scene.permissions.push("projects:host");
  assert.equal(await takeBack(scene.options), null);
  assert.deepEqual(scene.sent, ["restore shop_web", "restore shop_db"]);
});

Deno.test("A right over a workspace brings back no hold of a host in a stack that is not known to be its own", async () => {
  const scene = new BackScene().updated(1, PLAIN, BIND);
  scene.subject = { engine: "swarm:s", workspace: null, project: "shop" };
  scene.scopes = ["workspace:w"];
  await assert.rejects(takeBack(scene.options), /needs the permission "projects:host"/);

  scene.scopes = ["project:shop"];
  assert.equal(await takeBack(scene.options), null);
});

Deno.test("Nothing is taken back with rights that are gone", async () => {
  const scene = new BackScene().updated(1, PLAIN, before(PLAIN));
  scene.permissions = [];

  await assert.rejects(takeBack(scene.options), /needs the permission "projects:apply".*rights of somebody/);
  assert.deepEqual([scene.sent, scene.audit], [[], []]);
});

const before = (now: string): string => now.replace("web:1", "web:0");
const away = (code: "store_unavailable" | "engine_unavailable") => new ServiceError(code, "it is away");

Deno.test("A store that is away for a moment ends no way back half done", async () => {
  const scene = new BackScene().updated(2, PLAIN, before(PLAIN)).updated(1, OTHER, before(OTHER));
  scene.before = (act) => {
    if (act === "restore shop_web") throw away("store_unavailable");
  };

  await assert.rejects(takeBack(scene.options), { code: "store_unavailable" });
  assert.deepEqual(scene.sent, []);
});

Deno.test("The way back waits for managers that are away", async () => {
  const scene = new BackScene().updated(2, PLAIN, before(PLAIN)).updated(1, OTHER, before(OTHER));
  let left = 2;
  scene.before = (act) => {
    if (act === "restore shop_db" && left-- > 0) throw away("engine_unavailable");
  };
  const patiently = (awayMs: number) =>
    takeBackPatiently({
      ...scene.options,
      progress: () => Promise.resolve(scene.progress),
      patience: new Patience(awayMs, undefined, 1),
    });

  assert.equal(await patiently(60_000), null);
  assert.deepEqual(scene.sent, ["restore shop_web", "restore shop_db"]);

  scene.updated(3, PLAIN, before(PLAIN));
  scene.before = () => {
    throw away("engine_unavailable");
  };
  await assert.rejects(patiently(20), { code: "engine_unavailable" });
});

Deno.test("The definition of before stays noted after a post of which nobody knows, and only then", async () => {
  const posted = async (code: "engine_failed" | "invalid_request") => {
    const scene = new BackScene().updated(1, PLAIN, "");
    scene.hold("shop_web", PLAIN, null);
    scene.before = (act) => {
      if (act === "post shop_web") throw new ServiceError(code as "internal", "no");
    };
    await assert.rejects(carryOutOnSwarm(scene.hand(scene.steps[0]!)), { code });
    return scene.progress.get(1)?.noted["undo"];
  };

  assert.equal(await posted("engine_failed"), PLAIN);
  assert.equal(await posted("invalid_request"), null);
});

const OTHERS = PLAIN.replace("web:1", `web:1@sha256:${"b".repeat(64)}`);

Deno.test("An image of somebody else's under the same tag is no post of the apply's own", async () => {
  const scene = new BackScene().updated(1, PLAIN, "").waits(2, 1);
  scene.hold("shop_web", PLAIN, null);
  const [post, wait] = scene.steps.map((step) => () => carryOutOnSwarm(scene.hand(step)));
  await post!();
  await wait!();
  scene.hold("shop_web", OTHERS, 1);

  await assert.rejects(wait!(), /"shop_web" was changed by somebody else/);
  assert.match(await takeBack(scene.options) ?? "", /"shop_web" was changed by somebody else/);
  assert.deepEqual(scene.sent, ["post shop_web"]);
});

Deno.test("A service that the apply made is left where somebody has changed it since", async () => {
  const scene = new BackScene().created(1, PLAIN).updated(2, OTHER, before(OTHER));
  scene.note(1, { image: "web:1" });
  scene.hold("shop_web", OTHERS, 1);

  assert.match(await takeBack(scene.options) ?? "", /"shop_web" was changed by somebody else/);
  assert.deepEqual(scene.sent, []);

  scene.hold("shop_web", PLAIN, 1);
  assert.equal(await takeBack(scene.options), null);
  assert.deepEqual(scene.sent, ["restore shop_db", "remove shop_web"]);
});

Deno.test("A service that the apply made is left where somebody changes it while another one comes back", async () => {
  const taken = async (meanwhile: (scene: BackScene) => void) => {
    const scene = new BackScene().created(1, PLAIN).updated(2, OTHER, before(OTHER));
    scene.note(1, { image: "web:1" });
    scene.before = (act) => {
      if (act === "restore shop_db") meanwhile(scene);
    };
    return { said: await takeBack(scene.options), sent: scene.sent, audit: scene.audit };
  };
  const sent = ["restore shop_db"];
  const changed = await taken((scene) => scene.hold("shop_web", OTHERS, 1));
  assert.match(changed.said ?? "", /"shop_web" was changed by somebody else/);
  assert.deepEqual([changed.sent, changed.audit], [sent, ["done", "failed"]]);

  const anew = await taken((scene) => {
    scene.hold("shop_web", PLAIN, 1);
    scene.services.set("shop_web", { ...scene.services.get("shop_web")!, id: "another" });
  });
  assert.match(anew.said ?? "", /"shop_web" was made anew by somebody else/);
  assert.deepEqual(anew.sent, sent);

  const removed = await taken((scene) => void scene.services.delete("shop_web"));
  assert.deepEqual(removed, { said: null, sent, audit: ["done", "done"] });
});

Deno.test("A removal asks for its rights right before it is sent", async () => {
  const scene = new BackScene().removed(1, PLAIN);
  scene.hold("shop_web", PLAIN, null);
  scene.refused = "no more";

  await assert.rejects(carryOutOnSwarm(scene.hand(scene.steps[0]!)), /no more/);
  assert.deepEqual(scene.sent, []);
});

Deno.test("A removed service that an earlier post brought back is back, and one of somebody else's is not", async () => {
  const taken = (definition: string) => {
    const scene = new BackScene().removed(1, PLAIN);
    scene.permissions.push("projects:host");
    scene.before = (act) => {
      if (act !== "restore shop_web") return;
      scene.hold("shop_web", definition, null);
      throw new ServiceError("name_taken" as "internal", "it is taken");
    };
    return takeBack(scene.options);
  };

  assert.equal(await taken(PLAIN), null);
  assert.equal(await taken(OTHERS), "it is taken");
});

Deno.test("A swarm that has left those that berth knows is away", () => {
  const acts = () => {
    throw away("engine_unavailable");
  };
  const ground = { runtime: { stacks: () => ({ acts }) } };
  const hands = new StackHands({ id: "a1" } as never, { ground } as never, {} as never, "c1");
  assert.equal(hands.isAway(new ServiceError("not_found", "it is gone")), true);
});
