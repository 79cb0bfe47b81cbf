/** Authentication, opened as one thing over a store and a data folder. */
import type { PermissionCatalogue, Principal } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import type { Log } from "../core/log.ts";
import type { AuditActor, Store } from "../core/store.ts";
import { ApiKeys } from "./keys/api_keys.ts";
import { Delivery } from "./audit/delivery.ts";
import { AuditLog } from "./audit/log.ts";
import { receiverAt, type SyslogAddress } from "./audit/syslog.ts";
import { Upkeep } from "./audit/upkeep.ts";
import { type Clock, systemClock } from "./clock.ts";
import { Credentials } from "./sessions/credentials.ts";
import { Devices } from "./people/devices.ts";
import { type Digest, digestsFrom } from "./audit/digests.ts";
import { FreshProof } from "./people/fresh_proof.ts";
import type { IdentityProvider } from "./provider/identity_provider.ts";
import { Passwords } from "./people/password.ts";
import { People } from "./people/people.ts";
import { RateLimit } from "./rate_limit.ts";
import type { IdentityProviderSettings, RoleRule } from "../core/sign_in.ts";
import { Seal } from "./sealing/sealing.ts";
import { readSealingKey, type SealingKey, sealingKeyPath } from "./sealing/key.ts";
import { mustBeShared } from "./sealing/shared_key.ts";
import { SESSION_MS, Sessions } from "./sessions/session.ts";
import { Setup } from "./people/setup.ts";
import { SigningKeys } from "./sessions/signing_keys.ts";
import { Tokens } from "./sessions/tokens.ts";

const MINUTE_MS = 60_000;
const SWEEP_MS = 10 * MINUTE_MS;
/** A key outlives the longest token by this, for clocks that differ. */
const SKEW_MS = 5 * MINUTE_MS;

interface OwnReplica {
  readonly name: string;
  /** Returns the number of sessions. */
  count(): number;
  /** As of `Replicas`. */
  turn(what: string, ms: number): Promise<boolean>;
}

export interface AccessOptions {
  readonly store: Store;
  readonly log: Log;
  readonly permissions: PermissionCatalogue;
  /** The folder for the setup token, and for the sealing key unless it has a file elsewhere; it exists. */
  readonly dataFolder: string;
  /** This replica among the others; one that is alone unless given. */
  readonly replica?: OwnReplica;
  readonly config: {
    readonly identityProvider: IdentityProviderSettings | null;
    readonly roles: readonly RoleRule[];
    /** Minutes; 0 turns fresh proof off. */
    readonly freshSignIn: number;
    readonly keyMaxDays: number | null;
    /** 0: no limit. */
    readonly strangersPerSecond: number;
    /** Null: in the data folder. */
    readonly sealingKeyFile: string | null;
  };
  /** The receiver of audit entries besides the store; `ca` is the text of a PEM file. */
  readonly auditReceiver?: { readonly address: SyslogAddress; readonly ca: string | null } | null;
  readonly clock?: Clock;
  /** Another identity provider than the configured one, as tests bring. */
  readonly provider?: IdentityProvider;
  /** Of another cost than today's. */
  readonly passwords?: Passwords;
}

/** The rate limits: per peer, and per account, session or key. */
interface Limits {
  readonly signIn: RateLimit;
  readonly refresh: RateLimit;
  readonly refreshOfSession: RateLimit;
  readonly setup: RateLimit;
  readonly verify: RateLimit;
  /** Requests without a good credential; null for no limit. */
  readonly strangers: RateLimit | null;
}

export interface Access extends AsyncDisposable {
  readonly keys: ApiKeys;
  readonly sessions: Sessions;
  readonly credentials: Credentials;
  readonly setup: Setup;
  readonly people: People;
  readonly devices: Devices;
  readonly freshProof: FreshProof;
  readonly audit: AuditLog;
  readonly auditUpkeep: Upkeep;
  /** For values that may be secret; made by the first who asks. */
  readonly digests: () => Promise<Digest>;
  /** Returns why audit entries cannot be written or delivered; null while all is well. */
  readonly auditFailure: () => string | null;
  readonly limits: Limits;
  readonly clock: Clock;
  /** Seals the texts that files had before, and the credentials of image registries. */
  readonly fileSeal: Seal;
  readonly registrySeal: Seal;
  /** Seals the addresses of notices, the last words of containers, credentials of repositories, services of before. */
  readonly noticeSeal: Seal;
  readonly endingSeal: Seal;
  readonly sourceSeal: Seal;
  readonly applySeal: Seal;
  /** Null while none is configured. */
  readonly provider: IdentityProvider | null;
  /** This start's one-time setup token, for the console; null once there is an admin. */
  readonly setupToken: string | null;
  /** The other replica that has made the token; null while there is none. */
  readonly setupReplica: string | null;
  /**
   * Returns today's rights of an actor, whatever credential they used; null for a deleted or disabled one.
   */
  holderNow(actor: Pick<AuditActor, "kind" | "id">): Promise<Principal | null>;
  /** Replaces the role rules; rights that they take away end within five seconds. */
  setRoles(rules: readonly RoleRule[]): Promise<void>;
  /** Deletes what has expired, and warns of keys that end soon; runs every ten minutes. */
  sweep(): Promise<void>;
}

/** Throws `store_unavailable` when the store, the sealing key or the setup token cannot be used. */
export async function openAccess(options: AccessOptions): Promise<Access> {
  const { store, log, permissions, dataFolder, config, clock = systemClock } = options;
  const replica = options.replica ?? { name: "berth", count: () => 1, turn: () => Promise.resolve(true) };
  const { secret, earlier } = await sealingKeyOf(options);
  const { seal, ...seals } = await sealsFrom(secret, earlier);
  const devices = await Devices.from(secret, clock);
  let rules = config.roles;
  const maxDays = config.keyMaxDays;
  const keys = new ApiKeys({ store: store.keys, clock, permissions, rules: () => rules, maxDays });
  const auditing = openAuditing(options, secret, replica, clock);
  const sessions = openSessions(options, {
    seal,
    clock,
    rules: () => rules,
    onEnd: (session) => credentials.revoke({ kind: "session", id: session }),
  });
  const credentials = new Credentials({ keys, sessions, clock });
  const people = new People({
    store: store.people,
    sessions,
    permissions,
    passwords: options.passwords ?? new Passwords(),
    devices,
    tries: new RateLimit("sign in", { tries: 10, perMs: 10 * MINUTE_MS }, clock, replica.count),
    clock,
    onChange: () => credentials.reconsider(),
  });
  const path = `${dataFolder}/setup-token`;
  const shared = store.replicas;
  const setup = new Setup({ store: store.keys, shared, replica: replica.name, people, clock, path });
  const provider = options.provider ?? await openProvider(config, () => rules, clock, log);
  const maxAgeMs = config.freshSignIn * MINUTE_MS;
  const freshProof = new FreshProof({ sessions, people, keys, provider, clock, maxAgeMs });
  warnOfRules(rules, log);
  const setupToken = await setup.begin();
  const sweep = () => sweepUp(sessions, keys, log);
  let digests: Promise<Digest> | undefined;
  // A hint is lost now and then; everybody is asked about every few seconds anyway.
  const hints = store.replicas?.listen(() => void credentials.reconsider());
  const sweeping = setInterval(sweep, SWEEP_MS);
  Deno.unrefTimer(sweeping);
  return {
    keys,
    sessions,
    credentials,
    setup,
    people,
    devices,
    freshProof,
    audit: auditing.audit,
    auditUpkeep: auditing.upkeep,
    ...seals,
    digests: () => digests ??= digestsFrom(secret),
    auditFailure: () => auditing.audit.failure() ?? auditing.delivery?.failure() ?? null,
    clock,
    provider,
    setupToken,
    setupReplica: setup.replica,
    limits: limitsOf(config.strangersPerSecond, clock, replica.count),
    sweep,
    holderNow: (actor) => holderNow(actor, { keys, sessions, store, clock }),
    async setRoles(changed) {
      rules = changed;
      warnOfRules(rules, log);
      await credentials.reconsider();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(sweeping);
      hints?.[Symbol.dispose]();
      credentials[Symbol.dispose]();
      await keys.flush().catch((error) =>
        log.warn("Cannot write when keys were last used", { error: String(error) })
      );
      await auditing[Symbol.asyncDispose]();
    },
  };
}

/** Derives a seal for each kind of text that the store keeps and cannot read. */
async function sealsFrom(secret: Uint8Array<ArrayBuffer>, earlier: SealingKey["earlier"]) {
  return {
    seal: await Seal.from(secret, "signing keys", earlier),
    fileSeal: await Seal.from(secret, "file versions", earlier),
    registrySeal: await Seal.from(secret, "registries", earlier),
    noticeSeal: await Seal.from(secret, "notices", earlier),
    endingSeal: await Seal.from(secret, "endings", earlier),
    sourceSeal: await Seal.from(secret, "sources", earlier),
    applySeal: await Seal.from(secret, "applies", earlier),
  };
}

type Replica = NonNullable<AccessOptions["replica"]>;

/** Opens the audit log, what seals and shortens it, and its way to another receiver. */
function openAuditing(
  { store, log, auditReceiver }: AccessOptions,
  secret: Uint8Array<ArrayBuffer>,
  replica: Replica,
  clock: Clock,
) {
  const upkeep = new Upkeep({ store: store.audit, secret, clock, log });
  const audit = new AuditLog({
    store: store.audit,
    onFailure: (error, lost) => log.error("The audit log cannot be written", { lost, error }),
    onWritten: () => upkeep.soon(),
  });
  const delivery = deliveryTo(auditReceiver ?? null, store, replica, log);
  return {
    audit,
    upkeep,
    delivery,
    async [Symbol.asyncDispose]() {
      await audit[Symbol.asyncDispose]();
      await upkeep[Symbol.asyncDispose]();
      await delivery?.[Symbol.asyncDispose]();
    },
  };
}

interface SessionParts {
  readonly seal: Seal;
  readonly clock: Clock;
  readonly rules: () => readonly RoleRule[];
  readonly onEnd: (session: string) => void;
}

function openSessions({ store, log, permissions }: AccessOptions, parts: SessionParts): Sessions {
  const { seal, clock, rules, onEnd } = parts;
  const keys = new SigningKeys({ store: store.signingKeys, seal, clock, retiringMs: SESSION_MS + SKEW_MS });
  return new Sessions({
    store: store.sessions,
    tokens: new Tokens({ keys, clock }),
    rules,
    permissions,
    clock,
    onEnd,
    onReuse: ({ id, holder }) => {
      const { id: of } = holder.kind === "user" ? holder.account : holder.key;
      log.warn("A refresh token was used twice; its session was ended", { session: id, account: of });
    },
  });
}

function limitsOf(strangersPerSecond: number, clock: Clock, count: () => number): Limits {
  return {
    signIn: new RateLimit("sign in", { tries: 30, perMs: MINUTE_MS }, clock, count),
    refresh: new RateLimit("refresh", { tries: 600, perMs: MINUTE_MS }, clock, count),
    refreshOfSession: new RateLimit("refresh", { tries: 200, perMs: MINUTE_MS }, clock, count),
    setup: new RateLimit("set up berth", { tries: 60, perMs: MINUTE_MS }, clock, count),
    verify: new RateLimit("verify a key", { tries: 120, perMs: MINUTE_MS }, clock, count),
    strangers: strangersLimit(strangersPerSecond, clock, count),
  };
}

interface HolderSources extends Pick<Access, "keys" | "sessions" | "clock"> {
  readonly store: Store;
}

async function holderNow(
  { kind, id }: Pick<AuditActor, "kind" | "id">,
  { keys, sessions, store, clock }: HolderSources,
): Promise<Principal | null> {
  if (kind === "apiKey") {
    const key = await keys.alive(id);
    return key === null ? null : keys.principalOf(key);
  }
  const account = kind === "user" ? await store.people.get(id, clock.now(), 0) : null;
  return account === null ? null : sessions.today({ kind: "user", account });
}

async function sweepUp(sessions: Sessions, keys: ApiKeys, log: Log): Promise<void> {
  await sessions.sweep().catch((error) => log.warn("Cannot delete old sessions", { error: String(error) }));
  await warnOfKeys(keys, log).catch((error) =>
    log.warn("Cannot look for keys that end soon", { error: String(error) })
  );
}

async function sealingKeyOf({ store, dataFolder, config }: AccessOptions): Promise<SealingKey> {
  const path = sealingKeyPath(dataFolder, config.sealingKeyFile);
  if (store.replicas === null) return await readSealingKey(path);
  const key = await readSealingKey(path, "refuse");
  await mustBeShared(store.replicas, key, path);
  return key;
}

function deliveryTo(
  to: AccessOptions["auditReceiver"] | null,
  store: Store,
  replica: OwnReplica,
  log: Log,
): Delivery | null {
  if (to === null || to === undefined) return null;
  const { transport, hostname, port } = to.address;
  const name = `${transport}://${hostname}:${port}`;
  return new Delivery({
    store: store.audit,
    receiver: receiverAt(to.address, to.ca),
    name,
    isOurTurn: (ms) => replica.turn(`deliver to ${name}`, ms),
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

async function openProvider(
  { identityProvider: settings }: AccessOptions["config"],
  rules: () => readonly RoleRule[],
  clock: Clock,
  log: Log,
): Promise<IdentityProvider | null> {
  if (settings === null) return null;
  if (settings.redirectUris.length === 0) {
    log.warn("Nobody can sign in: identityProvider.redirectUris is empty in config.yaml");
  }
  if (rules().length === 0) log.warn("Nobody can sign in: no rule of BERTH_ROLES gives anybody a role");
  const secret = () => readClientSecret(settings.clientSecretFile);
  await secret().catch((error) => log.warn("Nobody can sign in", { error }));
  // Loaded only where people sign in.
  if (settings.issuer === "github") {
    const { GitHub } = await import("./provider/github.ts");
    return new GitHub({ settings, secret, rules });
  }
  const { OpenIdConnect } = await import("./provider/openid_connect.ts");
  return new OpenIdConnect({ settings, secret, rules, clock });
}

/** Read for every sign-in, so that a new secret needs no restart. */
async function readClientSecret(file: string | null): Promise<string | null> {
  if (file === null) return null;
  try {
    return (await Deno.readTextFile(file)).trim();
  } catch (cause) {
    throw new ServiceError(
      "identity_provider_unavailable",
      'Cannot ask the identity provider: the file of "identityProvider.clientSecretFile" cannot be read',
      { cause },
    );
  }
}

/** Bursts of four seconds' worth; null for no limit. */
function strangersLimit(perSecond: number, clock: Clock, among: () => number): RateLimit | null {
  if (perSecond === 0) return null;
  return new RateLimit(
    "answer without a good credential",
    { tries: 4 * perSecond, perMs: 4_000 },
    clock,
    among,
  );
}

/** Says in the log which keys that are in use end within a week, once for each. */
async function warnOfKeys(keys: ApiKeys, log: Log): Promise<void> {
  for (const { id, name, expiresAt } of await keys.ending()) {
    log.warn("A key that is in use ends soon; rotate it or make another one", {
      key: id,
      name,
      ends: new Date(expiresAt ?? 0).toISOString(),
    });
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
