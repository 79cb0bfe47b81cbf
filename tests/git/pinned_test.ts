/** Git calls the addresses that were looked at: a name server that answers others afterwards leads nowhere. */
import assert from "node:assert/strict";
import { SourceFailure } from "../../git/failure.ts";
import { Mirror } from "../../git/mirror.ts";
import { Git } from "../../git/process.ts";
import { GitServer, hasGit } from "../support/git_server.ts";

const ignore = !hasGit();
const signal = new AbortController().signal;

async function withMirror(
  answers: readonly string[],
  use: (mirror: Mirror, url: string, head: string) => Promise<void>,
): Promise<void> {
  await using server = await GitServer.start();
  const repository = await server.repository("home");
  const head = await repository.push({ "a.txt": "text" });
  const folder = `${await Deno.makeTempDir({ prefix: "berth-pinned-" })}`;
  const git = new Git({ PATH: Deno.env.get("PATH") ?? "" });
  const resolve = () => Promise.resolve([...answers]);
  const url = repository.url.replace("127.0.0.1", "git.example.invalid");
  await use(new Mirror({ git, folder: `${folder}/copy.git`, signal, resolve }), url, head);
  await Deno.remove(folder, { recursive: true });
}

Deno.test({
  name: "Mirror reaches a name at the address that was looked at, and looks it up no second time",
  ignore,
  fn: () =>
    withMirror(["127.0.0.1"], async (mirror, url, head) => {
      const remote = { url, branch: "main", credential: null, ssh: null };
      assert.equal(await mirror.remoteHead(remote), head);
      await mirror.fetchHead(remote, head);
      assert.ok(await mirror.objects.has(head));
    }),
});

Deno.test("Mirror calls no name by a git that would look it up by itself", async () => {
  const folder = await Deno.makeTempDir({ prefix: "berth-pinned-" });
  const remote = { url: "http://git.example.invalid/a.git", branch: "main", credential: null, ssh: null };
  for (const [version, why] of [["2.36.1", /git is too old/], ["2.37.0", /no branch "main"/]] as const) {
    await Deno.writeTextFile(`${folder}/git`, `#!/bin/sh\necho git version ${version}\n`, { mode: 0o755 });
    const mirror = new Mirror({
      git: new Git({ PATH: folder }),
      folder: `${folder}/copy.git`,
      signal,
      resolve: () => Promise.resolve(["127.0.0.1"]),
    });
    await assert.rejects(mirror.remoteHead(remote), why);
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test({
  name: "Mirror calls no name of which one address is link-local or a metadata service",
  ignore,
  async fn() {
    for (const other of ["169.254.169.254", "fe80::1", "100.100.100.200", "0.0.0.0"]) {
      await withMirror(["127.0.0.1", other], async (mirror, url) => {
        await assert.rejects(
          mirror.remoteHead({ url, branch: "main", credential: null, ssh: null }),
          (error) => error instanceof SourceFailure && /may not be called/.test(error.message),
          other,
        );
      });
    }
  },
});
