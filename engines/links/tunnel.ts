/**
 * The way to an engine on another host: the system's own `ssh` forwards its socket to one in a private folder here. Keys,
 * host checks and jumps are those of the user's own configuration.
 */
import { withoutEnd } from "../../core/without_end.ts";
import { maskText } from "../../core/secrets.ts";
import { pause } from "../../core/pause.ts";
import type { SshAddress, UnixAddress } from "../calls/address.ts";
import { clean } from "../calls/failure.ts";
import { Program } from "../process.ts";
import { type Way, WayFailure } from "./way.ts";

/** Milliseconds until the way must be open. */
const OPEN_MS = 20_000;
/**
 * The longest wait between two attempts. After a refusal it is longer: some hosts shut out callers that come too
 * often.
 */
const LONGEST_WAIT_MS = { refused: 60_000, away: 2_000 } as const;
const FIRST_WAIT_MS = 500;
/** A way that stood this long has not failed. */
const STOOD_MS = 10_000;

/** Said after the connection was closed. */
const NOT_OPENED = /open failed/;

const OPTIONS = [
  "BatchMode=yes", // never asks
  "ExitOnForwardFailure=yes",
  "ServerAliveInterval=5",
  "ServerAliveCountMax=2",
  "ConnectTimeout=10",
  "StreamLocalBindUnlink=yes",
  "StreamLocalBindMask=0177",
  "ControlMaster=no", // a shared connection would outlive this one
  "ControlPath=none",
  "RemoteCommand=none",
  "ForwardAgent=no",
  "ForwardX11=no",
  "PermitLocalCommand=no",
  "LogLevel=INFO",
];

export class Tunnel implements Way {
  /** Nobody else may look into it; null where there is no place for it. */
  readonly #folder = privateFolder();
  #ssh: Program | null = null;
  #openedAt = 0;
  #failures = 0;
  #notBefore = 0;

  /** `program` is the system's ssh. */
  constructor(readonly remote: SshAddress, private readonly program: string) {}

  /** The place where the engine's socket appears. */
  get local(): UnixAddress {
    return { kind: "unix", path: `${this.#folder ?? NOWHERE}/s` };
  }

  async open(_engine: unknown, signal: AbortSignal): Promise<void> {
    const { program } = this;
    if (Deno.permissions.querySync({ name: "run", command: program }).state !== "granted") {
      throw new WayFailure(
        "refused",
        `berth may not start "${program}": start it with --allow-run=${program}`,
      );
    }
    if (this.#folder === null) {
      throw new WayFailure(
        "refused",
        "there is no place for its socket: set TMPDIR to a folder that berth may write",
      );
    }
    if (this.#ssh?.isRunning) return this.#ssh.forget();
    if (this.#ssh !== null) {
      if (performance.now() - this.#openedAt > STOOD_MS) this.#failures = 0;
      else this.#wait("away");
      await this.#end();
    }
    await pause(Math.max(0, this.#notBefore - performance.now()), signal);
    signal.throwIfAborted();
    try {
      await this.#start(signal);
    } catch (error) {
      await this.#end();
      if (error instanceof WayFailure) this.#wait(error.kind);
      throw error;
    }
    this.#openedAt = performance.now();
  }

  async explain(signal: AbortSignal): Promise<WayFailure | null> {
    const ssh = this.#ssh;
    return ssh !== null && await ssh.says(NOT_OPENED, signal) ? failureOf(this.remote, ssh.said) : null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
    if (this.#folder === null) return;
    await Deno.remove(this.#folder, { recursive: true }).catch(() => {}); // somebody tidied up before
  }

  async #start(signal: AbortSignal): Promise<void> {
    const { destination, port, socket } = this.remote;
    const options = OPTIONS.flatMap((option) => ["-o", option]);
    const where = port === null ? [] : ["-p", String(port)];
    const forward = ["-L", `${this.local.path}:${socket}`];
    // `cat` gives back a line, which says that the way stands, and ends when berth does, however that is
    const args = ["-T", ...options, ...where, ...forward, "--", destination, "cat"];
    let ssh: Program;
    try {
      ssh = new Program(this.program, args);
    } catch (error) {
      throw new WayFailure("refused", notStarted(this.program, error));
    }
    this.#ssh = ssh;
    const over = new AbortController();
    const echoed = ssh.echo(crypto.randomUUID()).then(() => true);
    const isOpen = await Promise.race([
      echoed,
      ssh.ended.then(() => false),
      pause(OPEN_MS, AbortSignal.any([signal, over.signal])).then(() => false),
    ]);
    over.abort();
    signal.throwIfAborted();
    if (isOpen) return;
    if (ssh.isRunning) {
      throw new WayFailure(
        "away",
        `ssh did not reach "${destination}" within ${OPEN_MS / 1_000} s: try "${byHand(this.remote)}"`,
      );
    }
    throw failureOf(this.remote, `${ssh.said}\n${ssh.printed}`);
  }

  #wait(kind: WayFailure["kind"]): void {
    const wait = Math.min(FIRST_WAIT_MS * 2 ** this.#failures, LONGEST_WAIT_MS[kind]);
    this.#failures = Math.min(this.#failures + 1, 10);
    this.#notBefore = performance.now() + wait;
  }

  async #end(): Promise<void> {
    const ssh = this.#ssh;
    this.#ssh = null;
    await ssh?.[Symbol.asyncDispose]();
  }
}

const NOWHERE = "/nowhere";

function privateFolder(): string | null {
  try {
    return Deno.makeTempDirSync({ prefix: "berth-" });
  } catch {
    return null;
  }
}

/** Returns the command that a user would type to see the same. */
function byHand({ destination, port }: SshAddress): string {
  return port === null ? `ssh ${destination}` : `ssh -p ${port} ${destination}`;
}

function notStarted(program: string, error: unknown): string {
  return error instanceof Deno.errors.NotFound
    ? `there is no program "${program}": install OpenSSH's client, name it with BERTH_SSH, or take the image whose ` +
      "tag ends in -ssh"
    : `"${program}" cannot be started: look at its permissions, or name another with BERTH_SSH`;
}

/** Returns ssh's words as one sentence that says what to do. */
function failureOf(remote: SshAddress, said: string): WayFailure {
  const { destination, port, socket } = remote;
  const host = destination.slice(destination.lastIndexOf("@") + 1);
  const user = destination.includes("@") ? destination.slice(0, destination.lastIndexOf("@")) : "USER";
  const hand = byHand(remote);
  const refused = (message: string) => new WayFailure("refused", message);
  const away = (message: string) => new WayFailure("away", message);
  if (/HOST IDENTIFICATION HAS CHANGED|Host key for \S{1,255} has changed/.test(said)) {
    return refused(
      `the key of host "${host}" is not the one that is known: if it was installed anew, remove the old one ` +
        `("ssh-keygen -R ${host}") and run "${hand}" once as the user of berth`,
    );
  }
  if (/Host key verification failed|host key is known/.test(said)) {
    return refused(
      `the key of host "${host}" is not known: run "${hand}" once as the user of berth, and compare the key`,
    );
  }
  if (/Permission denied \(/.test(said)) {
    return refused(
      `host "${host}" does not let berth in, which cannot type a password: give berth a key without a passphrase, or an ` +
        `agent, and the host that key ("ssh-copy-id ${hand.slice(4)}"), so that "ssh -o BatchMode=yes ${
          hand.slice(4)
        }" works`,
    );
  }
  if (NOT_OPENED.test(said)) {
    return refused(
      `ssh may not open "${socket}" on host "${host}": an engine must listen there, the user be in the group of its ` +
        `socket (for Docker: "sudo usermod -aG docker ${user}" there), and sshd allow it (AllowStreamLocalForwarding)`,
    );
  }
  if (/Could not resolve hostname/.test(said)) {
    return away(`there is no host "${host}": correct its name, or add it to the ssh configuration`);
  }
  if (/Connection refused/.test(said)) {
    const where = port === null ? "" : ` at port ${port}`;
    return away(`no ssh server listens on host "${host}"${where}: start its sshd, or correct the address`);
  }
  if (/timed out|No route to host|unreachable|not responding|Connection closed|reset by peer/.test(said)) {
    return away(`host "${host}" cannot be reached by ssh, or hung up: try "${hand}"`);
  }
  const lines = said.split("\n").map((line) => maskText(clean(line))).filter((line) => line !== "");
  const lastLine = lines.at(-1)?.replaceAll('"', "'");
  const last = lastLine === undefined ? undefined : withoutEnd(lastLine, ". ");
  return refused(
    last === undefined
      ? `host "${host}" ends the session at once: "${hand} echo fine" must print it`
      : `ssh says "${last}": "${hand} echo fine" must print it`,
  );
}
