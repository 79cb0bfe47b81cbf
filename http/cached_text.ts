/** A JSON text that is answered many times: hashed once, and compressed once, for the first caller who takes gzip. */
import { type Cached, cached } from "./answer.ts";
import { etagOf } from "./etag.ts";
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
}
