/** The logs that a word of the command line means, in one sequence: of a container, or of a project's containers. */
import { CONTAINER_LOGS, CONTAINERS, type LogRecord } from "../client/berth/containers.ts";
import { PROJECT } from "../client/berth/projects.ts";
import { type Client, isStatusError } from "../client/mod.ts";
import { stream } from "../client/stream.ts";
import { pause } from "../core/pause.ts";
import { Latch } from "../core/signal.ts";
import { StartFailure } from "../app/start_failure.ts";
import { AWAY_MS, mayPass } from "./connection.ts";
import { UsageFailure } from "./exit_code.ts";
import { type Target, targetsAt } from "./target.ts";

export interface LogQuery {
  readonly follow: boolean;
  readonly tail?: number | "all" | undefined;
  readonly since?: string | undefined;
  readonly backend?: string | undefined;
}

/** A log from where it was left. */
type Behind = LogQuery & { readonly cursor?: string };

/** A record, and the name of its container, padded to the longest; null where there is only one. */
interface NamedRecord {
  readonly record: LogRecord;
  readonly container: string | null;
}

interface Source {
  readonly id: string;
  readonly name: string;
  readonly backend?: string;
}

/** Each log is a stream of its own. */
const MOST = 50;
/** A line of 256 KiB whose every byte is escaped. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
/** berth's word comes every fifteen seconds: after these a connection is half open. */
const SILENT_S = 60;
const AGAIN_MS = 1_000;
/** A connection that lasted longer than a call may wait for its answer had one, also where nothing was written. */
const STOOD_MS = 20_000;

/** Yields the records of a container of that name, else of a project or a folder; in the order of their times unless followed. */
export async function* logsOf(client: Client, word: string, query: LogQuery): AsyncGenerator<NamedRecord> {
  if (!/[@/]/.test(word)) {
    const records = recordsOf(client, { id: word, name: word }, query);
    const first = await records.next().catch(orNull);
    if (first !== null) {
      if (first.done !== true) yield { record: first.value, container: null };
      for await (const record of records) yield { record, container: null };
      return;
    }
  }
  const sources = await sourcesOf(client, word, query.backend);
  const width = Math.max(...sources.map(({ name }) => name.length));
  const logOf = (source: Source, asked: LogQuery): Log => ({
    container: sources.length === 1 && source.name === sources[0]!.name ? null : source.name.padEnd(width),
    records: recordsOf(client, source, asked),
  });
  const logs = sources.map((source) => logOf(source, query));
  if (!query.follow) return yield* byTime(logs);
  const known = new Set(sources.map(({ id }) => id));
  yield* asTheyCome(logs, async () => {
    const later = (await laterOf(() => allOf(client, word, query.backend))).filter(({ id }) =>
      !known.has(id)
    );
    for (const { id } of later) known.add(id);
    return later.slice(0, MOST).map((source) => logOf(source, { follow: true, tail: "all" }));
  });
}

/** A log that is followed and ends without a reason, again and again: a proxy may have closed it. */
const CLOSED: LogRecord = {
  error: { code: "runtime_unavailable", title: "The log was closed before its end, and does not go on" },
};

/** Yields the records of one log. One that is followed goes on behind its last line where berth stops, or is lost. */
async function* recordsOf(
  client: Client,
  { id, backend }: Source,
  query: LogQuery,
): AsyncGenerator<LogRecord> {
  let cursor: string | null = null;
  let heard = -Infinity;
  for (;;) {
    const behind: Behind = cursor === null ? query : { follow: true, cursor, backend: query.backend };
    const asked = { ...behind, ...(backend !== undefined && { backend }) };
    const options = { as: "ndjson", params: { id }, query: asked, maxItemBytes: MOST_CHARACTERS } as const;
    const began = performance.now();
    try {
      const silence = query.follow ? { idleTimeoutS: SILENT_S } : {};
      let isStopping = false;
      for await (const record of stream(client, CONTAINER_LOGS, { ...options, ...silence })) {
        heard = performance.now();
        isStopping = query.follow && "end" in record && record.end.reason === "stopping";
        if (isStopping) break;
        if ("line" in record) cursor = record.cursor;
        yield record;
        if ("end" in record || "error" in record) return;
      }
      if (!query.follow) return;
      if (performance.now() - heard > AWAY_MS) return yield CLOSED;
    } catch (error) {
      const now = performance.now();
      if (now - began > STOOD_MS) heard = now;
      if (!query.follow || !mayPass(error) || now - heard > AWAY_MS) throw error;
    }
    await pause(AGAIN_MS);
  }
}

/** Returns what a look finds by now; nothing of what is gone. A berth that is away is asked again. */
async function laterOf(look: () => Promise<Source[]>): Promise<Source[]> {
  for (const began = performance.now();; await pause(AGAIN_MS)) {
    try {
      return await look();
    } catch (error) {
      if (!mayPass(error) || performance.now() - began > AWAY_MS) return [];
    }
  }
}

async function allOf(client: Client, word: string, backend?: string): Promise<Source[]> {
  const all: Source[] = [];
  for (const target of await targetsAt(client, word)) all.push(...await containersOf(client, target));
  return all.filter((one) => backend === undefined || one.backend === backend);
}

async function sourcesOf(client: Client, word: string, backend?: string): Promise<Source[]> {
  const sources = await allOf(client, word, backend);
  if (sources.length === 0) throw new UsageFailure(`"${word}" has no containers whose log could be read`);
  if (sources.length > MOST) {
    throw new UsageFailure(
      `"${word}" has ${sources.length} containers, and ${MOST} logs are read at once: name a service, as in "${word}/web"`,
    );
  }
  return sources;
}

async function containersOf(client: Client, { id, service }: Target): Promise<Source[]> {
  const answer = await client.get(PROJECT, { params: { id } }).catch(orNull);
  if (answer === null) throw new StartFailure(`berth has no container, no project and no folder "${id}"`);
  const { units, containers, project } = answer.json();
  const own = [...units.flatMap((unit) => unit.containers), ...containers];
  if (service === undefined) return own;
  const { items } = (await client.get(CONTAINERS, { query: { project } })).json();
  const wanted = new Set(items.filter(({ compose }) => compose?.service === service).map((one) => one.id));
  return own.filter((one) => wanted.has(one.id));
}

/** Returns null for what was not found; any other error is thrown on. */
function orNull(error: unknown): null {
  if (isStatusError(error) && error.response.statusCode === 404) return null;
  throw error;
}

interface Log {
  readonly container: string | null;
  readonly records: AsyncGenerator<LogRecord>;
}

/** Yields whichever log has a record first. Where a container is gone, `later` has the logs of those that came. */
export async function* asTheyCome(
  logs: readonly Log[],
  later: () => Promise<readonly Log[]>,
): AsyncGenerator<NamedRecord> {
  // A race of all logs for each record would leave a reaction at each log that is quiet.
  const come: { readonly log: Log; readonly result: PromiseSettledResult<IteratorResult<LogRecord>> }[] = [];
  const hasCome = new Latch();
  let reading = 0;
  const begin = async (log: Log) => {
    reading += 1;
    const [result] = await Promise.allSettled([log.records.next()]);
    come.push({ log, result });
    hasCome.wake();
  };
  logs.forEach(begin);
  while (reading > 0) {
    const first = come.shift();
    if (first === undefined) {
      await hasCome.opened;
      continue;
    }
    reading -= 1;
    const { log, result } = first;
    if (result.status === "rejected") throw result.reason;
    const { value: record, done } = result.value;
    if (done === true) continue;
    begin(log);
    yield { record, container: log.container };
    if ("end" in record && record.end.reason === "removed") (await later()).forEach(begin);
  }
}

/** Yields the earliest record of all logs first; what has no time comes at once. */
async function* byTime(logs: readonly Log[]): AsyncGenerator<NamedRecord> {
  const heads = new Map<Log, LogRecord>();
  const advance = async (log: Log) => {
    const { value, done } = await log.records.next();
    if (done === true) heads.delete(log);
    else heads.set(log, value);
  };
  await Promise.all(logs.map(advance));
  while (heads.size > 0) {
    const [log, record] = [...heads].reduce((a, b) => timeOf(b[1]) < timeOf(a[1]) ? b : a);
    yield { record, container: log.container };
    await advance(log);
  }
}

/** Returns a text that sorts as the record's time does, to the nanosecond. */
function timeOf(record: LogRecord): string {
  if (!("line" in record)) return "";
  const seconds = Date.parse(record.time.replace(/\.\d+/, ""));
  return `${seconds}`.padStart(15, "0") + (/\.(\d+)/.exec(record.time)?.[1] ?? "").padEnd(9, "0");
}
