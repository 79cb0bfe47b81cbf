/** Hooks of forges: good ones answer what a push changes, and bad ones cost nothing. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { hasGit } from "../support/git_server.ts";
import { startService } from "../support/service.ts";
import { isLeftToProof } from "../proof/long.ts";
import { SourceScene, web } from "./source_scene.ts";

const ignore = !hasGit();
if (ignore) console.warn("SKIPPED: tests of hooks, because git is not installed");
const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, ignore: ignore || isLeftToProof(name), fn });

const BODY = JSON.stringify({ ref: "refs/heads/main", commits: [{ message: "é" }] });
const hmac = (key: string | Uint8Array, text: string) => createHmac("sha256", key).update(text);

/** The headers by which each forge signs. */
const SIGNED: Readonly<
  Record<string, (secret: string, body: string, at?: number) => Record<string, string>>
> = {
  GitHub: (secret, body) => ({
    "x-github-event": "push",
    "x-hub-signature-256": `sha256=${hmac(secret, body).digest("hex")}`,
  }),
  "Gitea and Forgejo": (secret, body) => ({
    "x-gitea-event": "push",
    "x-gitea-signature": hmac(secret, body).digest("hex"),
    "x-hub-signature-256": `sha256=${hmac(secret, body).digest("hex")}`,
  }),
  GitLab: (secret, body, at = Date.now()) => {
    const time = String(Math.floor(at / 1000));
    const key = Uint8Array.fromBase64(secret.slice("whsec_".length));
    return {
      "webhook-id": "msg_1",
      "webhook-timestamp": time,
      "webhook-signature": `v1,AAAA v1,${hmac(key, `msg_1.${time}.${body}`).digest("base64")}`,
    };
  },
  "GitLab with a token": (secret) => ({ "x-gitlab-event": "Push Hook", "x-gitlab-token": secret }),
};

interface Hook {
  readonly path: string;
  readonly secret: string;
}

async function hookOf(scene: SourceScene): Promise<Hook> {
  const made = await scene.berth.call(`POST /api/workspaces/${scene.id}/source/hook`);
  assert.equal(made.status, 201, made.text);
  return made.body;
}

/** Posts as a forge does: without a credential. */
async function send(scene: SourceScene, path: string, headers: Record<string, string>, body: string = BODY) {
  const answer = await fetch(`${scene.berth.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, text, body: text === "" ? null : JSON.parse(text) };
}

/** The same until it is known what the hook is answered: a busy machine takes longer than a forge waits. */
async function answerTo(scene: SourceScene, path: string, sign: () => Record<string, string>, body = BODY) {
  for (let tries = 1;; tries++) {
    const answer = await send(scene, path, sign(), body);
    if (answer.status !== 202 || tries === 10) return answer;
  }
}

const files = { "blog/compose.yaml": web("nginx:1"), "shop/compose.yaml": web("nginx:1") };

async function following(): Promise<SourceScene> {
  const scene = await SourceScene.with(files, { here: files });
  await scene.follow();
  return scene;
}

test("a signed hook of each forge answers the new commit and the groups that it changes", async () => {
  await using scene = await following();
  const { path, secret } = await hookOf(scene);
  let version = 2;
  for (const [forge, sign] of Object.entries(SIGNED)) {
    const head = await scene.repository.push({ "blog/compose.yaml": web(`nginx:${version++}`) });
    const answer = await answerTo(scene, path, () => sign(secret, BODY));
    assert.equal(answer.status, 200, `${forge}: ${answer.text}`);
    assert.deepEqual(answer.body, {
      commit: head,
      groups: [{ name: "blog", change: "changed" }],
      policy: "manual",
    }, forge);
    // The hook has looked: nobody needs to check again to read the reason and its line.
    const { head: seen, pending } = await scene.source();
    assert.deepEqual([
      seen,
      pending?.groups.map(({ name, change, file, line }) => [name, change, file, line]),
    ], [
      head,
      [["blog", "changed", "blog/compose.yaml", 3]],
    ], forge);
  }
  assert.deepEqual(await scene.files(), files);
});

test("a hook that is unsigned, signed with another secret, for another body or too late is refused, and checks nothing", async () => {
  await using scene = await following();
  const { path, secret } = await hookOf(scene);
  const other = "whsec_" + new Uint8Array(32).toBase64();
  await scene.repository.push({ "blog/compose.yaml": web("nginx:2") });
  const answered = scene.server.answered;
  const old = Date.now() - 6 * 60_000;
  const bad: [string, string, Record<string, string>][] = [
    ["unsigned", path, {}],
    ["no such hook", "/api/hooks/none", SIGNED["GitHub"]!(secret, BODY)],
    ["half a signature", path, { "x-hub-signature-256": "sha256=00" }],
    ["sha1 alone", path, {
      "x-hub-signature": `sha1=${createHmac("sha1", secret).update(BODY).digest("hex")}`,
    }],
    ["too late", path, SIGNED["GitLab"]!(secret, BODY, old)],
    ["too early", path, SIGNED["GitLab"]!(secret, BODY, Date.now() + 6 * 60_000)],
    ["a later time than was signed", path, {
      ...SIGNED["GitLab"]!(secret, BODY, old),
      "webhook-timestamp": String(Math.floor(Date.now() / 1000)),
    }],
    ...Object.entries(SIGNED).map(([forge, sign]): [string, string, Record<string, string>] => [
      `${forge}, another secret`,
      path,
      sign(other, BODY),
    ]),
    ...Object.entries(SIGNED).slice(0, 3).map(([forge, sign]): [string, string, Record<string, string>] => [
      `${forge}, another body`,
      path,
      sign(secret, `${BODY} `),
    ]),
  ];
  for (const [why, to, headers] of bad) {
    const answer = await send(scene, to, headers);
    assert.deepEqual([answer.status, answer.body.code], [401, "hook_refused"], `${why}: ${answer.text}`);
  }
  assert.equal(scene.server.answered, answered, "the repository was asked");
  assert.equal((await scene.source()).pending?.groups.length, 0);
});

test("a replaced or removed hook is refused, its secret is shown once, and setting the source keeps it", async () => {
  await using scene = await following();
  const first = await hookOf(scene);
  const second = await hookOf(scene);
  const sign = (hook: Hook) => answerTo(scene, hook.path, () => SIGNED["GitHub"]!(hook.secret, BODY));
  assert.equal((await sign(first)).status, 401);
  await scene.follow();
  assert.equal((await sign(second)).status, 200);
  const shown = await scene.berth.call(`GET /api/workspaces/${scene.id}/source`);
  assert.equal(shown.body.hook, second.path);
  assert.ok(!shown.text.includes(second.secret));
  const log = await scene.berth.call("GET /api/system/audit?limit=50");
  assert.ok(!log.text.includes(second.secret));
  assert.equal((await scene.berth.call(`DELETE /api/workspaces/${scene.id}/source/hook`)).status, 204);
  assert.equal((await sign(second)).status, 401);
  assert.equal((await scene.source()).hook, null);
});

test("a body of 1 MiB is taken, and a larger one is refused before its signature is looked at", async () => {
  await using scene = await following();
  const { path, secret } = await hookOf(scene);
  const large = "x".repeat(1024 * 1024);
  const taken = await answerTo(scene, path, () => SIGNED["GitHub"]!(secret, large), large);
  assert.equal(taken.status, 200);
  const larger = `${large}x`;
  assert.equal((await send(scene, path, SIGNED["GitHub"]!(secret, larger), larger)).status, 413);
});

test("a thousand hooks cost a check a second, each sees its own push, and a replay costs one check", async () => {
  await using scene = await following();
  const { path, secret } = await hookOf(scene);
  const headers = SIGNED["GitHub"]!(secret, BODY);
  const answered = scene.server.answered;
  const begun = performance.now();
  for (let at = 0; at < 1_000; at += 250) {
    const statuses = await Promise.all(
      Array.from({ length: 250 }, () => send(scene, path, headers).then(({ status }) => status)),
    );
    assert.ok(statuses.every((status) => status === 200 || status === 202), statuses.join(" "));
  }
  const seconds = (performance.now() - begun) / 1000;
  // A check that finds nothing new asks twice: for protocol 2, and for the branch.
  const checks = (scene.server.answered - answered) / 2;
  assert.ok(checks <= seconds + 2, `${checks} checks in ${seconds.toFixed(1)} s`);
  const head = await scene.repository.push({ "shop/compose.yaml": web("nginx:2") });
  const answers = await Promise.all([1, 2, 3].map(() => answerTo(scene, path, () => headers)));
  for (const { body } of answers) assert.equal(body.commit, head);
  const before = scene.server.answered;
  assert.equal((await answerTo(scene, path, () => headers)).body.commit, head);
  assert.equal((scene.server.answered - before) / 2, 1);
});

test("a hook says why a check failed, and one that takes long is answered within 5 s", async () => {
  await using scene = await following();
  const { path, secret } = await hookOf(scene);
  const headers = SIGNED["GitHub"]!(secret, BODY);
  scene.server.refuse = () => new Response("no", { status: 503 });
  const failed = await answerTo(scene, path, () => headers);
  assert.deepEqual([failed.status, failed.body.code], [502, "git_failed"]);
  assert.match(failed.body.title, /503/);
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.server.refuse = async () => {
    await promise;
    return new Response("no", { status: 503 });
  };
  const begun = performance.now();
  const late = await send(scene, path, headers);
  assert.equal(late.status, 202);
  assert.ok(performance.now() - begun < 5_000);
  resolve();
});

test("strangers who guess are limited, and a forge that signs is not", async () => {
  await using scene = await SourceScene.with(files, {
    here: files,
    start: () => startService({ strangersPerSecond: 1 }),
  });
  await scene.follow();
  const { path, secret } = await hookOf(scene);
  const guesses: number[] = [];
  for (let at = 0; at < 100; at++) guesses.push((await send(scene, path, {})).status);
  assert.ok(guesses.includes(429), guesses.join(" "));
  assert.equal((await answerTo(scene, path, () => SIGNED["GitHub"]!(secret, BODY))).status, 200);
});

test("a hook is made by those alone who may manage the workspace", async () => {
  await using scene = await following();
  const key = await scene.berth.key(["workspaces:read", "projects:plan"]);
  const refused = await key.call(`POST /api/workspaces/${scene.id}/source/hook`);
  assert.deepEqual([refused.status, refused.body.code], [403, "forbidden"]);
  assert.equal((await scene.source()).hook, null);
});
