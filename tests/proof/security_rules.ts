/** The rules that keep berth safe, and the tests that break each on purpose. */
import type { Proof } from "./faults.ts";

export interface SecurityRule {
  readonly id: string;
  readonly rule: string;
  readonly proofs: readonly Proof[];
  /** The part that nobody has proven yet. */
  readonly open?: string;
}

const EDGE = "tests/http/edge_test.ts";
const KEYS = "tests/access/access_keys_test.ts";
const SESSION = "tests/access/access_session_test.ts";
const TOKENS = "tests/access/access_tokens_test.ts";
const SOCKETS = "tests/access/socket_admission_test.ts";
const MATRIX = "tests/access/access_matrix_test.ts";
const HOSTILE_PROVIDER = "tests/access/sign_in_hostile_test.ts";
const SIGN_IN = "tests/access/sign_in_test.ts";
const UNIT = "tests/packaging/unit_test.ts";
const IMAGE = "tests/packaging/image_test.ts";

export const SECURITY_RULES: readonly SecurityRule[] = [
  {
    id: "R1",
    rule:
      "berth listens on loopback; another address needs TLS, a named proxy, or a port published on loopback",
    proofs: [
      ["config/config_test.ts", "without TLS and without trusted proxies (R1)"],
      ["config/config_test.ts", "readConfig takes BERTH_PUBLISHED=loopback in a container only"],
      [IMAGE, "the image without a safe way to be reached ends with code 64 and names all ways"],
    ],
  },
  {
    id: "R2",
    rule: "Peer and scheme come from the socket; X-Forwarded-For counts from a named proxy alone",
    proofs: [[
      EDGE,
      "X-Forwarded-For counts only from a trusted proxy, and only up to the first stranger (R2)",
    ]],
  },
  {
    id: "R3",
    rule: "The setup needs a token from a private file, which ends after 30 minutes",
    proofs: [
      [
        KEYS,
        "POST /api/settings/setup makes the first admin with the token of the 0600 file, which is gone then",
      ],
      [KEYS, "POST /api/settings/setup refuses a token after 30 minutes, and a restart issues a new one"],
    ],
  },
  {
    id: "R4",
    rule: "Of 50 setups at once on two services one makes the admin",
    proofs: [[
      KEYS,
      "POST /api/settings/setup makes exactly one admin for 50 parallel callers on two services",
    ]],
  },
  {
    id: "R5",
    rule: "Afterwards the setup is closed for ever",
    proofs: [
      [KEYS, "POST /api/settings/setup stays closed after a restart and after every key is gone"],
      [KEYS, "A restored backup lets in whom it knew, and its setup stays closed"],
    ],
  },
  {
    id: "R6",
    rule: "Nothing that is shipped holds an account, a password or a key",
    proofs: [
      [
        IMAGE,
        "the image, hardened and published on loopback, goes from nothing to its own container in the list",
      ],
      [
        "tests/packaging/release_test.ts",
        "the files of a release are the program's, without tests and tools",
      ],
    ],
  },
  {
    id: "R7",
    rule: "Running out of descriptors never ends the process; too low a limit stops the start",
    proofs: [
      ["tests/store/emfile_test.ts", "400 connections on 256 descriptors"],
      ["tests/commands/command_line_test.ts", "berth serve refuses too low a limit of file descriptors (R7)"],
    ],
  },
  {
    id: "R8",
    rule: "No answer lets a page of another origin read it",
    proofs: [[
      EDGE,
      "every answer carries the security headers and a request id, errors and raw text too (R14)",
    ]],
  },
  {
    id: "R9",
    rule: "One Host, our own, before anything else; an undeclared method is 405",
    proofs: [
      [EDGE, "only our own Host, exactly once, reaches a route (R9, F5)"],
      [EDGE, "a request target of another authority than the Host is refused (R9)"],
      [EDGE, "a method that a route does not have is 405 with Allow, TRACE too; HEAD stands for GET"],
    ],
  },
  {
    id: "R10",
    rule: "One route reads the cookie, and from our own page alone",
    proofs: [
      [SESSION, "No route but POST /api/auth/refresh takes the cookie for a credential"],
      [SESSION, "POST /api/auth/refresh refuses the cookie"],
    ],
  },
  {
    id: "R11",
    rule: "A socket's Host, Origin, credential and permission are checked before its 101",
    proofs: [
      [SOCKETS, "A socket is refused before its 101 for every foreign Origin, whatever credential it brings"],
      [SOCKETS, "A socket is refused before its 101 for every credential that is not exactly one good one"],
    ],
  },
  {
    id: "R12",
    rule: "The subprotocol that carries a credential is never answered and never logged",
    proofs: [
      [
        "http/socket/socket_test.ts",
        "the upgrade answers berth.v1 alone, whatever stands first in the offer",
      ],
      [SESSION, "No secret is in the log, the answers, the store, its write-ahead log or a backup"],
    ],
  },
  {
    id: "R13",
    rule: "A stolen cookie alone is worth nothing",
    proofs: [[
      SESSION,
      "A stolen cookie's token is worth nothing in the body, and a form post never reaches it",
    ]],
  },
  {
    id: "R14",
    rule: "Every answer has the security headers",
    proofs: [
      [EDGE, "every answer carries the security headers and a request id, errors and raw text too (R14)"],
      [
        "tests/engines/tls_test.ts",
        "with a certificate and its key berth speaks TLS, says so in its address, and asks browsers to insist",
      ],
    ],
  },
  {
    id: "R15",
    rule: "YAML and logs are plain text; what is downloaded is an attachment",
    proofs: [
      [
        "tests/artifacts/artifacts_test.ts",
        "GET a unit answers the author's own text, comments and all, and references both ways",
      ],
      [
        "tests/streams/logs_test.ts",
        "GET logs answers text as written, NDJSON and events with a cursor on every line",
      ],
    ],
  },
  {
    id: "R16",
    rule: "No answer leads where a request says",
    proofs: [[
      "tests/http/edge_faults_test.ts",
      "whatever stands in a path or a query, no answer gains a header or leads elsewhere (F50)",
    ]],
  },
  {
    id: "R17",
    rule: "A route without a declared permission does not run",
    proofs: [
      [EDGE, "no route and no socket is without a declared permission (R17)"],
      [MATRIX, "Every route and socket declares a permission, and only the listed ones are open"],
    ],
  },
  {
    id: "R18",
    rule: "If the check fails, the answer is a refusal",
    proofs: [[KEYS, "When the store is gone nobody is let in: 503, remembered or not"]],
  },
  {
    id: "R19",
    rule:
      "Logs, shells, revealed values, removal and keys are permissions of their own; no key exceeds its maker",
    proofs: [
      [MATRIX, "The matrix of all routes and all callers holds, cell by cell"],
      [KEYS, "POST /api/settings/api-keys never makes a key above its creator, by role or by permission"],
    ],
  },
  {
    id: "R20",
    rule: "Answers hold fields that are listed; raw ones are masked alike",
    proofs: [
      ["engines/rows/mask_test.ts", "a secret in a raw object is cut out"],
      [
        "tests/engines/containers_test.ts",
        "an inspected container shows no secret unless it is revealed, and its raw form neither",
      ],
    ],
  },
  {
    id: "R21",
    rule: "What is revoked is over within five seconds, streams too, at every replica",
    proofs: [
      [KEYS, "A key that was deleted at one replica is refused by another within five seconds"],
      [KEYS, "An open stream of a deleted key ends within five seconds, at other replicas too"],
      [
        "tests/access/local_sign_in_test.ts",
        "The sockets of a disabled person and of their keys end within five seconds, at another replica too",
      ],
    ],
  },
  {
    id: "R22",
    rule: "Sign-in with a provider is by code and PKCE with S256",
    proofs: [[SIGN_IN, "POST /api/auth/idp signs in at a real provider, with PKCE"]],
  },
  {
    id: "R23",
    rule: "A wrong verifier, nonce, issuer or address, or a replay, opens no session",
    proofs: [
      [
        SIGN_IN,
        "POST /api/auth/idp takes a code once, and only with its own verifier, nonce and redirect URI",
      ],
      [HOSTILE_PROVIDER, "OpenIdConnect.exchange sends no code for what it can refuse by itself"],
    ],
  },
  {
    id: "R24",
    rule: "An ID token's signature, algorithm, issuer, audience, time and nonce are checked",
    proofs: [[
      HOSTILE_PROVIDER,
      "OpenIdConnect.exchange believes no ID token that lies, and an honest one before and after",
    ]],
  },
  {
    id: "R25",
    rule: "A person is issuer and subject; e-mail links nobody",
    proofs: [
      ["tests/store/store_contract.ts", "knows a person by issuer and subject, never by their e-mail"],
      [
        "auth/keys/roles_test.ts",
        "grantsOf believes an e-mail only when the provider says in so many words that it is verified",
      ],
    ],
  },
  {
    id: "R26",
    rule: "A disabled person stays out; without a role rule nobody comes in",
    proofs: [
      [
        "tests/access/local_sign_in_test.ts",
        "A disabled person's token, keys and sign-in are refused at once",
      ],
      ["auth/keys/roles_test.ts", "grantsOf takes the first rule that matches, and nothing when none does"],
    ],
  },
  {
    id: "R27",
    rule: "Forged tokens are 401, whatever they forge",
    proofs: [[
      TOKENS,
      "GET /api/auth/me believes a good access token, and tells nobody what was wrong with a bad one",
    ]],
  },
  {
    id: "R28",
    rule: "No kind of credential counts in the place of another",
    proofs: [
      [TOKENS, "POST /api/auth/refresh takes a refresh token and nothing else"],
      [TOKENS, "POST /api/settings/setup and the key routes take neither tokens nor each other's secrets"],
    ],
  },
  {
    id: "R29",
    rule: "No credential comes in an address; two at once are refused",
    proofs: [
      [KEYS, "A credential in the query string is refused, and no log line holds it"],
      [KEYS, "Two credentials at once are refused, whichever of them is good"],
    ],
  },
  {
    id: "R30",
    rule: "Refresh tokens rotate; a spent one ends the session",
    proofs: [
      [SESSION, "POST /api/auth/refresh ends the whole session for"],
      ["tests/store/store_contract.ts", "ends the session when a spent token returns after the grace"],
    ],
  },
  {
    id: "R31",
    rule: "No refresh moves a session's end; idle ones end",
    proofs: [
      [SESSION, "A session ends 12 hours after its sign-in, however often it is refreshed"],
      [SESSION, "A session that nobody uses for two hours ends"],
    ],
  },
  {
    id: "R32",
    rule: "Signing keys turn over without refusing a valid token",
    proofs: [[SESSION, "Signing keys turn over at two replicas under load, and no valid token is refused"]],
  },
  {
    id: "R33",
    rule: "Keys are random, kept as a digest, shown once, gone at once; the last admin stays",
    proofs: [
      [
        KEYS,
        "POST /api/settings/api-keys makes keys by role and by permission, shown once and kept as a digest",
      ],
      [KEYS, "DELETE /api/settings/api-keys/{id} keeps the last admin, and a deleted key is refused at once"],
    ],
  },
  {
    id: "R34",
    rule: "A body is at most 1 MiB and arrives in time",
    proofs: [
      [
        EDGE,
        "a body over 1 MiB is 413, whether it says so, comes in chunks, or lies about its length (R34, F4)",
      ],
      [
        "tests/http/slow_body_test.ts",
        "a body that does not arrive in time is 408, and the handler never sees it (R34)",
      ],
    ],
  },
  {
    id: "R35",
    rule: "Every call to somebody else ends in time and follows no redirect",
    proofs: [
      [
        HOSTILE_PROVIDER,
        "OpenIdConnect says identity_provider_unavailable for a provider that is away, slow, huge, broken or moves",
      ],
      [
        "tests/engines/hostile_engine_test.ts",
        "Engine gives up on an answer that does not begin, and its slot is free again",
      ],
    ],
  },
  {
    id: "R36",
    rule: "What waits for a socket is bounded: a gap, then 1013",
    proofs: [
      [
        "http/socket/socket_test.ts",
        "a peer that reads nothing gets a gap and close 1013, and the handler learns at once",
      ],
      [
        "http/socket/queue_test.ts",
        "a send queue never lets more than its limit wait, and refuses the message that would",
      ],
    ],
  },
  {
    id: "R37",
    rule: "A message over 64 KiB closes the socket",
    proofs: [[
      "http/socket/socket_test.ts",
      "a message over 64 KiB closes 1009 and never reaches the handler",
    ]],
  },
  {
    id: "R38",
    rule: "No input holds up the event loop; patterns take linear time",
    proofs: [
      [
        "tests/artifacts/linear_patterns_test.ts",
        "every pattern of the service takes linear time on texts made against it (F59, R38)",
      ],
      ["tests/artifacts/event_loop_test.ts", "no piece of reading and checking"],
    ],
  },
  {
    id: "R39",
    rule: "Tries are limited by account and by peer, and no flood pushes a counter out",
    proofs: [
      [
        "auth/rate_limit_test.ts",
        "RateLimit keeps a guilty name's count while 30,000 others fill the table, within bounded memory",
      ],
      [
        "tests/access/local_sign_in_test.ts",
        "POST /api/auth/password answers 429 when 24 ask at once, and a browser that signed in before gets in",
      ],
    ],
  },
  {
    id: "R40",
    rule: "An unforeseen error is a generic answer with an id; the process lives",
    proofs: [[
      EDGE,
      "whatever a handler throws is one generic 500 with an id that finds it in the log; the service lives (R40, F9)",
    ]],
  },
  {
    id: "R41",
    rule: "What is shipped runs where the rest of the machine is hidden",
    proofs: [
      [UNIT, "berth.service is exposed at 2.0 at most, by systemd's own measure"],
      [
        UNIT,
        "berth.service starts without credentials or settings, lists containers, follows no planted link, reloads and stops",
      ],
      [IMAGE, "the image has at most 125 MB, one user, no shell, labels and a health check"],
    ],
  },
  {
    id: "R42",
    rule: "A workspace lies in an allowed root",
    proofs: [[
      "tests/artifacts/workspaces_test.ts",
      "POST /api/workspaces refuses what lies outside the roots, and tells nothing about it",
    ]],
  },
  {
    id: "R43",
    rule: "Regular files inside the folder are read, and no others",
    proofs: [
      [
        "artifacts/files/safe_reader_test.ts",
        "links inside the folder are followed, links out of it are not",
      ],
      [
        "artifacts/reading/workspace_reader_test.ts",
        "a file that include, extends or .env names is never read outside the folder",
      ],
    ],
  },
  {
    id: "R44",
    rule: "A bomb of YAML is refused before it is parsed",
    proofs: [["artifacts/yaml/parse_test.ts", ": refused"]],
  },
  {
    id: "R45",
    rule: "Absent, outside and forbidden look alike; no resolved value is told",
    proofs: [
      [
        "tests/plan/resolved_values_test.ts",
        "no answer has the value of a variable, whatever field of Compose it is put into",
      ],
      [
        "tests/artifacts/workspaces_test.ts",
        "POST /api/workspaces refuses what lies outside the roots, and tells nothing about it",
      ],
    ],
  },
  {
    id: "R46",
    rule: "The tail shows one file, through rotation, and never a link",
    proofs: [
      ["log/log_test.ts", "tail never reads through a link (R46)"],
      ["log/log_test.ts", "openLog refuses a link in the place of its file (R46)"],
    ],
  },
  {
    id: "R47",
    rule: "A log record is one line without secrets, whatever the input",
    proofs: [
      ["log/line_test.ts", "formatLine stays one printable ASCII-safe line whatever the input (R47)"],
      [
        "log/log_test.ts",
        "a half line at the end of the file is ended before the next one, and told as lost",
      ],
    ],
  },
  {
    id: "R48",
    rule: "The page shows names, labels and logs as text",
    proofs: [
      ["tests/page/hostile_test.ts", "markup and characters that turn a line around are text"],
      ["tests/page/build_test.ts", "no source of the page makes markup or styles out of text"],
    ],
  },
  {
    id: "R49",
    rule: "Secrets are masked but where they are revealed on purpose",
    proofs: [
      [
        "tests/access/reveal_test.ts",
        "declared secrets are masked in every answer, and everything beside them is there",
      ],
      [
        "tests/engines/containers_test.ts",
        "an inspected container shows no secret unless it is revealed, and its raw form neither",
      ],
    ],
  },
  {
    id: "R50",
    rule: "Command lines of shells are in no event",
    proofs: [[
      "plugins/containers/events/event_hub_test.ts",
      "an exec's command line is not in an event, whoever let it through",
    ]],
  },
  {
    id: "R51",
    rule: "Hostile output of an engine and throwing handlers crash nothing",
    proofs: [
      [
        "tests/http/stray_failure_test.ts",
        "a rejection that nobody handles, and an exception in a timer, end neither process nor service (R51)",
      ],
      [
        "tests/engines/hostile_engine_test.ts",
        "Engine answers every status with any body by a typed error, and never throws another",
      ],
    ],
  },
  {
    id: "R52",
    rule: "Each change and each refusal is in the audit",
    proofs: [
      [KEYS, "GET /api/system/audit shows each change and each refusal, with its actor, newest first"],
      ["tests/store/store_contract.ts", "tells nothing where nothing changed"],
    ],
  },
  {
    id: "R53",
    rule: "No header, path, host or address of a caller reaches an engine",
    proofs: [
      [
        "tests/engines/hostile_engine_test.ts",
        "Engine asks nothing for an identifier or reference that is none",
      ],
      [
        "plugins/containers/images/reference_test.ts",
        "parseReference answers or refuses whatever it is given, and what it answers it reads the same again",
      ],
    ],
  },
  {
    id: "R54",
    rule: "Volumes that bind folders of the host are for admins",
    proofs: [[
      "tests/engines/volumes_test.ts",
      "POST /api/volumes lets only an admin reach folders of the host",
    ]],
  },
  {
    id: "R55",
    rule: "Credentials of a pull go to its own registry, once",
    proofs: [
      [
        "tests/apply/pull_hostile_test.ts",
        "a pull sends its credentials in its own call only, for the reference's registry",
      ],
      [
        "tests/apply/pull_test.ts",
        "POST /api/images/pull gives credentials to the reference's registry, and keeps them nowhere",
      ],
    ],
  },
  {
    id: "R56",
    rule: "Acknowledged writes survive kill -9; a full disk is a typed error",
    proofs: [
      [
        "tests/access/audit_kill_test.ts",
        "kills in the middle of work leave no change and no act without its entry, and whole chains",
      ],
      [
        "tests/store/store_sqlite_test.ts",
        "Store has written to the disk itself before it acknowledges a write",
      ],
    ],
  },
  {
    id: "R57",
    rule: "Sealed values of two rows cannot be exchanged, and the sealing key can be rotated",
    proofs: [
      [SESSION, "Seal opens only what it sealed, in the place it was sealed for"],
      [
        "tests/access/sealing_key_test.ts",
        "After a rotation sessions go on, another signing key comes in, and the whole audit log verifies",
      ],
    ],
  },
  {
    id: "R58",
    rule: "A backup under load restores whole and holds no secret in clear",
    proofs: [
      [SESSION, "No secret is in the log, the answers, the store, its write-ahead log or a backup"],
      [
        "tests/store/store_contract.ts",
        "copies itself while it is written, and the copy opens with all that was acknowledged before",
      ],
    ],
  },
  {
    id: "R59",
    rule: "SIGTERM drains within ten seconds and exits with 0",
    proofs: [["tests/http/stopping_test.ts", "ends 50 open streams and idle connections, and exits 0"]],
  },
  {
    id: "R60",
    rule: "Lock files are frozen and looked through for known holes",
    proofs: [
      [
        "tests/house/packages_test.ts",
        "deno.lock holds the service's packages alone; if not, run `deno task lock`",
      ],
      ["tests/house/packages_test.ts", "a package is named with one exact version, wherever it is named"],
      [
        "tests/house/ci_test.ts",
        "a known hole in a package is red, and a registry that does not answer is red in CI alone (R60)",
      ],
    ],
  },
  {
    id: "R61",
    rule: "berth needs no more of Deno than the manual names",
    proofs: [
      [
        "tests/access/permissions_test.ts",
        "berth serves on the permissions that docs/hardening.md names: setup, workspaces, logs, the API document",
      ],
      [
        "tests/access/permissions_test.ts",
        "what docs/hardening.md does not allow is refused by the runtime, act by act (R61)",
      ],
    ],
  },
  {
    id: "R62",
    rule: "No eval, no shell; programs are started in one file of a plugin",
    proofs: [[
      "tests/house/architecture_test.ts",
      "the product runs no shell or eval, starts programs in */process.ts and page/build.ts alone",
    ]],
  },
  {
    id: "R63",
    rule: "Unit and image: a user of their own, nothing new to gain, read-only, bounded",
    proofs: [
      [UNIT, "berth.service is exposed at 2.0 at most, by systemd's own measure"],
      [
        IMAGE,
        "the image, hardened and published on loopback, goes from nothing to its own container in the list",
      ],
    ],
  },
];
