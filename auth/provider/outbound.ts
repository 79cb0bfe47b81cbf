/** Calls to an identity provider: bounded in time and size, never redirected. */
import { concat } from "../../core/bytes.ts";
import { ServiceError } from "../../core/error.ts";

const TOTAL_MS = 10_000;
const MAX_BYTES = 1024 * 1024;

interface Asked {
  readonly method?: string | undefined;
  readonly headers: HeadersInit;
  readonly body?: BodyInit | null | undefined;
}

export type Fetch = (url: string, asked: Asked) => Promise<Response>;

/**
 * A `fetch` whose answer is here, whole, or which fails as `identity_provider_unavailable`. A redirect is a failure:
 * where it leads was not configured.
 */
export function boundedFetch({ totalMs = TOTAL_MS, maxBytes = MAX_BYTES } = {}): Fetch {
  return async (url, { method = "GET", headers, body: sent = null }) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), totalMs);
    try {
      const response = await fetch(url, {
        method,
        headers,
        body: sent,
        redirect: "manual",
        signal: late.signal,
      });
      const body = await readBounded(response, maxBytes);
      if (body === null) throw unavailable("its answer is too large");
      if (response.status >= 300 && response.status < 400) throw unavailable("it redirects");
      if (response.status >= 500 || response.status === 429) {
        throw unavailable(`it answered with status ${response.status}`);
      }
      const nothing = response.status === 204 || body.byteLength === 0;
      return new Response(nothing ? null : body, { status: response.status, headers: response.headers });
    } catch (thrown) {
      if (thrown instanceof ServiceError) throw thrown;
      throw unavailable(
        late.signal.aborted ? `it took longer than ${totalMs / 1000} s` : "it cannot be reached",
        thrown,
      );
    } finally {
      clearTimeout(timer);
    }
  };
}

async function readBounded(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) return null; // leaving the loop cancels the rest
    parts.push(part);
  }
  return concat(parts);
}

export function unavailable(why: string, cause?: unknown): ServiceError {
  return new ServiceError("identity_provider_unavailable", `Cannot ask the identity provider: ${why}`, {
    cause,
  });
}
