import { startService } from "./service.ts";
await using berth = await startService({});
const d = (await berth.call("GET /api/openapi.json")).body;
await Deno.writeTextFile("/tmp/meet_openapi.json", JSON.stringify(d, null, 1));
