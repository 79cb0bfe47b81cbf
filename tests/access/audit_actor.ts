/** A process that changes things and acts as fast as it can, and says what was acknowledged, until it is killed. */
import { empty, reply, route, router } from "../../http/declare/router.ts";
import { startService } from "../support/service.ts";

const [folder = "", admin = ""] = Deno.args;
const say = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));

const act = route({
  method: "post",
  path: "/acts",
  summary: "Do something that cannot be undone",
  permission: "containers:control",
  subject: "everything",
  answers: { 204: empty("It is done") },
});

await using berth = await startService({
  folder,
  admin,
  // The engine hears of it: from here on it cannot be taken back.
  mount: () => [
    router().on(act, ({ requestId }) => {
      say(`act ${requestId}`);
      return reply(204);
    }),
  ],
});
say(`key ${berth.credential}`);

/** Makes a key and takes it away again: there may be no more than a thousand. */
async function change(): Promise<void> {
  const { status, body } = await berth.call("POST /api/settings/api-keys", { name: "k", role: "viewer" });
  if (status !== 201) return;
  say(`change /api/settings/api-keys/${body.id}`);
  await berth.call(`DELETE /api/settings/api-keys/${body.id}`);
}

async function acts(lane: number): Promise<void> {
  for (let n = 0; n < 10_000; n++) {
    await berth.call("POST /api/acts", undefined, {
      headers: { "x-request-id": `${Deno.pid}-${lane}-${n}` },
    });
  }
}

async function changes(): Promise<void> {
  for (let n = 0; n < 10_000; n++) await change();
}

await Promise.all([acts(1), acts(2), changes(), changes()]);
