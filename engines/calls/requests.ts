/** Sends single requests to an engine, each exactly once, and reads their answers within limits of time and size. */
import { concat } from "../../core/bytes.ts";
import { readText } from "./body.ts";
import {
  BODY_MS,
  bodyOf,
  type Change,
  type EngineCall,
  FIRST_BYTE_MS,
  MAX_BODY,
  type Method,
} from "./call.ts";
import type { Connections } from "./connections.ts";
import type { Cutoff } from "./cutoff.ts";
import { exchange, type Exchanged, type ExchangeOptions } from "./exchange.ts";
import { close, type Spare } from "./spare.ts";

/** The parts of a call that a request needs. */
type Asked = Pick<EngineCall, "doing" | "body" | "headers" | "firstByteMs">;

export class Requests {
  constructor(private readonly engine: string, private readonly connections: Connections) {}

  /** A read; the time limit for its first byte runs already. */
  async read(target: string, call: EngineCall, cutoff: Cutoff): Promise<Exchanged> {
    const { reads, host } = this.connections;
    return await reads.get(target, host, optionsOf(call, cutoff));
  }

  /** A change, over a connection that nothing was sent on. */
  async change(method: Change, target: string, call: EngineCall, cutoff: Cutoff): Promise<Exchanged> {
    const { spare } = this.connections;
    if (spare !== null) return await this.#overSpare(spare, method, target, call, cutoff);
    const response = await this.fetch(method, target, call, cutoff);
    cutoff.expire(BODY_MS);
    return { status: response.status, text: await textOf(response, call, cutoff) };
  }

  /** The head of an answer, which must begin in time. Redirects are never followed. */
  async fetch(
    method: Method,
    target: string,
    call: Asked,
    cutoff: Cutoff,
    kind: "reads" | "writes" | "probes" = method === "GET" ? "reads" : "writes",
  ): Promise<Response> {
    const headers = new Headers(call.headers);
    const init: RequestInit = { method, headers, redirect: "manual", signal: cutoff.signal };
    if (call.body instanceof ReadableStream) {
      headers.set("content-type", "application/x-tar");
      init.body = call.body;
    } else if (call.body !== undefined) {
      const { type, bytes } = bodyOf(call);
      headers.set("content-type", type);
      init.body = bytes;
    }
    cutoff.expire(call.firstByteMs ?? FIRST_BYTE_MS);
    try {
      const { clients, origin } = this.connections;
      return await fetch(origin + target, { ...init, client: clients[kind] });
    } catch (error) {
      throw cutoff.failure(this.engine, error, call);
    } finally {
      cutoff.expire(null);
    }
  }

  async #overSpare(
    spare: Spare,
    method: Change,
    target: string,
    call: EngineCall,
    cutoff: Cutoff,
  ): Promise<Exchanged> {
    const { type, bytes } = bodyOf(call);
    const headers = new Headers(call.headers);
    headers.set("host", this.connections.host);
    headers.set("connection", "close");
    if (bytes.length > 0) headers.set("content-type", type);
    headers.set("content-length", String(bytes.byteLength));
    const head = encoder.encode(
      `${method} ${target} HTTP/1.1\r\n${
        [...headers].map(([name, value]) => `${name}: ${value}\r\n`).join("")
      }\r\n`,
    );
    const request = concat([head, bytes]);
    const fresh = await spare.take(cutoff.signal);
    try {
      return await exchange(fresh.conn, fresh.bytes, request, optionsOf(call, cutoff), fresh.first);
    } finally {
      close(fresh.conn);
      spare.prepare();
    }
  }
}

/** The whole text of an answer. */
export async function textOf(
  response: Response,
  call: Pick<EngineCall, "doing" | "maxBytes">,
  cutoff: Cutoff,
): Promise<string> {
  return await readText(response, call.maxBytes ?? MAX_BODY, call.doing, cutoff.signal);
}

function optionsOf(call: EngineCall, cutoff: Cutoff): ExchangeOptions {
  return {
    maxBytes: call.maxBytes ?? MAX_BODY,
    doing: call.doing,
    signal: cutoff.signal,
    begun: () => cutoff.expire(BODY_MS),
  };
}

const encoder = new TextEncoder();
