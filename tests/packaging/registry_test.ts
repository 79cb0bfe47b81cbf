/** Building where the npm registry is not, or is another one. */
import assert from "node:assert/strict";
import { noRegistry } from "../support/npm_registry.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const PUBLIC = "https://registry.npmjs.org";
const SENTENCE =
  "The npm registry cannot be reached. Build where it can be, or name another: NPM_CONFIG_REGISTRY=URL";
/** Of what an image and a binary hold, which building either begins with. */
const BUNDLE = ["run", "--no-config", "--no-lock", "-A", "tools/bundle.ts"];
const PAGE = ["run", "--no-config", "--no-lock", "-A", "page/build.ts"];

/** Runs Deno in this folder with an empty cache, `apart` from every network. */
async function build(args: readonly string[], env: Readonly<Record<string, string>>, apart: boolean) {
  const home = await Deno.makeTempDir({ prefix: "berth-registry-" });
  try {
    const [program, ...words] = [
      ...(apart ? ["unshare", "--map-root-user", "--net"] : []),
      Deno.execPath(),
      ...args,
      `${home}/out`,
    ];
    const { code, stderr } = await new Deno.Command(program!, {
      args: words,
      cwd: ROOT,
      env: { HOME: home, DENO_DIR: `${home}/cache`, NO_COLOR: "1", ...env },
      stdin: "null",
      stdout: "null",
    }).output();
    const notices = await Deno.readTextFile(`${home}/out/LICENSES`).catch(() => "");
    const packages = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+: /gm)].map(([, name]) => name);
    return { code, said: new TextDecoder().decode(stderr).trim(), packages };
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

const mayUnshare = Deno.build.os === "linux" &&
  (await new Deno.Command("unshare", { args: ["--map-root-user", "--net", "true"], stdin: "null" }).output()
      .catch(() => null))?.success === true;
if (!mayUnshare) console.error("NOT RUN: building without a network, because namespaces cannot be made here");

Deno.test({
  name: "a bundle and a page that cannot be built without a network say so in one sentence, and what to do",
  ignore: !mayUnshare,
  async fn() {
    const bundle = await build(BUNDLE, {}, true);
    assert.deepEqual([bundle.code, bundle.said], [1, `The program could not be bundled: ${SENTENCE}`]);
    const page = await build(PAGE, {}, true);
    assert.deepEqual([page.code, page.said], [
      0,
      `The page could not be built, berth goes on without it: ${SENTENCE}`,
    ]);
  },
});

const isProof = Deno.env.get("BERTH_PROOF") === "1";
const reason = isProof ? await noRegistry() : "it is in `deno task proof`";
if (reason !== null) console.error(`NOT RUN: building with another registry, because ${reason}`);

Deno.test({
  name: "a bundle is made from the registry that NPM_CONFIG_REGISTRY names, below a path and on a port",
  ignore: reason !== null,
  async fn() {
    let packages = 0;
    await using mirror = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
      const { pathname, origin } = new URL(request.url);
      const answer = await fetch(PUBLIC + pathname.replace(/^\/npm\/all/, ""), {
        headers: { accept: request.headers.get("accept") ?? "*/*" },
      });
      const type = answer.headers.get("content-type") ?? "";
      if (type.includes("json")) {
        return Response.json(
          JSON.parse((await answer.text()).replaceAll(PUBLIC, `${origin}/npm/all`)),
          answer,
        );
      }
      packages++;
      return new Response(answer.body, { status: answer.status });
    });
    const url = `http://127.0.0.1:${mirror.addr.port}/npm/all/`;
    const { code, said, packages: made } = await build(BUNDLE, { NPM_CONFIG_REGISTRY: url }, false);
    assert.equal(code, 0, said);
    assert.ok(packages > 10, `only ${packages} packages came from there`);
    assert.ok(["hono", "zod", "yaml"].every((name) => made.includes(name)), made.join(" "));
  },
});
