/** Engines on other hosts by the system's ssh: a real sshd with a real Docker behind it. */
import assert from "node:assert/strict";
import { containerRuntime } from "../../plugins/containers/plugin.ts";
import { startBerthProcess } from "../support/berth_process.ts";
import { FIXTURE, NoEngine, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/eventually.ts";
import { startService, TestCaller, type TestService } from "../support/service.ts";
import { sharedEngine } from "../support/shared_engine.ts";
import { SshHost } from "../support/ssh_host.ts";
import { within } from "../support/within.ts";

const { engine, test } = await sharedEngine("docker");
let missing: string | null = null;
if (engine !== null) {
  await using _trial = await SshHost.start(engine.socket).catch((error) => {
    if (!(error instanceof NoEngine)) throw error;
    missing = error.message;
    return null;
  });
}

function onHost(name: string, run: (engine: TestEngine, host: SshHost) => Promise<void>): void {
  test(name, async (engine) => {
    await using host = await SshHost.start(engine.socket);
    await run(engine, host);
  }, missing);
}

function serve(engines: string, ssh: string): Promise<TestService> {
  return startService({ unclaimed: { engines, ssh } });
}

async function backends(berth: TestCaller): Promise<Record<string, { state: string; reason: string }>> {
  const { body } = await berth.call("GET /api/system/backends");
  return Object.fromEntries(body.items.map((one: { name: string }) => [one.name, one]));
}

async function names(berth: TestCaller): Promise<string> {
  const { body } = await berth.call("GET /api/containers?sort=name");
  return body.items.map(({ name }: { name: string }) => name).join();
}

/** The milliseconds that a link is cut; `BERTH_PROOF=1` takes as long as is promised. */
const CUT_MS = Deno.env.get("BERTH_PROOF") === "1" ? 60_000 : 0;
/** Long enough for a machine that is busy: the way to a host stands within a second. */
const SOON_MS = 10_000;

onHost(
  "nas=ssh://ada@nas in the one setting shows the containers there, over one ssh that leaves nothing behind",
  async (engine, host) => {
    await engine.cli(
      "run",
      "-d",
      "--name",
      "far",
      "--network",
      "none",
      FIXTURE,
      "sh",
      "-c",
      "echo hello; idle",
    );
    {
      await using berth = await serve("nas=ssh://ada@nas", host.program);
      await eventually("it is listed", async () => await names(berth) === "far");
      const { nas } = await backends(berth);
      assert.deepEqual(nas, { ...nas, state: "up", address: "ssh://ada@nas", kind: "docker" });

      assert.equal((await berth.call("GET /api/containers/far/logs")).text, "hello\n");
      assert.equal((await berth.call("POST /api/containers/far/restart")).status, 200);
      const made = await berth.call("POST /api/volumes", { name: "there" });
      assert.equal(made.status, 201, made.text);
      assert.match(await engine.cli("volume", "ls", "-q"), /^there$/m);
      await engine.cli("create", "--name", "later", "--network", "none", FIXTURE, "idle");
      await within(SOON_MS, "what others make is seen", async () => await names(berth) === "far,later");
      assert.equal(await host.processes(), 1);
    }
    assert.equal(await host.processes(), 0);
    await engine.cli("rm", "-f", "far", "later");
    await engine.cli("volume", "rm", "there");
  },
);

onHost(
  "found,nas=ssh://ada@nas shows the engines of this machine and the one there",
  async (engine, host) => {
    const home = await Deno.makeTempDir();
    await using _tidy = { [Symbol.asyncDispose]: () => Deno.remove(home, { recursive: true }) };
    await Deno.mkdir(`${home}/.orbstack/run`, { recursive: true });
    await using here = await startEngine("docker"); // one engine by two ways would be shown once
    await Deno.symlink(here.socket, `${home}/.orbstack/run/docker.sock`);
    for (const one of [engine, here]) {
      await one.cli("create", "--name", "both", "--network", "none", FIXTURE, "idle");
    }
    const settings = { engines: "found,nas=ssh://ada@nas", ssh: host.program, home };
    await using berth = await startService({
      unclaimed: {},
      pluginSettings: { "container-runtime": settings },
    });
    const shown = async () =>
      (await berth.call("GET /api/containers?q=both")).body.items.map((one: { backend: string }) =>
        one.backend
      );
    await eventually("both are listed", async () => (await shown()).sort().join() === "nas,orbstack");
    const { body } = await berth.call("GET /api/system/backends");
    assert.equal(body.items.at(-1).name, "nas", "what is found comes first");
    await engine.cli("rm", "both");
  },
);

onHost(
  "whoever is not let in, or not to the socket, is told what to do, in one sentence (F98)",
  async (_engine, host) => {
    const engines = {
      eve: ["ssh://eve@nas", "refused", /may not open "\/var\/run\/docker\.sock" on host "nas".*group/],
      lost: ["ssh://ada@nas/nowhere/s", "refused", /may not open "\/nowhere\/s"/],
      stranger: [
        "ssh://stranger@nas",
        "refused",
        /does not let berth in, which cannot type a password: .*key/,
      ],
      bot: [
        "ssh://bot@nas",
        "refused",
        /"This account is currently not available": "ssh bot@nas echo fine" must print it/,
      ],
      unknown: [
        "ssh://ada@127.0.0.1",
        "refused",
        /the key of host "127\.0\.0\.1" is not known: run "ssh ada@127/,
      ],
      closed: ["ssh://ada@nas:23", "away", /no ssh server listens on host "nas"/],
      misspelt: ["ssh://ada@nowhere.invalid", "away", /there is no host "nowhere\.invalid"/],
    } as const;
    const setting = Object.entries(engines).map(([name, [url]]) => `${name}=${url}`).join();
    await using berth = await serve(setting, host.program);
    for (const [name, [, state, sentence]] of Object.entries(engines)) {
      const told = await eventually(`${name} is told`, async () => {
        const { state, reason } = (await backends(berth))[name]!;
        return sentence.test(reason) ? { state, reason } : null;
      });
      assert.equal(told.state, state, told.reason);
      assert.doesNotMatch(told.reason, /\.$|\n/);
    }
  },
);

onHost(
  "a host key that changed, a key that wants a passphrase, a broken configuration and a missing ssh are told, and nothing is left running (F98)",
  async (_engine, host) => {
    const told = async (program = host.program) => {
      await using berth = await serve("nas=ssh://ada@nas", program);
      return await eventually("a reason is told", async () => {
        const { state, reason } = (await backends(berth)).nas!;
        return reason === "it has not answered yet" ? null : `${state}: ${reason}`;
      });
    };
    assert.match(await told("/nowhere/ssh"), /^refused: there is no program "\/nowhere\/ssh": .*BERTH_SSH/);
    await host.userConfig("Nonsense yes");
    assert.match(await told(), /^refused: ssh says ".*bad configuration option/i);
    await host.userConfig("");
    await host.protectKey();
    assert.match(await told(), /^refused: host "nas" does not let berth in.* without a passphrase/);
    await host.changeKey();
    assert.match(
      await told(),
      /^refused: the key of host "nas" is not the one that is known.*ssh-keygen -R nas/,
    );
    assert.equal(await host.processes(), 0);
  },
);

onHost(
  "a way that breaks is made anew; a host that hangs, or is cut off, is unresponsive or away until it is back (F99)",
  async (engine, host) => {
    await engine.cli("create", "--name", "far", "--network", "none", FIXTURE, "idle");
    await using berth = await serve("nas=ssh://ada@nas", host.program);
    const isListed = async () => await names(berth) === "far";
    await eventually("it is listed", isListed);

    await host.end();
    await eventually("it is away", async () => {
      const { state, reason } = (await backends(berth)).nas!;
      return state === "away" && /no ssh server listens/.test(reason);
    });
    await host.listen();
    await within(SOON_MS, "it is back", isListed);

    await host.cut();
    await within(
      SOON_MS,
      "it is unresponsive",
      async () => (await backends(berth)).nas!.state === "unresponsive",
    );
    const { body } = await berth.call("GET /api/containers");
    assert.deepEqual([body.items[0].stale, body.unavailable[0].backend], [true, "nas"]);
    await engine.cli("create", "--name", "later", "--network", "none", FIXTURE, "idle");
    await new Promise((resolve) => setTimeout(resolve, CUT_MS));
    await host.mend();
    await within(SOON_MS, "it is heard again", async () => (await backends(berth)).nas!.state === "up");
    await within(SOON_MS, "what happened meanwhile is known", async () => await names(berth) === "far,later");
    assert.equal(await host.processes(), 1);
    await engine.cli("rm", "-f", "far", "later");
    await within(SOON_MS, "events come", async () => await names(berth) === "");
  },
);

onHost("no ssh outlives a berth that was killed (F98)", async (_engine, host) => {
  const data = await Deno.makeTempDir();
  await using _tidy = { [Symbol.asyncDispose]: () => Deno.remove(data, { recursive: true }) };
  await using berth = await startBerthProcess({
    data,
    env: { BERTH_ENGINES: "nas=ssh://ada@nas", BERTH_SSH: host.program },
  });
  await eventually("it runs", async () => await host.processes() === 1);
  berth.child.kill("SIGKILL");
  await within(SOON_MS, "it ends", async () => await host.processes() === 0);
});

onHost("berth doctor signs in once to each host, and says what is wrong", async (_engine, host) => {
  const engines = ["ada", "eve", "stranger"].map((name) => ({ name, url: `ssh://${name}@nas` }));
  const settings = containerRuntime.settings.parse({ engines, ssh: host.program });
  const found = await containerRuntime.examine(settings, { isContained: false, applies: [] });
  assert.deepEqual(found.map(({ what }) => what.replace(/:.*/, "")), [
    'The engine "eve" is not reached',
    'The engine "stranger" is not reached',
  ]);
  assert.match(found[0]!.mend, /an engine must listen there, the user be in the group of its socket/);
  assert.match(found[1]!.mend, /give berth a key without a passphrase/);
  assert.equal(await host.processes(), 0);
});

onHost(
  "what ssh says a moment after it closed the way is waited for, by the doctor and by the list",
  async (_engine, host) => {
    const late = `${host.folder}/late`;
    await Deno.writeTextFile(
      late,
      `#!/bin/bash\nexec ${host.program} "$@" 2> >(while read -r line; do [[ $line = *failed* ]] && sleep 0.1; echo "$line" >&2; done)\n`,
      { mode: 0o755 },
    );
    const settings = containerRuntime.settings.parse({
      engines: [{ name: "eve", url: "ssh://eve@nas" }],
      ssh: late,
    });
    const [found] = await containerRuntime.examine(settings, { isContained: false, applies: [] });
    assert.match(found?.what ?? "", /The engine "eve" is not reached: ssh may not open/);
    await using berth = await serve("eve=ssh://eve@nas", late);
    const seen = new Set<string>();
    await within(SOON_MS, "it is refused", async () => {
      const { state, reason } = (await backends(berth)).eve!;
      seen.add(reason);
      return state === "refused";
    });
    const [first, second, ...more] = seen;
    assert.equal(first, "it has not answered yet");
    assert.match(second ?? "", /ssh may not open "\S+" on host "nas"/);
    assert.deepEqual(more, [], "no other reason before it");
  },
);

Deno.test("an address with a password, a dash, a colon in its path or no host is refused, and what it holds is not repeated", async () => {
  for (
    const [url, why] of [
      ["ssh://ada:hunter2@nas", /no password here/],
      ["ssh://-oProxyCommand=reboot", /expected ssh:\/\/user@host/],
      ["ssh://ada@-nas", /expected ssh:\/\/user@host/],
      ["ssh://ada@nas/run/a:b", /expected ssh:\/\/user@host/],
      ["ssh://ada@nas:70000", /expected/],
      ["ssh://", /expected/],
      [`ssh://ada@nas/${"x".repeat(120)}`, /expected ssh:\/\/user@host/],
    ] as const
  ) {
    await assert.rejects(
      serve(`nas=${url}`, "ssh").then((berth) => berth[Symbol.asyncDispose]()),
      (error) => {
        assert.match(String(error), why, url);
        assert.doesNotMatch(String(error), /hunter2/);
        return true;
      },
    );
  }
});
