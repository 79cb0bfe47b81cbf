/** The whole body of an answer as text, within a limit of bytes. */
import { ServiceError } from "../../../core/error.ts";

export async function readText(response: Response, maxBytes: number, doing: string): Promise<string> {
  const announced = Number(response.headers.get("content-length") ?? "NaN");
  if (announced > maxBytes) {
    await response.body?.cancel();
    throw tooLong(maxBytes, doing);
  }
  if (response.body === null) return "";
  if (Number.isFinite(announced)) return await response.text();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLong(maxBytes, doing);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function tooLong(maxBytes: number, doing: string): ServiceError {
  return new ServiceError(
    "engine_failed",
    `Cannot ${doing}: the engine answered more than ${maxBytes} bytes`,
  );
}
