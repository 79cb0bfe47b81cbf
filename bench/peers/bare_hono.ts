/** The peer of `bench/house.ts`: Hono with one route and nothing around it. */
import { Hono } from "hono";

const app = new Hono().get("/api/:route", (c) => c.json({ status: "ok", version: "0.1.0" }));
Deno.serve({ hostname: "127.0.0.1", port: Number(Deno.args[0]), onListen() {} }, app.fetch);
