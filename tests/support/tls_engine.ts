/** A real Docker that is reached with mutual TLS over a link into its network, and its certificates. */
import { startEngine, type TestEngine } from "./engine.ts";

export interface TlsFiles {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Files of one authority: `ca.pem`, and for each name `name.pem` and `name.key`. */
export class Authority {
  constructor(readonly folder: string) {}

  static async make(folder: string): Promise<Authority> {
    await Deno.mkdir(folder, { recursive: true });
    const extensions = ["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign,cRLSign"];
    await openssl(folder, [
      ...["req", "-x509", ...newKey("ca"), "-subj", "/CN=authority", "-days", "30", "-out", "ca.pem"],
      ...extensions.flatMap((extension) => ["-addext", extension]),
    ]);
    return new Authority(folder);
  }

  /** Signs a certificate for an address, good for so many days; a negative number is in the past. */
  async issue(name: string, address: string, days = 30): Promise<TlsFiles> {
    const { folder } = this;
    await openssl(folder, ["req", "-new", ...newKey(name), "-subj", `/CN=${name}`, "-out", `${name}.csr`]);
    await Deno.writeTextFile(
      `${folder}/${name}.ext`,
      `basicConstraints=critical,CA:FALSE\nextendedKeyUsage=serverAuth,clientAuth\nsubjectAltName=IP:${address}\n`,
    );
    await openssl(folder, [
      ...["x509", "-req", "-in", `${name}.csr`, "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial"],
      ...["-extfile", `${name}.ext`, "-out", `${name}.pem`, "-days", String(days)],
    ]);
    return { ca: `${folder}/ca.pem`, cert: `${folder}/${name}.pem`, key: `${folder}/${name}.key` };
  }
}

export interface TlsEngine extends AsyncDisposable {
  readonly engine: TestEngine;
  readonly authority: Authority;
  readonly host: string;
  readonly url: string;
  /** The certificate that berth shows it. */
  readonly client: TlsFiles;
  /** Cuts the link: nothing arrives, and nobody is told. */
  cut(): Promise<void>;
  /** Stalls the connections that are open: nothing of them arrives at either end. New ones are let through. */
  stall(): Promise<void>;
  mend(): Promise<void>;
}

/** Throws `NoEngine` where there can be none. */
export async function startTlsEngine(): Promise<TlsEngine> {
  const folder = await Deno.makeTempDir({ prefix: "bt" });
  const [a, b] = crypto.getRandomValues(new Uint8Array(2));
  const network = `198.18.${a}.${b! & 0xfc}`; // of the block for tests of networks
  const at = (number: number) => network.replace(/\d+$/, (last) => String(Number(last) + number));
  const host = at(2);
  const authority = await Authority.make(folder);
  await authority.issue("server", host);
  const client = await authority.issue("client", host);
  const tls =
    `--tlsverify --tlscacert ${folder}/ca.pem --tlscert ${folder}/server.pem --tlskey ${folder}/server.key`;
  let engine: TestEngine;
  try {
    engine = await startEngine("docker", "", `-H tcp://0.0.0.0:2376 ${tls}`.split(" "));
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
  const { sandbox } = engine;
  if (sandbox === null) throw new Error("An engine that somebody lends has no link of ours");
  const link = `bt${a}-${b}`;
  await ip(`link add ${link} type veth peer name up0 netns ${sandbox.pid}`);
  await ip(`addr add ${at(1)}/30 dev ${link}`);
  await ip(`link set ${link} up`);
  await sandbox.run(`ip addr add ${host}/30 dev up0 && ip link set up0 up`);
  return {
    engine,
    authority,
    host,
    url: `tcp://${host}:2376`,
    client,
    cut: async () => void await sandbox.run("iptables -w -I INPUT -i up0 -j DROP"),
    stall: async () => {
      const status = await sandbox.run(
        "for port in $(ss -tnH state established 'sport = :2376' | sed 's/.*://'); do " +
          "iptables -w -I INPUT -i up0 -p tcp --sport $port -j DROP && " +
          "iptables -w -I OUTPUT -o up0 -p tcp --dport $port -j DROP || break; done",
      );
      if (status !== 0) throw new Error("Cannot stall the connections to the engine");
    },
    mend: async () => void await sandbox.run("iptables -w -F INPUT && iptables -w -F OUTPUT"),
    [Symbol.asyncDispose]: async () => {
      await engine[Symbol.asyncDispose](); // the link goes with its other end
      await Deno.remove(folder, { recursive: true });
    },
  };
}

async function ip(words: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("ip", { args: words.split(" ") }).output();
  if (!success) throw new Error(`ip ${words}: ${new TextDecoder().decode(stderr)}`);
}

function newKey(name: string): string[] {
  return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", `${name}.key`];
}

async function openssl(cwd: string, args: string[]): Promise<void> {
  await Deno.writeTextFile(`${cwd}/openssl.cnf`, "[req]\ndistinguished_name=dn\n[dn]\n");
  const { success, stderr } = await new Deno.Command("openssl", {
    args: args[0] === "req" ? [...args, "-config", "openssl.cnf"] : args,
    cwd,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`openssl ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}
