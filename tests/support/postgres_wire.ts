/** A proxy before a PostgreSQL's socket that tells of every message to the server, and can be mute. */

export class PostgresWire implements AsyncDisposable {
  /** The folder in which a client finds its socket. */
  readonly folder: string;
  /** Called before each piece is passed on to the server, with the connection that it came over. */
  onSend: (open: PostgresWire, piece: Uint8Array, over: object) => Promise<void> | void = () => {};
  readonly #server: string;
  readonly #listener: Deno.UnixListener;
  readonly #open = new Set<Deno.Conn>();
  readonly #accepting: Promise<void>;
  #voice = Promise.resolve();
  #speak: () => void = () => {};

  constructor(server: string, name = ".s.PGSQL.5432") {
    this.folder = Deno.makeTempDirSync({ prefix: "bw" });
    this.#server = `${server}/${name}`;
    this.#listener = Deno.listen({ transport: "unix", path: `${this.folder}/${name}` });
    this.#accepting = this.#accept();
  }

  /** From now on nothing comes from the server, until `speak`. */
  mute(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#voice = promise;
    this.#speak = resolve;
  }

  speak(): void {
    this.#speak();
  }

  /** Ends all connections that are open. */
  cut(): void {
    for (const conn of this.#open) close(conn);
    this.#open.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    this.speak();
    this.cut();
    await this.#accepting;
    await Deno.remove(this.folder, { recursive: true });
  }

  async #accept(): Promise<void> {
    const passing: Promise<unknown>[] = [];
    try {
      for await (const client of this.#listener) passing.push(this.#pass(client));
    } catch { // it was closed while it waited
    }
    await Promise.all(passing);
  }

  async #pass(client: Deno.Conn): Promise<void> {
    let server: Deno.Conn;
    try {
      server = await Deno.connect({ transport: "unix", path: this.#server });
    } catch {
      return close(client);
    }
    this.#open.add(client).add(server);
    await Promise.all([
      this.#copy(client, server, (piece) => this.onSend(this, piece, client)),
      this.#copy(server, client, () => this.#voice),
    ]);
  }

  async #copy(
    from: Deno.Conn,
    to: Deno.Conn,
    before: (piece: Uint8Array) => Promise<void> | void,
  ): Promise<void> {
    const buffer = new Uint8Array(65_536);
    try {
      for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
        await before(buffer.subarray(0, size));
        for (let at = 0; at < size;) at += await to.write(buffer.subarray(at, size));
      }
    } catch { // one of the two is gone
    }
    close(from);
    close(to);
  }
}

function close(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch { // closed before
  }
}
