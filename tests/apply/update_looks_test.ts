/** Looks for newer images over several registries, of which some answer slowly or want to be left alone. */
import assert from "node:assert/strict";
import type { Group } from "../../artifacts/artifact.ts";
import { Registries } from "../../projects/registries/registries.ts";
import type { Checked } from "../../projects/updates/checked.ts";
import { UpdateChecker } from "../../projects/updates/checker.ts";
import { Updates } from "../../projects/updates/updates.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { ENTRY } from "../access/audit_entry.ts";
import { eventually } from "../support/eventually.ts";
import { pushImage } from "../support/push_image.ts";
import { HAS_REGISTRY, startReachableRegistry } from "../support/reachable_registry.ts";

const test = (name: string, work: () => Promise<void>) =>
  Deno.test({ name, fn: work, ignore: !HAS_REGISTRY });

type OpenStore = Awaited<ReturnType<typeof openSqliteStore>>;

/** A store that knows these registries, with the look switched on. */
async function openStore(hosts: readonly string[]): Promise<{ readonly store: OpenStore } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const folder = await Deno.makeTempDir({ prefix: "berth-looks-" });
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const store = stack.use(await openSqliteStore(`${folder}/berth.db`));
  await using registries = registriesOf(store);
  for (const host of hosts) {
    const asked = { host, path: "", login: null, tokenService: null, plainHttp: true, ca: null };
    await registries.add(asked, { kind: "user", id: "ada", name: "Ada" }, () => ENTRY);
  }
  await store.updates.setRules({ enabled: true, coolDownDays: 0 }, ENTRY);
  const all = stack.move();
  return { store, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

function registriesOf(store: OpenStore): Registries {
  const none = () => Promise.reject(new Error("nothing is sealed"));
  return new Registries({ store: store.registries, seal: { seal: none, open: none }, now: () => Date.now() });
}

/** Looks for these images at once, and then each minute. */
function look(store: OpenStore, registries: Registries, images: readonly string[], longestLookMs?: number) {
  const units = images.map((image) => ({ service: { image, build: false } }));
  return new UpdateChecker({
    updates: new Updates(store.updates),
    store: store.updates,
    registries,
    groups: () => Promise.resolve([{ units } as unknown as Group]),
    runtime: () => null,
    replicas: null,
    isOurTurn: () => Promise.resolve(true),
    log: { warn: (message, about) => assert.fail(`${message} ${JSON.stringify(about)}`) },
    now: () => Date.now(),
    ...(longestLookMs !== undefined && { longestLookMs }),
  });
}

async function known(store: OpenStore, image: string): Promise<Checked | undefined> {
  return (await new Updates(store.updates).current()).checks.get(image);
}

test("a registry that does not answer keeps a look from no other registry, and from its end", async () => {
  const over = Promise.withResolvers<void>();
  await using fast = await startReachableRegistry();
  const { digest } = await pushImage(fast, "app", "1", { "linux/amd64": "a" });
  let isSlow = false;
  await using slow = await startReachableRegistry({
    script: async (_, ask) => {
      if (isSlow) await over.promise;
      return await ask();
    },
  });
  await using opened = await openStore([fast.host, slow.host]);
  const { store } = opened;
  isSlow = true;
  const slowly = [1, 2, 3].map((tag) => `${slow.host}/app:${tag}`);
  const image = `${fast.host}/app:1`;
  await using registries = registriesOf(store);
  await using checker = look(store, registries, [...slowly, image], 500);

  const found = await eventually("the fast one is known", () => known(store, image));
  const late = await eventually("the look ended", () => known(store, slowly[0]!));
  await checker.checkNow();
  const again = await eventually("it is asked again", async () => {
    const now = await known(store, image);
    return now !== undefined && now.checkedAt > found.checkedAt ? now : null;
  });
  over.resolve();

  assert.deepEqual([found.digest, again.digest], [digest, digest]);
  assert.equal(late.outcome, "unreachable");
  assert.match(late.reason ?? "", /answers too slowly/);
  assert.equal(await known(store, slowly[2]!), undefined, "it is due in the next look");
});

test("a host that wants to be left alone is, also for another image and by the next look", async () => {
  await using registry = await startReachableRegistry({
    script: (request, ask) =>
      request.method === "HEAD"
        ? new Response(null, { status: 429, headers: { "retry-after": "3000" } })
        : ask(),
  });
  await using opened = await openStore([registry.host]);
  const { store } = opened;
  await using registries = registriesOf(store);
  const [first = "", second = ""] = ["app:1", "other:1"].map((name) => `${registry.host}/${name}`);
  {
    await using _ = look(store, registries, [first]);
    await eventually("it was asked", () => known(store, first));
  }

  await using checker = look(store, registries, [first, second]);
  const untold = await eventually("the other one is told", () => known(store, second));

  assert.deepEqual([untold.outcome, untold.digest], ["limited", null]);
  assert.equal(untold.until, (await known(store, first))!.until);
  assert.equal(registry.asked.length, 1);
  await checker.checkNow();
  await eventually("a person's word is a request, and one", () => registry.asked.length === 2);
});
