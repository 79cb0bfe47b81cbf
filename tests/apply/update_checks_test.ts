/** Checks of references against a real registry, whose answers a front changes. */

import assert from "node:assert/strict";
import { readReference } from "../../core/image_reference.ts";
import { RegistryAccess } from "../../projects/registries/access.ts";
import type { CheckOf } from "../../projects/updates/ask.ts";
import { checkReference } from "../../projects/updates/check.ts";
import type { Checked } from "../../projects/updates/checked.ts";
import { pushImage } from "../support/push_image.ts";
import {
  HAS_REGISTRY,
  type ReachableRegistry,
  type RegistryOptions,
  startReachableRegistry,
} from "../support/reachable_registry.ts";
import { ACCOUNT } from "../support/registry.ts";

const test = (name: string, work: () => Promise<void>) =>
  Deno.test({ name, fn: work, ignore: !HAS_REGISTRY });

const NOW = 1_800_000_000_000;

/** One check of `app:1`, by an access of its own unless given. */
async function check(
  registry: Pick<ReachableRegistry, "host">,
  over: Partial<Omit<CheckOf, "rules">> & { readonly rules?: Partial<CheckOf["rules"]> } = {},
  known: RegistryAccess | null = null,
) {
  const access = known ?? new RegistryAccess(() => NOW);
  const { host } = registry;
  const login = { plainHttp: true, allowsPrivate: true, ca: null, tokenService: null, login: null };
  try {
    return await checkReference(access, {
      reference: readReference(`${host}/app:1`)!,
      before: null,
      differing: () => [],
      platforms: () => ["linux/amd64"],
      listsTags: false,
      now: NOW,
      signal: new AbortController().signal,
      ...over,
      rules: { host, ...login, ...over.rules },
    });
  } finally {
    if (known === null) access[Symbol.dispose]();
  }
}

const methods = ({ asked }: ReachableRegistry) =>
  asked.map(({ method, path }) => `${method} ${path.replace(/sha256:.*/, "<digest>")}`);

test("a check is one HEAD, and one that finds the same digest stays so", async () => {
  await using registry = await startReachableRegistry();
  const { digest } = await pushImage(registry, "app", "1", { "linux/amd64": "a", "linux/arm64": "a" });

  const { checked } = await check(registry);
  const again = await check(registry, { before: checked, now: NOW + 5 });

  assert.deepEqual([checked.outcome, checked.digest, checked.firstSeen], ["found", digest, NOW]);
  assert.deepEqual([again.checked.firstSeen, again.checked.checkedAt], [NOW, NOW + 5]);
  assert.deepEqual(methods(registry), ["HEAD /v2/app/manifests/1", "HEAD /v2/app/manifests/1"]);
});

test("a check tells this platform's image from others, and leaves build records and absent platforms out", async () => {
  await using registry = await startReachableRegistry();
  const { digest, manifests, configs } = await pushImage(registry, "app", "1", {
    "linux/amd64": "a",
    "linux/arm64": "b",
    "unknown/unknown": "record",
  });
  const differing = () => ["linux/amd64", "linux/s390x", "unknown/unknown"];

  const { checked } = await check(registry, { differing });
  const again = await check(registry, { differing, before: checked });

  assert.equal(checked.digest, digest);
  assert.deepEqual(checked.platforms, {
    "linux/amd64": [manifests["linux/amd64"], configs["linux/amd64"]],
    "linux/s390x": [],
    "unknown/unknown": [],
  });
  assert.deepEqual(again.checked, checked);
  assert.deepEqual(methods(registry), [
    "HEAD /v2/app/manifests/1",
    "GET /v2/app/manifests/<digest>",
    "GET /v2/app/manifests/<digest>",
    "HEAD /v2/app/manifests/1",
  ]);
});

test("a registry that refuses HEAD, or tells no digest, costs one GET", async () => {
  const scripts: NonNullable<RegistryOptions["script"]>[] = [
    (request, ask) => request.method === "HEAD" ? new Response(null, { status: 405 }) : ask(),
    async (_, ask) => {
      const { body, status, headers } = await ask();
      headers.delete("docker-content-digest");
      return new Response(body, { status, headers });
    },
  ];
  for (const script of scripts) {
    await using registry = await startReachableRegistry({ script });
    const { digest } = await pushImage(registry, "app", "1", { "linux/amd64": "a" });
    const { checked } = await check(registry);
    assert.deepEqual([checked.outcome, checked.digest], ["found", digest]);
    assert.deepEqual(methods(registry), ["HEAD /v2/app/manifests/1", "GET /v2/app/manifests/1"]);
  }
});

test("a check says what the registry answered, and keeps the digest that was known", async () => {
  let answer = () => new Response(null, { status: 404 });
  await using registry = await startReachableRegistry({ script: () => answer() });
  const before: Checked = {
    outcome: "found",
    reason: null,
    digest: `sha256:${"a".repeat(64)}`,
    firstSeen: 5,
    checkedAt: 6,
    until: null,
    platforms: {},
    versions: null,
  };
  const outcomes: Readonly<Record<number, string>> = {
    401: "refused",
    403: "refused",
    404: "gone",
    429: "limited",
    500: "unreachable",
    503: "limited",
  };
  for (const [status, outcome] of Object.entries(outcomes)) {
    answer = () => new Response(null, { status: Number(status) });
    const { checked } = await check(registry, { before, now: NOW });
    assert.deepEqual(
      [checked.outcome, checked.digest, checked.firstSeen],
      [outcome, before.digest, 5],
      status,
    );
  }
  const away = await check({ host: "127.0.0.1:1" }, { before });
  assert.deepEqual([away.checked.outcome, away.checked.digest], ["unreachable", before.digest]);
  assert.match(away.checked.reason!, /127\.0\.0\.1:1.*cannot be reached/);
});

test("a check keeps to limits: Retry-After in both forms, and a fifth of what is left", async () => {
  const rests: (readonly [HeadersInit, number, number | null])[] = [
    [{ "retry-after": "120" }, 429, NOW + 120_000],
    [{ "retry-after": new Date(NOW + 60_000).toUTCString() }, 429, NOW + 60_000],
    [{ "retry-after": "999999999" }, 429, NOW + 24 * 3_600_000],
    [{}, 429, NOW + 3_600_000],
    [{ "retry-after": "soon" }, 503, NOW + 3_600_000],
    [{ "ratelimit-limit": "100;w=21600", "ratelimit-remaining": "19;w=21600" }, 404, NOW + 3_600_000],
    [{ "ratelimit-limit": "100;w=21600", "ratelimit-remaining": "20;w=21600" }, 404, null],
    [{ "ratelimit-limit": "x", "ratelimit-remaining": "-1" }, 404, null],
  ];
  let at = 0;
  await using registry = await startReachableRegistry({
    script: () => new Response(null, { status: rests[at]![1], headers: rests[at]![0] }),
  });
  for (; at < rests.length; at++) {
    const { restsUntil, checked } = await check(registry);
    assert.equal(restsUntil, rests[at]![2], JSON.stringify(rests[at]));
    if (rests[at]![1] !== 404) assert.deepEqual([checked.outcome, checked.until], ["limited", restsUntil]);
  }
});

test("a check takes no manifest that is not what its digest says, and none without a bound", async () => {
  const scripts: Readonly<Record<string, () => Response>> = {
    forged: () => Response.json({ manifests: [] }),
    endless: () =>
      new Response(
        new ReadableStream({ pull: (body) => body.enqueue(new Uint8Array(1_000_000)) }),
      ),
    broken: () => new Response("{", { headers: { "content-length": "1" } }),
  };
  for (const [name, script] of Object.entries(scripts)) {
    await using registry = await startReachableRegistry({
      script: (request, ask) => request.method === "GET" ? script() : ask(),
    });
    await pushImage(registry, "app", "1", { "linux/amd64": "a" });
    const { checked } = await check(registry, { differing: () => ["linux/amd64"] });
    assert.deepEqual(checked.platforms, {}, name);
  }
});

test("a manifest of which the registry does not tell makes nothing newer, and is asked for again", async () => {
  let answer = () => new Response(null, { status: 404 });
  let which: string | null = null;
  await using registry = await startReachableRegistry({
    script: (request, ask) => which !== null && request.url.endsWith(which) ? answer() : ask(),
  });
  await pushImage(registry, "app", "1", { "linux/amd64": "a", "linux/arm64": "a" });
  const before = (await check(registry)).checked;
  const { digest, manifests, configs } = await pushImage(registry, "app", "1", {
    "linux/amd64": "b",
    "linux/arm64": "b",
  });
  const differing = () => ["linux/amd64", "linux/arm64"];
  const child = manifests["linux/arm64"]!;
  const amd = { "linux/amd64": [manifests["linux/amd64"], configs["linux/amd64"]] };

  const outcomes: readonly (readonly [string, number, Checked["outcome"], unknown])[] = [
    [digest, 500, "unreachable", {}],
    [digest, 429, "limited", {}],
    [child, 500, "unreachable", {}],
    [child, 503, "limited", {}],
    [child, 403, "refused", {}],
    [child, 404, "found", amd],
    [child, 200, "found", amd],
  ];
  for (const [of, status, outcome, platforms] of outcomes) {
    which = of;
    answer = () => status === 200 ? Response.json({}) : new Response(null, { status });
    const { checked, restsUntil } = await check(registry, { before, differing });
    const name = `${of === child ? "child" : "index"} ${status}`;
    assert.deepEqual([checked.outcome, checked.platforms], [outcome, platforms], name);
    assert.equal(checked.digest, outcome === "found" ? digest : before.digest, name);
    assert.equal(restsUntil, outcome === "limited" ? NOW + 3_600_000 : null, name);
  }
  const { checked: half } = await check(registry, { before, differing });
  which = null;
  const whole = (await check(registry, { before: half, differing })).checked;
  assert.deepEqual(whole.platforms, { ...amd, "linux/arm64": [child, configs["linux/arm64"]] });
});

test("a token is asked for once, from the service that was stored, and from no other one", async () => {
  let realm: string | null = null;
  await using registry = await startReachableRegistry({
    account: "tokens",
    script: async (_, ask) => {
      const { body, status, headers } = await ask();
      if (realm !== null) headers.set("www-authenticate", `Bearer realm="${realm}",service="berth"`);
      return new Response(body, { status, headers });
    },
  });
  await using open = await startReachableRegistry();
  const { digest } = await pushImage(open, "app", "1", { "linux/amd64": "a" });
  const { tokenService } = registry;
  const rules = { login: ACCOUNT, tokenService };
  using access = new RegistryAccess(() => NOW);

  const first = await check(registry, { rules }, access);
  const second = await check(registry, { rules }, access);

  assert.deepEqual(
    [first.checked.outcome, second.checked.outcome],
    ["gone", "gone"],
    "signed in, and not there",
  );
  assert.equal(registry.tokensAsked.length, 1);
  assert.match(registry.tokensAsked[0]!, /scope=repository%3Aapp%3Apull/);
  for (
    const other of ["http://127.0.0.1:9/token", "http://169.254.169.254/token", "ftp://x/", "https://u:p@x/"]
  ) {
    realm = other;
    const { checked } = await check(registry, { rules });
    assert.equal(checked.outcome, "refused", other);
  }
  assert.equal(registry.tokensAsked.length, 1);
  assert.equal(
    (await check(open, { rules })).checked.digest,
    digest,
    "a registry that asks for nothing gets nothing",
  );
  assert.ok(open.asked.every(({ isSigned }) => !isSigned));
});

test("a token that no header can hold, and redirects without an end, are told and end the check", async () => {
  let hops = 0;
  await using registry = await startReachableRegistry({
    script: ({ url }) => {
      const { origin, pathname } = new URL(url);
      if (pathname === "/token") return Response.json({ token: "a".repeat(20_000) });
      if (isLoop) {
        hops++;
        return new Response(null, { status: 307, headers: { location: `${pathname}x` } });
      }
      const challenge = `Bearer realm="${origin}/token",service="berth"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    },
  });
  let isLoop = false;

  const large = await check(registry, { rules: { login: ACCOUNT } });
  isLoop = true;
  const loop = await check(registry);

  assert.deepEqual([large.checked.outcome, loop.checked.outcome, hops], ["unreachable", "refused", 4]);
  assert.match(large.checked.reason!, /without a token that can be used/);
  assert.match(loop.checked.reason!, /redirects too often/);
});

Deno.test({
  name: "a registry on a public address leads neither to a token service nor to a redirect on a private one",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  fn: async () => {
    const own = 'ip link set lo up && ip address add 203.0.113.7/32 dev lo && exec "$@"';
    const { stdout, stderr } = await new Deno.Command("unshare", {
      args: ["--net", "sh", "-c", own, "sh", Deno.execPath(), "run", "-A", "--no-check", PUBLIC],
    }).output();
    const read = new TextDecoder();
    const told = JSON.parse(read.decode(stdout) || `{"failed":${JSON.stringify(read.decode(stderr))}}`);

    assert.deepEqual(told, {
      outcomes: { tokens: "refused", redirect: "refused", none: "found" },
      reasons: { tokens: true, redirect: true, none: false },
      reached: 0,
    });
  },
});

const PUBLIC = new URL("public_registry.ts", import.meta.url).pathname;

test("no host on a private network is asked that nobody stored", async () => {
  await using registry = await startReachableRegistry();
  const { checked } = await check(registry, { rules: { allowsPrivate: false } });
  assert.equal(checked.outcome, "refused");
  assert.match(checked.reason!, /private network/);
  assert.deepEqual(registry.asked, []);
});

test("a check follows no redirect to a link-local address, and gives its credentials to none", async () => {
  const seen: (string | null)[] = [];
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ headers }) => {
    seen.push(headers.get("authorization"));
    return new Response(null, { status: 404 });
  });
  let to = "";
  await using registry = await startReachableRegistry({
    account: "password",
    script: (request, ask) =>
      request.headers.has("authorization")
        ? new Response(null, { status: 307, headers: { location: to } })
        : ask(),
  });
  const rules = { login: ACCOUNT };

  to = "http://169.254.169.254/latest/meta-data";
  const { checked } = await check(registry, { rules });
  to = `http://127.0.0.1:${other.addr.port}/v2/app/manifests/1`;
  await check(registry, { rules });

  assert.deepEqual([checked.outcome, checked.digest], ["refused", null]);
  assert.match(checked.reason ?? "", /169\.254\.169\.254/);
  assert.ok(seen.every((credentials) => credentials === null), "another host gets none");
});
