/** Variables that begin with `BERTH_` and are no setting of the core: a plugin's, misspelt, or somebody else's. */
import { nearest } from "../core/nearest.ts";

/** A variable that the core does not read. */
export interface Stray {
  readonly name: string;
  /** The core's variable within two edits, if there is one. */
  readonly meant: string | null;
}

/**
 * Variables of other programs of ours: examples, tests and benches, and those that a command in a container
 * inherits.
 */
const ELSEWHERE = /^BERTH_(?:URL|KEY|EXEC|PROOF|(?:TEST|BENCH|STORM|RACE|CI)_.*)$/;
/** Variables that Kubernetes sets in every container beside a service named "berth". */
const KUBERNETES =
  /^BERTH_(?:SERVICE_(?:HOST|PORT(?:_\w+)?)|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
export const KUBERNETES_ADVICE =
  `Kubernetes sets it for a service named "berth": set "enableServiceLinks: false" in the pod, or name the service otherwise`;
/** The most edits by which a variable is taken for a misspelt known one. */
const MOST_EDITS = 2;

/** Returns the given names that belong neither to the core nor to another program. */
export function straysAmong(given: readonly string[], known: readonly string[]): readonly Stray[] {
  return given.filter((name) => name.startsWith("BERTH_") && !known.includes(name) && !ELSEWHERE.test(name))
    .map((name) => ({ name, meant: isOfKubernetes(name) ? null : nearest(name, known, MOST_EDITS) }));
}

export function isOfKubernetes(name: string): boolean {
  return KUBERNETES.test(name);
}

/** Returns true for a value that Kubernetes gives `BERTH_PORT`. */
export function isServiceAddress(value: string | undefined): boolean {
  return value !== undefined && /^(?:tcp|udp|sctp):\/\//.test(value);
}
