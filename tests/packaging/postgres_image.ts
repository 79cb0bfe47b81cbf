/** An image of this machine's own PostgreSQL, laid out as the official one is, for a test that cannot fetch that. */
import type { TestEngine } from "../support/engine.ts";
import { importFolder, placeLibraries } from "./imported_image.ts";

/** The first start of the official image, as far as our file asks for it. */
const START = `#!/bin/sh
set -eu
data=/var/lib/postgresql/data
chown -R postgres "$data" /var/run/postgresql
if [ ! -s "$data/PG_VERSION" ]; then
  cat "$POSTGRES_PASSWORD_FILE" > /tmp/password
  chown postgres /tmp/password
  su postgres -s /bin/sh -c "BIN/initdb -D $data -U $POSTGRES_USER --pwfile=/tmp/password --locale=C -E UTF8 $POSTGRES_INITDB_ARGS"
  echo "CREATE DATABASE \\"$POSTGRES_USER\\"" > /tmp/create
  su postgres -s /bin/sh -c "BIN/postgres --single -D $data postgres < /tmp/create"
  rm /tmp/password /tmp/create
fi
exec su postgres -s /bin/sh -c "exec BIN/postgres -D $data -k /var/run/postgresql"
`;

export async function importPostgres(engine: TestEngine, tag: string): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "berth-postgres-" });
  try {
    const [version] = await namesIn("/usr/lib/postgresql");
    if (version === undefined) throw new Error("There is no PostgreSQL on this machine");
    const bin = `/usr/lib/postgresql/${version}/bin`;
    const programs = ["initdb", "postgres"].map((name) => `${bin}/${name}`);
    await placeLibraries(root, [...programs, `/usr/lib/postgresql/${version}/lib/dict_snowball.so`]);
    for (const folder of [`/usr/lib/postgresql/${version}/lib`, `/usr/share/postgresql/${version}`]) {
      await Deno.mkdir(root + folder, { recursive: true });
      await new Deno.Command("cp", { args: ["-rL", `${folder}/.`, root + folder] }).output();
    }
    const busybox = await Deno.realPath("/bin/busybox");
    await Deno.mkdir(`${root}/bin`, { recursive: true });
    await Deno.copyFile(busybox, `${root}/bin/busybox`);
    for (const name of ["sh", "su", "chown", "cat", "rm"]) {
      await Deno.symlink("busybox", `${root}/bin/${name}`);
    }
    for (
      const folder of ["etc", "tmp", "usr/share/zoneinfo", "var/lib/postgresql/data", "var/run/postgresql"]
    ) {
      await Deno.mkdir(`${root}/${folder}`, { recursive: true });
    }
    await Deno.chmod(`${root}/tmp`, 0o777);
    await Deno.writeTextFile(`${root}/etc/passwd`, "root:x:0:0::/:/bin/sh\npostgres:x:70:70::/:/bin/sh\n");
    await Deno.writeTextFile(`${root}/etc/group`, "root:x:0:\npostgres:x:70:\n");
    await Deno.writeTextFile(`${root}/start`, START.replaceAll("BIN", bin), { mode: 0o755 });
    await importFolder(engine, root, tag, ['ENTRYPOINT ["/start"]', "ENV PATH=/bin"]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();
}
