/** People: who may come in, what they hold, and how they are kept out. */
import * as z from "../core/schema.ts";
import type { Access } from "../auth/access.ts";
import { LOCAL_ISSUER } from "../auth/people/people.ts";
import { Grant, Grants, KeyName, Role, roleEverywhere } from "../core/access.ts";
import type { PersonRecord } from "../core/access_store.ts";
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
import { NO_STORE } from "./tokens.ts";

const Person = z.object({
  id: z.string().describe("The person's id"),
  name: z.string().describe("The person's name"),
  email: z.string().nullable().describe("The address that the identity provider vouched for"),
  picture: z.string().nullable().describe("The address of a picture"),
  signIn: z.enum(["password", "provider"]).describe(
    "The way of signing in: with a password here, or at the identity provider",
  ),
  issuer: z.string().nullable().describe(
    "The identity provider's address; null for people who sign in with a password",
  ),
  role: Role.nullable().describe("The role that they hold everywhere as of now"),
  grants: z.array(Grant).readonly().describe(
    "All that they hold as of now; of a provider's people, by the rules",
  ),
  hasPassword: z.boolean().describe("False until they set one by their link"),
  disabled: z.boolean().describe("True if the person is locked out"),
  createdAt: z.iso.datetime().nullable().describe("When they first came"),
  lastSeenAt: z.iso.datetime().nullable().describe("When they were last here"),
  sessions: z.int().describe("Number of live sessions"),
}).meta({ id: "Person" });

const link = {
  passwordToken: z.string().describe("Shown this once: sets the password at `POST /api/auth/password-link`"),
  passwordTokenExpiresAt: z.iso.datetime().describe("Until when the link may be used"),
};
const PersonCreated = Person.extend(link).meta({ id: "PersonCreated" });
const PasswordLink = z.object(link).meta({ id: "PasswordLink" });

const NewPerson = z.union([
  z.strictObject({
    name: KeyName.describe("Their name, which they sign in with"),
    role: Role.describe("A role for everything"),
  }),
  z.strictObject({
    name: KeyName.describe("Their name, which they sign in with"),
    grants: Grants.describe("The person's permissions and their scopes"),
  }),
], { error: 'Expected a name with either a "role" or "grants", and nothing unknown' }).meta({
  id: "NewPerson",
  examples: [
    { name: "ada", role: "operator" },
    { name: "grace", grants: [{ role: "operator", on: ["workspace:shop"] }] },
  ],
});

const disabled = z.boolean().optional().describe("True locks the person out at once");
const PersonChange = z.union([
  z.strictObject({ disabled: z.boolean().describe("True locks the person out at once") }),
  z.strictObject({ disabled, role: Role.describe("Another role for everything") }),
  z.strictObject({ disabled, grants: Grants.describe("The person's new permissions and their scopes") }),
], { error: 'Expected "disabled", and either a "role" or "grants" or neither, and nothing unknown' }).meta({
  id: "PersonChange",
  examples: [{ disabled: true }, { disabled: false, role: "viewer" }],
});

const Id = z.object({ id: z.string().max(64).describe("The person's id") });

const list = route({
  method: "get",
  path: "/settings/people",
  summary: "Everybody who has signed in or may",
  description:
    "Lists people with a password and people of the identity provider, with their rights, and when they " +
    "were last here.",
  permission: "people:manage",
  subject: "everything",
  answers: {
    200: json(
      z.object({
        items: z.array(Person).describe("The people"),
        total: z.int().describe("Number of all people"),
      }),
      "In order of their names",
    ),
  },
});

const add = route({
  method: "post",
  path: "/settings/people",
  summary: "Add a person who signs in with a password, which they set by a one-time link",
  description:
    "The answer holds a one-time token. Hand it to the person, who sets a password with it at `POST " +
    "/api/auth/password-link`.",
  permission: "people:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  body: NewPerson,
  answers: {
    201: located(PersonCreated, "The person, and their link"),
    ...problems("forbidden", "sign_in_again", "person_exists"),
  },
});

const change = route({
  method: "put",
  path: "/settings/people/{id}",
  summary: "Disable a person or let them in again, or change what they hold",
  description:
    "Disabling a person ends their sessions and stops their keys at once. Rights can be changed only " +
    "for people with a password; those of an identity provider follow the role rules in `config.yaml`. " +
    "Other rights, and disabling, end a one-time link that was made before.",
  permission: "people:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  params: Id,
  body: PersonChange,
  answers: {
    200: json(Person, "As they are now"),
    ...problems("not_found", "forbidden", "sign_in_again", "last_admin", "not_local"),
  },
});

const remove = route({
  method: "delete",
  path: "/settings/people/{id}",
  summary: "Delete a person with their sessions and the keys that they made",
  description:
    "Ends the person's sessions, and deletes the keys that they made. Take over the keys first that " +
    "must survive. The last admin cannot be deleted.",
  permission: "people:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  params: Id,
  answers: {
    204: empty("They are gone"),
    ...problems("not_found", "forbidden", "sign_in_again", "last_admin"),
  },
});

const newLink = route({
  method: "post",
  path: "/settings/people/{id}/password-link",
  summary: "Make a person another one-time link for their password",
  description:
    "For a person who has lost the password or let the first link expire. Earlier links of the person " +
    "stop working.",
  permission: "people:manage",
  subject: "everything",
  proof: true,
  audited: "change",
  params: Id,
  answers: {
    200: json(PasswordLink, "The link; those before count no longer"),
    ...problems("not_found", "forbidden", "sign_in_again", "not_local"),
  },
});

export function peopleRoutes({ access }: { readonly access: Access }): CoreRouter {
  const { people, sessions } = access;
  const shown = (person: PersonRecord): z.input<typeof Person> => {
    const grants = sessions.grantsOf(person);
    const isLocal = person.issuer === LOCAL_ISSUER;
    return {
      id: person.id,
      name: person.name,
      email: person.email,
      picture: person.picture,
      signIn: isLocal ? "password" : "provider",
      issuer: isLocal ? null : person.issuer,
      role: roleEverywhere(grants),
      grants,
      hasPassword: person.hasPassword,
      disabled: person.disabledAt !== null,
      createdAt: time(person.createdAt),
      lastSeenAt: time(person.lastSeenAt),
      sessions: person.sessions,
    };
  };
  return router()
    .on(list, async () => {
      const items = (await people.list()).map(shown);
      return reply(200, { items, total: items.length }, NO_STORE);
    })
    .on(add, async (call) => {
      const { name, ...held } = call.body;
      const grants = grantsFrom(held) ?? [];
      const entry = call.entry({ particulars: particularsOf({ name, ...toldOf(grants) }) });
      const made = await people.add(name, grants, call.principal, entry);
      const location = `/api/settings/people/${made.person.id}`;
      return reply(201, { ...shown(made.person), ...linkShown(made.link) }, { ...NO_STORE, location });
    })
    .on(change, async (call) => {
      const { disabled, ...held } = call.body;
      const asked = { disabled, grants: grantsFrom(held) };
      const entryOf = (before: PersonRecord) =>
        call.entry({
          particulars: particularsOf({ name: before.name, disabled, ...toldChange(asked, before) }),
        });
      return reply(200, shown(await people.change(call.params.id, asked, call.principal, entryOf)), NO_STORE);
    })
    .on(remove, async (call) => {
      const entryOf = (person: PersonRecord) =>
        call.entry({
          particulars: particularsOf({ name: person.name, ...toldOf(sessions.grantsOf(person)) }),
        });
      await people.remove(call.params.id, call.principal, entryOf);
      return reply(204);
    })
    .on(newLink, async (call) => {
      const entryOf = ({ name }: PersonRecord) => call.entry({ particulars: particularsOf({ name }) });
      return reply(200, linkShown(await people.link(call.params.id, call.principal, entryOf)), NO_STORE);
    });
}

/** Returns the rights for the audit log: the role apart from the grants, whose text may be too long for an entry. */
export function toldOf(grants: readonly Grant[]) {
  const role = roleEverywhere(grants);
  const isRoleAlone = role !== null && grants.length === 1;
  return { role, grants: isRoleAlone ? undefined : grants };
}

function toldChange({ grants }: { readonly grants: readonly Grant[] | undefined }, before: PersonRecord) {
  if (grants === undefined) return {};
  const { role: roleBefore, grants: grantsBefore } = toldOf(before.grants ?? []);
  return { ...toldOf(grants), roleBefore, grantsBefore };
}

function grantsFrom(
  held: { role: Role } | { grants: readonly Grant[] } | object,
): readonly Grant[] | undefined {
  return "role" in held ? [{ role: held.role }] : "grants" in held ? held.grants : undefined;
}

function linkShown({ token, expiresAt }: { readonly token: string; readonly expiresAt: number }) {
  return { passwordToken: token, passwordTokenExpiresAt: new Date(expiresAt).toISOString() };
}

function time(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
