/** Credentials of one pull, sent for its registry alone and never stored. */
import { z } from "zod";
import { DEFAULT_REGISTRY } from "./reference.ts";

const Secret = z.string().min(1).max(16_384);

export const RegistryCredentials = z.union([
  z.strictObject({
    username: z.string().min(1).max(512).describe("Credentials for the registry"),
    password: Secret.describe("Their password or token"),
  }),
  z.strictObject({ identityToken: Secret.describe("A token instead of a name and a password") }),
]).meta({ id: "RegistryCredentials" });
export type RegistryCredentials = z.infer<typeof RegistryCredentials>;

/** The value of `X-Registry-Auth`. Engines treat a malformed one as an anonymous pull, without an error. */
export function registryAuth(credentials: RegistryCredentials, registry: string): string {
  const serveraddress = registry === DEFAULT_REGISTRY ? "https://index.docker.io/v1/" : registry;
  const said = "identityToken" in credentials
    ? { identitytoken: credentials.identityToken, serveraddress }
    : { ...credentials, serveraddress };
  return new TextEncoder().encode(JSON.stringify(said)).toBase64({ alphabet: "base64url" });
}
