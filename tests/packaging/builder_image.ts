/**
 * An image of this machine's own Debian and Node, for a test that cannot fetch the base of `Dockerfile`. It holds the files
 * of the packages that the official one has and the build needs.
 */
import type { TestEngine } from "../support/engine.ts";
import { run } from "../../tools/run.ts";
import { importFolder } from "./imported_image.ts";

const PACKAGES = [
  ...[
    "bash",
    "ca-certificates",
    "coreutils",
    "dash",
    "dpkg",
    "findutils",
    "git",
    "grep",
    "libc-bin",
    "nodejs",
  ],
  ...["openssh-client", "sed", "tar"],
];
/** Not needed to build, and most of what these packages weigh. */
const LEFT_OUT = /^\/usr\/(?:share\/(?:man|locale|info)|include|lib\/.*\.a$)/;

export async function importBuilder(engine: TestEngine, tag: string): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "berth-builder-" });
  try {
    const words = [
      "depends",
      "--recurse",
      "--installed",
      "--no-recommends",
      "--no-suggests",
      "--no-conflicts",
    ];
    words.push("--no-breaks", "--no-replaces", "--no-enhances", ...PACKAGES);
    const names = (await run("apt-cache", words)).split("\n").filter((line) => /^\w/.test(line));
    const here = new Set(
      (await run("dpkg-query", ["-W", "-f", "${Package}\n"])).trim().split("\n"),
    );
    const listed = await run("dpkg-query", ["-L", ...new Set(names.filter((name) => here.has(name)))]);
    // A merged /usr leaves packages with the path of before.
    const paths = listed.split("\n").map((path) => path.replace(/^\/(bin|sbin|lib|lib64)(?=\/)/, "/usr/$1"))
      .filter((path) =>
        path.startsWith("/") && !/^\/(?:bin|sbin|lib|lib64)$/.test(path) && !LEFT_OUT.test(path)
      );
    const list = `${root}/list`;
    await Deno.writeTextFile(list, [...MADE, ...new Set(paths)].map((path) => path.slice(1)).join("\n"));
    await Deno.mkdir(`${root}/image`);
    const copy = `tar -C / --no-recursion --ignore-failed-read -cf - -T "$0" 2>/dev/null | tar -C "$1" -xf -`;
    await run("bash", ["-c", copy, list, `${root}/image`]);
    // npm may have been brought up to date by itself since its package was installed.
    const whole =
      'mkdir -p "$0/var/lib" && cp -r /var/lib/dpkg "$0/var/lib/" && cp -r /usr/lib/node_modules "$0/usr/lib/"';
    await run("bash", ["-c", whole, `${root}/image`]);
    await run("chmod", ["1777", `${root}/image/tmp`]);
    await importFolder(engine, `${root}/image`, tag, [
      "ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      "ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt",
      "ENV DENO_TLS_CA_STORE=system",
    ]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

/** Paths that no package lists. */
const MADE = [
  ...[
    "/usr",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/lib64",
    "/bin",
    "/sbin",
    "/lib",
    "/lib64",
    "/tmp",
    "/root",
    "/etc",
    "/etc/passwd",
    "/etc/group",
    "/etc/ld.so.cache",
  ],
  ...[
    "/etc/nsswitch.conf",
    "/etc/ssl",
    "/etc/ssl/certs",
    "/etc/ssl/certs/ca-certificates.crt",
    "/usr/bin/sh",
  ],
];
