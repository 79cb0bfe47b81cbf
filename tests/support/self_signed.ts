/** A certificate of its own authority for `localhost` and 127.0.0.1, and registry tokens that it signs. */
import { X509Certificate } from "node:crypto";

export interface SelfSigned {
  /** In PEM. */
  readonly cert: string;
  readonly keyPem: string;
  readonly key: CryptoKey;
}

/** Writes `cert.pem` and `key.pem` into the folder. */
export async function selfSigned(folder: string): Promise<SelfSigned> {
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=berth-test"
        .split(" "),
      ..."-addext basicConstraints=critical,CA:FALSE -addext subjectAltName=DNS:localhost,IP:127.0.0.1".split(
        " ",
      ),
      "-keyout",
      `${folder}/key.pem`,
      "-out",
      `${folder}/cert.pem`,
    ],
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const [cert, keyPem] = await Promise.all(
    ["cert", "key"].map((one) => Deno.readTextFile(`${folder}/${one}.pem`)),
  );
  const der = Uint8Array.fromBase64(keyPem!.replaceAll(/-----[^-]+-----|\s/g, ""));
  const key = await crypto.subtle.importKey("pkcs8", der, { name: "ECDSA", namedCurve: "P-256" }, false, [
    "sign",
  ]);
  return { cert: cert!, keyPem: keyPem!, key };
}

/** Signs a token as registries of the distribution project want it. */
export async function signToken(
  key: CryptoKey,
  cert: string,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const head = { typ: "JWT", alg: "ES256", x5c: [new X509Certificate(cert).raw.toString("base64")] };
  const body = { ...claims, iat: now, nbf: now - 60, exp: now + 300, jti: crypto.randomUUID() };
  const text = [head, body].map((part) => encoded(new TextEncoder().encode(JSON.stringify(part)))).join(".");
  const signed = await crypto.subtle.sign(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    new TextEncoder().encode(text),
  );
  return `${text}.${encoded(new Uint8Array(signed))}`;
}

const encoded = (bytes: Uint8Array): string => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
