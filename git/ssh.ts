/** Repositories behind ssh: git's own command for them needs a shell, and this one does not. */
import { checkedSshAddress, type SshAddress } from "./address.ts";

export interface SshKeys {
  /** The secret part of the deploy key. */
  readonly secret: string;
  /** The keys of the server, as `ssh-ed25519 AAAA…`; empty while they are not known. */
  readonly hostKeys: readonly string[];
}

/** An address and options for one call of git; disposing deletes the key. */
export interface Reached extends AsyncDisposable {
  readonly address: string;
  readonly config: readonly (readonly [name: string, value: string])[];
  readonly env: Readonly<Record<string, string>>;
  /** Returns the keys of the server that were seen. */
  readonly seenKeys: () => Promise<string[]>;
}

const OPTIONS: readonly string[] = [
  "BatchMode=yes",
  "IdentitiesOnly=yes",
  "IdentityAgent=none",
  "PasswordAuthentication=no",
  "KbdInteractiveAuthentication=no",
  "GSSAPIAuthentication=no",
  "HostbasedAuthentication=no",
  "GlobalKnownHostsFile=/dev/null",
  "HashKnownHosts=no",
  "UpdateHostKeys=no",
  "CheckHostIP=no",
  "ForwardAgent=no",
  "ClearAllForwardings=yes",
  "ControlMaster=no",
  "ControlPath=none",
  "ProxyCommand=none",
  "PermitLocalCommand=no",
  "LogLevel=ERROR",
  "ConnectTimeout=20",
  "ServerAliveInterval=10",
  "ServerAliveCountMax=3",
  "SendEnv=GIT_PROTOCOL",
];

/**
 * Lays the key and the server's keys into a folder of its own, for one call. Without keys of the server any is taken,
 * which is for the first look alone.
 */
export async function overSsh(url: string, { secret, hostKeys }: SshKeys, folder: string): Promise<Reached> {
  const to = checkedSshAddress(url);
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const own = await Deno.makeTempDir({ dir: folder, prefix: "ssh-" });
  const dispose = () => Deno.remove(own, { recursive: true }).catch(() => {});
  try {
    await Deno.writeTextFile(`${own}/key`, secret, { mode: 0o600, createNew: true });
    const name = to.port === 22 ? to.host : `[${to.host}]:${to.port}`;
    const known = hostKeys.map((key) => `${name} ${key}\n`).join("");
    await Deno.writeTextFile(`${own}/known_hosts`, known, { mode: 0o600, createNew: true });
  } catch (error) {
    await dispose();
    throw error;
  }
  const options = [
    ...OPTIONS,
    `StrictHostKeyChecking=${hostKeys.length === 0 ? "accept-new" : "yes"}`,
    // ssh puts the variable in as it is: whatever the path of the data folder holds means nothing there.
    "UserKnownHostsFile=${BERTH_SSH}/known_hosts",
    "IdentityFile=${BERTH_SSH}/key",
  ];
  return {
    address: addressFor(to, options),
    config: [["protocol.ext.allow", "always"]],
    env: { GIT_PROTOCOL: "version=2", BERTH_SSH: own },
    seenKeys: async () =>
      (await Deno.readTextFile(`${own}/known_hosts`)).split("\n").filter((line) => line !== "")
        .map((line) => line.slice(line.indexOf(" ") + 1)),
    [Symbol.asyncDispose]: dispose,
  };
}

/** Words are split at spaces, and `%` begins what git puts in: neither is in a part of the address. */
function addressFor({ user, host, port, path }: SshAddress, options: readonly string[]): string {
  const escaped = options.map((option) => `-o ${option.replaceAll("%", "%%").replaceAll(" ", "% ")}`);
  return `ext::ssh -F none ${escaped.join(" ")} -p ${port} ${user}@${host} %S ${path}`;
}
