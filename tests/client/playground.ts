/** The real servers of the client's promises: what each path does is listed here. */
import { type Certificate, certificates, type Kind, KINDS } from "./certificates.ts";
import { type Answer, type Arrived, type Connection, type RawServer, serveRaw } from "./raw_server.ts";
import { serveSockets } from "./socket_server.ts";
import type { Ground } from "./suite/ground.ts";

/** Running servers, and where they are. */
export interface Playground extends AsyncDisposable {
  readonly ground: Omit<Ground, "runtime">;
}

/** The script of a page at `/page`; its reports to `/report` arrive at `report`. */
export interface Page {
  readonly script: string;
  report(text: string): void;
}

const JSON_TYPE = { "content-type": "application/json" };

/** Starts one HTTP server and one TLS server a kind of certificate. */
export async function playground(page?: Page): Promise<Playground> {
  const answer = answers(page);
  const made = await certificates();
  const tls = KINDS.map((kind) => [kind, made[kind], serveRaw(answer, made[kind])] as const);
  const http = serveRaw(answer);
  const spare = serveRaw(answer);
  const sockets = serveSockets();
  const dead = serveRaw(answer);
  await dead[Symbol.asyncDispose]();
  const servers: RawServer[] = [http, spare, sockets, ...tls.map(([, , server]) => server)];
  const https = Object.fromEntries(
    tls.map(([kind, { ca }, { port }]: readonly [Kind, Certificate, RawServer]) => [kind, { port, ca }]),
  ) as Ground["https"]; // every kind is in KINDS
  return {
    ground: {
      http: `http://127.0.0.1:${http.port}`,
      spare: `http://127.0.0.1:${spare.port}`,
      dead: `http://127.0.0.1:${dead.port}`,
      sockets: `http://127.0.0.1:${sockets.port}`,
      https,
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
}

function head(status: number | string, headers: Record<string, string | string[]>): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((v) => `${name}: ${v}`)
  );
  return [`HTTP/1.1 ${status}`, ...lines, "", ""].join("\r\n");
}

async function send(
  connection: Connection,
  status: number | string,
  body: string | Uint8Array = "",
  headers: Record<string, string | string[]> = {},
): Promise<"keep"> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const length = /^(1|204|304)/.test(String(status)) ? {} : { "content-length": String(bytes.length) };
  const start = new TextEncoder().encode(
    head(/ /.test(String(status)) ? status : `${status} X`, { ...length, ...headers }),
  );
  const whole = new Uint8Array(start.length + bytes.length);
  whole.set(start);
  whole.set(bytes, start.length);
  await connection.write(whole);
  return "keep";
}

async function chunked(
  connection: Connection,
  parts: readonly (string | Uint8Array)[],
  headers = {},
): Promise<"keep"> {
  await connection.write(head("200 OK", { "transfer-encoding": "chunked", ...headers }));
  for (const part of parts) await connection.write(chunk(part));
  await connection.write("0\r\n\r\n");
  return "keep";
}

function chunk(part: string | Uint8Array): Uint8Array {
  const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
  const size = new TextEncoder().encode(bytes.length.toString(16) + "\r\n");
  const whole = new Uint8Array(size.length + bytes.length + 2);
  whole.set(size);
  whole.set(bytes, size.length);
  whole.set([13, 10], size.length + bytes.length);
  return whole;
}

async function gzip(text: string): Promise<Uint8Array> {
  const zipped = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(zipped).arrayBuffer());
}

/** Waits so long, or until the client is gone or the other promise settles; leaves no timer behind. */
async function pause(ms: number, { gone }: Connection, or: Promise<void> = gone): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  await Promise.race([gone, or, new Promise((resolve) => timer = setTimeout(resolve, ms))]);
  clearTimeout(timer);
}

/** Returns the server's answers by path; `key` in the query names the case. */
function answers(page?: Page): Answer {
  const seen = new Map<string, Arrived[]>();
  const waiting = new Map<string, (() => void)[]>();
  const hung = (connection: Connection, or?: Promise<void>) => pause(60_000, connection, or);

  return async (request, connection) => {
    const { url, headers } = request;
    const option = (name: string, otherwise = "") => url.searchParams.get(name) ?? otherwise;
    const key = option("key");
    const action = url.pathname.startsWith("/do/") ? url.pathname.slice(4).split("/")[0] : "echo";
    if (key && action !== "seen") seen.set(key, [...seen.get(key) ?? [], request]);
    if (url.pathname === "/page" && page) {
      return send(connection, 200, document(page), { "content-type": "text/html" });
    }
    if (url.pathname === "/report" && page) {
      page.report(request.body);
      return send(connection, 200, "{}", JSON_TYPE);
    }
    switch (action) {
      case "seen": // what arrived under this key
        return send(connection, 200, JSON.stringify(seen.get(key) ?? []), JSON_TYPE);
      case "status": // any status, body and location
        return send(connection, option("code", "200"), option("body"), {
          ...JSON_TYPE,
          ...option("location") && { location: option("location") },
        });
      case "raw": // a body given as base64, of any type and coding
        return send(connection, 200, Uint8Array.from(atob(option("b64")), (c) => c.charCodeAt(0)), {
          "content-type": option("type", "application/json"),
        });
      case "headers": // repeated headers
        return send(connection, 200, "{}", { "set-cookie": ["a=1", "b=2"], "x-twice": ["1", "2"] });
      case "big": // that many bytes, plain, chunked or gzipped
        switch (option("how")) {
          case "chunked":
            return chunked(connection, ["a".repeat(Number(option("size")) - 1), "a"]);
          case "gzip":
            return send(
              connection,
              Number(option("code", "200")),
              await gzip("a".repeat(Number(option("size")))),
              {
                "content-encoding": "gzip",
              },
            );
          default:
            return send(connection, Number(option("code", "200")), "a".repeat(Number(option("size"))));
        }
      case "chunks": // a JSON list of texts, one chunk each, split where the list says
        return chunked(connection, JSON.parse(option("parts")), {
          "content-type": option("type", "application/json"),
        });
      case "hints": // an interim answer before the real one
        await connection.write(head("103 Early Hints", { link: "</x>" }));
        return send(connection, 200, `{"after":103}`, JSON_TYPE);
      case "hang": // never answers
        await hung(connection);
        return "close";
      case "stall": // headers and half a body
        await connection.write(head("200 OK", { "content-length": "100", ...JSON_TYPE }) + "[1,");
        await hung(connection);
        return "close";
      case "trickle": { // a byte now and then, for ever
        let there = true;
        connection.gone.then(() => there = false);
        await connection.write(head("200 OK", { "transfer-encoding": "chunked", ...JSON_TYPE }));
        for (let i = 0; there && i < 2000; i++) {
          await connection.write(chunk(" "));
          await pause(20, connection);
        }
        return "close";
      }
      case "reset": // closes without a word
        return "close";
      case "truncated": // says 100 bytes, sends 5
        await connection.write(head("200 OK", { "content-length": "100" }) + "short");
        return "close";
      case "late": // answers after so many ms
        await pause(Number(option("ms")), connection);
        return send(connection, 200, "{}", JSON_TYPE);
      case "guarded": { // "fresh..." tokens are welcome, "odd..." get `other`, all others are refused with a 401
        const token = headers["authorization"]?.replace(/^Bearer /, "") ?? "";
        if (option("ms")) await pause(Number(option("ms")), connection);
        if (token.startsWith("fresh")) return send(connection, 200, `{"ok":true}`, JSON_TYPE);
        if (token.startsWith("odd")) return send(connection, Number(option("other")), "{}", JSON_TYPE);
        // Holds the refusals back until so many have arrived, or until `/do/release` lets them go.
        const gather = Number(option("gather", "0"));
        if (gather) {
          const held = waiting.get(key) ?? [];
          waiting.set(key, held);
          const released = new Promise<void>((resolve) => held.push(resolve));
          if (held.length >= gather) { for (const release of held.splice(0)) release(); }
          await hung(connection, released);
        }
        return send(connection, 401, `{"code":"unauthenticated"}`, JSON_TYPE);
      }
      case "release": {
        const held = waiting.get(key)?.splice(0) ?? [];
        for (const release of held) release();
        return send(connection, 200, JSON.stringify(held.length), JSON_TYPE);
      }
      case "stream": { // pieces as they are given, then the end, silence or a broken connection; `gone` is noted
        await connection.write(
          head("200 OK", { "transfer-encoding": "chunked", "content-type": option("type") }),
        );
        for (const piece of JSON.parse(option("parts")) as string[]) {
          await connection.write(chunk(Uint8Array.from(piece, (c) => c.charCodeAt(0))));
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
        if (option("then") === "end") {
          await connection.write("0\r\n\r\n");
          return "keep";
        }
        if (option("then") === "silence") await hung(connection);
        seen.set(key, [...seen.get(key) ?? [], { ...request, method: "GONE" }]);
        return "close";
      }
      default:
        return send(connection, 200, JSON.stringify(request), JSON_TYPE);
    }
  };
}

function document({ script }: Page): string {
  return `<!doctype html><meta charset="utf-8"><title>suite</title><script type="module">${
    script.replaceAll("</script", "<\\/script")
  }</script>`;
}
