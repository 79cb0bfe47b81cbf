/** A container as it was created, with the defaults of its image: what drift compares with. */
import type { InspectedContainer } from "../../../core/runtime.ts";
import { unreadable } from "../engine/failure.ts";
import type { Engine } from "../engine/engine.ts";
import { at, SlashedName } from "../engine/path.ts";
import { flagOf, listOf, mapOf, numberOf, objectOf, textOf, textsOf, type Wire } from "../engine/wire.ts";
import { commandWords, cpusOf, plainEnvironment, restartOf } from "./detail.ts";
import { type ContainerRow, containerRow } from "../rows/container.ts";

type ImageDefaults = InspectedContainer["imageDefaults"];

const MOST_IMAGES = 256;

/** Reads containers for comparison. Image defaults are cached: an image never changes under its id. */
export class Inspections {
  readonly #images = new Map<string, Promise<ImageDefaults>>();

  async read(engine: Engine, id: string): Promise<InspectedContainer> {
    const doing = `inspect container "${id}"`;
    const inspected = await engine.get(at`/containers/${id}/json`, { doing, missing: "container_not_found" });
    const row = containerRow(inspected, engine.name);
    if (row === null) throw unreadable(engine.name, doing);
    return made(row, objectOf(inspected), await this.#defaults(engine, row.imageId));
  }

  #defaults(engine: Engine, imageId: string): Promise<ImageDefaults> {
    const key = `${engine.name} ${imageId}`;
    const known = this.#images.get(key);
    if (known !== undefined) return known;
    const asked = readDefaults(engine, imageId).catch(() => {
      this.#images.delete(key);
      return null;
    });
    this.#images.set(key, asked);
    if (this.#images.size > MOST_IMAGES) {
      const oldest = this.#images.keys().next();
      if (!oldest.done) this.#images.delete(oldest.value);
    }
    return asked;
  }
}

async function readDefaults(engine: Engine, imageId: string): Promise<ImageDefaults> {
  const config = objectOf(
    objectOf(
      await engine.get(at`/images/${new SlashedName(imageId)}/json`, {
        doing: `inspect image "${imageId}"`,
        missing: "image_not_found",
      }),
    ).Config,
  );
  return {
    command: textsOf(config.Cmd),
    entrypoint: commandWords(config.Entrypoint),
    env: plainEnvironment(textsOf(config.Env)),
    labels: mapOf(config.Labels),
    user: textOf(config.User),
    workingDir: textOf(config.WorkingDir),
  };
}

function made(row: ContainerRow, wire: Wire, imageDefaults: ImageDefaults): InspectedContainer {
  const config = objectOf(wire.Config);
  const host = objectOf(wire.HostConfig);
  const networks = Object.entries(objectOf(objectOf(wire.NetworkSettings).Networks));
  return {
    ...row,
    labels: mapOf(config.Labels),
    command: textsOf(config.Cmd),
    entrypoint: commandWords(config.Entrypoint),
    env: plainEnvironment(textsOf(config.Env)),
    imageDefaults,
    user: textOf(config.User),
    workingDir: textOf(config.WorkingDir),
    hostname: textOf(config.Hostname),
    restart: restartOf(host),
    ports: declaredPorts(host, row),
    // A named volume is declared by its name, not by the folder where the engine stores it.
    mounts: row.mounts.map(({ type, name, source, target, readOnly }) => ({
      type,
      source: name ?? source,
      target,
      readOnly,
    })),
    tmpfs: Object.keys(objectOf(host.Tmpfs)),
    networks: networks.map(([name, network]) => ({ name, aliases: textsOf(objectOf(network).Aliases) })),
    networkMode: textOf(host.NetworkMode),
    privileged: flagOf(host.Privileged),
    readOnlyRoot: flagOf(host.ReadonlyRootfs),
    capAdd: textsOf(host.CapAdd),
    capDrop: textsOf(host.CapDrop),
    memoryLimitBytes: numberOf(host.Memory) > 0 ? numberOf(host.Memory) : null,
    cpus: cpusOf(host),
    pidsLimit: numberOf(host.PidsLimit) > 0 ? numberOf(host.PidsLimit) : null,
    ...healthOf(config.Healthcheck),
  };
}

function healthOf(value: unknown): Pick<InspectedContainer, "healthcheck" | "healthTimes"> {
  if (value === null || value === undefined) return { healthcheck: null, healthTimes: null };
  const check = objectOf(value);
  return {
    healthcheck: textsOf(check.Test),
    healthTimes: {
      interval: numberOf(check.Interval),
      timeout: numberOf(check.Timeout),
      startPeriod: numberOf(check.StartPeriod),
      retries: numberOf(check.Retries),
    },
  };
}

/** The ports it was created with: a stopped container has none open, but still declares them. */
function declaredPorts(host: Wire, row: ContainerRow): InspectedContainer["ports"] {
  // Podman lists the ports of the container whose network this one shares.
  if (textOf(host.NetworkMode).startsWith("container:")) return [];
  const bindings = Object.entries(objectOf(host.PortBindings));
  // A port without a host port is only exposed, perhaps by the image.
  if (bindings.length === 0) return row.ports.filter(({ published }) => published);
  return bindings.flatMap(([name, value]) => {
    const [port = "", protocol = "tcp"] = name.split("/");
    return listOf(value).map(objectOf).map((binding) => {
      const host = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(textOf(binding.HostPort));
      return {
        container: Number(port),
        protocol,
        host: host === null ? null : Number(host[1]),
        ...(host?.[2] !== undefined && { hostLast: Number(host[2]) }),
        address: textOf(binding.HostIp) || null,
      };
    });
  });
}
