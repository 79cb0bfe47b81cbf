/** Everything that a viewer may read, drawn from the API document: routes by HTTP, and feeds and sockets. */
import assert from "node:assert/strict";
import { browse } from "../support/browse.ts";
import { eventually } from "../support/eventually.ts";
import type { TestCaller, TestService } from "../support/service.ts";
import { type OpenApi, operationsOf } from "../support/served_documents.ts";
import { CANARY } from "./masked_shapes.ts";
import { around } from "./masked_search.ts";

/** A socket has 32 subscriptions at most. */
const MOST_FILES = 16;
const LISTS = [
  ...["workspaces", "declared", "projects", "containers", "images", "volumes", "networks", "engines"],
  ...["incidents", "updates", "sources"],
];
/** Sent by a route that only reads. */
const READING_POSTS = ["post /api/workspaces/{id}/artifacts/validate"];
const VARIANTS: Readonly<Record<string, readonly string[]>> = {
  "get /api/containers/{id}": ["?raw=true", "?sizes=true"],
  "get /api/images/{id}": ["?raw=true"],
  "get /api/volumes/{name}": ["?raw=true"],
  "get /api/networks/{name}": ["?raw=true"],
  "get /api/workspaces/{id}/artifacts/dag": ["?format=mermaid", "?format=dot"],
  "post /api/workspaces/{id}/artifacts/validate": ["?format=sarif", "?format=text", "?format=github"],
};

/** Ids for the parameters of a path, by the path's first part. */
export type Known = (path: string) => readonly (readonly string[])[];

/** Asks all routes that read and that the permissions allow; returns how many answers of 200 were searched. */
export async function askAll(
  viewer: TestCaller,
  document: OpenApi,
  permissions: readonly string[],
  known: Known,
  leakIn: (text: string) => string | null = (text) => text.includes(CANARY) ? around(text) : null,
): Promise<number> {
  let answered = 0;
  const leaks: string[] = [];
  for (const [name, operation] of operationsOf(document)) {
    const [method = "", path = ""] = name.split(" ");
    if (operation["x-websocket"] === true || method !== "get" && !READING_POSTS.includes(name)) continue;
    if (!["any", "open", ...permissions].includes(operation["x-permission"])) continue;
    for (const values of known(path)) {
      const at = values.reduce((filled, value) => filled.replace(/\{\w+(?:\.\.\.)?\}/, value), path);
      if (at.includes("{")) continue;
      for (const query of ["", ...VARIANTS[name.replace("...}", "}")] ?? []]) {
        const answer = await viewer.call(`${method.toUpperCase()} ${at}${query}`);
        assert.ok(answer.status < 500, `${name}${query}: ${answer.text}`);
        const leak = leakIn(answer.text);
        if (leak !== null) leaks.push(`${name} ${at}${query}: ${leak}`);
        if (answer.status === 200) answered++;
      }
    }
  }
  assert.deepEqual(leaks.map((one) => one.slice(0, 800)), []);
  return answered;
}

/** Opens every feed and socket that shows something, and closes them after `during`; returns the messages searched. */
export async function hearAll(
  berth: TestService,
  key: string,
  { workspaces, containers }: {
    readonly workspaces: readonly string[];
    readonly containers: readonly string[];
  },
  during: () => Promise<void>,
): Promise<number> {
  const feeds = [
    ...LISTS.map((feed) => ({ feed })),
    ...workspaces.slice(0, MOST_FILES).map((workspace) => ({ feed: "files", workspace })),
    { feed: "events", earlier: 500 },
    { feed: "stats", containers },
  ];
  const live = browse(berth.url, "/live", key);
  const events = browse(berth.url, "/terminal/compose-logs?tail=500", key);
  await eventually("the sockets are open", () => live.wire.readyState === 1 && events.wire.readyState === 1);
  for (const [at, feed] of feeds.entries()) {
    live.wire.send(JSON.stringify({ type: "subscribe", id: `f${at}`, ...feed }));
  }
  await eventually("every feed has said something", () => {
    const heard = new Set(live.heard.texts.map((text) => JSON.parse(text).id));
    return feeds.every((_, at) => heard.has(`f${at}`));
  });
  await during();
  live.wire.close();
  events.wire.close();
  await Promise.all([live.closed, events.closed]);
  const ended = live.heard.texts.filter((text) => JSON.parse(text).type === "ended");
  assert.deepEqual(ended, []);
  for (const text of [...live.heard.texts, ...events.heard.texts]) {
    assert.ok(!text.includes(CANARY), around(text));
  }
  return live.heard.texts.length + events.heard.texts.length;
}
