/** The peer of `bench/house.ts` that does nothing but what cannot be left out: berth's own headers around an answer. */
import { reply } from "../../http/declare/answer.ts";
import { Responder } from "../../http/serve/responder.ts";

const responder = new Responder({ tls: false });
let count = 0;
Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} },
  () =>
    responder.reply(
      reply(200, { status: "ok", version: "0.1.0" }),
      `dressed-${String(++count).padStart(9, "0")}`,
    ),
);
