/** Tokens and deploy keys in the processes of git and ssh: the server holds each call open while the machine is asked. */
import assert from "node:assert/strict";
import { eventually } from "../support/eventually.ts";
import { hasGit } from "../support/git_server.ts";
import { GitSshServer, hasSshd } from "../support/git_ssh_server.ts";
import { killMarked, MARK } from "../../git/marked.ts";
import { Git } from "../../git/process.ts";
import { SourceScene, web, withToken } from "./source_scene.ts";

interface Seen {
  readonly args: readonly string[];
  /** Each as `NAME=value`. The system shows them to root and to the process's own user alone. */
  readonly env: readonly string[];
}

/** Every process of the machine. */
function processes(): Seen[] {
  const words = (path: string) => Deno.readTextFileSync(path).split("\0").filter((word) => word !== "");
  return [...Deno.readDirSync("/proc")].flatMap(({ name }) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return [{ args: words(`/proc/${name}/cmdline`), env: words(`/proc/${name}/environ`) }];
    } catch {
      return []; // it has ended
    }
  });
}

const runs = (seen: readonly Seen[], command: RegExp) =>
  seen.some(({ args }) => command.test(args.join(" ")));

/** The words of all processes that hold one of the texts. */
const holding = (
  seen: readonly Seen[],
  texts: readonly string[],
  wordsOf: (one: Seen) => readonly string[],
) => seen.flatMap(wordsOf).filter((word) => texts.some((text) => word.includes(text)));

Deno.test({
  name:
    "a token is no argument of git and of what it starts, and in their environment one option of git alone",
  ignore: !hasGit(),
}, async () => {
  await withToken({ "blog/compose.yaml": web("nginx:1") }, async ({ scene, server, credential, secrets }) => {
    const seen: Seen[] = [];
    server.refuse = (request) => {
      // Nobody is answered before every process has been looked at.
      if (request.headers.has("authorization")) seen.push(...processes());
      return null;
    };

    const source = await scene.follow({ credential });

    assert.equal(source.error, null);
    for (const command of [/\bgit .* ls-remote /, /\bgit .* fetch /, /\bremote-https /]) {
      assert.ok(runs(seen, command), `${command} was not seen`);
    }
    assert.deepEqual(holding(seen, secrets, ({ args }) => args), []);
    const variables = new Set(holding(seen, secrets, ({ env }) => env));
    assert.deepEqual(
      [...variables].map((variable) => variable.replace(/^GIT_CONFIG_VALUE_\d+=/, "")),
      Array.from(variables, () => `Authorization: Basic ${secrets[1]}`),
    );
    assert.ok(variables.size > 0, "no environment was read");
  });
});

Deno.test({
  name: "a deploy key is in no argument and no environment while git and ssh run",
  ignore: !hasGit() || !hasSshd(),
}, async () => {
  await using sshd = await GitSshServer.start();
  await using scene = await SourceScene.with({ "blog/compose.yaml": web("nginx:1") });
  const { ssh } = await scene.follow({ url: sshd.urlOf(scene.repository.bare) });
  const slow = `${sshd.folder}/slow`;
  const held = `${sshd.folder}/held`;
  await Deno.writeTextFile(
    slow,
    `#!/bin/sh\n: >${held}\nfor _ in $(seq 600); do [ -e ${held} ] || exec sh -c "$SSH_ORIGINAL_COMMAND"; sleep 0.05; done\n`,
    { mode: 0o755 },
  );
  await sshd.admit([`command="${slow}" ${ssh!.publicKey}`]);
  const checking = scene.check();
  const key = new Set<string>();
  for (const command of [/\bgit .* ls-remote /, /\bgit .* fetch /]) {
    await eventually(`${command} is held open`, () => Deno.stat(held).then(() => true));
    const seen = processes();
    for (const line of await deployKey(`${scene.berth.folder}/data/git/${scene.id}.git`)) key.add(line);
    await Deno.remove(held);

    assert.ok(runs(seen, command) && runs(seen, /^\S*\bssh -F none /), `${command} was not seen`);
    assert.ok(seen.some(({ env }) => env.includes("GIT_TERMINAL_PROMPT=0")), "no environment was read");
    assert.deepEqual(holding(seen, [...key], ({ args, env }) => [...args, ...env]), []);
  }
  assert.ok(key.size > 3, "the deploy key was read");
  assert.equal((await checking).error, null);
});

/** The lines of the secret key that lies on disk for one call. */
async function deployKey(mirror: string): Promise<string[]> {
  const [own] = [...Deno.readDirSync(mirror)].filter(({ name }) => name.startsWith("ssh-"));
  const text = await Deno.readTextFile(`${mirror}/${own!.name}/key`);
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
}

Deno.test("a call that is ended leaves nothing of what it started: no session of its own, nothing without a parent", async () => {
  const mark = crypto.randomUUID();
  const seconds = `7${crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000}`; // it has one
  const lost = `(setsid sh -c "sleep ${seconds} & exec sleep ${seconds}" &)`;
  const child = new Deno.Command("sh", {
    args: ["-c", `setsid sleep ${seconds} & (sleep ${seconds} &); ${lost}; env -i sleep ${seconds} & wait`],
    env: { [MARK]: mark },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const sleeping = () => processes().filter(({ args }) => args[0] === "sleep" && args[1] === seconds).length;
  await eventually("all of them sleep", () => sleeping() === 5);

  killMarked(mark);

  await child.status;
  await eventually("none is left", () => sleeping() === 0);
});

Deno.test("git that leaves a child behind with its output open ends at its timeout, and frees its place", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/git`, "#!/bin/sh\n(sleep 600 &)\n", { mode: 0o755 });
    const git = new Git({ PATH: `${folder}:${Deno.env.get("PATH")}` });
    const call = { args: ["version"], folder: "/", timeoutMs: 300, most: 1_000 };

    const begun = performance.now();
    const results = await Promise.all([git.run(call), git.run(call), git.run(call)]);

    assert.deepEqual(results.map(({ ended }) => ended), ["timeout", "timeout", "timeout"]);
    assert.ok(performance.now() - begun < 60_000, "it waited for the child");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
