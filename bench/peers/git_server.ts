/** A Git server in a process of its own, so that its time is not counted as berth's. Ends with its input. */
import { GitServer } from "../../tests/support/git_server.ts";

await using server = await GitServer.start();
const { work, bare, url } = await server.repository("home");
console.log(JSON.stringify({ work, bare, url }));
for await (const _ of Deno.stdin.readable);
