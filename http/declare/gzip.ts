/** Compressed answers: for whom, and how they are made. */

const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=([\d.]{1,5})\s*)?(?:,|$)/i;

/** Returns true if the caller accepts gzip; `gzip;q=0` means that it does not. */
export function takesGzip({ headers }: Request): boolean {
  const found = GZIP.exec(headers.get("accept-encoding") ?? "");
  return found !== null && Number(found[1] ?? 1) > 0;
}

/** Compresses at once and in turn, for messages whose order counts. Loaded when the first caller asks for it. */
export async function packer(): Promise<(text: string) => Uint8Array<ArrayBuffer>> {
  const { gzipSync } = await import("node:zlib");
  return (text) => new Uint8Array(gzipSync(text));
}

export async function gzip(content: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
