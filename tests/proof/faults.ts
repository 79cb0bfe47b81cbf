/** Every fault that berth is to survive, what holds then, and the tests and benches that break it on purpose. */
import { PROMISED, seconds } from "./promised.ts";

/** A file, and the beginning of a name in it; a bench or a script has no name. */
export type Proof = readonly [file: string, name?: string];

export interface Fault {
  readonly id: string;
  readonly broken: string;
  readonly holds: string;
  readonly proofs: readonly Proof[];
  /** The part that nobody has proven yet. */
  readonly open?: string;
}

export const FAULTS: readonly { readonly about: string; readonly faults: readonly Fault[] }[] = [
  {
    about: "Process and network",
    faults: [
      {
        id: "F1",
        broken: "Callers that send no byte, half a header or half a body, through each shipped proxy",
        holds: "They are cut in time; lists and sockets beside them are served",
        proofs: [
          [
            "tests/packaging/proxy_test.ts",
            "lists, quiet streams and sockets work, and slow callers are cut",
          ],
          [
            "tests/packaging/proxy_test.ts",
            "1,000 callers who never finish are cut, and a good one is answered (F1)",
          ],
        ],
      },
      {
        id: "F2",
        broken: "400 connections on 256 descriptors",
        holds: `The same process serves again within ${
          seconds(PROMISED.servedAgain)
        }, open streams go on; too low a limit stops the start`,
        proofs: [
          ["tests/store/emfile_test.ts", "400 connections on 256 descriptors"],
          [
            "tests/commands/command_line_test.ts",
            "berth serve refuses too low a limit of file descriptors (R7)",
          ],
        ],
      },
      {
        id: "F3",
        broken: "Malformed requests: lengths, chunks, Host, bare LF, TRACE, long lines",
        holds: "They are refused or closed, and none ends the service",
        proofs: [[
          "tests/http/edge_test.ts",
          "malformed requests are refused or closed, and none ends the service (F3)",
        ]],
      },
      {
        id: "F4",
        broken:
          "A body ten times the limit: with its length, in chunks, with a lying length, compressed, slow",
        holds: "413, 415 or 408, and memory stays",
        proofs: [
          [
            "tests/http/edge_test.ts",
            "a body over 1 MiB is 413, whether it says so, comes in chunks, or lies about its length (R34, F4)",
          ],
          [
            "tests/http/slow_body_test.ts",
            "a body that does not arrive in time is 408, and the handler never sees it (R34)",
          ],
          [
            "tests/http/edge_faults_test.ts",
            "a compressed body is refused unread, and large ones leave no memory behind (F4)",
          ],
        ],
      },
      {
        id: "F5",
        broken: "A Host that is foreign, missing, twice, of another authority, with a dot, in upper case",
        holds: "421 or 400, but for the exact list",
        proofs: [
          ["tests/http/edge_test.ts", "only our own Host, exactly once, reaches a route (R9, F5)"],
          ["tests/http/edge_test.ts", "a request target of another authority than the Host is refused (R9)"],
        ],
      },
      {
        id: "F6",
        broken:
          "A name of an attacker that leads to berth, with their Host and Origin and the victim's cookie",
        holds: "421, no cookie is set, and nothing is told",
        proofs: [[
          "tests/http/edge_faults_test.ts",
          "a rebound name gets 421 and no cookie, whatever cookie and Origin it brings (F6)",
        ]],
      },
      {
        id: "F7",
        broken: "SIGTERM with 50 streams, sockets and requests open",
        holds: `All end within ${seconds(PROMISED.drained)}, sockets with 1001; exit 0, the store folded in`,
        proofs: [
          ["tests/http/stopping_test.ts", "ends 50 open streams and idle connections, and exits 0"],
          ["tests/http/stopping_test.ts", "a stop closes sockets with 1001"],
          [
            "tests/streams/exec_test.ts",
            "a stopping service ends terminals with 1001, lost rights with 1008",
          ],
          [
            "tests/engines/stopping_engine_test.ts",
            "SIGTERM with followed logs, shells and a pull open ends all of them, and no shell stays (F7)",
          ],
        ],
      },
      {
        id: "F8",
        broken: "kill -9 in the middle of writes, again and again",
        holds: "No acknowledged write is lost, the store is whole, berth starts again",
        proofs: [
          ["tests/store/store_sqlite_test.ts", "Store keeps every acknowledged write through kill -9"],
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
        id: "F9",
        broken: "A throw or a rejection in handlers, in those of sockets, in timers, and where nobody waits",
        holds: "One caller gets 500 with an id that the log knows; the process lives",
        proofs: [
          [
            "tests/http/edge_test.ts",
            "whatever a handler throws is one generic 500 with an id that finds it in the log; the service lives (R40, F9)",
          ],
          [
            "http/socket/socket_test.ts",
            "a throwing handler costs its own socket only: typed for a ServiceError, generic for a bug",
          ],
          [
            "tests/http/stray_failure_test.ts",
            "a rejection that nobody handles, and an exception in a timer, end neither process nor service (R51)",
          ],
        ],
      },
      {
        id: "F10",
        broken: "The clock goes an hour on, an hour back, two minutes back",
        holds: "Tokens fail closed beyond the skew, timers go on, no session is ended by the step alone",
        proofs: [[
          "tests/access/access_tokens_test.ts",
          "A clock that was set back by an hour fails closed, and ends no session by itself",
        ], [
          "tests/access/access_tokens_test.ts",
          "A clock that goes two minutes back or an hour on ends no session: a refresh is all it takes (F10)",
        ], [
          "tests/store/clock_test.ts",
          "the clock of a whole berth goes an hour on, an hour back and two minutes back",
        ]],
      },
    ],
  },
  {
    about: "Engine",
    faults: [
      {
        id: "F11",
        broken: "No engine at the start, and one later",
        holds: `berth starts, says why, and has it within ${seconds(PROMISED.engineFound)}`,
        proofs: [
          [
            "tests/engines/mirror_test.ts",
            "an engine that is installed after the start is found within four seconds",
          ],
          [
            "tests/engines/mirror_test.ts",
            "an engine that is away is named with its reason, and comes back by itself",
          ],
        ],
      },
      {
        id: "F12",
        broken: "A socket that may not be opened",
        holds: "The reason says what to do; nothing crashes",
        proofs: [[
          "tests/access/socket_denied_test.ts",
          "an engine whose socket may not be opened is refused with advice, and the rest goes on",
        ]],
      },
      {
        id: "F13",
        broken: "The engine is killed during events, followed logs, a shell, a pull, measurements",
        holds: `Each ends with its reason or goes on; nothing is shown twice; ${
          seconds(PROMISED.engineSeen)
        } after its return the lists are true`,
        proofs: [
          [
            "tests/apply/recovery_test.ts",
            "an engine that is killed is named as away, refuses in words, and is back with what it has",
          ],
          [
            "tests/engines/mirror_test.ts",
            "an engine that was away for long is seen within two seconds of its return",
          ],
          [
            "tests/streams/logs_engine_test.ts",
            "following survives the death of the engine and goes on behind the last line",
          ],
          [
            "tests/streams/exec_test.ts",
            "a command whose engine dies ends in words, and the session is not kept",
          ],
          [
            "tests/streams/terminal_test.ts",
            "a death of the engine is told, its return is a resync, and logs go on behind the last line",
          ],
          [
            "tests/proof/streams_load_test.ts",
            "a million lines go through following once and in order, although the engine dies on the way",
          ],
          [
            "tests/apply/recovery_test.ts",
            "a pull whose engine dies in the middle ends in words, and with the engine it can be pulled again (F13)",
          ],
        ],
      },
      {
        id: "F14",
        broken: "26 deaths of the engine in a row",
        holds: "The lists are true after each, descriptors stay as they were",
        proofs: [[
          "tests/engines/engine_faults_test.ts",
          "26 deaths of the engine in a row leave true lists and no descriptor behind (F14)",
        ]],
      },
      {
        id: "F15",
        broken: "The connection is cut at every byte of events, logs, answers and a pull",
        holds: "Nothing is lost and nothing repeated, or a gap is told",
        proofs: [
          [
            "tests/engines/mirror_test.ts",
            "an event stream cut at any byte loses nothing: afterwards the mirror equals the engine",
          ],
          [
            "tests/streams/logs_test.ts",
            "an engine cut at every byte of its answer costs no line and repeats none, followed or not",
          ],
          [
            "tests/engines/hostile_engine_test.ts",
            "Engine takes an answer that was cut at any byte for a failure, never for a shorter answer",
          ],
          [
            "tests/apply/pull_hostile_test.ts",
            "POST /api/images/pull cut at any point of its progress is a failure, although the image is there",
          ],
          [
            "tests/streams/exec_test.ts",
            "a command whose answer is cut at any byte shows what came, and tells a half frame from an end (F15)",
          ],
        ],
      },
      {
        id: "F16",
        broken: "Frames, chunks, JSON and UTF-8 split anywhere",
        holds: "The output is the same",
        proofs: [
          [
            "engines/frames/frames_test.ts",
            "any split of a recorded stream, in reads and in chunks, gives the same frames",
          ],
          [
            "plugins/containers/logs/lines_test.ts",
            "any split of a recorded log gives the same lines, in every format, framed and of a terminal",
          ],
          [
            "tests/engines/mirror_test.ts",
            "Lines gives the same lines however the bytes are split, and drops one that never ends",
          ],
        ],
      },
      {
        id: "F17",
        broken: "Frames of impossible lengths and types, and cut headers",
        holds: "A typed error ends the stream; memory is bounded",
        proofs: [
          [
            "engines/frames/frames_test.ts",
            "hostile frames and chunks end in a typed error",
          ],
          [
            "tests/streams/exec_test.ts",
            "frames that no engine should send end a command with a typed error",
          ],
          [
            "tests/streams/logs_test.ts",
            "hostile frames end NDJSON with a typed error after the lines before, and text with a broken body",
          ],
        ],
      },
      {
        id: "F18",
        broken: "A terminal's bytes that look like a frame",
        holds: "They are shown as they are",
        proofs: [[
          "tests/streams/logs_engine_test.ts",
          "a terminal's log comes raw, although it may look like frames",
        ]],
      },
      {
        id: "F19",
        broken: "A line without an end: of 300 KB, and of 200 MiB",
        holds: "It is cut at 256 KiB and says so, the next one is whole, memory is bounded",
        proofs: [
          [
            "plugins/containers/logs/lines_test.ts",
            "a line over 256 KiB is cut, says so, and the next one is whole",
          ],
          [
            "tests/engines/engine_faults_test.ts",
            "a line of 200 MiB is cut and says so, and berth stays small (F19)",
          ],
        ],
      },
      {
        id: "F20",
        broken: "A line of 40 KB, which engines send in parts",
        holds: "It is one line with one time",
        proofs: [[
          "tests/streams/logs_engine_test.ts",
          "a line of 40 KB is one line with one time, in every format",
        ]],
      },
      {
        id: "F21",
        broken: "A log is rotated away while its reader stalls",
        holds: "The gap is told, every line that is left follows, none is repeated",
        proofs: [
          [
            "tests/streams/log_rotation_test.ts",
            "who reads nothing while a log is rotated away is told of the gap, and then every line that is left",
          ],
          [
            "tests/streams/log_rotation_test.ts",
            "a log that is rotated while it is followed repeats no line, although the engine reads files again",
          ],
        ],
      },
      {
        id: "F22",
        broken: "2,000 events at once, and a viewer who reads nothing",
        holds: "Every call is answered with the latest meanwhile; afterwards the state is the engine's",
        proofs: [[
          "tests/streams/terminal_test.ts",
          "2,000 events in a burst and a viewer who reads nothing: every call is answered with the latest meanwhile, and the state is the engine's",
        ]],
      },
      {
        id: "F23",
        broken: "More events than an engine remembers while it was away",
        holds: "The lists are read again and equal the engine's",
        proofs: [
          [
            "tests/engines/mirror_test.ts",
            "an engine that was away for long is seen within two seconds of its return",
          ],
          ["tests/engines/mirror_test.ts", "what no event told is found by comparing with the engine's list"],
        ],
      },
      {
        id: "F24",
        broken: "Events that are lost, repeated, late, in another order, of the same moment",
        holds: "The mirror equals the engine's own lists, and nothing is told twice",
        proofs: [
          [
            "tests/proof/mirror_storm_test.ts",
            "after a storm of operations by the command line the mirror equals the engine's own lists, field by field",
          ],
          [
            "tests/engines/mirror_test.ts",
            "EventFeed tells an event once, without command lines and labels, and resumes by number",
          ],
          [
            "tests/engines/mirror_test.ts",
            "whatever events are lost, repeated, late or of one moment, the mirror equals the engine, and none is told twice (F24)",
          ],
        ],
      },
      {
        id: "F25",
        broken: "A container is removed during its log, its shell, its inspection, its stop",
        holds: "A typed answer each time, never 500",
        proofs: [
          [
            "tests/streams/exec_test.ts",
            "a container that is removed, stopped or not there ends in words and a code, never in silence",
          ],
          [
            "tests/engines/engine_faults_test.ts",
            "20 callers start, stop, inspect and remove one container: each answer is one that the document declares (F25, F26)",
          ],
        ],
      },
      {
        id: "F26",
        broken: "20 callers start, stop and remove one container at once",
        holds: "Each gets 204, 304, 404 or 409, and the lists agree with the engine afterwards",
        proofs: [
          [
            "tests/engines/engine_faults_test.ts",
            "20 callers start, stop, inspect and remove one container: each answer is one that the document declares (F25, F26)",
          ],
          [
            "tests/engines/engine_faults_test.ts",
            "20 callers start, stop and restart one container: who is beaten to it is told so",
          ],
        ],
      },
      {
        id: "F27",
        broken:
          "A shell whose caller vanishes, whose container stops, whose stream never closes, whose berth is killed",
        holds: "It is ended or listed, its exit code known or null",
        proofs: [
          [
            "tests/streams/exec_test.ts",
            "whoever leaves takes the command along: a shell, what runs in it, and what ignores its input",
          ],
          ["tests/streams/exec_test.ts", "what cannot be hung up is listed as an orphan until it ends"],
          ["tests/streams/exec_test.ts", "a command that vanished from the engine exits with no code"],
          ["tests/apply/orphans_test.ts", "shells open on two engines: after the restart all are ended"],
        ],
      },
      {
        id: "F28",
        broken: "200 sizes of a terminal in a row, sizes that are none, a size after the end",
        holds: "Input never waits for them; the last one counts, or the message is refused",
        proofs: [
          [
            "tests/streams/exec_test.ts",
            "without a command a shell is found, on a terminal of the size that was asked for and then changed",
          ],
          [
            "tests/streams/exec_test.ts",
            "messages that mean nothing end the socket with a typed error, and the command with it",
          ],
        ],
      },
      {
        id: "F29",
        broken: "A pull of what is unknown, refused, away, cut, failing late",
        holds: "A failure is a failure; after a success the image is there",
        proofs: [
          [
            "tests/apply/pull_test.ts",
            "POST /api/images/pull of what the registry does not have is 404, and no image appears",
          ],
          [
            "tests/apply/pull_test.ts",
            "POST /api/images/pull from a registry that is away fails, and says so",
          ],
          [
            "tests/apply/pull_hostile_test.ts",
            "POST /api/images/pull ends a stream with the error that came after its progress began",
          ],
          [
            "tests/apply/pull_hostile_test.ts",
            "POST /api/images/pull cut at any point of its progress is a failure, although the image is there",
          ],
          [
            "tests/apply/pull_test.ts",
            "POST /api/images/pull of one image by two at once succeeds for both, and the image is there (F29)",
          ],
          [
            "tests/engines/engine_faults_test.ts",
            "a pull onto a full disk fails in words, no image appears, and with room it succeeds (F29)",
          ],
        ],
      },
      {
        id: "F30",
        broken: "Podman's service ends by itself after five idle seconds",
        holds: "Nobody notices",
        proofs: [[
          "tests/engines/engine_faults_test.ts",
          "Podman's service ends itself when it is idle, again and again, and no caller notices (F30)",
        ]],
      },
      {
        id: "F31",
        broken: "Versions of the engine's API that are old, new, missing, nonsense",
        holds: "berth adapts, or refuses and says why",
        proofs: [[
          "tests/engines/hostile_engine_test.ts",
          "Engine takes the newest API version that both speak, and refuses too old and unclear ones in words",
        ]],
      },
      {
        id: "F32",
        broken: "Every status of an engine with JSON, text, HTML, nothing, 10 MiB",
        holds: "A typed error, never a throw",
        proofs: [
          [
            "tests/engines/hostile_engine_test.ts",
            "Engine answers every status with any body by a typed error, and never throws another",
          ],
          [
            "tests/engines/hostile_engine_test.ts",
            "Engine refuses an answer beyond its limit, however it is announced",
          ],
        ],
      },
      {
        id: "F33",
        broken: "An engine that answers late, by drops, or not at all",
        holds: "Its call ends in time, its slot is free again, everybody else is served",
        proofs: [
          [
            "tests/engines/hostile_engine_test.ts",
            "Engine gives up on an answer that does not begin, and its slot is free again",
          ],
          [
            "tests/engines/watchdog_test.ts",
            "an engine that never answered is unresponsive, too, and names no rows",
          ],
          [
            "tests/engines/several_engines_test.ts",
            "lists span the engines that are up and name the one that is not",
          ],
          [
            "tests/engines/engine_faults_test.ts",
            "an answer of one byte a second ends its call in time, and everybody else is served (F33)",
          ],
        ],
      },
      {
        id: "F34",
        broken: "Unknown fields, nulls, other types, 10,000 containers, labels of a megabyte",
        holds: "They are tolerated or a typed error",
        proofs: [
          [
            "tests/engines/mirror_test.ts",
            "fields of other types, nulls and unknown fields are tolerated, and what has no id is no container",
          ],
          [
            "tests/engines/mirror_test.ts",
            "ten thousand containers and labels of a megabyte are mirrored whole",
          ],
        ],
      },
    ],
  },
  {
    about: "Sign-in and abuse",
    faults: [
      {
        id: "F35",
        broken: "50 setups at once on two services",
        holds: "One admin is made; the setup stays closed after restart, restore and deletions",
        proofs: [
          [
            "tests/access/access_keys_test.ts",
            "POST /api/settings/setup makes exactly one admin for 50 parallel callers on two services",
          ],
          [
            "tests/access/access_keys_test.ts",
            "POST /api/settings/setup stays closed after a restart and after every key is gone",
          ],
          [
            "tests/access/access_keys_test.ts",
            "A restored backup lets in whom it knew, and its setup stays closed",
          ],
        ],
      },
      {
        id: "F36",
        broken: "Wrong setup tokens by the thousand",
        holds: "They are answered alike and limited; the right one works later",
        proofs: [[
          "tests/access/access_keys_test.ts",
          "POST /api/settings/setup answers every wrong token alike, limits them, and the right one works later",
        ]],
      },
      {
        id: "F37",
        broken: "Every route and socket, called by everybody",
        holds: "Exactly the table of permissions; an undeclared route fails the test",
        proofs: [
          [
            "tests/access/access_matrix_test.ts",
            "The matrix of all routes and all callers holds, cell by cell",
          ],
          [
            "tests/access/access_matrix_test.ts",
            "Every route and socket declares a permission, and only the listed ones are open",
          ],
        ],
      },
      {
        id: "F38",
        broken: "Forged tokens: algorithm, key, type, audience, end, issuer, and twenty more",
        holds: "401, and nobody is told what was wrong",
        proofs: [[
          "tests/access/access_tokens_test.ts",
          "GET /api/auth/me believes a good access token, and tells nobody what was wrong with a bad one",
        ]],
      },
      {
        id: "F39",
        broken: "One refresh token, 100 times at once, at two services",
        holds: "One successor for all, and no session ends",
        proofs: [
          [
            "tests/access/access_session_test.ts",
            "POST /api/auth/refresh gives 100 parallel callers at two services one successor",
          ],
          [
            "tests/store/store_contract.ts",
            "rotates once for 100 parallel callers on two handles; all others get that successor",
          ],
        ],
      },
      {
        id: "F40",
        broken: "A spent token that comes back: late, of the generation before, after its successor was used",
        holds: "The session ends, its sockets close, the audit tells of it",
        proofs: [
          ["tests/access/access_session_test.ts", "POST /api/auth/refresh ends the whole session for"],
          ["tests/store/store_contract.ts", "ends the session when a grandparent returns inside the grace"],
        ],
      },
      {
        id: "F41",
        broken: "The answer of a refresh is lost",
        holds: "The same call succeeds again within the grace",
        proofs: [[
          "tests/access/access_session_test.ts",
          "POST /api/auth/refresh answers a repeated call inside the grace, as after an answer that got lost",
        ], [
          "tests/access/refresh_kill_test.ts",
          "a refresh whose berth is killed between its commit and its answer succeeds again, once (F41)",
        ], [
          "tests/access/refresh_kill_test.ts",
          "a refresh whose replica is killed before its answer succeeds at the other one, and was done once",
        ], [
          "tests/store/replica_kill_test.ts",
          " kills of replicas in the middle of refreshes lose no session, and no token has two successors",
        ]],
      },
      {
        id: "F42",
        broken: "A provider and callers that lie: code, issuer, nonce, verifier, address, state",
        holds: "Refused; what needs no provider is refused before the code leaves",
        proofs: [
          [
            "tests/access/sign_in_hostile_test.ts",
            "OpenIdConnect.exchange believes no ID token that lies, and an honest one before and after",
          ],
          [
            "tests/access/sign_in_hostile_test.ts",
            "OpenIdConnect.exchange sends no code for what it can refuse by itself",
          ],
          [
            "tests/access/sign_in_test.ts",
            "POST /api/auth/idp takes a code once, and only with its own verifier, nonce and redirect URI",
          ],
        ],
      },
      {
        id: "F43",
        broken: "A provider that is away, slow, huge, that moves, that turned its keys",
        holds: "Known keys work on, fetches are few, no redirect is followed, 503 says why",
        proofs: [
          [
            "tests/access/sign_in_hostile_test.ts",
            "OpenIdConnect says identity_provider_unavailable for a provider that is away, slow, huge, broken or moves",
          ],
          [
            "tests/access/sign_in_hostile_test.ts",
            "OpenIdConnect asks a provider that is away once in five seconds, and goes on with what it knew",
          ],
        ],
      },
      {
        id: "F44",
        broken: "A socket from a foreign page, a neighbour's port, with a cookie",
        holds: "403 before the 101",
        proofs: [
          [
            "tests/access/socket_admission_test.ts",
            "A socket is refused before its 101 for every foreign Origin, whatever credential it brings",
          ],
          [
            "tests/access/socket_admission_test.ts",
            "A socket is never admitted by a cookie, and a cookie without an Origin spoils a good credential",
          ],
          [
            "tests/access/sign_in_browser_test.ts",
            "A page of another port or site can neither use the cookie nor open a socket, whatever it knows",
          ],
        ],
      },
      {
        id: "F45",
        broken: "A forged refresh: a form, an empty body, another site, a stolen cookie",
        holds: "403, and nothing rotates",
        proofs: [
          ["tests/access/access_session_test.ts", "POST /api/auth/refresh refuses the cookie"],
          [
            "tests/access/access_session_test.ts",
            "A stolen cookie's token is worth nothing in the body, and a form post never reaches it",
          ],
          [
            "tests/access/access_session_test.ts",
            "No route but POST /api/auth/refresh takes the cookie for a credential",
          ],
        ],
      },
      {
        id: "F46",
        broken: "A socket's credential that is expired, revoked, of another kind, twice, in the address",
        holds: "Refused before the 101; no log holds it",
        proofs: [
          [
            "tests/access/socket_admission_test.ts",
            "A socket is refused before its 101 for every credential that is not exactly one good one",
          ],
          [
            "tests/access/access_keys_test.ts",
            "A credential in the query string is refused, and no log line holds it",
          ],
        ],
      },
      {
        id: "F47",
        broken: "A person or a key is revoked with sockets open, at another replica too",
        holds: `They close with 1008 within ${seconds(PROMISED.revoked)}`,
        proofs: [
          [
            "tests/access/local_sign_in_test.ts",
            "The sockets of a disabled person and of their keys end within five seconds, at another replica too",
          ],
          [
            "tests/access/access_keys_test.ts",
            "An open stream of a deleted key ends within five seconds, at other replicas too",
          ],
          [
            "tests/access/socket_admission_test.ts",
            "Open sockets of a session close with 1008 when it ends, by sign-out or by a token used twice",
          ],
        ],
      },
      {
        id: "F48",
        broken: "Wrong keys, codes and refreshes over many names",
        holds: "Limited, memory bounded, an honest caller served, no counter pushed out",
        proofs: [
          [
            "auth/rate_limit_test.ts",
            "RateLimit keeps a guilty name's count while 30,000 others fill the table, within bounded memory",
          ],
          ["tests/access/strangers_test.ts", "are answered 200 times, then 429 until tries come back"],
          [
            "tests/access/access_tokens_test.ts",
            "Verified credentials are remembered within a bound, and a flood of bad ones leaves nothing behind",
          ],
        ],
      },
      {
        id: "F49",
        broken: "Keys whose secret is wrong at its beginning, in the middle, at its end: told apart by time",
        holds: "They take as long; only that an id is a key's can be told, and ids are no secrets",
        proofs: [
          [
            "tests/access/key_timing_test.ts",
            "a key that is wrong at its beginning, in the middle or at its end takes as long (F49)",
          ],
          [
            "tests/access/local_sign_in_test.ts",
            "POST /api/auth/password answers a wrong name and a wrong password alike, and takes as long",
          ],
        ],
      },
      {
        id: "F50",
        broken: "Line ends, quotes and foreign addresses in names, paths and queries",
        holds: "No header has them, and no answer leads elsewhere",
        proofs: [[
          "tests/http/edge_faults_test.ts",
          "whatever stands in a path or a query, no answer gains a header or leads elsewhere (F50)",
        ]],
      },
    ],
  },
  {
    about: "Files, parsers, resources",
    faults: [
      {
        id: "F51",
        broken: "Links, loops, pipes, devices, holes, hard links, unreadable files, names that are not UTF-8",
        holds: "A finding or a refusal each; nothing hangs, no path leaks",
        proofs: [
          [
            "artifacts/files/safe_reader_test.ts",
            "pipes, devices, folders, hard links and what is too large are refused without waiting",
          ],
          [
            "artifacts/files/safe_reader_test.ts",
            "a file that is swapped for a pipe or a link while it is read never hangs and never leads out",
          ],
          [
            "artifacts/reading/workspace_reader_test.ts",
            "a name that is not UTF-8 is told, and all others are read",
          ],
        ],
      },
      {
        id: "F52",
        broken: "A folder is exchanged for a link, over and over, while it is read",
        holds: "Nothing outside is read",
        proofs: [[
          "tests/artifacts/link_race_test.ts",
          "no text, name or kind leaves through a folder that is exchanged for a link",
        ]],
      },
      {
        id: "F53",
        broken: "YAML that is deep, aliases itself, merges itself, is tagged, doubled or cut",
        holds: "Refused soon, the loop goes on; real files pass",
        proofs: [
          ["artifacts/yaml/parse_test.ts", "no text whatsoever makes parsing throw"],
          ["artifacts/yaml/parse_test.ts", ": refused"],
          [
            "artifacts/reading/corpus_test.ts",
            "each of the corpus' 303 YAML files parses without an error or a warning",
          ],
          ["tests/artifacts/event_loop_test.ts", "no piece of reading and checking"],
        ],
      },
      {
        id: "F54",
        broken: "include, extends and env_file that point out, in files and in unsaved text",
        holds: "Never read; a finding; values of the environment are not told",
        proofs: [
          [
            "artifacts/reading/workspace_reader_test.ts",
            "a file that include, extends or .env names is never read outside the folder",
          ],
          [
            "artifacts/reading/workspace_reader_test.ts",
            "unsaved texts reach nothing outside the folder either",
          ],
          [
            "tests/plan/resolved_values_test.ts",
            "no answer has the value of a variable, whatever field of Compose it is put into",
          ],
        ],
      },
      {
        id: "F55",
        broken: "berth's log is renamed, cut, replaced by a link, given foreign lines, a half line",
        holds: "Right lines or a gap; no escape sequence reaches a reader",
        proofs: [
          ["log/log_test.ts", "the log finds its file again after somebody renamed it"],
          ["log/log_test.ts", "follow goes on after the file was cut in place, and says so"],
          [
            "log/log_test.ts",
            "tail makes records of a stranger's lines, and no escape sequence of theirs survives",
          ],
          [
            "log/log_test.ts",
            "a half line at the end of the file is ended before the next one, and told as lost",
          ],
        ],
      },
      {
        id: "F56",
        broken: "Markup, ANSI, turned text and line ends in names, labels and logs",
        holds: "Text in the page, one line in the log",
        proofs: [
          [
            "tests/page/hostile_test.ts",
            "markup and characters that turn a line around are text, as label, name, command, log line and file",
          ],
          ["log/line_test.ts", "formatLine stays one printable ASCII-safe line whatever the input (R47)"],
        ],
      },
      {
        id: "F57",
        broken: "Socket frames: huge, in fragments, unmasked, bad UTF-8, floods",
        holds:
          "1009, 1007 or 1002 for that socket; the listener lives. Fragments without an end, which the runtime does not bound, end berth at the bound of its container or unit, and it starts again",
        proofs: [
          ["http/socket/socket_test.ts", "hostile frames end one socket and leave the listener alive"],
          ["http/socket/socket_test.ts", "a message over 64 KiB closes 1009 and never reaches the handler"],
          [
            "http/socket/socket_test.ts",
            "input that no handler reads is bounded and closes 1009, as bytes and as a flood of empty messages",
          ],
          [
            "tests/packaging/image_test.ts",
            "a message without an end ends berth at the bound of its container, which starts it again with all it knew",
          ],
          [
            "tests/packaging/image_test.ts",
            "every way that berth is shipped bounds the memory that it may take",
          ],
        ],
      },
      {
        id: "F58",
        broken: "100 callers who read nothing of a fast log",
        holds: "Less than 64 MiB for all of them; the others are served",
        proofs: [[
          "tests/proof/streams_load_test.ts",
          "a hundred callers who read nothing of a fast log cost the engine nothing and hold less than 64 MiB of berth together, and the others are served",
        ]],
      },
      {
        id: "F59",
        broken: "Patterns and texts made to be slow",
        holds: "Searching takes linear time",
        proofs: [
          ["core/secrets_test.ts", "a long command line is searched in linear time"],
          ["core/secrets_test.ts", "a long text without end is searched in linear time"],
          ["artifacts/files/ignore_test.ts", "a pattern made to be slow is not"],
          [
            "tests/artifacts/linear_patterns_test.ts",
            "every pattern of the service takes linear time on texts made against it (F59, R38)",
          ],
        ],
      },
      {
        id: "F60",
        broken: "Secrets with a mark in every place",
        holds: "The mark is in no log, answer, store or backup but where it was asked for",
        proofs: [
          [
            "tests/access/access_session_test.ts",
            "No secret is in the log, the answers, the store, its write-ahead log or a backup",
          ],
          [
            "tests/access/reveal_test.ts",
            "declared secrets are masked in every answer, and everything beside them is there",
          ],
          [
            "tests/engines/containers_test.ts",
            "an inspected container shows no secret unless it is revealed, and its raw form neither",
          ],
          [
            "tests/page/hostile_test.ts",
            "a secret in environment, label, file and difference is nowhere in document, storage, address or any answer",
          ],
        ],
      },
    ],
  },
  {
    about: "Store and replicas",
    faults: [
      {
        id: "F61",
        broken: "The disk is full: at a write, a backup, a log line, an act on an engine, a start",
        holds: "Typed errors, reads work, nothing acknowledged is lost, it heals",
        proofs: [
          [
            "tests/store/store_sqlite_test.ts",
            "Store says the disk is full, loses nothing it acknowledged, and heals when there is room again",
          ],
          [
            "tests/access/audit_test.ts",
            "On a full disk no act reaches the engine: 503 store_unavailable, health says so, and it heals",
          ],
          ["tests/streams/log_full_disk_test.ts", "a full disk costs log lines, which are counted and told"],
          [
            "tests/store/store_faults_test.ts",
            "a backup to a full disk fails with words and leaves nothing, and a start on one too (F61)",
          ],
        ],
      },
      {
        id: "F62",
        broken: "The Nth sync or write to the disk fails, for each N until all pass",
        holds: "No acknowledged loss; what failed is there whole or not at all",
        proofs: [
          [
            "tests/store/store_faults_test.ts",
            "whichever operation on the disk fails, what was acknowledged is there afterwards (F62)",
          ],
          ["tests/proof/store_nth_test.ts", "with the Nth operation of the store failing"],
        ],
      },
      {
        id: "F63",
        broken: "Another process holds the write lock",
        holds: "berth waits, then answers 503; reads go on, lists of keys too",
        proofs: [
          [
            "tests/store/store_sqlite_test.ts",
            "Store waits for another process's write, and says store_unavailable if it takes too long",
          ],
          [
            "tests/access/access_keys_test.ts",
            "GET /api/settings/api-keys answers with the last uses while the store cannot be written",
          ],
        ],
      },
      {
        id: "F64",
        broken: "Flipped bits in the store",
        holds: "Refused with words, or served; nobody rises",
        proofs: [[
          "tests/store/store_sqlite_test.ts",
          "openSqliteStore refuses a flipped byte with words, or serves what was written, and never anything else",
        ]],
      },
      {
        id: "F65",
        broken: "A backup under writes, killed on its way, restored",
        holds: "A whole copy, or none under that name",
        proofs: [
          [
            "tests/store/store_contract.ts",
            "copies itself while it is written, and the copy opens with all that was acknowledged before",
          ],
          [
            "tests/store/restore_test.ts",
            "berth restore puts a backup of the first schema in place, and berth starts on it with its key",
          ],
          [
            "tests/store/restore_test.ts",
            "berth restore refuses a damaged, a foreign, a newer and an absent file, and leaves the store as it was",
          ],
          [
            "tests/store/store_faults_test.ts",
            "a backup that is killed on its way leaves no file of its name (F65)",
          ],
        ],
      },
      {
        id: "F66",
        broken: "PostgreSQL: connections cut at each statement, restarts, mute, full, standby, unreachable",
        holds: "A sentence and 503; a change is there whole or not at all; all is well when it is back",
        proofs: [
          [
            "tests/store/postgres_faults_test.ts",
            "happens whole or not at all, whichever of its statements the connection ends at",
          ],
          [
            "tests/store/postgres_faults_test.ts",
            "A server that restarts amid 200 requests a second is 503 meanwhile",
          ],
          [
            "tests/store/postgres_faults_test.ts",
            "Sessions that are refreshed at two replicas, while connections end at random, are never lost",
          ],
          [
            "tests/store/postgres_faults_test.ts",
            "A mute database is a sentence within health's time, and berth is well when it speaks again",
          ],
          [
            "tests/store/postgres_faults_test.ts",
            "A disk without room is a sentence, health says so, and both end when there is room",
          ],
          [
            "tests/store/postgres_faults_test.ts",
            "A database that became a standby is a sentence for health and for changes; reads go on",
          ],
        ],
      },
      {
        id: "F67",
        broken: "Signing keys turn over under load at two services",
        holds: "No valid token is refused",
        proofs: [[
          "tests/access/access_session_test.ts",
          "Signing keys turn over at two replicas under load, and no valid token is refused",
        ]],
      },
      {
        id: "F68",
        broken: "An old berth on a newer schema",
        holds: "Refused, and told what to start; the file stays as it was",
        proofs: [[
          "tests/store/store_sqlite_test.ts",
          "openSqliteStore refuses the schema of a newer berth with words, and leaves the file as it was",
        ]],
      },
      {
        id: "F69",
        broken: "Hours of mixed load with a fault now and then",
        holds: "Memory and descriptors stay, no unexplained error",
        proofs: [["tests/proof/soak.ts"], ["tests/proof/chaos.ts"]],
        open: "twelve hours in a row on a quiet machine",
      },
      {
        id: "F70",
        broken: "A sealing key that is missing, wrong, open to others or rotated; sealed text in another row",
        holds: "That value is refused by name, everything else works",
        proofs: [
          [
            "tests/access/access_session_test.ts",
            "A lost sealing key costs nothing but the keys it sealed: old tokens verify, new ones are signed",
          ],
          [
            "tests/access/access_session_test.ts",
            "Seal opens only what it sealed, in the place it was sealed for",
          ],
          [
            "tests/access/access_session_test.ts",
            "openAccess refuses a sealing key that others may read, or that is not one",
          ],
          [
            "tests/access/sealing_key_test.ts",
            "After a rotation sessions go on, another signing key comes in, and the whole audit log verifies",
          ],
          [
            "tests/access/sealing_key_test.ts",
            "Replicas go over to another sealing key together: none starts with that of before, or while one still runs",
          ],
        ],
      },
    ],
  },
  {
    about: "Found later",
    faults: [
      {
        id: "F71",
        broken: "A stranger's flood",
        holds: "No entry of anybody is lost or late",
        proofs: [
          [
            "tests/access/audit_test.ts",
            "20,000 requests of a stranger remove and delay no entry, and are told as one count",
          ],
          [
            "tests/access/audit_test.ts",
            "Strangers have a bounded number of counters: a thousand peers leave a hundred, and one for the rest",
          ],
        ],
      },
      {
        id: "F72",
        broken: "4,000 files made and deleted a second in a watched folder",
        holds: "Health answers in time",
        proofs: [[
          "tests/artifacts/file_churn_test.ts",
          "files a second each, health answers within",
        ]],
      },
      {
        id: "F73",
        broken: "An engine that is stopped, or whose connections are half open",
        holds:
          `Within ${
            seconds(PROMISED.unresponsive)
          } it is called unresponsive, its rows are marked, changes are refused; ` +
          `within ${seconds(PROMISED.engineRight)} of its return all is right`,
        proofs: [
          [
            "tests/engines/watchdog_test.ts",
            "an engine that is stopped is unresponsive, its rows are marked, changes are refused, and it comes back",
          ],
          [
            "tests/engines/watchdog_test.ts",
            "behind connections that are half open, a new container is seen soon",
          ],
        ],
      },
      {
        id: "F122",
        broken:
          "berth is killed in an apply, and its file, group, workspace, folder or permission changes before it " +
          "starts again",
        holds:
          "Each service runs in its old or its new container, or health names the reason; nothing that no plan " +
          "showed is made",
        proofs: [
          ["tests/apply/apply_recovery_test.ts", "A service serves although berth was killed"],
          [
            "tests/apply/apply_recovery_test.ts",
            "A container joins the replaced one whose network it shares",
          ],
          ["tests/apply/apply_rounds_test.ts", "After a kill and a change every service is up or named"],
        ],
      },
      {
        id: "F125",
        broken:
          "A journal of another version, or about containers that somebody removed; two berths on one engine; " +
          "an engine that answers after the lease ended",
        holds: "One sentence each, and nothing that serves is removed",
        proofs: [
          [
            "tests/apply/apply_bad_journal_test.ts",
            "An interrupted apply whose journal ${odd} is told in one",
          ],
          [
            "tests/apply/apply_two_berths_test.ts",
            "A swap that a berth left after its ${act} is finished by",
          ],
          ["tests/apply/apply_two_berths_test.ts", "A swap that a berth left is not planned away by one"],
          ["tests/apply/apply_held_test.ts", "a replica that was held up beyond its lease asks the engine"],
          [
            "tests/apply/apply_faults_test.ts",
            "a container that a replica makes late, when another one has done",
          ],
        ],
      },
      {
        id: "F120",
        broken:
          "An engine hangs, or its connections become half open, while logs, measurements, events and " +
          "shells are open",
        holds:
          `Logs, measurements and events resume within ${
            seconds(PROMISED.resumed)
          } without a loss, a quiet ` +
          `log within ${seconds(PROMISED.probed)}; a source waits aloud meanwhile; a shell ends in words`,
        proofs: [
          ["tests/streams/half_open_test.ts", "half-open connections cut logs, measurements and events"],
          ["tests/streams/half_open_test.ts", "a shell over a half-open connection ends in words"],
          ["tests/streams/half_open_test.ts", "a source whose engine hangs is waiting, and followed again"],
          ["tests/streams/half_open_test.ts", "a quiet followed log whose own connection alone is half open"],
          ["tests/engines/tls_engine_test.ts", "a followed log whose TLS connection stalls resumes"],
          [
            "tests/engines/tls_engine_test.ts",
            "a call that needs a new connection over a cut link ends in time",
          ],
        ],
      },
      {
        id: "F128",
        broken: "The connections to an engine become half open at an act of an apply",
        holds: `The apply looks at what became of the act, and goes on: it is over within ${
          seconds(PROMISED.goneOn)
        }`,
        proofs: [["tests/apply/apply_half_open_test.ts", "half-open connections at an act of "]],
      },
      {
        id: "F124",
        broken:
          "An engine did an act, and its answer is lost; or the connection was cut before it heard of it",
        holds: "Answered and audited as done if the engine shows it soon, as failed otherwise",
        proofs: [
          [
            "tests/engines/lost_answer_test.ts",
            "an act whose answer is lost is answered and audited as done where the engine shows it",
          ],
          [
            "tests/engines/lost_answer_test.ts",
            "an act whose connection is cut before the engine heard of it is refused and audited as failed",
          ],
        ],
      },
      {
        id: "F103",
        broken: "An engine answers, and hangs over its list of networks, volumes or images, or fails at it",
        holds: "It is up with all else; that kind is shown as it was, is told, and is asked for again",
        proofs: [
          [
            "tests/engines/watchdog_test.ts",
            "an engine that never lists its networks is up with all else, and has them as soon as it does",
          ],
          [
            "tests/engines/watchdog_test.ts",
            "an engine whose list of networks fails is up with all else, shows the last one, and is whole by itself",
          ],
          [
            "tests/engines/watchdog_test.ts",
            "an engine that hangs over its list of networks is asked for it again, and the rest goes on",
          ],
        ],
      },
      {
        id: "F74",
        broken: "The store's file is renamed, deleted, replaced under a running berth",
        holds: "Health fails, changes are refused; put back, it works again",
        proofs: [
          ["tests/store/store_moved_test.ts", "under a running berth, health fails and changes are refused"],
          ["tests/store/store_moved_test.ts", "a store that is put back takes changes again"],
        ],
      },
      {
        id: "F75",
        broken: "berth is killed with 20 shells open",
        holds: `Within ${seconds(PROMISED.shellsEnded)} of the restart all are ended or listed`,
        proofs: [[
          "tests/apply/orphans_test.ts",
          "shells open on two engines: after the restart all are ended",
        ]],
      },
      {
        id: "F76",
        broken: "An act on an engine while the audit cannot be written",
        holds: "Refused before the engine hears of it",
        proofs: [[
          "tests/access/audit_test.ts",
          "On a full disk no act reaches the engine: 503 store_unavailable, health says so, and it heals",
        ]],
      },
      {
        id: "F77",
        broken: "A store of every earlier schema, and of a newer one",
        holds: "It works, or is refused with words",
        proofs: [
          [
            "tests/store/old_store_test.ts",
            "A store of commit 015db1d opens: its keys keep their rights, and nothing takes them along",
          ],
          [
            "tests/store/old_store_test.ts",
            "A session of commit 015db1d goes on, with the account and the rights that it had",
          ],
          [
            "tests/access/audit_chain_test.ts",
            "A store of commit 015db1d keeps its keys and its whole audit log, which is sealed at the upgrade",
          ],
          [
            "tests/store/upgrades_test.ts",
            "a store of every schema that there was opens with all that was in it, as does its backup (F77)",
          ],
        ],
      },
      {
        id: "F78",
        broken: "A folder in the middle of a path is exchanged for a link, for minutes",
        holds: "Nothing outside is read",
        proofs: [[
          "tests/artifacts/link_race_test.ts",
          "no text, name or kind leaves through a folder that is exchanged for a link",
        ]],
      },
      {
        id: "F79",
        broken: "20,000 profiles, lattices of extends and include, anchors without end",
        holds: "Linear, bounded, told",
        proofs: [
          [
            "tests/artifacts/validation_bounds_test.ts",
            "a thousand units below one with 20,000 profiles are told of in short, and soon",
          ],
          [
            "tests/artifacts/validation_bounds_test.ts",
            "a chain of extends is followed 100 deep, whichever way round it is written, and told of once",
          ],
          [
            "artifacts/reading/workspace_reader_test.ts",
            "lattices and ladders of includes and extends are walked once",
          ],
        ],
      },
      {
        id: "F80",
        broken: "An apply is killed before and after each of its acts",
        holds:
          "It goes on after the restart: one container a number, the same volumes; a hook waits for a person's word",
        proofs: [
          ["tests/apply/apply_kill_test.ts", ": one apply survives a kill of berth at each kind of act"],
          [
            "tests/apply/apply_kill_test.ts",
            ": an apply survives a kill of berth before and after every act",
          ],
          ["tests/apply/apply_hooks_test.ts", "a hook in which berth was killed is not run again by itself"],
        ],
      },
    ],
  },
  {
    about: "Applies",
    faults: [
      {
        id: "F81",
        broken:
          "A new container exits, is unhealthy, or cannot start: a port, a folder, a device, a program that is not there",
        holds:
          "The old one runs again under its name and policy; the journal has the last words of the new one",
        proofs: [[
          "tests/apply/apply_test.ts",
          "a new container that is not sound goes, and the old one serves again as it was",
        ], [
          "tests/apply/apply_faults_test.ts",
          "a port that is taken, a folder and a device that are not there leave the old container as it was",
        ]],
      },
      {
        id: "F82",
        broken: "The engine is killed, hangs or stays away in the middle of an apply",
        holds: "It is waited for, then a person says what to do; the old container does not start by itself",
        proofs: [[
          "tests/apply/apply_faults_test.ts",
          "an engine that goes away in the middle is waited for, and the old container does not start by itself",
        ], [
          "tests/apply/apply_owner_test.ts",
          "an engine that hangs is waited for, and one that stays away leaves its apply to a person",
        ]],
      },
      {
        id: "F83",
        broken: "Files, secrets or containers move between a plan and its apply, or during it",
        holds: "409 with what moved and nothing done, or that step fails by name and no other is harmed",
        proofs: [[
          "tests/apply/apply_faults_test.ts",
          "what moved after the plan is named, and nothing is done",
        ], [
          "tests/apply/apply_others_test.ts",
          "a container that a stranger renames in the middle fails its own step, and no other is harmed",
        ], [
          "tests/apply/apply_faults_test.ts",
          "a stranger who removes the new container in a swap brings the old one back",
        ]],
      },
      {
        id: "F84",
        broken: "Compose brings the project up at the same time, or while berth is dead inside a swap",
        holds:
          "The step whose name is taken fails aloud and Compose's container stays; what Compose made of a swap is adopted",
        proofs: [[
          "tests/apply/apply_others_test.ts",
          "Compose that brings the same project up at the same time keeps what it made, and the step fails aloud",
        ], [
          "tests/apply/apply_kill_test.ts",
          "what Compose makes of a swap that a dead berth began is adopted",
        ]],
      },
      {
        id: "F85",
        broken: "Two applies of a project at once, at one berth and at two replicas of which one is killed",
        holds: "One wins and the other is told its id; a sibling goes on only where the owner is dead",
        proofs: [[
          "tests/apply/apply_faults_test.ts",
          "of two applies at once one wins, and the other is told which",
        ], [
          "tests/apply/apply_owner_test.ts",
          "of two replicas that are asked at once, one begins, and no step is done twice",
        ], [
          "tests/apply/apply_owner_test.ts",
          "of two replicas one carries an apply out, the other leaves it alone, and goes on when the first is killed",
        ]],
      },
      {
        id: "F86",
        broken: "The disk of the store is full when an apply begins, or in the middle of it",
        holds: "No step is begun, none is lost, and it continues when there is room again",
        proofs: [[
          "tests/apply/apply_pairs_test.ts",
          "An apply that begins on a full disk is refused, changes nothing, and begins with room",
        ], [
          "tests/apply/apply_faults_test.ts",
          "a full disk of the store begins no step, loses none, and is gone on from when there is room again",
        ]],
      },
      {
        id: "F123",
        broken: "COMMITs of an apply and of its journal are done, and PostgreSQL's answer is lost",
        holds: "The apply is carried out once, each step ends once, and nothing is repeated",
        proofs: [
          ["tests/apply/apply_pairs_test.ts", "An apply whose first COMMIT is done and never answered"],
          [
            "tests/apply/apply_pairs_test.ts",
            "An apply continues to its end although COMMITs of its journal",
          ],
        ],
      },
      {
        id: "F104",
        broken: "The disk of the engine is full in the middle of an apply, and stays so",
        holds:
          "The old container serves on or comes back; the reason says so, and the next apply finishes with room",
        proofs: [[
          "tests/apply/apply_full_disk_test.ts",
          "an apply on an engine whose disk is full leaves or brings back what serves, and is finished with room",
        ]],
      },
      {
        id: "F105",
        broken: "An engine does an act only after its apply is over; a replica is held up beyond its lease",
        holds:
          "What turns up is told, and seen to by the next plan; the replica that was held up asks for nothing more",
        proofs: [[
          "tests/apply/apply_late_test.ts",
          "a new container that is made after its swap is over is told, taken away, and takes nobody's place",
        ], [
          "tests/apply/apply_late_test.ts",
          "an old container that is put aside after it came back has its name again by the next apply",
        ], [
          "tests/apply/apply_held_test.ts",
          "a replica that was held up beyond its lease asks the engine for nothing more",
        ]],
      },
      {
        id: "F106",
        broken: "Strangers rename, replace or start what an apply is about to touch, between two of its acts",
        holds: "The step fails by name, and what is theirs by now is not touched",
        proofs: [[
          "tests/apply/apply_strangers_test.ts",
          "a container that somebody renames, starts again or replaces",
        ], [
          "tests/apply/apply_strangers_test.ts",
          "a volume and a network that are somebody else's by the time they would go stay",
        ]],
      },
      {
        id: "F87",
        broken: "A registry says 401, 404 or 429, breaks off, or has another machine's image",
        holds: "Nothing was touched; the reason has the host and the reference",
        proofs: [[
          "tests/apply/apply_others_test.ts",
          "an image that no registry gives fails before anything is touched, with the host and the reference",
        ], [
          "tests/apply/apply_faults_test.ts",
          "pulls come first, with the credentials of the apply alone, and a refusal names the registry",
        ], ["tests/apply/pull_hostile_test.ts", "POST /api/images/pull fails as "]],
      },
      {
        id: "F88",
        broken:
          "Strangers use a network or a volume that would be replaced or removed; a volume's definition changes",
        holds: "Blocked with their names, never by force; a remark, and the data stay",
        proofs: [[
          "tests/apply/apply_others_test.ts",
          "strangers in a network block its replacement by name, and make a plan stale that did not know them",
        ], [
          "tests/apply/apply_changes_test.ts",
          "volumes go by their own name and confirmation, and none that others have",
        ]],
      },
      {
        id: "F89",
        broken: "A dependency never becomes healthy, ends badly, or has no health check",
        holds: "Who depends on it is not started, and the reason names it",
        proofs: [[
          "tests/apply/apply_faults_test.ts",
          "who depends on what never becomes healthy, or ends badly, is not started, and the reason names it",
        ]],
      },
      {
        id: "F90",
        broken: "The container whose network others share is replaced, or comes back",
        holds: "They share it again",
        proofs: [[
          "tests/apply/apply_test.ts",
          "a changed container is replaced, keeps its data, and who shares its network has it again",
        ], [
          "tests/apply/apply_test.ts",
          "a new container that is not sound goes, and the old one serves again as it was",
        ]],
      },
      {
        id: "F91",
        broken: "The project holds berth itself; a stranger's container forges its labels",
        holds: "Blocked, with the command to type, or as a guess",
        proofs: [[
          "tests/plan/plan_test.ts",
          "a forged label, a match by guess and berth itself block the plan",
        ]],
      },
      {
        id: "F92",
        broken: "The clock is set two hours on or four back in the middle of an apply; its reader stalls",
        holds: "It goes on to its end, and the reader has every event afterwards",
        proofs: [[
          "tests/apply/apply_owner_test.ts",
          "a clock that is set two hours on, or four back, ends no apply and costs nobody a container",
        ], [
          "tests/apply/apply_owner_test.ts",
          "a reader that stalls holds no apply up, and has every event of it afterwards",
        ]],
      },
      {
        id: "F129",
        broken: "The clocks of two replicas are set hours apart while one of them carries an apply out",
        holds: "The other one takes it up when its owner is killed, and not before",
        proofs: [["tests/apply/apply_clocks_test.ts", "of two replicas whose clocks are set hours apart"]],
      },
      {
        id: "F130",
        broken: "The clock is set hours back and days on while notices wait, are tried again, or end",
        holds: "None is lost, sent twice or sent early",
        proofs: [["tests/watch/notices_clock_test.ts", "a clock that steps hours back and days on"]],
      },
      {
        id: "F131",
        broken: "The replica that watches stands still, or is cut off from the database",
        holds: "Another one watches within 20 s, and there is one record and one message of what it finds",
        proofs: [[
          "tests/watch/two_watchers_test.ts",
          "two replicas open one incident and send one message, also while the one that watches stands still",
        ], [
          "tests/watch/watcher_cut_test.ts",
          "a watcher that is cut off from the database tells from memory, and what the other one recorded stays the only",
        ]],
      },
      {
        id: "F132",
        broken: "The disk is full while notices are sent, and berth is killed",
        holds: "None is lost, and one is sent twice at most, with the same id",
        proofs: [[
          "tests/watch/notices_kill_test.ts",
          "a kill on a full disk loses no notice, and doubles one at most, which could not be noted",
        ]],
      },
      {
        id: "F93",
        broken: "An engine is too old for a key of a file",
        holds: "The plan is blocked by the key's name and place",
        proofs: [[
          "tests/plan/plan_versions_test.ts",
          "each key that an engine is too old for blocks the plan by its name and place, and none that it knows",
        ]],
      },
    ],
  },
  {
    about: "Past one machine",
    faults: [
      {
        id: "F94",
        broken: "Two replicas take away each other's last admin at once, 150 times",
        holds: "There is always one left",
        proofs: [[
          "tests/store/store_people_contract.ts",
          "leaves an admin in 150 rounds of two who lower each other at once",
        ]],
      },
      {
        id: "F95",
        broken: "Replicas of several versions on one database; six start at once on an empty one",
        holds: "One schema; what only grew serves the version before, what lost something waits for its end",
        proofs: [
          [
            "tests/store/postgres_faults_test.ts",
            "Six replicas that start on an empty database at once make one schema",
          ],
          ["tests/store/postgres_faults_test.ts", "A schema that only grew serves the berth before it, too"],
          [
            "tests/store/postgres_faults_test.ts",
            "A start without its database is worth another try, by its exit code",
          ],
        ],
      },
      {
        id: "F96",
        broken: "A replica misses the hint of a revocation, or is killed",
        holds: `Revoked within ${
          seconds(PROMISED.revoked)
        } there; the other one goes on with all that was told to either`,
        proofs: [[
          "tests/store/postgres_faults_test.ts",
          "A key that is deleted while the other replica hears nothing ends its stream there",
        ], ["tests/store/replicas_test.ts", "Two replicas behind Caddy are one berth"]],
      },
      {
        id: "F121",
        broken: "PostgreSQL is away, or a replica hangs, behind the shipped Caddyfile for two",
        holds: `Callers get berth's own sentence; a hung replica delays a read by at most ${
          seconds(PROMISED.delayed)
        }`,
        proofs: [
          [
            "tests/store/replica_proxy_test.ts",
            "while PostgreSQL is away, callers behind Caddy get berth's own sentence",
          ],
          [
            "tests/store/replica_proxy_test.ts",
            "a replica that hangs delays a read by at most three seconds",
          ],
        ],
      },
      {
        id: "F97",
        broken: "A replica with another sealing key, or none",
        holds: "It does not start, and names the setting",
        proofs: [[
          "tests/store/postgres_faults_test.ts",
          "Another sealing key is refused at the start by name, and a missing one is not made",
        ]],
      },
      {
        id: "F98",
        broken: "ssh: an unknown or changed host key, a password, a socket that denies, no ssh, berth killed",
        holds: "One sentence that says what to do; nothing is asked, nothing is left running",
        proofs: [[
          "tests/engines/ssh_engine_test.ts",
          "whoever is not let in, or not to the socket, is told what to do, in one sentence",
        ], [
          "tests/engines/ssh_engine_test.ts",
          "a host key that changed, a key that wants a passphrase, a broken configuration",
        ], ["tests/engines/ssh_engine_test.ts", "no ssh outlives a berth that was killed"]],
      },
      {
        id: "F99",
        broken: "The link to another host is cut, or its sshd ends",
        holds: "Unresponsive or away until it is back, by itself",
        proofs: [["tests/engines/ssh_engine_test.ts", "a way that breaks is made anew"], [
          "tests/engines/tls_engine_test.ts",
          "an engine behind mutual TLS is listed, changed, read and watched, also after the link was cut",
        ]],
      },
      {
        id: "F100",
        broken: "Certificates of an engine: expired, for another name, of another authority, half renewed",
        holds: "One sentence; nothing is sent to it",
        proofs: [
          [
            "tests/engines/tls_engine_test.ts",
            "certificates that do not fit are told, in one sentence with what to do",
          ],
          ["tests/engines/tls_engine_test.ts", "an engine whose certificate is that of the kind"],
          [
            "tests/engines/tls_engine_test.ts",
            "certificates that are renewed are used without a new start, and half of them is not",
          ],
        ],
      },
      {
        id: "F101",
        broken: "2,000 events a second for five seconds over 100 engines",
        holds: "Lists answer and name who is behind, are true soon after, and the memory is back",
        proofs: [[
          "tests/proof/many_engines_test.ts",
          "a list answers within a second in a storm over all engines",
        ]],
      },
      {
        id: "F102",
        broken: "Two replicas have the same syslog receiver",
        holds: "It is told once, in order",
        proofs: [[
          "tests/store/store_postgres_test.ts",
          "What one replica alone does is its turn until it is gone, or its time is over",
        ], [
          "tests/access/audit_syslog_test.ts",
          "A receiver that is away costs no request; what waited arrives in order when it comes",
        ]],
      },
      {
        id: "F126",
        broken: "An env_file of 10 MB, with NUL bytes, byte order marks, or quotes that never end",
        holds: "The container has the variables that Compose gives it, or the plan says why not",
        proofs: [[
          "tests/apply/exact_bad_files_test.ts",
          "An env_file with odd bytes gives a container the variables that Compose gives it",
        ]],
      },
      {
        id: "F127",
        broken: "A mount whose source is a loop of links, or a folder that is replaced 100 times a second",
        holds: "A loop blocks the plan; applies end, and the container reads the last folder afterwards",
        proofs: [[
          "tests/apply/exact_bad_files_test.ts",
          "A file or a mount whose path is a loop of links blocks the plan with its path",
        ], [
          "tests/apply/exact_bad_files_test.ts",
          "While a mounted folder is replaced 100 times a second, plans and applies end",
        ]],
      },
    ],
  },
];
