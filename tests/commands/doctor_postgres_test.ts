/** `berth doctor` looks at the database, changes nothing there, and finds what people do wrong with it. */
import assert from "node:assert/strict";
import { randomSecret } from "../../auth/secret.ts";
import { MIGRATIONS } from "../../store/postgres/migrations.ts";
import { openPostgresStore } from "../../store/postgres/store.ts";
import { runBerth } from "../support/berth_process.ts";
import { CANNOT_RUN_POSTGRES, sharedPostgres } from "../support/postgres.ts";
import { startService } from "../support/service.ts";

const server = CANNOT_RUN_POSTGRES === null ? await sharedPostgres() : null!;
/** The checks that do not depend on this machine. */
const CHECKED = ["store", "sealing key", "first admin", "settings"];

Deno.test({
  name: "berth doctor finds nothing in a good database, and each mistake that is made with one",
  ignore: CANNOT_RUN_POSTGRES !== null,
  async fn() {
    const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "berth-doctor-" }));
    const settings = await server.database();
    const sealingKeyFile = `${folder}/sealing-key`;
    await Deno.writeTextFile(sealingKeyFile, randomSecret(), { mode: 0o600 });
    const good = {
      BERTH_DATA: `${folder}/data`,
      BERTH_ENGINES: "none",
      BERTH_DATABASE_URL: server.url(settings.name),
      BERTH_SEALING_KEY_FILE: sealingKeyFile,
    };
    const says = async (change: Record<string, string> = {}) => {
      const { stdout } = await runBerth(["doctor", "--json"], { ...good, ...change });
      const { checks } = JSON.parse(stdout);
      return checks.filter(({ check }: { check: string }) => CHECKED.includes(check))
        .flatMap(({ findings }: { findings: { what: string }[] }) =>
          findings.map(({ what }) => what)
        ) as string[];
    };
    const finds = async (words: RegExp, change: Record<string, string> = {}) => {
      const found = await says(change);
      assert.ok(found.some((what) => words.test(what)), `${words}: ${found.join("; ")}`);
    };
    try {
      await finds(/no tables in the database yet/);
      assert.deepEqual(
        await server.sql("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", settings.name),
        [],
      );
      {
        await using berth = await startService({ folder, database: settings, sealingKeyFile });
        assert.notEqual(berth.admin, null);
        assert.deepEqual(await says(), []);
      }
      await finds(/nothing listens|no socket of a database/, {
        BERTH_DATABASE_URL: `postgres://berth@${encodeURIComponent(folder)}/x`,
      });
      await finds(/does not exist on that server/, { BERTH_DATABASE_URL: server.url("nowhere") });
      await finds(/put it into a file, and name that in BERTH_DATABASE_PASSWORD_FILE/, {
        BERTH_DATABASE_URL: "postgres://berth:canary@db/berth",
      });
      await Deno.writeTextFile(`${folder}/password`, "secret", { mode: 0o644 });
      await finds(/Others may read .*, the password/, { BERTH_DATABASE_PASSWORD_FILE: `${folder}/password` });
      await Deno.writeTextFile(`${folder}/other-key`, randomSecret(), { mode: 0o600 });
      await finds(/another sealing key than the one of this database/, {
        BERTH_SEALING_KEY_FILE: `${folder}/other-key`,
      });
      await finds(/is missing, and berth does not start without it/, {
        BERTH_SEALING_KEY_FILE: `${folder}/no-key`,
      });
      const later = { sql: "CREATE TABLE later (id text)", oldest: MIGRATIONS.length + 1 };
      await (await openPostgresStore(settings, [...MIGRATIONS, later]))[Symbol.asyncDispose]();
      await finds(new RegExp(`schema ${later.oldest}, which this berth does not know`));
      const theirs = await server.database();
      await server.sql("CREATE TABLE theirs (x integer)", theirs.name);
      await finds(/tables of another program/, { BERTH_DATABASE_URL: server.url(theirs.name) });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});
