/** Credentials of one pull, sent for its registry alone and never stored. */
import type { RegistryLogin } from "../../core/engine_acts.ts";
import { DEFAULT_REGISTRY } from "../../core/image_reference.ts";

/** The value of `X-Registry-Auth`. Engines treat a malformed one as an anonymous pull, without an error. */
export function registryAuth(credentials: RegistryLogin, registry: string): string {
  const serveraddress = registry === DEFAULT_REGISTRY ? "https://index.docker.io/v1/" : registry;
  const said = "identityToken" in credentials
    ? { identitytoken: credentials.identityToken, serveraddress }
    : { ...credentials, serveraddress };
  return new TextEncoder().encode(JSON.stringify(said)).toBase64({ alphabet: "base64url" });
}
