/** A branch of a repository at its server, and what opens it. */
import type { Credential } from "./address.ts";
import type { SshKeys } from "./ssh.ts";

export interface Remote {
  readonly url: string;
  readonly branch: string;
  readonly credential: Credential | null;
  /** Of addresses behind ssh. */
  readonly ssh: SshKeys | null;
}
