/** Containers in full, each kept as text for as long as the mirror has no newer reading of it. */
import type { Ownership } from "../../../core/runtime.ts";
import { type Cached, cached } from "../../../http/answer.ts";
import { at } from "../engine/path.ts";
import { containerDetail } from "./detail.ts";
import type { FoundContainer } from "../backends/find_container.ts";
import { type ContainerRow, containerRow } from "../rows/container.ts";

export class ContainerDetails {
  #kept = new WeakMap<ContainerRow, Cached>();
  #ownershipRevision = -1;

  constructor(private readonly ownership: Ownership) {}

  /** Masked. A health check writes its log without a word, so a container that has one is asked for each time. */
  async answer(found: FoundContainer, doing: string): Promise<Cached> {
    if (this.#ownershipRevision !== this.ownership.revision) {
      this.#kept = new WeakMap();
      this.#ownershipRevision = this.ownership.revision;
    }
    const known = this.#kept.get(found.row);
    if (known !== undefined) return known;
    const inspected = await readContainer(found, doing);
    this.ownership.ownerOf(found.row);
    await this.ownership.settle();
    const row = containerRow(inspected, found.link.name) ?? found.row;
    const detail = { ...containerDetail(row, inspected, false), workspace: this.ownership.ownerOf(row) };
    const answer = cached(JSON.stringify(detail));
    // Under the row as it was when the engine was asked: a change since then has made another row of it.
    if (row.health === null && detail.healthcheck === null) this.#kept.set(found.row, answer);
    return answer;
  }
}

/** What the engine itself says of it. */
export async function readContainer({ link, row }: FoundContainer, doing: string): Promise<unknown> {
  return await link.engine.get(at`/containers/${row.id}/json`, { doing, missing: "container_not_found" });
}
