/** Checks of newer images: beside bare `HEAD` requests, and what a thousand of them cost. */
import { cpuUsage } from "node:process";
import { readReference, type Reference } from "../core/image_reference.ts";
import { RegistryAccess } from "../projects/registries/access.ts";
import { checkReference } from "../projects/updates/check.ts";
import type { Checked } from "../projects/updates/checked.ts";
import { ACCEPT } from "../projects/updates/manifest.ts";
import { pushImage } from "../tests/support/push_image.ts";
import { HAS_REGISTRY, startReachableRegistry } from "../tests/support/reachable_registry.ts";
import { ACCOUNT } from "../tests/support/registry.ts";
import { rounds } from "./rounds.ts";

const COUNT = 100;
/** So many in one look, which comes once a minute. */
const A_LOOK = 100;
const absent = HAS_REGISTRY ? {} : { absent: "there is no docker-registry here" };
const NOW = Date.now();

await using registry = HAS_REGISTRY ? await startReachableRegistry({ account: "tokens" }) : null;
using access = new RegistryAccess(() => Date.now());
const references = await pushed();
/** As the first check left them: from then on nothing moves. */
const known = new Map<Reference, Checked>();
for (const reference of references) known.set(reference, await check(reference));
const authorization = await tokenHeader("pull");

await rounds("images-check", [
  { name: `${COUNT} bare HEAD requests`, ...absent, run: bareHeads },
  { name: `${COUNT} checks, tokens cached`, ...absent, run: checks },
], {
  about:
    "unchanged references of one repository at a registry on loopback, one after the other; the aim is 2",
  // A turn takes a fraction of a second, which is short beside what else a machine does.
  rounds: 25,
  warmUps: 2,
});

await rounds("images-cpu", [
  { name: "1,000 bare HEAD requests", ...absent, run: () => cpuOf(bareHeads, 1_000 / COUNT) },
  { name: "1,000 checks", ...absent, run: () => cpuOf(checks, 1_000 / COUNT) },
], {
  unit: "ms of CPU",
  about: "the same, with the front of the registry in the same process; the aim is 20,000",
  warmUps: 1,
});

await rounds("images-share", [
  {
    name: `a look with ${A_LOOK} checks`,
    ...absent,
    run: async () => await cpuOf(checks, A_LOOK / COUNT) / 60_000 * 100,
  },
], {
  unit: "% of a core in its minute",
  about: "the most that one minute of a busy berth checks; the aim is 5",
  warmUps: 1,
});

async function pushed(): Promise<Reference[]> {
  if (registry === null) return [];
  const authorization = await tokenHeader("pull,push");
  const signedIn = {
    ...registry,
    direct: (path: string, init?: RequestInit) =>
      registry.direct(path, { ...init, headers: { ...init?.headers, authorization } }),
  };
  const tags = Array.from({ length: COUNT }, (_, at) => `stable${at}`);
  for (const tag of tags) await pushImage(signedIn, "app", tag, { "linux/amd64": tag });
  return tags.map((tag) => readReference(`${registry.host}/app:${tag}`)!);
}

async function check(reference: Reference): Promise<Checked> {
  const { checked } = await checkReference(access, {
    reference,
    rules: {
      host: registry!.host,
      plainHttp: true,
      allowsPrivate: true,
      ca: null,
      tokenService: registry!.tokenService,
      login: ACCOUNT,
    },
    before: known.get(reference) ?? null,
    differing: () => [],
    platforms: () => ["linux/amd64"],
    listsTags: false,
    now: NOW,
    signal: new AbortController().signal,
  });
  if (checked.outcome !== "found") throw new Error(`${checked.outcome}: ${checked.reason}`);
  return checked;
}

async function checks(): Promise<void> {
  for (const reference of references) await check(reference);
}

async function bareHeads(): Promise<void> {
  for (const { repository, tag } of references) {
    const answer = await fetch(`http://${registry!.host}/v2/${repository}/manifests/${tag}`, {
      method: "HEAD",
      headers: { accept: ACCEPT, authorization },
    });
    await answer.body?.cancel();
    if (answer.status !== 200) throw new Error(`A bare HEAD was answered with ${answer.status}`);
  }
}

async function cpuOf(work: () => Promise<void>, times: number): Promise<number> {
  const before = cpuUsage();
  for (let time = 0; time < times; time++) await work();
  const { user, system } = cpuUsage(before);
  return (user + system) / 1_000;
}

async function tokenHeader(actions: string): Promise<string> {
  if (registry === null) return "";
  const asked = new URLSearchParams({ service: "berth", scope: `repository:app:${actions}` });
  const answer = await fetch(`http://${registry.tokenService}/token?${asked}`, {
    headers: { authorization: `Basic ${btoa(`${ACCOUNT.username}:${ACCOUNT.password}`)}` },
  });
  return `Bearer ${(await answer.json()).token}`;
}
