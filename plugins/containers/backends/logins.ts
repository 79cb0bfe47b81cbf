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
      if (!(error instanceof ServiceError) || error.code !== "registry_refused") throw error;
      throw engineError("pull_refused", error.message, { cause: error });
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
