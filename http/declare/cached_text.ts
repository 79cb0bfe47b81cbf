/** A JSON text that is answered many times: hashed once, and compressed once, for the first caller who takes gzip. */
import { type Cached, cached } from "./answer.ts";
import { etagOf, holds } from "./etag.ts";
import { gzip, takesGzip } from "./gzip.ts";

export class CachedText {
  #zipped: Promise<Uint8Array<ArrayBuffer>> | undefined;

  constructor(readonly text: string, readonly etag: string = etagOf(text)) {}

  async answer(request: Request): Promise<Cached> {
    return cached(
      this.text,
      this.etag,
      takesGzip(request) ? await (this.#zipped ??= gzip(this.text)) : undefined,
    );
  }

  /** The same as a whole response, for routes that answer in several formats. */
  async response(request: Request, type: string): Promise<Response> {
    const headers = { etag: this.etag, "cache-control": "private, no-cache", vary: "accept-encoding" };
    if (holds(request, this.etag)) return new Response(null, { status: 304, headers });
    if (!takesGzip(request)) {
      return new Response(this.text, { headers: { ...headers, "content-type": type } });
    }
    const zipped = await (this.#zipped ??= gzip(this.text));
    return new Response(zipped, {
      headers: { ...headers, "content-type": type, "content-encoding": "gzip" },
    });
  }
}
