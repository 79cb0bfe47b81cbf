/** Tries credentials at their registry, before they are stored. */
import { ServiceError } from "../../core/error.ts";
import { challengeOf } from "./challenge.ts";
import { assertTokenService, type RegistryAccess, type RegistryRules, tokenServiceOf } from "./access.ts";
import { refused, unavailable } from "./failure.ts";

/** Registries whose passwords end after hours, and are made anew by a program. */
const SHORT_LIVED = /^\d{12}\.dkr\.ecr(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/;

const ROOT = { method: "GET", path: "", repository: null, maxBytes: 64 * 1024 } as const;

/**
 * Returns the token service on another host that the registry uses with these credentials, or null. Throws
 * `registry_refused`, `registry_unavailable`, and `token_service_unconfirmed` for a token service that nobody named.
 */
export async function probe(access: RegistryAccess, rules: RegistryRules): Promise<string | null> {
  const { host, login } = rules;
  if (SHORT_LIVED.test(host) && login !== null) {
    throw refused(
      host,
      "its passwords end after 12 hours, and only a program makes new ones: let one write Docker's config.json " +
        '("aws ecr get-login-password | docker login --password-stdin"), and name that file in the setting "dockerConfig"',
    );
  }
  const bare = await access.bare(rules, ROOT);
  if (bare.status === 200) {
    if (login === null) return null;
    throw refused(host, "it does not ask for credentials: store it without them");
  }
  if (bare.status !== 401) {
    throw unavailable(host, `it answers ${bare.status} where a registry answers 200 or 401`);
  }
  if (login === null) return null;
  const challenge = challengeOf(bare.headers.get("www-authenticate"));
  const service = challenge.scheme === "bearer" ? tokenServiceOf(host, challenge.realm) : null;
  if (service !== null && service !== rules.tokenService) {
    throw new ServiceError(
      "token_service_unconfirmed",
      `Cannot store the credentials of "${host}" yet: it sends them to the token service "${service}"; ` +
        "ask again with that as its token service if it is the right one",
      { errors: [{ path: "body.tokenService", message: service }] },
    );
  }
  const { status } = await access.call(rules, ROOT);
  if (status === 200) return service;
  throw status === 401 || status === 403
    ? refused(host, "it does not accept these credentials")
    : unavailable(host, `it answers ${status} to these credentials`);
}

/**
 * Asks the registry which token service it names now, before an engine gets the credentials, which asks the registry
 * itself. Throws `registry_refused` for another one than they were stored for, and `registry_unavailable`.
 */
export async function assertSameTokenService(access: RegistryAccess, rules: RegistryRules): Promise<void> {
  const { status, headers } = await access.bare(rules, ROOT);
  const challenge = status === 401 ? challengeOf(headers.get("www-authenticate")) : null;
  if (challenge?.scheme === "bearer") assertTokenService(rules, challenge.realm);
}
