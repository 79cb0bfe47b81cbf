/** A JSON text that is answered many times: tagged once, and compressed once, by the first who takes it so. */
import { etagOf, type Kept, kept } from "./answer.ts";
import { gzip, takesGzip } from "./gzip.ts";

export class KeptText {
  #zipped: Promise<Uint8Array<ArrayBuffer>> | undefined;

  constructor(readonly text: string, readonly etag: string = etagOf(text)) {}

  async answer(request: Request): Promise<Kept> {
    return kept(
      this.text,
      this.etag,
      takesGzip(request) ? await (this.#zipped ??= gzip(this.text)) : undefined,
    );
  }
}
