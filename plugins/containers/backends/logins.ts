/** The credentials of pulls: those that people stored, then those of Docker's own tools. */
import type { RegistryLogin } from "../../../core/engine_acts.ts";
import { ServiceError } from "../../../core/error.ts";
import type { Reference } from "../../../core/image_reference.ts";
import type { RegistryLogins } from "../../../core/registries.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { loginIn } from "./docker_config.ts";

/** The registries that pulls may use, and their credentials. */
export interface PullRules {
  /** Null for all registries. */
  readonly registries: readonly string[] | null;
  readonly logins: PullLogins;
}

/** The codes of a pull for failures of a registry. */
const PULL_CODES: ReadonlyMap<string, "pull_refused" | "pull_failed"> = new Map([
  ["registry_refused", "pull_refused"],
  ["registry_unavailable", "pull_failed"],
]);

export class PullLogins {
  constructor(
    private readonly stored: RegistryLogins,
    /** The path of Docker's `config.json`; null for none. */
    private readonly dockerConfig: string | null,
  ) {}

  /** Returns the login for a reference; undefined for a pull without one. Throws `pull_refused` and `pull_failed`. */
  async find({ registry, repository }: Reference): Promise<RegistryLogin | undefined> {
    try {
      const stored = await this.stored.find(registry, repository);
      if (stored !== undefined) return stored;
    } catch (error) {
      const code = error instanceof ServiceError ? PULL_CODES.get(error.code) : undefined;
      if (code === undefined) throw error;
      throw engineError(code, (error as ServiceError).message, { cause: error });
    }
    if (this.dockerConfig === null) return undefined;
    try {
      return await loginIn(this.dockerConfig, registry);
    } catch (cause) {
      const message = `Cannot pull from "${registry}": the file of "dockerConfig" cannot be read`;
      throw engineError("pull_failed", message, { cause });
    }
  }
}
