/** Some routes behind the real edge and a real listener, for one caller whose rights a test may take away. */
import type { Principal } from "../../core/access.ts";
import { Responder } from "../../http/serve/responder.ts";
import { createEdge } from "../../http/serve/edge.ts";
import { createAuditor } from "../../http/serve/auditor.ts";
import type { NewAuditEntry } from "../../core/store.ts";
import type { Router } from "../../http/declare/router.ts";
import { bounded } from "./bounded.ts";
import { permissionsOf } from "./catalogue.ts";

export const ADMIN: Principal = {
  kind: "apiKey",
  id: "tester",
  name: "tester",
  role: "admin",
  permissions: permissionsOf("admin"),
  grants: [{ role: "admin", permissions: permissionsOf("admin") }],
};

export class StreamService implements AsyncDisposable {
  readonly url: string;
  readonly bugs: unknown[] = [];
  /** The entries that the audit log would hold. */
  readonly audited: NewAuditEntry[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #stopping = new AbortController();
  readonly #revoked = new AbortController();

  constructor(routes: Router) {
    const hosts = new Set<string>();
    const caller = { principal: ADMIN, source: null, revoked: () => this.#revoked.signal };
    const edge = createEdge({
      entries: routes.entries,
      hosts,
      responder: new Responder({ tls: false }),
      guard: {
        authenticate: () => caller,
        admit: () => caller,
        recognise: () => null,
        demandProof: () => Promise.resolve(),
      },
      auditor: createAuditor({
        audit: {
          first: (entry) => Promise.resolve(void this.audited.push(entry)),
          record: (entry) => this.audited.push(entry),
        },
        clock: Date,
      }),
      onBug: (error) => this.bugs.push(error),
      onAccess: () => {},
      stopping: this.#stopping.signal,
    });
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, edge);
    const authority = `127.0.0.1:${this.#server.addr.port}`;
    this.url = `http://${authority}`;
    hosts.add(authority);
  }

  get port(): number {
    return this.#server.addr.port;
  }

  /** GET below `/api`; the caller reads or cancels the body. */
  get(path: string, headers: HeadersInit = {}, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.url}/api${path}`, { headers, ...(signal === undefined ? {} : { signal }) });
  }

  stop(): void {
    this.#stopping.abort();
  }

  revoke(): void {
    this.#revoked.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await bounded("the stop of the server", this.#server.shutdown());
  }
}

/** A WebSocket that keeps all it hears. */
export class Visitor {
  readonly wire: WebSocket;
  readonly texts: string[] = [];
  /** Binary messages, joined. */
  output = "";
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly opened: Promise<void>;
  readonly #decoder = new TextDecoder();

  constructor(
    url: string,
    onMessage?: (data: string | Uint8Array) => void,
    protocols: readonly string[] = [],
  ) {
    this.wire = new WebSocket(url.replace(/^http/, "ws"), ["berth.v1", ...protocols]);
    this.wire.binaryType = "arraybuffer";
    this.opened = new Promise((resolve, reject) => {
      this.wire.onopen = () => resolve();
      this.wire.onerror = () => reject(new Error("The socket was refused"));
    });
    this.opened.catch(() => {});
    this.closed = new Promise((resolve) => {
      this.wire.onclose = ({ code, reason }) => resolve({ code, reason });
    });
    this.wire.onmessage = ({ data }) => {
      if (typeof data === "string") this.texts.push(data);
      else this.output += this.#decoder.decode(data, { stream: true });
      onMessage?.(typeof data === "string" ? data : new Uint8Array(data));
    };
  }

  /** The JSON text frames of this type. */
  // deno-lint-ignore no-explicit-any -- a test looks into whatever was said
  said(type: string): any[] {
    return this.texts.map((text) => JSON.parse(text)).filter((one) => one.type === type);
  }
}
