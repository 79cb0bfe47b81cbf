/** The engine's error of a failed start, without the names of the programs that passed it on. */

const PASSED_ON =
  /^(?:failed to create (?:shim )?task(?: for container)?: |OCI runtime (?:create|start|exec) failed: |(?:runc|crun)(?: (?:create|run|start) failed)?: |unable to start container process: )+/;

/** Returns the cause alone, which comes last and would be cut first: `exec: "serve": executable file not found in $PATH`. */
export function causeOfStart(error: string): string {
  const cause = error.replace(PASSED_ON, "");
  return cause === error || cause === "" ? error : cause.replace(/: unknown$/, "");
}
