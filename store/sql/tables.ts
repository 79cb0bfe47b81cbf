/** The tables that every store has, over its database. */
import type { Store } from "../../core/store.ts";
import { sqlApplies } from "./applies.ts";
import { sqlAudit } from "./audit_store.ts";
import { sqlClaims } from "./claims.ts";
import { sqlCommands } from "./commands.ts";
import { sqlEndings } from "./endings.ts";
import { sqlFileVersions } from "./file_versions.ts";
import { sqlIgnored } from "./ignored.ts";
import { sqlIncidents } from "./incidents.ts";
import { sqlMutes } from "./mutes.ts";
import { sqlNotices } from "./notices.ts";
import { sqlKeys } from "./keys.ts";
import { sqlOffers } from "./offers.ts";
import { sqlPeople } from "./people.ts";
import { sqlPlans } from "./plans.ts";
import { sqlRegistries } from "./registries.ts";
import { sqlSessions } from "./sessions.ts";
import { sqlSigningKeys } from "./signing_keys.ts";
import { sqlSources } from "./sources.ts";
import type { Sql } from "./steps.ts";
import { sqlUpdates } from "./updates.ts";
import { sqlWorkspaces } from "./workspaces.ts";

type Tables =
  | "workspaces"
  | "fileVersions"
  | "keys"
  | "people"
  | "sessions"
  | "signingKeys"
  | "audit"
  | "offers"
  | "commands"
  | "plans"
  | "ignored"
  | "claims"
  | "registries"
  | "sources"
  | "incidents"
  | "endings"
  | "updates"
  | "notices"
  | "mutes"
  | "applies";

export function tablesOf(sql: Sql): Pick<Store, Tables> {
  return {
    workspaces: sqlWorkspaces(sql),
    fileVersions: sqlFileVersions(sql),
    keys: sqlKeys(sql),
    people: sqlPeople(sql),
    sessions: sqlSessions(sql),
    signingKeys: sqlSigningKeys(sql),
    audit: sqlAudit(sql),
    offers: sqlOffers(sql),
    commands: sqlCommands(sql),
    plans: sqlPlans(sql),
    ignored: sqlIgnored(sql),
    claims: sqlClaims(sql),
    registries: sqlRegistries(sql),
    sources: sqlSources(sql),
    incidents: sqlIncidents(sql),
    endings: sqlEndings(sql),
    updates: sqlUpdates(sql),
    notices: sqlNotices(sql),
    mutes: sqlMutes(sql),
    applies: sqlApplies(sql),
  };
}
