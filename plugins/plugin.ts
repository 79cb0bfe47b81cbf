/** The contract between berth and an optional ability: a plugin is a value, and importing one does nothing. */
import * as z from "../core/schema.ts";
import type { ClaimLookup } from "../core/claims.ts";
import type { CorePermission, PermissionRule } from "../core/access.ts";
import type { KnownApply } from "../core/applies.ts";
import type { DeclaredObjects } from "../core/declared_objects.ts";
import type { DeclaredCodes } from "../core/error.ts";
import type { Finding } from "../core/finding.ts";
import type { Log } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Ownership } from "../core/ownership.ts";
import type { RegistryLogins } from "../core/registries.ts";
import type { RunningServices } from "../core/running_services.ts";
import type { ActingStacks, ActingSwarmRuntime } from "../core/stack_acts.ts";
import type { CommandStore, OfferStore } from "../core/store.ts";
import type { EngineAccess } from "../engines/lent.ts";
import type { LiveFeed } from "../http/live/feed.ts";
import type { AnyRoute, Router } from "../http/declare/router.ts";
import type { Site } from "../http/site/static_site.ts";

/** The facts about a berth that is examined without running. */
export interface Surroundings {
  readonly isContained: boolean;
  /** The applies that the store knows; null where it tells nothing. */
  readonly applies: readonly Pick<KnownApply, "id" | "state">[] | null;
}

/** Everything that berth knows of a plugin, running or not. Outside its folder only `plugins/plugins.ts` names it. */
export interface Plugin<Settings extends z.ZodObject = z.ZodObject> {
  /** Its folder, its key in `pluginSettings`, its name in /api/system/plugins. */
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  /** Runs only where the setting `plugins` names it. */
  readonly optIn: boolean;
  /** Its own permissions; they count while it is off too, so that stored keys stay valid. */
  readonly permissions: readonly PermissionRule[];
  /** Its own error codes with their HTTP statuses; made with `failure`, declared on routes with `problemsOf`. */
  readonly errors: DeclaredCodes;
  /** Checked with all other settings. Each has a default and a description, which docs/settings.md shows. */
  readonly settings: Settings;
  /** Environment variables by setting. One named `BERTH_ENGINES` also makes `engines` a key of config.yaml. */
  readonly variables: Readonly<Record<string, string>>;
  /** Every route and socket that it answers below /api while it runs, and explains while it does not. */
  readonly routes: readonly AnyRoute[];
  /** The descriptions of its route groups, by the first segment of their paths, for the API document. */
  readonly tags: Readonly<Record<string, string>>;
  /** A built page, served at `/` while the plugin runs; of all plugins that run, one may have it. */
  readonly site: Site | null;
  /** The parts of other plugins that it works with. */
  readonly uses: readonly "engines"[];
  /** Returns the permissions that the process needs. Asked before `start`, never prompted for. */
  needs(settings: z.output<Settings>): readonly Deno.PermissionDescriptor[];
  /** Returns the problems of its surroundings without starting it; `berth doctor` calls it. */
  examine(settings: z.output<Settings>, surroundings: Surroundings): Promise<readonly Finding[]>;
  /** Resolves soon: what may be away (an engine, another host) is waited for in the background. */
  start(host: PluginHost, settings: z.output<Settings>): Promise<RunningPlugin>;
}

/** The parts that berth gives a plugin; it has nothing else. */
export interface PluginHost {
  /** Every line carries the plugin's name. */
  readonly log: Log;
  /** Fires when the service stops: open streams end then. */
  readonly stopping: AbortSignal;
  /** Which workspace and unit a container belongs to. */
  readonly ownership: Ownership;
  /** The containers that belong to a project because somebody said so. */
  readonly claims: ClaimLookup;
  /** The registry for its counters and measurements, under names of its own. */
  readonly metrics: Metrics;
  /** Commands in containers, remembered beyond a crash. */
  readonly commands: CommandStore;
  /** Lists that somebody may take up once, at whichever replica. */
  readonly offers: OfferStore;
  /** The stored credentials of image registries. */
  readonly logins: RegistryLogins;
  /** Returns what registered folders declare now. */
  readonly declared: () => Promise<DeclaredObjects>;
  /** Returns the engines that other plugins lend at this moment; for plugins that declare `uses: ["engines"]`. */
  engines(): readonly EngineAccess[];
  /** Returns the services of clusters that another plugin knows, from memory. */
  services(): RunningServices;
  /** Returns the swarms that another plugin knows, for plans and applies; null where none does. */
  stacks(): ActingStacks | null;
}

/** The parts of a started plugin; disposing it ends everything it began. */
export interface RunningPlugin extends AsyncDisposable {
  /** The declared routes with their handlers. */
  readonly routes?: Router;
  /** Its feeds for `/api/live`. */
  readonly feeds?: readonly LiveFeed[];
  /** Joined with those of other plugins; system routes and drift ask it. */
  readonly runtime?: ActingSwarmRuntime;
  /** Returns the engines whose connections it keeps, as it lends them to other plugins. */
  engines?(): readonly EngineAccess[];
  /** Returns the services of clusters that it knows, from memory. */
  services?(): RunningServices;
  /** The swarms that it knows, for plans and applies. */
  readonly stacks?: ActingStacks;
}

/** A plugin as it is written: a name, what it is and `start`; everything else when it has it. */
interface PluginDeclaration<Settings extends z.ZodObject, Own extends string>
  extends
    Pick<Plugin<Settings>, "name" | "summary" | "version" | "start">,
    Partial<Pick<Plugin<Settings>, "optIn" | "errors" | "tags" | "settings" | "uses" | "needs" | "examine">> {
  readonly permissions?: readonly (PermissionRule & { readonly name: Own })[];
  readonly variables?: Readonly<Partial<Record<keyof z.output<Settings> & string, string>>>;
  /** A route with a permission that neither the plugin nor the core declares does not compile. */
  readonly routes?: readonly AnyRoute<NoInfer<Own> | CorePermission | "open" | "any">[];
  readonly site?: Site;
}

/** Declares a plugin. */
export function plugin<
  const Own extends string = never,
  Settings extends z.ZodObject = z.ZodObject<Record<never, never>>,
>(declared: PluginDeclaration<Settings, Own>): Plugin<Settings> {
  return {
    optIn: false,
    permissions: [],
    errors: {},
    settings: z.strictObject({}) as unknown as Settings, // the default of the type parameter
    routes: [],
    tags: {},
    site: null,
    uses: [],
    needs: () => [],
    examine: () => Promise.resolve([]),
    ...declared,
    variables: (declared.variables ?? {}) as Readonly<Record<string, string>>, // absent ones have no key
  };
}
