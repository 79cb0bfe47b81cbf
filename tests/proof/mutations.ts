/**
 * Faults that are put into berth's own code, one at a time and in a copy, to see which test notices each:
 * `deno task mutations`, or with words of their names. A fault whose lines are gone stops it: then the list is to be
 * mended first.
 */

export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Found once in the file. */
  readonly from: string;
  readonly to: string;
  /** Files of tests of which one must notice it. */
  readonly tests: readonly string[];
  /** Words of their names; all of their tests without it. */
  readonly only?: string;
  /** True for tests that only the proof runs. */
  readonly isInProof?: true;
}

const CONTRACT = ["tests/store/store_sqlite_test.ts"];
const SESSION = "store/sql/sessions.ts";
const DATABASE = "store/sqlite/database.ts";
const READER = "artifacts/files/safe_reader.ts";

export const MUTATIONS: readonly Mutation[] = [
  // The six that nobody noticed
  {
    name: "the listener comes back after 9 s instead of 0.1",
    file: "http/serve/listener.ts",
    from: "const RETRY_MS = 100;",
    to: "const RETRY_MS = 9_000;",
    tests: ["tests/store/emfile_test.ts"],
  },
  {
    name: "engines are looked for every 8 s instead of 1.5",
    file: "engines/links/backends.ts",
    from: "const SEARCH_EVERY_MS = 1_500;",
    to: "const SEARCH_EVERY_MS = 8_000;",
    tests: ["tests/engines/mirror_test.ts"],
    only: "is found within four seconds",
  },
  {
    name: "the mirror compares every eleven days instead of 30 s",
    file: "engines/links/follow_events.ts",
    from: "const SLOW_CLOCK_MS = 30_000;",
    to: "const SLOW_CLOCK_MS = 1_000_000_000;",
    tests: ["tests/engines/mirror_test.ts"],
    only: "within half a minute",
  },
  {
    name: "the audit gathers for 10 s instead of 0.1",
    file: "auth/audit/log.ts",
    from: "const GATHER_MS = 100;",
    to: "const GATHER_MS = 10_000;",
    tests: ["tests/access/audit_test.ts"],
    only: "within two seconds",
  },
  {
    name: "synchronous=OFF",
    file: DATABASE,
    from: '["synchronous", "FULL", 2]',
    to: '["synchronous", "OFF", 0]',
    tests: CONTRACT,
    only: "written to the disk itself",
  },
  {
    name: "the test of kill -9 kills nobody",
    file: "tests/store/store_sqlite_test.ts",
    from: 'writer.kill("SIGKILL");\n    assert',
    to: "assert",
    tests: CONTRACT,
    only: "kill -9",
  },
  // Store
  {
    name: "a write is not rolled back when its work throws",
    file: DATABASE,
    from:
      "    } catch (thrown) {\n      this.#rollBack();\n      throw asStoreError(thrown);\n    }\n  }\n\n  #rollBack",
    to:
      '    } catch (thrown) {\n      this.#database.exec("COMMIT");\n      throw asStoreError(thrown);\n    }\n  }\n\n  #rollBack',
    tests: CONTRACT,
  },
  {
    name: "a write begins without the lock",
    file: DATABASE,
    from: 'this.#place.check();\n        this.#database.exec("BEGIN IMMEDIATE");',
    to: 'this.#place.check();\n        this.#database.exec("BEGIN");',
    tests: CONTRACT,
  },
  {
    name: "a store of a newer schema is opened",
    file: DATABASE,
    from: "if (version > MIGRATIONS.length) {",
    to: "if (version > MIGRATIONS.length + 1_000) {",
    tests: CONTRACT,
    only: "newer berth",
  },
  {
    name: "a damaged file is not looked through",
    file: DATABASE,
    from: 'if (this.#pragma("quick_check(1)") !== "ok") {',
    to: "if (false) {",
    tests: CONTRACT,
  },
  {
    name: "nobody looks whether the store's file is still there",
    file: "store/sqlite/file_place.ts",
    from: "if (this.#identities.every((identity, part) => identity === now[part])) return;",
    to: "if (now.length > 0) return;",
    tests: ["tests/store/store_moved_test.ts"],
  },
  {
    name: "a change without its entry",
    file: "store/sql/audit.ts",
    from: "export function insertEntry(entry: NewAuditEntry): Steps<unknown> {",
    to:
      'export function insertEntry(entry: NewAuditEntry): Steps<unknown> {\n  if (entry.action.includes("api-keys/{id}")) return run("DELETE FROM audit WHERE FALSE");',
    tests: ["tests/access/access_keys_test.ts", "tests/access/audit_test.ts"],
  },
  {
    name: "a workspace is removed without its entry",
    file: "store/sql/workspaces.ts",
    from:
      'if ((yield* run("DELETE FROM workspaces WHERE id = $1", id)) === 0) return false;\n  yield* insertEntry(entry);',
    to: 'if ((yield* run("DELETE FROM workspaces WHERE id = $1", id)) === 0) return false;',
    tests: CONTRACT,
  },
  {
    name: "the last admin may go",
    file: "store/sql/admins.ts",
    from: "if (before > 0 && (yield* admins()) === 0) {",
    to: "if (before > 0 && (yield* admins()) < 0) {",
    tests: CONTRACT,
  },
  {
    name: "a spent refresh token ends nothing",
    file: SESSION,
    from: '  yield* end(session, now, entry);\n  return { kind: "reused" };',
    to: '  return { kind: "reused" };',
    tests: CONTRACT,
  },
  {
    name: "the grace lasts a hundred times as long",
    file: SESSION,
    from: "now - token.usedAt <= rotation.graceMs",
    to: "now - token.usedAt <= rotation.graceMs * 100",
    tests: CONTRACT,
  },
  {
    name: "a change is repeated although its COMMIT may be done",
    file: "store/postgres/database.ts",
    from: "if (!mayRepeat || !isToBeRepeated(thrown)) throw asStoreError(thrown);",
    to: "if (!mayRepeat || !isToBeRepeated(thrown) && !isConnectionLost(thrown)) throw asStoreError(thrown);",
    tests: ["tests/store/postgres_faults_test.ts"],
    only: "never answered",
  },
  {
    name: "a saved file is not synced",
    file: "artifacts/files/writing.ts",
    from: "  await file.sync();\n",
    to: "",
    tests: ["tests/store/synced_test.ts"],
  },
  {
    name: "an export is not synced",
    file: "store/copy_file.ts",
    from: "      out.syncSync();\n",
    to: "",
    tests: ["tests/store/synced_test.ts"],
  },
  // Applies
  {
    name: "a line of a journal is not awaited",
    file: "projects/apply/journal.ts",
    from: 'await this.#write([this.#step(step, { state: "running", noted })], entries);',
    to: 'void this.#write([this.#step(step, { state: "running", noted })], entries);',
    tests: ["tests/apply/apply_order_test.ts"],
    only: "only after its journal is written",
  },
  {
    name: "what a swap must know is not awaited",
    file: "projects/apply/journal.ts",
    from: "await this.#write([this.#step(step, { ...line, noted })], []);",
    to: "void this.#write([this.#step(step, { ...line, noted })], []);",
    tests: ["tests/apply/apply_order_test.ts"],
    only: "only after its journal is written",
  },
  {
    name: "an old container keeps its restart policy",
    file: "projects/apply/swap.ts",
    from: 'await acts.update(old.id, { restart: { name: "no", maximumRetries: 0 } });',
    to: "",
    tests: ["tests/apply/apply_order_test.ts"],
    only: "does not start with the engine",
  },
  {
    name: "words of a health check are not masked",
    file: "plugins/containers/acts/last_words.ts",
    from: "health: said(textOf(checks.at(-1)?.Output), environment),",
    to: "health: textOf(checks.at(-1)?.Output),",
    tests: ["tests/streams/last_words_test.ts"],
  },
  // Access
  {
    name: "a refresh token opens routes",
    file: "auth/sessions/tokens.ts",
    from: "        typ,\n        issuer: ISSUER,\n        audience,\n",
    to: "        issuer: ISSUER,\n",
    tests: ["tests/access/access_tokens_test.ts"],
  },
  {
    name: "a revoked credential is asked about every 40 s instead of 4",
    file: "auth/sessions/credentials.ts",
    from: "const RECHECK_MS = 4_000;",
    to: "const RECHECK_MS = 40_000;",
    tests: ["tests/access/access_keys_test.ts"],
    only: "within five seconds",
  },
  {
    name: "a key may come from everywhere",
    file: "auth/sessions/credentials.ts",
    from: "if (known.from !== null && !isInRange(peer, known.from)) throw unauthenticated();",
    to: "",
    tests: ["tests/access/key_life_test.ts"],
    only: "`from`",
  },
  {
    name: "the setup takes a token of yesterday",
    file: "auth/people/setup.ts",
    from: "expiresAt: this.#clock.now() + VALID_MS,",
    to: "expiresAt: this.#clock.now() + VALID_MS * 100,",
    tests: ["tests/access/access_keys_test.ts"],
    only: "after 30 minutes",
  },
  {
    name: "a full table of counters forgets the guilty",
    file: "auth/rate_limit.ts",
    from: "if (this.#buckets.size >= MAX_BUCKETS) this.#sweep();",
    to: "if (this.#buckets.size >= MAX_BUCKETS) this.#buckets.clear();",
    tests: ["auth/rate_limit_test.ts"],
  },
  {
    name: "a foreign page may open sockets",
    file: "http/serve/admission.ts",
    from: "if (origin !== null && !isOurs(origin)) {",
    to: 'if (origin !== null && !isOurs(origin) && origin === "null") {',
    tests: ["tests/access/socket_admission_test.ts"],
  },
  {
    name: "nobody is asked for the permission everywhere",
    file: "http/serve/pipeline.ts",
    from: 'if (subject === "everything" && !reach.everywhere) {',
    to: 'if (subject === "everything" && reach.nowhere) {',
    tests: [
      "tests/access/scopes_test.ts",
      "tests/access/access_matrix_test.ts",
      "tests/access/local_sign_in_test.ts",
    ],
  },
  {
    name: "nobody is asked for the permission at all",
    file: "http/serve/pipeline.ts",
    from: "if (reach.nowhere) {",
    to: "if (reach.nowhere && permission === undefined) {",
    tests: ["tests/access/access_matrix_test.ts", "http/declare/router_test.ts"],
  },
  {
    name: "an act begins before its intent is in the store",
    file: "http/serve/pipeline.ts",
    from: 'if (audited === "act") await trail.begin(',
    to: 'if (audited === "act") void trail.begin(',
    tests: ["tests/access/audit_test.ts"],
  },
  // Edge
  {
    name: "a foreign host name is answered",
    file: "http/serve/edge.ts",
    from: "if (!hosts.has(known)) {",
    to: 'if (!hosts.has(known) && host.includes(",")) {',
    tests: ["tests/http/edge_test.ts", "tests/http/edge_faults_test.ts"],
  },
  {
    name: "a body may have ten megabytes",
    file: "http/serve/body.ts",
    from: "export const BODY_LIMIT_BYTES = 1024 * 1024;",
    to: "export const BODY_LIMIT_BYTES = 11 * 1024 * 1024;",
    tests: ["tests/http/edge_test.ts"],
  },
  {
    name: "a socket's message may have a megabyte",
    file: "http/socket/socket.ts",
    from: "const MESSAGE_LIMIT_BYTES = 64 * 1024;",
    to: "const MESSAGE_LIMIT_BYTES = 1024 * 1024;",
    tests: ["http/socket/socket_test.ts"],
    only: "over 64 KiB",
  },
  {
    name: "what waits for a socket has no bound",
    file: "http/socket/queue.ts",
    from: "if (this.#waitingBytes + buffered + size > this.#limitBytes) return false;",
    to: "",
    tests: ["http/socket/queue_test.ts"],
  },
  // Files
  {
    name: "a folder that is exchanged while it is listed is listed",
    file: READER,
    from: "return isInside ? listed : CHANGED;",
    to: "return listed;",
    tests: ["tests/artifacts/link_race_test.ts"],
  },
  {
    name: "a line of the log is glued to a half one",
    file: "log/file.ts",
    from: "if (this.#torn) this.#append(new Uint8Array([LINE_END]));",
    to: "",
    tests: ["log/log_test.ts", "tests/streams/log_full_disk_test.ts"],
  },
  {
    name: "lost lines of the log are not told",
    file: "log/file.ts",
    from: "      this.#lost += unwritten;\n",
    to: "",
    tests: ["tests/streams/log_full_disk_test.ts"],
  },
  // Engines
  {
    name: "a frame may have 4 GiB",
    file: "engines/frames/frames.ts",
    from: "if (size > FRAME_LIMIT_BYTES) throw malformed(`a frame of ${size} bytes`);",
    to: "",
    tests: ["engines/frames/frames_test.ts"],
  },
  {
    name: "lines that are gone are no gap",
    file: "plugins/containers/logs/log_position.ts",
    from: "if (!place.isFloor) onGap({ after: place.time, before: text });",
    to: "",
    tests: ["plugins/containers/logs/lines_test.ts", "tests/streams/logs_test.ts"],
  },
  {
    name: "what is read again is told again",
    file: "plugins/containers/logs/log_position.ts",
    from: "isLive && place.isBehind(bytes, from, to) && this.#isRepeated(place)",
    to: "isLive && false && this.#isRepeated(place)",
    tests: ["plugins/containers/logs/lines_test.ts"],
  },
  {
    name: "events that did not come are not missed",
    file: "engines/mirror/event_check.ts",
    from: "if (latest > this.#told) return true;",
    to: "if (latest > this.#told) return false;",
    tests: ["tests/engines/watchdog_test.ts"],
    only: "events are opened again",
  },
  {
    name: "streams of a half-open connection are not cut",
    file: "engines/links/watchdog.ts",
    from: 'await first === "late" && answer !== null',
    to: 'await first === "late" && answer === undefined',
    tests: ["tests/streams/half_open_test.ts"],
    only: "ends in words (F120) (docker)",
  },
  {
    name: "a source of an engine that hangs is said to be followed",
    file: "plugins/containers/live/sources.ts",
    from: 'state: "waiting", reason }',
    to: 'state: "following" }',
    tests: ["tests/streams/half_open_test.ts"],
    only: "is waiting, and followed again",
  },
  {
    name: "an act whose answer is lost is a failure",
    file: "engines/calls/lost_answer.ts",
    from: "if (!isLost(error)) throw error;",
    to: "throw error;",
    tests: ["tests/engines/lost_answer_test.ts"],
    only: "is answered and audited as done",
  },
  {
    name: "streams over TLS are not kept alive",
    file: "engines/calls/kept_connection.ts",
    from: "plain.setKeepAlive(true, QUIET_MS)",
    to: "plain.setKeepAlive(false)",
    tests: ["tests/engines/tls_engine_test.ts"],
    only: "has TCP keep-alive",
  },
  {
    name: "a name that is taken is looked for once",
    file: "projects/apply/making.ts",
    from: 'if (code === "name_taken") await turnsUp(() => acts.find(name));',
    to: "void code, turnsUp;",
    tests: ["projects/apply/making_test.ts"],
  },
  {
    name: "a journal of another version is carried out",
    file: "projects/apply/applies.ts",
    from: "if (!isReadable(record)) return",
    to: "if (false as boolean) return",
    tests: ["tests/apply/apply_bad_journal_test.ts"],
    only: "names no containers",
  },
  {
    name: "a quiet followed log is never probed",
    file: "plugins/containers/logs/log_probe.ts",
    from: "    await this.#probe(since);\n",
    to: "",
    tests: ["tests/streams/half_open_test.ts"],
    only: "is noticed by a probe",
  },
  {
    name: "a container is looked at once behind its event",
    file: "engines/mirror/rechecks.ts",
    from: "const LATER: readonly number[] = [50, 250, 1_000];",
    to: "const LATER: readonly number[] = [50];",
    tests: ["tests/engines/mirror_test.ts"],
    only: "three more looks",
  },
  {
    name: "a shell whose berth was killed is left alone",
    file: "plugins/containers/exec/orphans.ts",
    from: ".map((command) => this.#lookAfter(command))",
    to: ".map(() => Promise.resolve())",
    tests: ["tests/apply/orphans_test.ts"],
    isInProof: true,
  },
  {
    name: "a place for a call to the engine is never given back",
    file: "engines/calls/slots.ts",
    from: "if (next === undefined) this.#free += 1;",
    to: "if (next === undefined) return;",
    tests: ["tests/engines/hostile_engine_test.ts"],
    only: "its slot is free again",
  },
  {
    name: "a secret in a raw object is shown",
    file: "core/secrets.ts",
    from: "[name, looksSecret(name) ? MASK : maskText(value)]",
    to: "[name, value]",
    tests: ["core/secrets_test.ts", "engines/rows/mask_test.ts"],
  },
];

const LIMIT_MS = 3 * 60_000;
const ROOT = new URL("../../", import.meta.url).pathname;

interface Outcome {
  readonly passed: boolean;
  /** The first test that failed, or what else went wrong. */
  readonly noticed: string;
  readonly seconds: number;
}

/** Throws, naming all whose lines are not there exactly once, and those whose tests are not there. */
export async function mustApply(root: string, mutations: readonly Mutation[]): Promise<void> {
  const wrong: string[] = [];
  for (const { name, file, from, tests } of mutations) {
    const text = await Deno.readTextFile(root + file).catch(() => "");
    const count = text.split(from).length - 1;
    if (count !== 1) wrong.push(`"${name}": its lines are ${count} times in ${file}`);
    for (const test of tests) {
      if (!await Deno.stat(root + test).then(() => true, () => false)) {
        wrong.push(`"${name}": there is no ${test}`);
      }
    }
  }
  if (wrong.length > 0) {
    throw new Error(`Cannot put these faults in; mend tests/proof/mutations.ts:\n${wrong.join("\n")}`);
  }
}

async function run(root: string, { tests, only, isInProof }: Mutation): Promise<Outcome> {
  const started = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "--no-check", "--lock=tests/deno.lock", "--fail-fast"],
      ...(only === undefined ? [] : ["--filter", only]),
      ...tests,
    ],
    cwd: root,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1", ...(isInProof === true ? { BERTH_PROOF: "1" } : {}) },
  }).spawn();
  const late = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const { success, signal, stdout, stderr } = await child.output();
  clearTimeout(late);
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const ran = Number(/\| (\d+) passed/.exec(text)?.[1] ?? 0);
  const failed = /^(.+?) \.\.\. FAILED/m.exec(text)?.[1] ?? /FAILURES\s+(.+?) =>/.exec(text)?.[1];
  const noticed = failed ?? (signal === null ? text.trim().split("\n").at(-1) ?? "" : "it never ended");
  return { passed: success && ran > 0, noticed, seconds: (performance.now() - started) / 1000 };
}

/** The files that git knows or would know. */
async function copyOf(root: string): Promise<string> {
  const copy = `${await Deno.makeTempDir({ prefix: "berth-mutations-" })}/`;
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: root,
  }).output();
  for (const file of new TextDecoder().decode(stdout).split("\0").filter((name) => name !== "")) {
    await Deno.mkdir(copy + file.replace(/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(root + file, copy + file).catch(() => {}); // it was deleted and that is not committed
  }
  return copy;
}

if (import.meta.main) {
  const chosen = MUTATIONS.filter(({ name }) => Deno.args.every((word) => name.includes(word)));
  await mustApply(ROOT, chosen);
  const root = await copyOf(ROOT);
  const sound = new Map<string, boolean>();
  const rows: string[] = [];
  let missed = 0;
  try {
    for (const mutation of chosen) {
      const { name, file, from, to } = mutation;
      const tests = JSON.stringify([mutation.tests, mutation.only]);
      // A test that fails anyway notices nothing
      if (!sound.has(tests)) sound.set(tests, (await run(root, mutation)).passed);
      const text = await Deno.readTextFile(root + file);
      await Deno.writeTextFile(root + file, text.replace(from, () => to));
      const { passed, noticed, seconds } = sound.get(tests)
        ? await run(root, mutation)
        : { passed: true, noticed: "", seconds: 0 };
      await Deno.writeTextFile(root + file, text);
      const verdict = !sound.get(tests) ? "ITS TESTS FAIL ANYWAY" : passed ? "NOT NOTICED" : noticed;
      if (passed) missed++;
      rows.push(`${seconds.toFixed(0).padStart(4)} s  ${name.padEnd(62)}  ${verdict}`);
      console.log(rows.at(-1));
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
  console.log(`\n${chosen.length - missed} of ${chosen.length} faults were noticed`);
  if (missed > 0) Deno.exit(1);
}
