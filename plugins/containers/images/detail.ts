/** One image in full: configuration, history and layers, with secrets masked. */
import * as z from "../../../core/schema.ts";
import { maskArguments, maskEnvironment, maskText, maskValues } from "../../../core/secrets.ts";
import type { Engine } from "../../../engines/calls/engine.ts";
import { at, SlashedName } from "../../../engines/calls/path.ts";
import {
  listOf,
  mapOf,
  numberOf,
  objectOf,
  textOf,
  textOrNull,
  textsOf,
  timeOf,
  type Wire,
} from "../../../engines/calls/wire.ts";
import { Image, type ImageRow, imageRow } from "../../../engines/rows/image.ts";

export const ImageDetail = Image.extend({
  os: z.string().describe("The operating system it is made for"),
  architecture: z.string().describe("The processor it is made for"),
  author: z.string().describe("Author"),
  comment: z.string().describe("Remark of the author"),
  config: z.object({
    command: z.array(z.string()).describe("The arguments"),
    entrypoint: z.array(z.string()).describe("The program"),
    env: z.array(z.string()).describe("Names; the values are masked"),
    user: z.string().describe("The user"),
    workingDir: z.string().describe("The folder"),
    ports: z.array(z.string()).describe("The ports it listens on"),
    volumes: z.array(z.string()).describe("The folders that become volumes"),
    stopSignal: z.string().nullable().describe("The signal that asks it to stop"),
    healthcheck: z.array(z.string()).nullable().describe("The command that checks its health"),
    labels: z.record(z.string(), z.string()).describe("Its labels"),
  }).describe("Default settings of its containers"),
  history: z.array(z.object({
    createdAt: z.string().nullable().describe("When"),
    createdBy: z.string().describe("The command"),
    comment: z.string().describe("Comment of the author"),
    size: z.int().describe("Bytes it added"),
    tags: z.array(z.string()).describe("The tags of that step"),
  })).describe("The steps it was made in, newest first"),
  layers: z.array(z.string()).describe("The digests of its layers"),
}).meta({ id: "ImageDetail" });
export type ImageDetail = z.infer<typeof ImageDetail>;

/** By id, id prefix or reference. Throws `image_not_found`. */
export async function readImage(
  engine: Engine,
  name: SlashedName,
  shown: string,
  signal: AbortSignal,
): Promise<Omit<ImageDetail, "usedBy">> {
  const call = { doing: `inspect image "${shown}"`, missing: "image_not_found", signal } as const;
  const [image, history] = await Promise.all([
    engine.get(at`/images/${name}/json`, call).then(objectOf),
    engine.get(at`/images/${name}/history`, call),
  ]);
  const config = objectOf(image.Config);
  return {
    ...rowOf(image, engine.name),
    os: textOf(image.Os),
    architecture: textOf(image.Architecture),
    author: textOf(image.Author),
    comment: textOf(image.Comment),
    config: configOf(config),
    history: listOf(history).map(historyOf),
    layers: textsOf(objectOf(image.RootFS).Layers),
  };
}

function rowOf(image: Wire, backend: string): ImageRow {
  return imageRow(image, backend) ?? {
    id: "",
    tags: [],
    digests: [],
    size: 0,
    sharedSize: null,
    createdAt: new Date(0).toISOString(),
    labels: {},
    dangling: true,
    backend,
  };
}

function configOf(config: Wire): ImageDetail["config"] {
  const test = textsOf(objectOf(config.Healthcheck).Test);
  return {
    command: maskArguments(textsOf(config.Cmd), textsOf(config.Entrypoint)),
    entrypoint: maskArguments(textsOf(config.Entrypoint)),
    env: maskEnvironment(textsOf(config.Env)),
    user: textOf(config.User),
    workingDir: textOf(config.WorkingDir),
    ports: Object.keys(objectOf(config.ExposedPorts)).sort(),
    volumes: Object.keys(objectOf(config.Volumes)).sort(),
    stopSignal: textOrNull(config.StopSignal),
    healthcheck: test.length === 0 ? null : maskArguments(test),
    labels: maskValues(mapOf(config.Labels)),
  };
}

function historyOf(entry: unknown): ImageDetail["history"][number] {
  const wire = objectOf(entry);
  return {
    createdAt: timeOf(wire.Created),
    createdBy: maskText(textOf(wire.CreatedBy)),
    comment: textOf(wire.Comment),
    size: numberOf(wire.Size),
    tags: textsOf(wire.Tags),
  };
}
