/** A Git server of the test: Debian's `git http-backend` behind a CGI server, over http or https, and repositories that the test pushes to. */
import { certificates } from "../client/certificates.ts";

interface GitServerOptions {
  /** Asks for this user and token, and speaks https. */
  readonly credential?: { readonly user: string; readonly token: string };
}

/** True where git and its CGI program are installed. */
export function hasGit(): boolean {
  try {
    return Deno.statSync("/usr/lib/git-core/git-http-backend").isFile;
  } catch {
    return false;
  }
}

export class GitServer implements AsyncDisposable {
  /** The answer to every request, instead of git's; null for those that git answers. */
  refuse: ((request: Request) => Response | null | Promise<Response | null>) | null = null;
  /** Requests that were answered by git. */
  answered = 0;

  private constructor(
    readonly folder: string,
    readonly origin: string,
    /** The file of its certificate's authority; null for http. */
    readonly authority: string | null,
    private readonly server: Deno.HttpServer,
  ) {}

  static async start({ credential }: GitServerOptions = {}): Promise<GitServer> {
    const folder = await Deno.makeTempDir({ prefix: "berth-git-" });
    const made: { server?: GitServer } = {};
    const tls = credential === undefined ? null : (await certificates())["private CA"];
    if (tls !== null) await Deno.writeTextFile(`${folder}/authority.pem`, tls.ca);
    const handler = async (request: Request) => {
      const server = made.server!;
      const refused = await server.refuse?.(request) ?? null;
      if (refused !== null) return refused;
      if (credential !== undefined) {
        const basic = `Basic ${btoa(`${credential.user}:${credential.token}`)}`;
        if (request.headers.get("authorization") !== basic) {
          return new Response("who are you?", {
            status: 401,
            headers: { "www-authenticate": "Basic realm=git" },
          });
        }
      }
      server.answered++;
      return await cgi(folder, request);
    };
    const onListen = () => {};
    const server = tls === null
      ? Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, handler)
      : Deno.serve({ hostname: "127.0.0.1", port: 0, onListen, cert: tls.cert, key: tls.key }, handler);
    const origin = `${tls === null ? "http" : "https"}://127.0.0.1:${server.addr.port}`;
    return made.server = new GitServer(folder, origin, tls && `${folder}/authority.pem`, server);
  }

  /** Makes a repository with a working tree beside it. */
  async repository(name: string): Promise<TestRepository> {
    const bare = `${this.folder}/${name}.git`;
    const work = `${this.folder}/${name}`;
    await git(this.folder, "init", "--quiet", "--bare", "--initial-branch=main", bare);
    await git(bare, "config", "uploadpack.allowAnySHA1InWant", "true");
    await git(bare, "config", "http.receivepack", "true");
    await git(this.folder, "clone", "--quiet", bare, work);
    await git(work, "checkout", "--quiet", "-B", "main");
    return new TestRepository(work, bare, `${this.origin}/${name}.git`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.shutdown();
    await Deno.remove(this.folder, { recursive: true });
  }
}

export class TestRepository {
  constructor(readonly work: string, readonly bare: string, readonly url: string) {}

  /** Writes files, null for deleted ones, commits and pushes them. Returns the commit's id. */
  async push(
    files: Readonly<Record<string, string | Uint8Array | null>>,
    message = "change",
    ...options: readonly string[]
  ): Promise<string> {
    for (const [path, text] of Object.entries(files)) {
      const full = `${this.work}/${path}`;
      if (text === null) await Deno.remove(full, { recursive: true });
      else {
        await Deno.mkdir(full.slice(0, full.lastIndexOf("/")), { recursive: true });
        await Deno.writeFile(full, typeof text === "string" ? new TextEncoder().encode(text) : text);
      }
    }
    await git(this.work, "add", "--all", "--force");
    await git(this.work, "commit", "--quiet", "--allow-empty", "-m", message);
    await git(this.work, "push", "--quiet", ...options, "origin", "HEAD");
    return (await git(this.work, "rev-parse", "HEAD")).trim();
  }

  git(...args: readonly string[]): Promise<string> {
    return git(this.work, ...args);
  }
}

/** Runs git as a person does, without the machine's settings. Throws what it says. */
export async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("git", {
    args: [...args],
    cwd: folder,
    env: {
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.org",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.org",
    },
  }).output();
  if (!success) throw new Error(`git ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** Answers one request by `git http-backend`, as a web server does. */
async function cgi(root: string, request: Request): Promise<Response> {
  const url = new URL(request.url);
  const body = new Uint8Array(await request.arrayBuffer());
  const header = (name: string) => request.headers.get(name) ?? "";
  const child = new Deno.Command("/usr/lib/git-core/git-http-backend", {
    env: {
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: header("content-type"),
      CONTENT_LENGTH: String(body.length),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      GIT_PROTOCOL: header("git-protocol"),
      REMOTE_USER: header("authorization") === "" ? "" : "test",
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writing = (async () => {
    const writer = child.stdin.getWriter();
    await writer.write(body).catch(() => {});
    await writer.close().catch(() => {});
  })();
  const { stdout } = await child.output();
  await writing;
  const end = indexOfEnd(stdout);
  const headers = new Headers();
  let status = 200;
  for (const line of new TextDecoder().decode(stdout.subarray(0, end)).split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
    if (name.toLowerCase() === "status") status = Number(value.split(" ")[0]);
    else headers.set(name, value);
  }
  return new Response(stdout.subarray(end + 4), { status, headers });
}

function indexOfEnd(bytes: Uint8Array): number {
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return bytes.length;
}
