/** The peer of `bench/house.ts` that does nothing but what cannot be left out: berth's own headers around an answer. */
import { Finisher, reply } from "../../http/answer.ts";

const finisher = new Finisher({ tls: false });
let count = 0;
Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} },
  () =>
    finisher.reply(
      reply(200, { status: "ok", version: "0.1.0" }),
      `dressed-${String(++count).padStart(9, "0")}`,
    ),
);
