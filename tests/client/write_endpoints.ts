/** Brings `client/berth/` up to the service as it is: `deno task endpoints`. */
import { type Document, endpointFiles, type SocketDocument } from "./endpoint_writer.ts";
import { formatted } from "./formatted.ts";
import { startService } from "../support/service.ts";

const folder = new URL("../../client/berth/", import.meta.url);

await using berth = await startService({});
const document = (await berth.call("GET /api/openapi.json")).body as Document;
const sockets = (await berth.call("GET /api/asyncapi.json")).body as SocketDocument;
await Deno.mkdir(folder, { recursive: true });
for await (const { name } of Deno.readDir(folder)) await Deno.remove(new URL(name, folder));
for (const [name, text] of await formatted(endpointFiles(document, sockets))) {
  await Deno.writeTextFile(new URL(name, folder), text);
}
