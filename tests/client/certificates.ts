/** The six kinds of certificate a client meets, made by openssl for this run. */

/** The files of a TLS server, and the certificate that a client would pin to trust it. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** The PEM that vouches for it: its issuer's, or its own. */
  readonly ca: string;
}

/** The kinds. */
export const KINDS = [
  "self-signed CA",
  "self-signed leaf",
  "no SAN",
  "private CA",
  "wrong host",
  "expired",
] as const;

/** One of the kinds. */
export type Kind = typeof KINDS[number];

let made: Promise<Record<Kind, Certificate>> | undefined;

/** One certificate of each kind for 127.0.0.1 and localhost, made once a process. */
export function certificates(): Promise<Record<Kind, Certificate>> {
  return made ??= make();
}

async function make(): Promise<Record<Kind, Certificate>> {
  const folder = await Deno.makeTempDir({ prefix: "berth-certificates-" });
  try {
    const here = "subjectAltName=IP:127.0.0.1,DNS:localhost";
    const leaf = "basicConstraints=critical,CA:FALSE";
    await openssl(
      folder,
      self("root", ["basicConstraints=critical,CA:TRUE", "keyUsage=keyCertSign,cRLSign"], "root"),
    );
    const signed = async (name: string, names: string, days: string[]) => {
      await openssl(folder, [
        ...["req", "-new", ...keyOf(name), "-subj", "/CN=127.0.0.1", "-out", `${name}.csr`],
      ]);
      await Deno.writeTextFile(`${folder}/${name}.ext`, `${leaf}\n${names}\n`);
      await openssl(folder, [
        ...["x509", "-req", "-in", `${name}.csr`, "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial"],
        ...["-extfile", `${name}.ext`, "-out", `${name}.pem`, ...days],
      ]);
    };
    await openssl(folder, self("ca", ["basicConstraints=critical,CA:TRUE", here]));
    await openssl(folder, self("leaf", [leaf, here]));
    await openssl(folder, self("nosan", [leaf]));
    await signed("private", here, ["-days", "30"]);
    await signed("wrong", "subjectAltName=DNS:elsewhere.test", ["-days", "30"]);
    await signed("expired", here, ["-days", "-1"]);
    const read = (file: string) => Deno.readTextFile(`${folder}/${file}`);
    const made = async (name: string, ca: string): Promise<Certificate> => ({
      cert: await read(`${name}.pem`),
      key: await read(`${name}.key`),
      ca: await read(`${ca}.pem`),
    });
    return {
      "self-signed CA": await made("ca", "ca"),
      "self-signed leaf": await made("leaf", "leaf"),
      "no SAN": await made("nosan", "nosan"),
      "private CA": await made("private", "root"),
      "wrong host": await made("wrong", "root"),
      "expired": await made("expired", "root"),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function keyOf(name: string): string[] {
  return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", `${name}.key`];
}

function self(name: string, extensions: string[], commonName = "127.0.0.1"): string[] {
  return [
    ...["req", "-x509", ...keyOf(name), "-subj", `/CN=${commonName}`, "-days", "30", "-out", `${name}.pem`],
    ...extensions.flatMap((extension) => ["-addext", extension]),
  ];
}

async function openssl(cwd: string, args: string[]): Promise<void> {
  // A configuration of our own, so that the machine's adds no extension.
  await Deno.writeTextFile(`${cwd}/openssl.cnf`, "[req]\ndistinguished_name=dn\n[dn]\n");
  const { success, stderr } = await new Deno.Command("openssl", {
    args: args[0] === "req" ? [...args, "-config", "openssl.cnf"] : args,
    cwd,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`openssl ${args[0]}: ${new TextDecoder().decode(stderr)}`);
}
