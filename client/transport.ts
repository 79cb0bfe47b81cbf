/** The way out for requests: `fetch`, or `node:https` if TLS is not to be verified as the runtime does. */

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The options that decide how requests leave. */
export interface TransportOptions {
  readonly verifyTls?: boolean | undefined;
  readonly caCerts?: readonly string[] | undefined;
  readonly fetch?: Fetch | undefined;
}

/** A way out, and how to free its connections. */
export interface Transport {
  readonly send: Fetch;
  readonly close: () => void;
}

/** The way out for this base. @throws {TypeError} when an option cannot be honoured here. */
export function transportFor(base: URL, { verifyTls, caCerts, fetch: own }: TransportOptions): Transport {
  const asked = caCerts || verifyTls !== undefined;
  if (caCerts && (!caCerts.length || verifyTls === false) || own && asked) {
    throw new TypeError("caCerts needs a certificate and verifyTls, and fetch takes neither");
  }
  if (!own && base.protocol === "https:" && (caCerts || !verifyTls)) {
    const https = builtin();
    if (https) return overNode(https, base, caCerts);
    if (asked) throw new TypeError("this runtime cannot change how TLS is verified");
  }
  return { send: own ?? ((url, init) => fetch(url, init)), close() {} };
}

// The few parts of node:https in use; `getBuiltinModule` and not an import, which breaks browser bundles.
interface NodeHttps {
  Agent: new (options: object) => { destroy(): void };
  request(url: string, options: object, onResponse: (message: NodeMessage) => void): NodeRequest;
}
interface NodeMessage extends AsyncIterable<Uint8Array<ArrayBuffer>> {
  statusCode: number;
  rawHeaders: string[];
  complete: boolean;
  resume(): void;
}
interface NodeRequest {
  on(event: "error", listener: (error: unknown) => void): void;
  end(body?: unknown): void;
  destroy(): void;
}

function builtin(): NodeHttps | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(id: string): NodeHttps | undefined } };
  return process?.getBuiltinModule?.("node:https");
}

function overNode(https: NodeHttps, base: URL, caCerts: readonly string[] | undefined): Transport {
  // `ca: []` also keeps Deno from reading its default store, which may need --allow-sys.
  const agent = new https.Agent({ keepAlive: true, rejectUnauthorized: !!caCerts, ca: caCerts ?? [] });
  let warned = caCerts;
  const send: Fetch = (url, { method, headers, body, signal }) => {
    if (!warned) {
      warned = [];
      console.warn(`TLS certificates of ${base.origin} are not verified: set caCerts or verifyTls`);
    }
    return new Promise((resolve, reject) => {
      const sent = { ...headers as Record<string, string>, "accept-encoding": "identity" };
      const request = https.request(url, { method, headers: sent, agent }, (message) => {
        try { // what throws here must reject, or it ends the process
          resolve(responseOf(message, () => request.destroy()));
        } catch (error) {
          reject(error);
          request.destroy();
        }
      });
      signal!.addEventListener("abort", () => request.destroy());
      request.on("error", reject);
      request.end(body);
    });
  };
  return { send, close: () => agent.destroy() };
}

function responseOf(message: NodeMessage, cancel: () => void): Response {
  const { statusCode: status, rawHeaders } = message;
  const headers = new Headers();
  for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  if ([204, 205, 304].includes(status)) {
    message.resume();
    return new Response(null, { status, headers });
  }
  if ((headers.get("content-encoding") ?? "identity") !== "identity") {
    throw new TypeError("the body came encoded, unasked");
  }
  const chunks = message[Symbol.asyncIterator]();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (!done) controller.enqueue(value);
      else if (message.complete) controller.close();
      else throw new TypeError("the body was cut short");
    },
    cancel,
  });
  return new Response(body, { status, headers });
}
