/** Credentials of registries, read from the file where Docker's own tools keep them; its programs are not run. */
import type { RegistryLogin } from "../../../core/engine_acts.ts";
import { objectOf, parseJson, textOf } from "../../../engines/calls/wire.ts";

const MAX_BYTES = 1024 * 1024;
/** The names of Docker Hub in the file. */
const HUB = ["https://index.docker.io/v1/", "index.docker.io", "docker.io"];

/** Read for every pull, so that a new login needs no start; undefined where the file says nothing of the host. */
export async function loginIn(path: string, host: string): Promise<RegistryLogin | undefined> {
  const { size } = await Deno.stat(path);
  if (size > MAX_BYTES) throw new Error(`"${path}" is larger than any such file`);
  const auths = objectOf(objectOf(parseJson(await Deno.readTextFile(path))).auths);
  const names = host === "docker.io" ? HUB : [host, `https://${host}`, `https://${host}/`];
  for (const name of names) {
    const entry = objectOf(auths[name]);
    const identityToken = textOf(entry.identitytoken);
    if (identityToken !== "") return { identityToken };
    const [username, ...password] = decoded(textOf(entry.auth)).split(":");
    if (username && password.length > 0) return { username, password: password.join(":") };
  }
  return undefined;
}

function decoded(base64: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.fromBase64(base64));
  } catch {
    return "";
  }
}
