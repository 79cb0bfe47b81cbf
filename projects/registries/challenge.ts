/** The answer of a registry to a call without credentials: how it wants to be asked. */

export type Challenge =
  | { readonly scheme: "basic" }
  | { readonly scheme: "bearer"; readonly realm: URL; readonly service: string | null }
  | { readonly scheme: "unknown" };

/** Reads the header `WWW-Authenticate`; a token service that is no address is unknown, too. */
export function challengeOf(header: string | null): Challenge {
  const [, scheme = "", rest = ""] = /^\s*([A-Za-z]+)(?:\s+(.*))?$/s.exec((header ?? "").slice(0, 4_096)) ??
    [];
  if (scheme.toLowerCase() === "basic") return { scheme: "basic" };
  if (scheme.toLowerCase() !== "bearer") return { scheme: "unknown" };
  const fields = new Map(
    [...rest.matchAll(/([a-z_]+)\s*=\s*"((?:[^"\\]|\\.)*)"/gi)].map(([, name = "", value = ""]) =>
      [name.toLowerCase(), value.replaceAll(/\\(.)/g, "$1")] as const
    ),
  );
  const realm = URL.parse(fields.get("realm") ?? "");
  if (realm === null || !/^https?:$/.test(realm.protocol) || realm.username !== "" || realm.password !== "") {
    return { scheme: "unknown" };
  }
  return { scheme: "bearer", realm, service: fields.get("service") ?? null };
}
