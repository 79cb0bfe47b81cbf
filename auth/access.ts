/** Everything about who may come in, opened as one thing over a store and a data folder. */
import type { PermissionCatalogue } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import type { Store } from "../core/store.ts";
import { ApiKeys, type MadeKey, makeKey } from "./api_keys.ts";
import { auditEntry, COMMAND_LINE } from "./audit.ts";
import { Delivery } from "./audit/delivery.ts";
import { AuditLog } from "./audit/log.ts";
import { receiverAt, type SyslogAddress } from "./audit/syslog.ts";
import { Upkeep } from "./audit/upkeep.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Credentials } from "./credentials.ts";
import type { IdentityProvider, IdentityProviderSettings } from "./identity_provider.ts";
import { RateLimit } from "./rate_limit.ts";
import type { RoleRule } from "./roles.ts";
import { readSealingKey, Seal } from "./sealing.ts";
import { SESSION_MS, Sessions } from "./session.ts";
import { Setup } from "./setup.ts";
import { SigningKeys } from "./signing_keys.ts";
import { Tokens } from "./tokens.ts";

const MINUTE_MS = 60_000;
const SWEEP_MS = 10 * MINUTE_MS;
/** A key outlives the longest token by this, for clocks that differ. */
const SKEW_MS = 5 * MINUTE_MS;

export interface AccessOptions {
  readonly store: Store;
  readonly log: Log;
  readonly permissions: PermissionCatalogue;
  /** Where the sealing key and the setup token are kept; it exists. */
  readonly dataFolder: string;
  readonly config: {
    readonly identityProvider: IdentityProviderSettings | null;
    readonly roles: readonly RoleRule[];
  };
  /** Where entries of the audit log go besides the store; `ca` is the text of a PEM file. */
  readonly auditReceiver?: { readonly address: SyslogAddress; readonly ca: string | null } | null;
  readonly clock?: Clock;
  /** Another identity provider than the configured one, as tests bring. */
  readonly provider?: IdentityProvider;
}

/** How often what may be tried: per peer, and per whoever it is tried on. */
export interface Limits {
  readonly signIn: RateLimit;
  readonly refresh: RateLimit;
  readonly refreshOfSession: RateLimit;
  readonly setup: RateLimit;
  readonly verify: RateLimit;
}

export interface Access extends AsyncDisposable {
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly credentials: Credentials;
  readonly setup: Setup;
  readonly audit: AuditLog;
  readonly auditUpkeep: Upkeep;
  /** What of the audit log is not where it belongs, in words; null while all is well. */
  readonly auditFailure: () => string | null;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Null while none is configured. */
  readonly provider: IdentityProvider | null;
  /** This start's one-time setup token, for the console; null once there is an admin. */
  readonly setupToken: string | null;
}

/** Throws `store_unavailable` when the store, the sealing key or the setup token cannot be used. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const { store, log, permissions, dataFolder, config, clock = systemClock } = options;
  const secret = await readSealingKey(`${dataFolder}/sealing-key`);
  const seal = await Seal.from(secret, "signing keys");
  const keys = new ApiKeys({ store: store.keys, clock, permissions });
  const setup = new Setup({ store: store.keys, clock, path: `${dataFolder}/setup-token` });
  const auditUpkeep = new Upkeep({ store: store.audit, secret, clock, log });
  const audit = new AuditLog({
    store: store.audit,
    onFailure: (error, lost) => log.error("The audit log cannot be written", { lost, error }),
    onWritten: () => auditUpkeep.soon(),
  });
  const delivery = deliveryTo(options.auditReceiver ?? null, store, log);
  const signingKeys = new SigningKeys({
    store: store.signingKeys,
    seal,
    clock,
    retiringMs: SESSION_MS + SKEW_MS,
  });
  const sessions = new Sessions({
    store: store.sessions,
    tokens: new Tokens({ keys: signingKeys, clock }),
    rules: config.roles,
    permissions,
    clock,
    onEnd: (session) => credentials.revoke(`session:${session}`),
    onReuse: ({ id, account }) => {
      log.warn("A refresh token was used twice; its session was ended", { session: id, account: account.id });
    },
  });
  const credentials = new Credentials({ keys, sessions, clock });
  warnOfRules(config.roles, log);
  const setupToken = await setup.begin();
  const sweeping = setInterval(() => {
    sessions.sweep().catch((error) =>
      log.warn("Old sessions could not be forgotten", { error: String(error) })
    );
  }, SWEEP_MS);
  Deno.unrefTimer(sweeping);
  return {
    keys,
    sessions,
    credentials,
    setup,
    audit,
    auditUpkeep,
    auditFailure: () => audit.failure() ?? delivery?.failure() ?? null,
    clock,
    provider: options.provider ?? await openProvider(config, clock, log),
    setupToken,
    limits: {
      signIn: new RateLimit("sign in", { tries: 30, perMs: MINUTE_MS }, clock),
      refresh: new RateLimit("refresh", { tries: 600, perMs: MINUTE_MS }, clock),
      refreshOfSession: new RateLimit("refresh", { tries: 200, perMs: MINUTE_MS }, clock),
      setup: new RateLimit("set up berth", { tries: 60, perMs: MINUTE_MS }, clock),
      verify: new RateLimit("verify a key", { tries: 120, perMs: MINUTE_MS }, clock),
    },
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping);
      credentials[Symbol.dispose]();
      await keys.flush().catch((error) => log.warn("Uses of keys were lost", { error: String(error) }));
      await audit[Symbol.asyncDispose]();
      await auditUpkeep[Symbol.asyncDispose]();
      await delivery?.[Symbol.asyncDispose]();
    },
  };
}

function deliveryTo(
  to: AccessOptions["auditReceiver"] | null,
  store: Store,
  log: Log,
): Delivery | null {
  if (to === null || to === undefined) return null;
  const { transport, hostname, port } = to.address;
  return new Delivery({
    store: store.audit,
    receiver: receiverAt(to.address, to.ca),
    name: `${transport}://${hostname}:${port}`,
    host: hostName(),
    log,
  });
}

function hostName(): string {
  try {
    return Deno.hostname();
  } catch {
    return "-"; // the process may not ask
  }
}

/** What a person does who lost every admin key but still owns the data folder: makes another one, service or no service. */
export async function makeAdminKey(store: Store, name: string, clock: Clock = systemClock): Promise<MadeKey> {
  const made = await makeKey({ name, role: "admin" }, "command line", clock);
  const entry = auditEntry({
    at: clock.now(),
    actor: COMMAND_LINE,
    action: "keys.add",
    target: made.record.id,
  });
  const first = !await store.keys.isSetUp();
  await (first ? store.keys.setUp(made.record, entry) : store.keys.add(made.record, entry));
  return made;
}

async function openProvider(
  { identityProvider: settings, roles: rules }: AccessOptions["config"],
  clock: Clock,
  log: Log,
): Promise<IdentityProvider | null> {
  if (settings === null) return null;
  if (settings.redirectUris.length === 0) log.warn("Nobody can sign in: BERTH_IDP_REDIRECT_URIS is empty");
  if (rules.length === 0) log.warn("Nobody can sign in: no rule of BERTH_ROLES gives anybody a role");
  const secret = () => readClientSecret(settings.clientSecretFile);
  await secret().catch((error) => log.warn("Nobody can sign in", { error }));
  // Only who signs people in pays for how that is done.
  if (settings.issuer === "github") {
    const { GitHub } = await import("./github.ts");
    return new GitHub({ settings, secret, rules });
  }
  const { OpenIdConnect } = await import("./openid_connect.ts");
  return new OpenIdConnect({ settings, secret, rules, clock });
}

/** Read for every sign-in, so that a new secret needs no restart. Who may read it is for its owner to say. */
async function readClientSecret(file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    return (await Deno.readTextFile(file)).trim();
  } catch (cause) {
    throw new ServiceError(
      "identity_provider_unavailable",
      'Cannot ask the identity provider: the file of "BERTH_IDP_CLIENT_SECRET_FILE" cannot be read',
      { cause },
    );
  }
}

function warnOfRules(rules: readonly RoleRule[], log: Log): void {
  for (const rule of rules) {
    if (rule.claim === "login") {
      log.warn("A role rule names a login, which its owner can give up and another can take; prefer `sub`", {
        value: rule.value,
      });
    }
  }
}
