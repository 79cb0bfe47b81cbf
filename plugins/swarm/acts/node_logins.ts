/** Logins by which nodes pull the image of a service: each goes to the registry that it is for, and to no other one. */
import { readReference } from "../../../core/image_reference.ts";
import type { RegistryLogins } from "../../../core/registries.ts";
import type { StackActs } from "../../../core/stack_acts.ts";
import { registryAuth } from "../../../engines/calls/registry_auth.ts";
import { objectOf, textOf, type Wire } from "../../../engines/calls/wire.ts";

type LoginFor = Parameters<StackActs["createService"]>[2];

/** The value of `X-Registry-Auth` that replaces the login that a swarm has by none. */
const NO_LOGIN = new TextEncoder().encode("{}").toBase64({ alphabet: "base64url" });

export const imageIn = (spec: Wire): string =>
  textOf(objectOf(objectOf(spec.TaskTemplate).ContainerSpec).Image);

/** Returns the value of `X-Registry-Auth` for an image; undefined where there is no login for it. */
export async function loginOf(
  logins: RegistryLogins,
  image: string,
  loginFor: LoginFor,
): Promise<string | undefined> {
  const reference = readReference(image);
  if (reference === null) return undefined;
  const { registry, repository } = reference;
  const login = loginFor(registry) ?? await logins.find(registry, repository);
  return login === undefined ? undefined : registryAuth(login, registry);
}

/**
 * The same where the swarm has a login for the image `kept`, which nodes would go on with if nothing was sent: for another
 * repository it is replaced, by none if need be.
 */
export async function loginInstead(
  logins: RegistryLogins,
  image: string,
  kept: string,
  loginFor: LoginFor,
): Promise<string | undefined> {
  return await loginOf(logins, image, loginFor) ?? (isOfOneRepository(image, kept) ? undefined : NO_LOGIN);
}

/** The same for a definition that comes back: the login that it had is better than one of today. */
export async function loginBack(
  logins: RegistryLogins,
  image: string,
  kept: string,
  loginFor: LoginFor,
): Promise<string | undefined> {
  if (isOfOneRepository(image, kept)) return undefined;
  return await loginOf(logins, image, loginFor) ?? NO_LOGIN;
}

function isOfOneRepository(image: string, other: string): boolean {
  const [one, another] = [readReference(image), readReference(other)];
  if (one === null || another === null) return image === other;
  return one.registry === another.registry && one.repository === another.repository;
}
