/** Newer versions of a pinned tag, at a real registry whose answers a front changes. */
import assert from "node:assert/strict";
import { readReference } from "../../core/image_reference.ts";
import { RegistryAccess } from "../../projects/registries/access.ts";
import { checkReference } from "../../projects/updates/check.ts";
import type { Checked } from "../../projects/updates/checked.ts";
import { pushImage } from "../support/push_image.ts";
import {
  HAS_REGISTRY,
  type ReachableRegistry,
  startReachableRegistry,
} from "../support/reachable_registry.ts";

const test = (name: string, work: () => Promise<void>) =>
  Deno.test({ name, fn: work, ignore: !HAS_REGISTRY });

const NOW = 1_800_000_000_000;
const AMD = { "linux/amd64": "a" };

async function check(
  { host }: ReachableRegistry,
  tag: string,
  { before = null, now = NOW, listsTags = true }: {
    readonly before?: Checked | null;
    readonly now?: number;
    readonly listsTags?: boolean;
  } = {},
) {
  using access = new RegistryAccess(() => now);
  const signal = new AbortController().signal;
  return await checkReference(access, {
    reference: readReference(`${host}/app:${tag}`)!,
    rules: { host, plainHttp: true, allowsPrivate: true, ca: null, tokenService: null, login: null },
    before,
    differing: () => [],
    platforms: () => ["linux/amd64"],
    listsTags,
    now,
    signal,
  });
}

const tagsOf = ({ versions }: Checked) => versions!.found.map(({ step, tag }) => `${step} ${tag}`);

test("newer versions are told with their digest and when they were first seen, and asked for once", async () => {
  await using registry = await startReachableRegistry();
  await pushImage(registry, "app", "1.4.2", AMD);
  const { digest } = await pushImage(registry, "app", "1.4.5", { "linux/amd64": "b" });
  await pushImage(registry, "app", "2.0.0", { "linux/amd64": "c" });

  const { checked } = await check(registry, "1.4.2");
  const first = registry.asked.length;
  await pushImage(registry, "app", "1.5.0", { "linux/amd64": "d" });
  const again = (await check(registry, "1.4.2", { before: checked, now: NOW + 5 })).checked;
  const unlisted = (await check(registry, "1.4.2", { before: again, listsTags: false })).checked;
  const latest = (await check(registry, "latest")).checked;

  assert.deepEqual(tagsOf(checked), ["patch 1.4.5", "major 2.0.0"]);
  assert.deepEqual(tagsOf(again), ["patch 1.4.5", "minor 1.5.0", "major 2.0.0"]);
  assert.deepEqual(again.versions!.found.map(({ firstSeen }) => firstSeen), [NOW, NOW + 5, NOW]);
  assert.equal(again.versions!.found[0]!.digest, digest);
  assert.deepEqual([unlisted.versions, latest.versions], [again.versions, null]);
  assert.deepEqual(
    registry.asked.slice(first).map(({ method, path }) =>
      `${method} ${path.replace(/sha256:.*/, "<digest>")}`
    ),
    [
      "HEAD /v2/app/manifests/1.4.2",
      "GET /v2/app/tags/list?n=1000",
      "HEAD /v2/app/manifests/1.5.0",
      "GET /v2/app/manifests/<digest>",
      "HEAD /v2/app/manifests/1.4.2",
      "HEAD /v2/app/manifests/latest",
    ],
  );
});

test("a version that no engine can run, and a chart, are no newer versions", async () => {
  await using registry = await startReachableRegistry();
  await pushImage(registry, "app", "1.4.2", AMD);
  await pushImage(registry, "app", "1.4.3", { "linux/s390x": "a", "unknown/unknown": "record" });
  await pushImage(registry, "app", "1.5.0", { "linux/arm64": "a", "linux/amd64": "a" });
  const type = "application/vnd.oci.image.manifest.v1+json";
  const pushed = await registry.direct("/v2/app/manifests/1.4.2", { headers: { accept: type } });
  const chart = (await pushed.text()).replace(
    "application/vnd.oci.image.config.v1+json",
    "application/vnd.cncf.helm.config.v1+json",
  );
  const put = await registry.direct("/v2/app/manifests/2.0.0", {
    method: "PUT",
    headers: { "content-type": type },
    body: chart,
  });
  assert.equal(put.status, 201, await put.text());

  assert.deepEqual(tagsOf((await check(registry, "1.4.2")).checked), ["minor 1.5.0"]);
});

test("50,000 tags are read page by page, and of more it is said that they were not read", async () => {
  let total = 50_000;
  let pages = 0;
  await using registry = await startReachableRegistry({
    script: (request, ask) => {
      const { pathname, searchParams } = new URL(request.url);
      if (!pathname.endsWith("/tags/list")) return ask();
      pages++;
      const from = Number(searchParams.get("last") ?? -1) + 1;
      const to = Math.min(from + 1_000, total);
      const tags = Array.from({ length: to - from }, (_, n) => from + n === 40_000 ? "1.4.5" : `${from + n}`);
      const link = `</v2/app/tags/list?last=${to - 1}&n=1000>; rel="next"`;
      return Response.json({ name: "app", tags }, to < total ? { headers: { link } } : {});
    },
  });
  await pushImage(registry, "app", "1.4.2", AMD);
  await pushImage(registry, "app", "1.4.5", AMD);

  const whole = (await check(registry, "1.4.2")).checked;
  assert.deepEqual([tagsOf(whole), whole.versions!.note, pages], [["patch 1.4.5"], null, 50]);

  total = 60_000;
  pages = 0;
  const cut = (await check(registry, "1.4.2")).checked;
  assert.deepEqual([tagsOf(cut), pages], [["patch 1.4.5"], 50]);
  assert.match(cut.versions!.note!, /more than 50000 tags/);
});

test("a list that never ends, is too large, refused or nonsense is told, and takes nothing away", async () => {
  let list = () => new Response(null, { status: 403 });
  await using registry = await startReachableRegistry({
    script: (request, ask) => request.url.includes("/tags/list") ? list() : ask(),
  });
  await pushImage(registry, "app", "1.4.2", AMD);
  await pushImage(registry, "app", "1.4.5", AMD);
  const link = '</v2/app/tags/list?last=x&n=1000>; rel="next"';
  list = () => Response.json({ tags: ["1.4.5"] });
  const before = (await check(registry, "1.4.2")).checked;
  const answers: readonly (readonly [string, () => Response, RegExp])[] = [
    ["refused", () => new Response(null, { status: 403 }), /answers 403/],
    ["nonsense", () => new Response("<html>"), /answers 200/],
    ["no list", () => Response.json({ tags: { a: 1 } }), /answers 200/],
    ["too large", () => new Response("x".repeat(5_000_000)), /larger than 4194304 bytes/],
    ["the same page", () => Response.json({ tags: ["1.4.5"] }, { headers: { link } }), /does not go on/],
    [
      "limited",
      () => new Response(null, { status: 429, headers: { "retry-after": "60" } }),
      /answers 429/,
    ],
  ];
  for (const [name, answer, note] of answers) {
    list = answer;
    const { checked, restsUntil } = await check(registry, "1.4.2", { before });
    assert.deepEqual([checked.outcome, tagsOf(checked)], ["found", ["patch 1.4.5"]], name);
    assert.match(checked.versions!.note!, note, name);
    assert.equal(restsUntil, name === "limited" ? NOW + 60_000 : null, name);
  }
});

test("a version of which the registry does not tell hides none that was offered, and is asked for again", async () => {
  let answer: (() => Response) | null = null;
  await using registry = await startReachableRegistry({
    script: ({ url, method }, ask) =>
      answer !== null && (isLate ? method === "GET" && url.includes("sha256:") : url.endsWith("/1.4.6"))
        ? answer()
        : ask(),
  });
  let isLate = false;
  await pushImage(registry, "app", "1.4.2", AMD);
  await pushImage(registry, "app", "1.4.5", { "linux/amd64": "b" });
  const before = (await check(registry, "1.4.2")).checked;
  await pushImage(registry, "app", "1.4.6", { "linux/amd64": "c" });
  await pushImage(registry, "app", "1.5.0", { "linux/amd64": "d" });
  const limit = { "ratelimit-limit": "100;w=21600", "ratelimit-remaining": "1;w=21600" };
  const answers: readonly (readonly [number, HeadersInit, readonly string[], number | null])[] = [
    [429, { "retry-after": "60" }, ["patch 1.4.5"], NOW + 60_000],
    [429, {}, ["patch 1.4.5"], NOW + 3_600_000],
    [503, {}, ["patch 1.4.5"], NOW + 3_600_000],
    [500, {}, ["patch 1.4.5", "minor 1.5.0"], null],
    [403, {}, ["patch 1.4.5", "minor 1.5.0"], null],
    [500, limit, ["patch 1.4.5"], NOW + 3_600_000],
  ];
  for (const [status, headers, tags, rests] of answers) {
    answer = () => new Response(null, { status, headers });
    for (isLate of [false, true]) {
      const { checked, restsUntil } = await check(registry, "1.4.2", { before });
      const late = isLate ? ["patch 1.4.5"] : tags;
      assert.deepEqual([tagsOf(checked), restsUntil], [late, rests], `${status} ${isLate}`);
      assert.match(checked.versions!.note!, new RegExp(`its tag 1.4.6: it answers ${status}`));
    }
  }
  isLate = false;
  answer = () => new Response(null, { status: 404 });
  const gone = (await check(registry, "1.4.2", { before })).checked;
  answer = null;
  const after = (await check(registry, "1.4.2", { before })).checked;

  assert.deepEqual([tagsOf(gone), gone.versions!.note], [["minor 1.5.0"], null], "it is not there");
  assert.deepEqual([tagsOf(after), after.versions!.note], [["patch 1.4.6", "minor 1.5.0"], null]);
});

test("no link of a list leads to another host or repository", async () => {
  const elsewhere: string[] = [];
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ url }) => {
    elsewhere.push(url);
    return Response.json({ tags: [] });
  });
  await using registry = await startReachableRegistry({
    script: (request, ask) => {
      const { pathname, searchParams } = new URL(request.url);
      if (!pathname.endsWith("/tags/list")) return ask();
      const link = `<http://127.0.0.1:${other.addr.port}/v2/secret/tags/list?last=z>; rel="next"`;
      return Response.json({ tags: [] }, searchParams.has("last") ? {} : { headers: { link } });
    },
  });
  await pushImage(registry, "app", "1.4.2", AMD);

  const { checked } = await check(registry, "1.4.2");

  assert.deepEqual([elsewhere, checked.versions!.note], [[], null]);
  assert.equal(registry.asked.at(-1)!.path, "/v2/app/tags/list?n=1000&last=z");
});
