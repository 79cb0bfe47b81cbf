/** Checks of the sign-in. */
import { type Finding, risky, wrong } from "../../core/finding.ts";
import { type Check, type Setup, statOf, textOf } from "./check.ts";

export const PEOPLE_CHECKS: readonly Check[] = [
  { name: "sign-in", look: lookAtSignIn },
  { name: "client secret", look: lookAtSecret },
];

function lookAtSignIn({ config: { identityProvider, roles, baseUrl } }: Setup): Finding[] {
  if (identityProvider === null) return [];
  const found: Finding[] = [];
  if (roles.length === 0) {
    found.push(wrong("Nobody who signs in gets a role", "Set BERTH_ROLES, as groups=platform:admin"));
  }
  const { issuer, redirectUris } = identityProvider;
  if (issuer !== "github" && new URL(issuer).protocol === "http:") {
    found.push(risky(`The identity provider ${issuer} is asked without TLS`, "Use its https address"));
  }
  const origin = baseUrl === null ? null : new URL(baseUrl).origin;
  for (const uri of redirectUris) {
    if (origin !== null && new URL(uri).origin !== origin) {
      found.push(
        risky(
          `${uri} is not below BERTH_BASE_URL (${baseUrl})`,
          "Correct one of the two, here and at the identity provider",
        ),
      );
    }
  }
  return found;
}

async function lookAtSecret({ config: { identityProvider } }: Setup): Promise<Finding[]> {
  const path = identityProvider?.clientSecretFile ?? null;
  if (path === null) return [];
  if (await textOf(path) === null) {
    return [
      wrong(
        `The client secret "${path}" cannot be read`,
        "Correct the path, or let the user of berth read it",
      ),
    ];
  }
  return (((await statOf(path))?.mode ?? 0) & 0o007) !== 0
    ? [wrong(`Everybody on this machine may read the client secret "${path}"`, `chmod 600 "${path}"`)]
    : [];
}
