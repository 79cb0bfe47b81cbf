/** A PostgreSQL of a test's own: Debian's, as an unprivileged user, in a temporary folder, on a unix socket. */
import { eventually } from "./eventually.ts";
import type { PostgresSettings } from "../../store/postgres/connection.ts";

/**
 * Ends the server when the test lets go of its input, or dies and takes this shell along: SIGQUIT ends all its
 * processes at once. The folder of a server that is shared goes with it.
 */
const GUARD = `exec 3<&0
"$@" & server=$!
{
  cat
  kill -QUIT $server
  while [ -e /proc/$server/exe ]; do sleep 0.02; done
  if [ -n "$REMOVED" ]; then rm -rf "$REMOVED"; fi
} <&3 &
wait`;

const binaries = await newestBinaries();
export const CANNOT_RUN_POSTGRES = binaries === null ? "PostgreSQL is not installed" : null;
if (CANNOT_RUN_POSTGRES !== null) {
  if (Deno.env.get("BERTH_TEST_ENGINES_REQUIRED") === "1") throw new Error(CANNOT_RUN_POSTGRES);
  console.error(`NOT RUN: all that takes a database, because ${CANNOT_RUN_POSTGRES}`);
}

export class PostgresServer implements AsyncDisposable {
  #process: Deno.ChildProcess | null = null;
  #databases = 0;

  private constructor(
    /** Holds its data, its socket and its log. */
    readonly folder: string,
    public port: number,
    private options: readonly string[],
  ) {}

  /** A new cluster; `options` are settings of `postgres`, as `listen_addresses=127.0.0.1`. */
  static async start(options: readonly string[] = [], removed = false): Promise<PostgresServer> {
    const folder = await Deno.makeTempDir({ prefix: "bp" });
    if (isRoot()) await command(["chown", "postgres:postgres", folder]);
    await Deno.chmod(folder, 0o755); // its socket is for everybody; the data below is not
    const server = new PostgresServer(folder, 5432, options);
    await server.#run(
      "initdb",
      "--no-sync",
      "-A",
      "trust",
      "-U",
      "berth",
      "-E",
      "UTF8",
      "--locale=C.UTF-8",
      "-D",
      server.data,
    );
    await server.up(removed);
    return server;
  }

  /** One that runs already, with its socket in this folder; it is not ours to end. */
  static lent(folder: string): PostgresServer {
    return new PostgresServer(folder, 5432, []);
  }

  get data(): string {
    return `${this.folder}/data`;
  }

  /** Starts it, and returns when it answers. */
  async up(removed = false): Promise<void> {
    const settings = [
      ...[
        "fsync=off",
        "listen_addresses=",
        "max_connections=300",
        "shared_buffers=32MB",
        "autovacuum_naptime=1min",
      ],
      ...[`unix_socket_directories=${this.folder}`, "logging_collector=off"],
      ...this.options,
    ];
    this.#process = new Deno.Command("bash", {
      args: [
        ...["-c", GUARD, "guard"],
        ...unprivileged(`${binaries}/postgres`, "-D", this.data, ...settings.flatMap((one) => ["-c", one])),
      ],
      env: { REMOVED: removed ? this.folder : "" },
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await eventually("PostgreSQL answers", () => this.sql("SELECT 1"));
  }

  /** Ends it at once, as a crash does: open transactions are lost, what was committed is not. */
  async down(): Promise<void> {
    const process = this.#process;
    if (process === null) return;
    this.#process = null;
    await process.stdin.close().catch(() => {});
    await process.status;
  }

  /** To all of its processes, as SIGSTOP, which makes it silent, and SIGCONT. */
  async signal(signal: Deno.Signal): Promise<void> {
    const [first = ""] = (await Deno.readTextFile(`${this.data}/postmaster.pid`)).split("\n");
    const own = Deno.readTextFileSync(`/proc/${first}/task/${first}/children`).trim().split(" ");
    for (const pid of [first, ...own].filter((one) => one !== "")) {
      try {
        Deno.kill(Number(pid), signal);
      } catch { // it has ended meanwhile
      }
    }
  }

  /** Listens on loopback too, with this certificate, for callers with a password. Ends all connections. */
  async listen(port: number, { cert, key }: { readonly cert: string; readonly key: string }): Promise<void> {
    await this.down();
    await Deno.writeTextFile(`${this.data}/server.crt`, cert);
    await Deno.writeTextFile(`${this.data}/server.key`, key, { mode: 0o600 });
    if (isRoot()) {
      await command(["chown", "postgres:postgres", `${this.data}/server.crt`, `${this.data}/server.key`]);
    }
    await Deno.writeTextFile(
      `${this.data}/pg_hba.conf`,
      "local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
    );
    this.options = ["listen_addresses=127.0.0.1", `port=${port}`, "ssl=on"];
    this.port = port;
    await this.up();
  }

  /** An empty database, or a copy of one that nobody is connected to, and how to reach it. */
  async database(name = `d${++this.#databases}`, from = "template1"): Promise<PostgresSettings> {
    await this.sql(`CREATE DATABASE ${name} TEMPLATE ${from}`);
    return this.settings(name);
  }

  settings(name: string): PostgresSettings {
    return { host: this.folder, port: this.port, user: "berth", name, passwordFile: null, ca: null, pool: 8 };
  }

  /** As `BERTH_DATABASE_URL` says it. */
  url(name: string): string {
    return `postgres://berth@${encodeURIComponent(this.folder)}/${name}`;
  }

  /** Runs statements as the owner of the server, and answers with the rows of the last. */
  async sql(text: string, database = "postgres"): Promise<Record<string, unknown>[]> {
    const { default: pg } = await import("pg"); // most tests have no database, and it takes a while to load
    const client = new pg.Client({
      host: this.folder,
      port: this.port,
      user: "berth",
      database,
      password: () => "",
    });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.down();
    await Deno.remove(this.folder, { recursive: true });
  }

  async #run(program: string, ...args: string[]): Promise<void> {
    await command(unprivileged(`${binaries}/${program}`, ...args));
  }
}

let shared: Promise<PostgresServer> | undefined;

/** One server for all tests of a file, which asks for it before the first; it ends with the process. */
export function sharedPostgres(): Promise<PostgresServer> {
  return shared ??= PostgresServer.start([], true);
}

function isRoot(): boolean {
  return Deno.uid() === 0;
}

/** PostgreSQL refuses to run as root. */
function unprivileged(...words: string[]): string[] {
  return isRoot() ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", ...words] : words;
}

async function command([program = "", ...args]: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args, stdout: "null", stderr: "piped" })
    .output();
  if (!success) throw new Error(`${program} ${args.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

async function newestBinaries(): Promise<string | null> {
  const root = "/usr/lib/postgresql";
  const versions: number[] = [];
  try {
    for await (const { name } of Deno.readDir(root)) versions.push(Number(name));
  } catch {
    return null;
  }
  return versions.length === 0 ? null : `${root}/${Math.max(...versions)}/bin`;
}
