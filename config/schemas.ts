/** The shapes of the core's own settings; each is made when its setting is given, because most starts give few. */
import { withoutEnd } from "../core/without_end.ts";
import * as z from "../core/schema.ts";
import { databaseAddress } from "./database_address.ts";
import { ROLES } from "../core/roles.ts";
import { listOf, matching, oneOf, text } from "../core/setting_shapes.ts";
import { isScope, SCOPES_IN_WORDS } from "../core/scope.ts";

export function httpUrl() {
  return text().refine((address) => {
    const url = URL.parse(address);
    return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "" &&
      url.hash === "";
  }, "expected an http or https address without credentials, query or fragment");
}

export function baseUrl() {
  return httpUrl().transform((url) => withoutEnd(url, "/"));
}

export function issuer() {
  return z.union([z.literal("github"), httpUrl()], {
    error: `expected "github" or an http or https address`,
  });
}

export function databaseUrl() {
  return text().transform((given, context) => {
    const address = databaseAddress(given);
    if (typeof address !== "string") return address;
    context.addIssue({ code: "custom", message: address });
    return z.NEVER;
  });
}

/** The address of the audit receiver: `tcp://host:port`, `tls://host:port` or `udp://host:port`. */
export function syslog() {
  return text().transform((address, context) => {
    const url = URL.parse(address);
    const transport = /^(tcp|tls|udp):$/.exec(url?.protocol ?? "")?.[1] as "tcp" | "tls" | "udp" | undefined;
    const isBare = url !== null && url.username === "" && url.password === "" && url.search === "" &&
      url.hash === "" && /^\/?$/.test(url.pathname);
    const port = Number(url?.port ?? 0);
    if (transport === undefined || !isBare || url.hostname === "" || !(port > 0)) {
      context.addIssue({
        code: "custom",
        message: "expected tcp://host:port, tls://host:port or udp://host:port, and nothing else",
      });
      return z.NEVER;
    }
    return { transport, hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"), port };
  });
}

/**
 * A rule that gives a role: the first rule whose claim holds the value applies; without a rule the sign-in is
 * refused.
 */
function roleRule() {
  return z.strictObject({
    claim: matching(/^[A-Za-z_][A-Za-z0-9_:/.-]{0,127}$/, "expected the name of a claim"),
    value: text(),
    role: oneOf(ROLES),
    on: z.array(text().refine(isScope, `expected ${SCOPES_IN_WORDS}`)).min(1).max(64).readonly()
      .optional(),
  });
}

export function roles() {
  return listOf(roleRule(), ",", ruleOf);
}

const RULE = new RegExp(`^([^=]*)=(.*):(${ROLES.join("|")})(?:@(.*))?$`);

/** `claim=value:role` or `claim=value:role@scope`; the value may hold colons, and so may the scope. */
function ruleOf(part: string): unknown {
  const [, claim = "", value = "", role, scope] = RULE.exec(part) ?? [];
  if (role !== undefined) {
    return {
      claim: claim.trim(),
      value: value.trim(),
      role,
      ...(scope === undefined ? {} : { on: [scope.trim()] }),
    };
  }
  const equals = part.indexOf("=");
  const colon = part.lastIndexOf(":");
  return {
    claim: part.slice(0, Math.max(equals, 0)).trim(),
    value: part.slice(equals + 1, Math.max(colon, equals + 1)).trim(),
    role: part.slice(colon + 1).trim(),
  };
}

function pluginName() {
  return matching(/^[a-z][a-z0-9-]{0,40}$/, "expected the name of a plugin");
}

export function pluginNames() {
  return listOf(pluginName(), ",");
}

export function pluginSettings() {
  return z.record(pluginName(), z.unknown(), {
    error: "expected a mapping from plugin names to their settings",
  });
}
