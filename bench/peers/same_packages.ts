/** A process that imports the packages that berth imports, opens an SQLite file, and answers. */
import { Hono } from "hono";
import "jose";
import { DatabaseSync } from "node:sqlite";
import "oauth4webapi";
import "yaml";
import "zod";

new DatabaseSync(":memory:").exec("CREATE TABLE one (id INTEGER)");
Deno.serve(
  { hostname: "127.0.0.1", port: Number(Deno.args[0]) },
  new Hono().get("/", (c) => c.text("")).fetch,
);
