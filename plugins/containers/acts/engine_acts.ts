/** The acts of an apply on one engine, carried out over its link. */
import type {
  BuildOrder,
  CommandEnd,
  CommandOrder,
  EngineActs,
  Labelled,
  NetworkSpec,
  PullOrder,
  VolumeSpec,
} from "../../../core/engine_acts.ts";
import { ServiceError } from "../../../core/error.ts";
import type { ContainerSpec, InspectedContainer } from "../../../core/runtime.ts";
import type { Link } from "../../../engines/links/link.ts";
import { copyInto } from "../containers/copy_into.ts";
import { connectBody, createBody, given, updateBody } from "../containers/create_body.ts";
import type { Inspections } from "../containers/inspected.ts";
import { mustBeAllowed } from "../../../engines/calls/allowed_registry.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import { EngineAnswer, unreadable } from "../../../engines/calls/failure.ts";
import { networkBody, networkSpecOf } from "../../../engines/calls/network_body.ts";
import { at, type EnginePath, SlashedName } from "../../../engines/calls/path.ts";
import { mapOf, objectOf, parseJson, textOf, type Wire } from "../../../engines/calls/wire.ts";
import type { PullRules } from "../backends/logins.ts";
import { build } from "../images/build.ts";
import { orUnavailable } from "../images/cut_short.ts";
import { pull } from "../images/pull.ts";
import { nameOf, textOfReference, versionOf } from "../../../core/image_reference.ts";
import { parseReference } from "../images/reference.ts";
import { imageIdOf } from "../../../engines/rows/container.ts";
import { lastWords } from "./last_words.ts";
import { runCommand } from "./run_command.ts";

/** A slow driver or a large volume. */
const SLOW_MS = 60_000;
const CREATE_MS = 30_000;
/** The milliseconds beyond a container's own time that the engine may take to stop it. */
const STOP_MS = 10_000;
/** An apply looks at what became of an act whose connection is in doubt, and asks again. */
const LOOKED_AT = { endsInDoubt: true } as const;
/** One run of a health check. */
const HEALTH_MS = 60_000;

const AWAY: readonly string[] = ["runtime_unavailable", "engine_timeout", "engine_busy", "no_engine"];

export class LinkActs implements EngineActs {
  constructor(
    private readonly link: Link,
    private readonly inspections: Inspections,
    private readonly pulls: PullRules,
  ) {}

  isAway(error: unknown): boolean {
    return error instanceof ServiceError && AWAY.includes(error.code);
  }

  async find(container: string): Promise<InspectedContainer | null> {
    const found = await orNull("container_not_found", this.inspections.read(this.link.engine, container));
    // Engines take the beginning of an id, too.
    return found?.id === container || found?.name === container ? found : null;
  }

  async create(name: string, { files: _, platform, ...spec }: Partial<ContainerSpec>): Promise<string> {
    const doing = `create container "${name}"`;
    const { text } = await this.link.engine.post(at`/containers/create`, {
      ...LOOKED_AT,
      doing,
      missing: "image_not_found",
      query: { name, platform: platform || undefined },
      body: createBody(spec),
      firstByteMs: CREATE_MS,
    }).finally(() => this.link.mirror.volumes.touch()); // an image may have some without a name
    const id = textOf(objectOf(parseJson(text)).Id);
    if (id === "") throw unreadable(this.link.name, doing);
    this.#touch(id);
    return id;
  }

  async copy(id: string, files: ContainerSpec["files"]): Promise<void> {
    await copyInto(this.link.engine, id, files);
  }

  async start(id: string): Promise<void> {
    await this.#change(id, at`/containers/${id}/start`, "start", {}, SLOW_MS);
  }

  async stop(id: string, graceSeconds: number): Promise<void> {
    await this.#change(id, at`/containers/${id}/stop`, "stop", {}, graceSeconds * 1_000 + STOP_MS);
  }

  async kill(id: string): Promise<void> {
    await this.#change(id, at`/containers/${id}/kill`, "kill", {}, STOP_MS);
  }

  async restart(id: string, graceSeconds: number): Promise<void> {
    await this.#change(id, at`/containers/${id}/restart`, "restart", {}, graceSeconds * 1_000 + SLOW_MS);
  }

  async rename(id: string, name: string): Promise<void> {
    await this.#change(id, at`/containers/${id}/rename`, "rename", { query: { name } }, CREATE_MS);
  }

  async update(id: string, spec: Partial<ContainerSpec>): Promise<void> {
    const body = updateBody(spec);
    await this.#change(id, at`/containers/${id}/update`, "change", { body }, CREATE_MS);
  }

  async remove(id: string): Promise<void> {
    try {
      await this.link.engine.delete(at`/containers/${id}`, {
        ...LOOKED_AT,
        doing: `remove container "${this.#nameOf(id)}"`,
        missing: "container_not_found",
        firstByteMs: SLOW_MS,
      });
    } finally {
      this.#touch(id);
      this.link.mirror.volumes.touch();
    }
  }

  lastWords(id: string, lines: number): Promise<readonly string[]> {
    return lastWords(this.link.engine, id, lines);
  }

  run(id: string, order: CommandOrder): Promise<CommandEnd> {
    return runCommand(this.link.engine, id, order);
  }

  /** Podman leaves it to timers of systemd, which need not be there. */
  async checkHealth(id: string): Promise<void> {
    if (this.link.kind !== "podman") return;
    await this.link.engine.get(at`/libpod/containers/${id}/healthcheck`, {
      doing: `check the health of container "${this.#nameOf(id)}"`,
      missing: "container_not_found",
      firstByteMs: HEALTH_MS,
    });
  }

  async network(name: string): Promise<Labelled | null> {
    const found = await this.#network(name);
    return found === null ? null : { labels: mapOf(found.Labels) };
  }

  async networkNow(name: string): Promise<NetworkSpec | null> {
    const found = await this.#network(name);
    return found === null ? null : networkSpecOf(found);
  }

  async #network(name: string): Promise<Wire | null> {
    const wire = await orNull(
      "network_not_found",
      this.link.engine.get(at`/networks/${name}`, {
        doing: `look for network "${name}"`,
        missing: "network_not_found",
      }),
    );
    const found = objectOf(wire);
    return textOf(found.Name) === name ? found : null;
  }

  async usersOf(network: string): Promise<readonly { readonly id: string; readonly name: string }[]> {
    await this.link.mirror.containers.resync();
    return [...this.link.mirror.containers.rows.values()]
      .filter(({ networks }) => networks.includes(network))
      .map(({ id, name }) => ({ id, name }));
  }

  async createNetwork(spec: NetworkSpec): Promise<void> {
    await this.link.engine.post(at`/networks/create`, {
      ...LOOKED_AT,
      doing: `create network "${spec.name}"`,
      body: networkBody(spec),
      firstByteMs: SLOW_MS, // Docker searches 15 s for a missing driver
    }).finally(() => this.link.mirror.networks.touch());
  }

  recreateNetwork(spec: NetworkSpec): Promise<void> {
    return this.createNetwork(spec);
  }

  async removeNetwork(name: string): Promise<void> {
    await this.link.engine.delete(at`/networks/${name}`, {
      ...LOOKED_AT,
      doing: `remove network "${name}"`,
      missing: "network_not_found",
      firstByteMs: SLOW_MS,
    }).finally(() => this.link.mirror.networks.touch());
  }

  async connect(id: string, network: ContainerSpec["networks"][number]): Promise<void> {
    const doing = `connect container "${this.#nameOf(id)}" to network "${network.name}"`;
    await this.#member(id, at`/networks/${network.name}/connect`, doing, connectBody(id, network), CONNECTED);
  }

  async disconnect(id: string, network: string): Promise<void> {
    const doing = `disconnect container "${this.#nameOf(id)}" from network "${network}"`;
    await this.#member(id, at`/networks/${network}/disconnect`, doing, { Container: id }, DISCONNECTED);
  }

  async volume(name: string): Promise<Labelled | null> {
    const wire = await orNull(
      "volume_not_found",
      this.link.engine.get(at`/volumes/${name}`, {
        doing: `look for volume "${name}"`,
        missing: "volume_not_found",
      }),
    );
    return wire === null ? null : { labels: mapOf(objectOf(wire).Labels) };
  }

  async createVolume({ name, driver, driverOptions, labels }: VolumeSpec): Promise<void> {
    await this.link.engine.post(at`/volumes/create`, {
      ...LOOKED_AT,
      doing: `create volume "${name}"`,
      body: given({ Name: name, Driver: driver ?? undefined, DriverOpts: driverOptions, Labels: labels }),
      firstByteMs: SLOW_MS,
    }).finally(() => this.link.mirror.volumes.touch());
  }

  async removeVolume(name: string): Promise<void> {
    await this.link.engine.delete(at`/volumes/${name}`, {
      ...LOOKED_AT,
      doing: `remove volume "${name}"`,
      missing: "volume_not_found",
      firstByteMs: SLOW_MS,
    }).finally(() => this.link.mirror.volumes.touch());
  }

  async imageId(reference: string): Promise<string | null> {
    const wire = await orNull(
      "image_not_found",
      this.link.engine.get(at`/images/${new SlashedName(reference)}/json`, {
        doing: `inspect image "${reference}"`,
        missing: "image_not_found",
      }),
    );
    return wire === null ? null : imageIdOf(textOf(objectOf(wire).Id));
  }

  async pull({ reference: text, digest, platform, loginFor, signal, progress }: PullOrder): Promise<void> {
    const named = parseReference(text);
    const reference = digest === null ? named : { ...named, digest };
    mustBeAllowed(reference, this.pulls.registries);
    try {
      const credentials = loginFor(reference.registry) ?? await this.pulls.logins.find(reference);
      const { id } = await pull(this.link.engine, {
        reference,
        platform: platform || undefined,
        credentials,
        signal,
        progress,
      });
      if (digest !== null) await this.tag(id, text);
    } catch (error) {
      throw orUnavailable(withNames(error, textOfReference(reference), reference.registry));
    } finally {
      this.link.mirror.images.touch();
    }
  }

  async build(order: BuildOrder): Promise<void> {
    if (this.pulls.registries !== null) {
      throw engineError(
        "pull_refused",
        `Cannot build "${
          order.spec.tags[0]
        }": this service may pull from some registries alone, and a Dockerfile can ` +
          "name any",
      );
    }
    try {
      const { kind } = await this.link.engine.greet();
      await build(this.link.engine, kind, order);
    } catch (error) {
      throw orUnavailable(error);
    } finally {
      this.link.mirror.images.touch();
    }
  }

  async tag(id: string, text: string): Promise<void> {
    const reference = parseReference(text);
    await this.link.engine.post(at`/images/${new SlashedName(id)}/tag`, {
      ...LOOKED_AT,
      doing: `name image "${textOfReference(reference)}"`,
      missing: "image_not_found",
      query: { repo: nameOf(reference), tag: versionOf(reference) },
      firstByteMs: CREATE_MS,
    });
    this.link.mirror.images.touch();
  }

  async #change(
    id: string,
    path: EnginePath,
    verb: string,
    more: { readonly query?: Readonly<Record<string, string>>; readonly body?: unknown },
    firstByteMs: number,
  ): Promise<void> {
    const doing = `${verb} container "${this.#nameOf(id)}"`;
    try {
      await this.link.engine.post(path, {
        ...LOOKED_AT,
        doing,
        missing: "container_not_found",
        firstByteMs,
        ...more,
      });
    } finally {
      this.#touch(id);
    }
  }

  async #member(
    id: string,
    path: EnginePath,
    doing: string,
    body: unknown,
    isSoAlready: RegExp,
  ): Promise<void> {
    try {
      await this.link.engine.post(path, {
        ...LOOKED_AT,
        doing,
        missing: "network_not_found",
        body,
        firstByteMs: SLOW_MS,
      });
    } catch (error) {
      const said = error instanceof ServiceError && error.cause instanceof EngineAnswer
        ? error.cause.words
        : "";
      if (!isSoAlready.test(said)) throw error;
    } finally {
      this.#touch(id);
      this.link.mirror.networks.touch();
    }
  }

  #touch(id: string): void {
    this.link.mirror.containers.touch(id);
  }

  #nameOf(id: string): string {
    return this.link.mirror.containers.nameOf(id) ?? id.slice(0, 12);
  }
}

/** Engines say only in words that nothing had to be changed. */
const CONNECTED = /already (?:exists|connected)|already attached/i;
const DISCONNECTED = /is not connected/i;

async function orNull<T>(code: string, asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && error.code === code) return null;
    throw error;
  }
}

/** Returns the error with the registry that refused, which a reader of the journal must know. */
function withNames(error: unknown, reference: string, registry: string): unknown {
  if (!(error instanceof ServiceError) || error.message.includes(registry)) return error;
  const words = (message: string) =>
    `Cannot pull "${reference}" from "${registry}": ${message.replace(/^Cannot [^:]*: /, "")}`;
  const code = error.code as "pull_failed"; // it came from a pull
  return engineError(code, words(error.message), { cause: error.cause, discreet: words(error.discreet) });
}
