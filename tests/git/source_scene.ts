/** The scene of tests about repositories: a Git server, a berth, and a workspace that follows a branch. */
import assert from "node:assert/strict";
import type { Source } from "../../core/source.ts";
import { GitServer, type TestRepository } from "../support/git_server.ts";
import { type Answer, startService, type TestService } from "../support/service.ts";

export const web = (image: string, more = "") => `services:\n  web:\n    image: ${image}\n${more}`;

export class SourceScene implements AsyncDisposable {
  private constructor(
    readonly server: GitServer,
    readonly repository: TestRepository,
    readonly berth: TestService,
    readonly id: string,
    readonly path: string,
    private readonly owned: AsyncDisposableStack,
  ) {}

  /** A repository with these files, and a workspace with the others, which follows nothing yet. */
  static async with(
    pushed: Readonly<Record<string, string | Uint8Array>>,
    options: {
      readonly here?: Readonly<Record<string, string>>;
      readonly server?: GitServer;
      readonly start?: () => Promise<TestService>;
      /** Holds the workspace's folder; a folder of the service unless given. */
      readonly root?: string;
    } = {},
  ): Promise<SourceScene> {
    await using stack = new AsyncDisposableStack();
    const server = options.server ?? stack.use(await GitServer.start());
    const repository = await server.repository("home");
    await repository.push(pushed, "first");
    const berth = stack.use(await (options.start ?? startService)());
    const path = `${options.root ?? `${berth.folder}/workspaces`}/home`;
    await Deno.mkdir(path);
    for (const [name, text] of Object.entries(options.here ?? {})) {
      await Deno.mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${path}/${name}`, text);
    }
    const made = await berth.call("POST /api/workspaces", { path });
    assert.equal(made.status, 201, made.text);
    return new SourceScene(server, repository, berth, made.body.id, path, stack.move());
  }

  set(over: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    return this.berth.call(`PUT /api/workspaces/${this.id}/source`, {
      url: this.repository.url,
      branch: "main",
      ...over,
    });
  }

  /** Follows the repository. */
  async follow(over: Readonly<Record<string, unknown>> = {}): Promise<Source> {
    const answer = await this.set(over);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  async source(): Promise<Source> {
    const answer = await this.berth.call(`GET /api/workspaces/${this.id}/source`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  async check(): Promise<Source> {
    const answer = await this.berth.call(`POST /api/workspaces/${this.id}/source/check`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  }

  /** Every file of the folder with its text. */
  async files(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const queue = [""];
    for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
      for await (const { name, isDirectory } of Deno.readDir(`${this.path}/${at}`)) {
        const path = at === "" ? name : `${at}/${name}`;
        if (isDirectory) queue.push(path);
        else found[path] = await Deno.readTextFile(`${this.path}/${path}`);
      }
    }
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.owned.disposeAsync();
  }
}

export interface TokenScene {
  readonly scene: SourceScene;
  readonly server: GitServer;
  readonly credential: { readonly user: string; readonly token: string };
  /** The forms in which the token must stand nowhere. */
  readonly secrets: readonly string[];
}

/** Runs a test with a repository over https that asks for a token, of a server that git knows by its authority. */
export async function withToken(
  files: Readonly<Record<string, string>>,
  run: (scene: TokenScene) => Promise<void>,
): Promise<void> {
  const token = `canary-${crypto.randomUUID()}`;
  const credential = { user: "ada", token };
  await using server = await GitServer.start({ credential });
  // Files of tests run in threads of one process, and each of these has a server of its own
  using turn = await Deno.open(`${Deno.env.get("TMPDIR") ?? "/tmp"}/berth-git-authority-${Deno.pid}`, {
    create: true,
    write: true,
  });
  await turn.lock(true);
  Deno.env.set("GIT_SSL_CAINFO", server.authority!);
  try {
    await using scene = await SourceScene.with(files, { server });
    await run({ scene, server, credential, secrets: [token, btoa(`ada:${token}`)] });
  } finally {
    Deno.env.delete("GIT_SSL_CAINFO");
  }
}
