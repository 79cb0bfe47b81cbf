/** The containers of an engine as berth reads them, beside its table of fields. */
import type { ContainerSpec, InspectedContainer } from "../../core/runtime.ts";
import { copyInto } from "../../plugins/containers/containers/copy_into.ts";
import { Inspections } from "../../plugins/containers/containers/inspected.ts";
import { Engine } from "../../engines/calls/engine.ts";
import type { EngineView } from "../../projects/fields/engine_view.ts";
import { sha256 } from "../../artifacts/files/sha256.ts";
import { BareContainer } from "../../engines/links/bare_container.ts";
import { FIXTURE, type TestEngine } from "../support/engine.ts";

export const DIGEST = (text: string) => sha256(text);
export const CONTENTS = new Map([["secret:laws.key", "1"], ["config:laws.page", "2"], [
  "config:laws.inline",
  "4",
]]);

export class Scene implements AsyncDisposable {
  readonly #inspections = new Inspections();
  readonly #engine: Engine;

  constructor(readonly engine: TestEngine) {
    this.#engine = new Engine(engine.kind, { kind: "unix", path: engine.socket });
  }

  /** Every container of the engine. */
  async all(): Promise<InspectedContainer[]> {
    const listed = await this.engine.ask("GET /containers/json?all=1");
    return await Promise.all(
      listed.json.map(({ Id }: { Id: string }) => this.#inspections.read(this.#engine, Id)),
    );
  }

  /** The same by the names of their services, of which each has one. */
  async containers(): Promise<Map<string, InspectedContainer>> {
    return new Map((await this.all()).map((one) => [one.compose?.service ?? one.name, one]));
  }

  /** A container that has nothing but what the engine gives by itself. */
  async bare(): Promise<InspectedContainer | null> {
    const wire = await new BareContainer().of(this.#engine, FIXTURE);
    return wire && await this.#inspections.of(this.#engine, wire, "look at a bare container");
  }

  async copy(id: string, files: ContainerSpec["files"]): Promise<void> {
    await copyInto(this.#engine, id, files);
  }

  async inspect(id: string): Promise<InspectedContainer> {
    return await this.#inspections.read(this.#engine, id);
  }

  view(containers: ReadonlyMap<string, InspectedContainer>): EngineView {
    return {
      kind: this.engine.kind,
      mappedTo: (path) => path,
      realOf: (path) => path,
      sourceAt: () => undefined,
      neighbour: (id) => {
        const found = [...containers].find(([, one]) => one.id === id);
        return found && { service: found[0], name: found[1].name };
      },
      imageNow: () => undefined,
      digest: DIGEST,
      contents: CONTENTS,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#engine[Symbol.dispose]();
    return Promise.resolve();
  }
}
