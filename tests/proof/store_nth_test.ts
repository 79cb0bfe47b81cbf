/**
 * The Nth operation of the store fails, for every N until all pass, at each write of the service: with nothing done, and
 * with a commit that failed and happened all the same. Each answer is one of ours, and no change is without its entry.
 */
import assert from "node:assert/strict";
import { DatabaseSync, type SQLInputValue, type StatementResultingChanges, StatementSync } from "node:sqlite";
import { ON_SQLITE } from "../support/chosen_store.ts";
import { type Answer, startService, type TestService } from "../support/service.ts";

/** `before`: the operation is not done. `after`: it is done and says that it failed, as a commit can. */
type Kind = "before" | "after";

/** Which operation of all stores in this process fails. */
const fault = { nth: Infinity, kind: "before" as Kind, count: 0 };

function broken<Args extends unknown[], Result>(
  sql: string | null,
  work: (...args: Args) => Result,
  args: Args,
): Result {
  // A rollback that fails is none of the store's doing: SQLite rolls back by itself
  if (sql === "ROLLBACK" || ++fault.count !== fault.nth) return work(...args);
  if (fault.kind === "after") work(...args);
  throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR" });
}

const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (sql) {
  return broken(sql, exec.bind(this), [sql]);
};
const run: (...values: SQLInputValue[]) => StatementResultingChanges = StatementSync.prototype.run;
StatementSync.prototype.run = function (...values: unknown[]) {
  return broken(null, run.bind(this), values as SQLInputValue[]); // handed on as they came
};

/** Everything that a caller can change, and how many changes were told. */
function look(berth: TestService): { readonly state: string; readonly told: number } {
  using store = new DatabaseSync(`${berth.folder}/data/berth.db`, { readOnly: true });
  const all = (sql: string) => JSON.stringify(store.prepare(sql).all());
  const state = [
    "SELECT id, path FROM workspaces ORDER BY id",
    "SELECT id, name, hex(hash), grants, creator_id FROM keys ORDER BY id",
    "SELECT id, grants, password, disabled_at FROM accounts ORDER BY id",
    "SELECT account_id, hex(hash) FROM password_links ORDER BY account_id",
    "SELECT id, ended_at, generation FROM sessions ORDER BY id",
  ].map(all).join("\n");
  const told = store.prepare("SELECT count(*) AS n FROM audit WHERE result = 'done'").get()?.["n"];
  return { state, told: Number(told) };
}

interface Write {
  readonly name: string;
  /** Makes what the write needs, which works; answers with the write itself. */
  prepare(berth: TestService, n: number): Promise<() => Promise<Answer>>;
  /** A refresh is told by no entry. */
  readonly untold?: true;
  /** Two changes, of which the first may stand, with its entry: the password before the session, the session before its key. */
  readonly isTwo?: true;
}

const PASSWORD = "a long one, for nothing else";

async function made(berth: TestService, route: string, body: unknown) {
  const answer = await berth.call(route, body);
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

async function person(berth: TestService, n: number) {
  const { id, passwordToken } = await made(berth, "POST /api/settings/people", {
    name: `person-${n}`,
    grants: [{ role: "viewer" }],
  });
  const tokens = await made(berth, "POST /api/auth/password-link", {
    token: passwordToken,
    password: PASSWORD,
  });
  return { id, tokens, name: `person-${n}` };
}

const key = (n: number) => ({ name: `key ${n}`, role: "viewer" });

const WRITES: readonly Write[] = [
  {
    name: "registering a workspace",
    async prepare(berth, n) {
      const path = `${berth.folder}/workspaces/w${n}`;
      await Deno.mkdir(path);
      return () => berth.call("POST /api/workspaces", { path });
    },
  },
  {
    name: "forgetting a workspace",
    async prepare(berth, n) {
      const path = `${berth.folder}/workspaces/w${n}`;
      await Deno.mkdir(path);
      const { id } = await made(berth, "POST /api/workspaces", { path });
      return () => berth.call(`DELETE /api/workspaces/${id}`);
    },
  },
  {
    name: "making a key",
    prepare: (berth, n) => Promise.resolve(() => berth.call("POST /api/settings/api-keys", key(n))),
  },
  {
    name: "rotating a key",
    async prepare(berth, n) {
      const { id } = await made(berth, "POST /api/settings/api-keys", key(n));
      return () => berth.call(`POST /api/settings/api-keys/${id}/rotate`, { overlapMinutes: 5 });
    },
  },
  {
    name: "deleting a key",
    async prepare(berth, n) {
      const { id } = await made(berth, "POST /api/settings/api-keys", key(n));
      return () => berth.call(`DELETE /api/settings/api-keys/${id}`);
    },
  },
  {
    name: "exchanging a key for a session",
    async prepare(berth, n) {
      const made_ = await made(berth, "POST /api/settings/api-keys", key(n));
      return () => berth.anonymous().call("POST /api/auth/key", { key: made_.key });
    },
    isTwo: true,
  },
  {
    name: "adding a person",
    prepare: (berth, n) =>
      Promise.resolve(() =>
        berth.call("POST /api/settings/people", { name: `new-${n}`, grants: [{ role: "viewer" }] })
      ),
  },
  {
    name: "disabling a person",
    async prepare(berth, n) {
      const { id } = await person(berth, n);
      return () => berth.call(`PUT /api/settings/people/${id}`, { disabled: true });
    },
  },
  {
    name: "deleting a person",
    async prepare(berth, n) {
      const { id } = await person(berth, n);
      return () => berth.call(`DELETE /api/settings/people/${id}`);
    },
  },
  {
    name: "setting a password by its link",
    async prepare(berth, n) {
      const { passwordToken: token } = await made(berth, "POST /api/settings/people", {
        name: `link-${n}`,
        grants: [{ role: "viewer" }],
      });
      return () => berth.anonymous().call("POST /api/auth/password-link", { token, password: PASSWORD });
    },
    isTwo: true,
  },
  {
    name: "signing in",
    async prepare(berth, n) {
      const { name } = await person(berth, n);
      return () => berth.anonymous().call("POST /api/auth/password", { name, password: PASSWORD });
    },
  },
  {
    name: "refreshing a session",
    async prepare(berth, n) {
      const { tokens } = await person(berth, n);
      return () => berth.anonymous().call("POST /api/auth/refresh", { refreshToken: tokens.refreshToken });
    },
    untold: true,
  },
  {
    name: "signing out",
    async prepare(berth, n) {
      const { tokens } = await person(berth, n);
      return () => berth.as(tokens.accessToken).call("POST /api/auth/logout");
    },
  },
  {
    name: "changing a password",
    async prepare(berth, n) {
      const { tokens } = await person(berth, n);
      const body = { password: PASSWORD, newPassword: `${PASSWORD} and more` };
      return () => berth.as(tokens.accessToken).call("PUT /api/auth/password", body);
    },
  },
];

for (const { name, prepare, untold, isTwo } of WRITES) {
  for (const kind of ["before", "after"] as const) {
    Deno.test({
      name: `${name}, with the Nth operation of the store failing ${kind} it was done (F62)`,
      ignore: !ON_SQLITE,
      async fn() {
        await using berth = await startService({ install: [] });
        let failures = 0;
        for (let nth = 1; nth < 200; nth++) {
          const write = await prepare(berth, nth);
          await berth.berth.access.audit.flush();
          const before = look(berth);
          Object.assign(fault, { nth, kind, count: 0 });
          const answer = await write();
          const hit = fault.count >= nth;
          fault.nth = Infinity;
          await berth.berth.access.audit.flush();
          const after = look(berth);

          const changed = before.state !== after.state;
          if (answer.status < 300) assert.ok(changed, `${nth}: acknowledged and not there`);
          else {
            failures++;
            assert.deepEqual(
              [answer.status, answer.body.code],
              [503, "store_unavailable"],
              `${nth}: ${answer.text}`,
            );
            assert.ok(
              kind === "after" || isTwo === true || !changed,
              `${nth}: refused, and something was changed`,
            );
          }
          if (untold !== true) {
            assert.equal(
              after.told > before.told,
              changed,
              `${nth}: a change without its entry, or an entry without it`,
            );
          }
          if (!hit) break;
        }
        assert.ok(failures > 0, "no operation was made to fail");
        assert.deepEqual(berth.bugs(), []);
      },
    });
  }
}
