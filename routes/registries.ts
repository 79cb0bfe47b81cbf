/** Image registries: how berth may call them, and the credentials for them, which are written and never read. */
import * as z from "../core/schema.ts";
import { ServiceError } from "../core/error.ts";
import { RegistryLogin } from "../core/engine_acts.ts";
import { REGISTRY_HOST, registryOf } from "../core/image_reference.ts";
import { REGISTRY_LOGINS, type RegistryRecord } from "../core/registries.ts";
import {
  type CoreRouter,
  empty,
  json,
  located,
  particularsOf,
  problems,
  reply,
  route,
  router,
} from "../http/declare/router.ts";
import type { Registries } from "../projects/registries/registries.ts";
import { NO_STORE } from "./tokens.ts";

const Registry = z.object({
  id: z.string().describe("The id to forget it by"),
  host: z.string().describe("Host and port, as references have it; `docker.io` is Docker Hub"),
  path: z.string().describe("The first parts of the repositories that it is for; empty for all of the host"),
  login: z.enum(REGISTRY_LOGINS).describe("The way to sign in; `none` is a registry without credentials"),
  username: z.string().nullable().describe("Null unless it signs in with a password"),
  tokenService: z.string().nullable().describe(
    "Another host that is given the credentials, because the registry uses it for its tokens",
  ),
  plainHttp: z.boolean().describe("True if it is called without TLS"),
  hasCa: z.boolean().describe("True if it has certificates of its own"),
  createdBy: z.string().describe("The user or key that stored it"),
  createdAt: z.iso.datetime().describe("When it was stored"),
}).meta({ id: "Registry" });

const PART = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";

const NewRegistry = z.strictObject({
  host: z.string().min(1).max(253).regex(
    REGISTRY_HOST,
    'Expected a host, as "ghcr.io" or "registry.lan:5000"',
  )
    .describe("Host and port, as references have it"),
  path: z.string().max(255).regex(
    new RegExp(`^(?:${PART}(?:/${PART})*)?$`),
    'Expected parts of a name, as "team"',
  )
    .default("").describe("Only for repositories below this path, as `team/app`"),
  auth: RegistryLogin.optional().describe("The credentials; absent for a registry that needs none"),
  tokenService: z.string().min(1).max(253).optional().describe(
    "The host that gives out its tokens, if it is another one: the credentials are sent to it",
  ),
  plainHttp: z.boolean().default(false).describe(
    "True to call it without TLS: credentials can be read on the way",
  ),
  ca: z.string().min(1).max(65_536).regex(/^-----BEGIN CERTIFICATE-----/, "Expected certificates in PEM")
    .optional().describe("Certificates that are trusted for it beside those of the system, as PEM"),
}).meta({
  id: "NewRegistry",
  examples: [
    { host: "ghcr.io", auth: { username: "ada", password: "a token of the registry" } },
    { host: "registry.lan:5000", path: "team", plainHttp: true },
  ],
});

const Id = z.object({ id: z.string().max(64).describe("The registry's id") });

const list = route({
  method: "get",
  path: "/registries",
  summary: "The image registries that berth has credentials or rules for",
  description: "Passwords and tokens are never answered.",
  permission: "registries:manage",
  subject: "everything",
  answers: {
    200: json(
      z.object({
        items: z.array(Registry).describe("The registries"),
        total: z.int().describe("Number of all registries"),
      }).meta({ id: "Registries" }),
      "By host and path",
    ),
  },
});

const add = route({
  method: "post",
  path: "/registries",
  summary: "Store a registry and its credentials, once the registry has accepted them",
  description:
    "It takes the place of the one with the same host and path. The credentials are sealed, used for pulls before all " +
    "others, and sent to this host alone, and to its token service. 409 `token_service_unconfirmed` names a token " +
    "service on another host: ask again with it as `tokenService`.",
  permission: "registries:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  body: NewRegistry,
  answers: {
    201: located(Registry, "The registry"),
    ...problems(
      "forbidden",
      "sign_in_again",
      "registry_refused",
      "registry_unavailable",
      "token_service_unconfirmed",
      "too_many_registries",
    ),
  },
});

const remove = route({
  method: "delete",
  path: "/registries/{id}",
  summary: "Forget a registry and its credentials",
  description: "Pulls from it go without these credentials from then on; an apply in progress does, too.",
  permission: "registries:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  params: Id,
  answers: {
    204: empty("It is forgotten"),
    ...problems("forbidden", "sign_in_again", "registry_not_found"),
  },
});

export function registryRoutes({ registries }: { readonly registries: Registries }): CoreRouter {
  return router()
    .on(list, async () => {
      const items = (await registries.list()).map(shown);
      return reply(200, { items, total: items.length }, NO_STORE);
    })
    .on(add, async (call) => {
      const { host, path, auth = null, tokenService = null, plainHttp, ca = null } = call.body;
      const { kind, id, name } = call.principal;
      const made = await registries.add(
        { host, path, login: auth, tokenService, plainHttp, ca },
        { kind, id, name },
        (record) => call.entry({ particulars: particularsOf(about(record)) }),
      );
      return reply(201, shown(made), { ...NO_STORE, location: `/api/registries/${made.id}` });
    })
    .on(remove, async (call) => {
      const known = (await registries.list()).find(({ id }) => id === call.params.id);
      const entry = call.entry({ particulars: known === undefined ? {} : particularsOf(about(known)) });
      if (known === undefined || !await registries.remove(known.id, entry)) {
        throw new ServiceError("registry_not_found", "There is no such registry");
      }
      return reply(204);
    });
}

/** Returns what the audit log keeps of a registry. */
function about({ host, path, username, tokenService, plainHttp }: RegistryRecord) {
  return {
    registry: path === "" ? registryOf(host) : `${registryOf(host)}/${path}`,
    username: username ?? undefined,
    tokenService: tokenService ?? undefined,
    plainHttp: plainHttp || undefined,
  };
}

function shown({ by, at, ca, sealed: _, ...record }: RegistryRecord): z.input<typeof Registry> {
  return { ...record, hasCa: ca !== null, createdBy: by.name, createdAt: new Date(at).toISOString() };
}
