/** `/api/containers/{id}/stats`: a container's CPU, memory, network and disk, over a WebSocket. */
import * as z from "../../../core/schema.ts";
import type { Reach } from "../../../core/access.ts";
import { text } from "../../../http/declare/query.ts";
import { type Router, router, socketRoute } from "../../../http/declare/router.ts";
import { failSocket, openSocket, type Socket, SocketFailure } from "../../../http/socket/socket.ts";
import type { FindLive } from "../backends/live_container.ts";
import type { WhileSeen } from "../backends/while_seen.ts";
import { Sample, type StatsFeeds } from "./stats_feed.ts";
import type { StreamLimit } from "../backends/stream_limit.ts";

/** A reader with this much unread is sent nothing more: old measurements are worth nothing. */
const BEHIND_BYTES = 16 * 1024;

const stats = socketRoute({
  path: "/containers/{id}/stats",
  summary: "Watch what a container uses",
  description:
    "About once a second: `{ time, cpuPercent, memoryBytes, memoryLimitBytes, rxBytes, txBytes, readBytes, " +
    "writeBytes, pids }`. Whoever is slow to read is sent fewer.",
  permission: "containers:read",
  subject: "found",
  params: z.object({ id: z.string().describe("The container's id, the beginning of one, or its name") }),
  query: z.object({ backend: text(128).optional().describe("The name of one engine") }),
  receive: z.union([Sample, SocketFailure]).meta({
    id: "StatsMessage",
    description: "Measurements of a container, about one a second",
  }),
});

export const ROUTES = [stats];

interface StatsRoutes {
  readonly find: FindLive;
  readonly whileSeen: WhileSeen;
  readonly streamLimit: StreamLimit;
  readonly feeds: StatsFeeds;
  readonly onFailure: (error: unknown) => void;
}

export function statsRoutes({ find, whileSeen, streamLimit, feeds, onFailure }: StatsRoutes): Router {
  const watch = async (socket: Socket, reach: Reach, id: string, backend: string | undefined) => {
    const target = await find(reach, id, backend, `measure container "${id}"`);
    using _seen = whileSeen(reach, target, () => socket.revoke());
    using _watching = feeds.watch(target.engine, target.id, {
      sample: (sample) => {
        if (socket.queuedBytes < BEHIND_BYTES) socket.send(sample);
      },
      end: (error) => failSocket(socket, error),
    });
    await socket.closed;
  };
  return router().socket(stats, ({ request, params, query, principal, reach, revoked, stopping }) => {
    const viewer = streamLimit.enter(principal, "stats");
    return openSocket(request, (socket) => watch(socket, reach, params.id, query.backend), {
      revoked,
      stopping,
      onFailure,
      onGone: () => viewer[Symbol.dispose](),
    });
  });
}
