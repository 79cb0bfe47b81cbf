/** Container details, cached as text until the mirror reads the container again. */
import type { Ownership } from "../../../core/ownership.ts";
import { type Cached, cached } from "../../../http/declare/answer.ts";
import { at } from "../../../engines/calls/path.ts";
import { containerDetail } from "./detail.ts";
import type { FoundContainer } from "../backends/find_container.ts";
import type { ContainerRow } from "../../../engines/rows/container.ts";

export class ContainerDetails {
  #cached = new WeakMap<ContainerRow, Cached>();
  #ownershipRevision = -1;

  constructor(private readonly ownership: Ownership) {}

  /** Masked. A container with a health check is read each time, because its health log changes without an event. */
  async answer(found: FoundContainer, doing: string): Promise<Cached> {
    if (this.#ownershipRevision !== this.ownership.revision) {
      this.#cached = new WeakMap();
      this.#ownershipRevision = this.ownership.revision;
    }
    const known = this.#cached.get(found.row);
    if (known !== undefined) return known;
    const inspected = await readContainer(found, doing);
    this.ownership.ownerOf(found.row);
    await this.ownership.settle();
    const row = found.link.mirror.containers.rowOf(inspected) ?? found.row;
    const detail = { ...containerDetail(row, inspected, false), workspace: this.ownership.ownerOf(row) };
    const answer = cached(JSON.stringify(detail));
    // Keyed by the row from before the read: a change since then has replaced that row.
    if (row.health === null && detail.healthcheck === null) this.#cached.set(found.row, answer);
    return answer;
  }
}

/** The engine's own object. */
export async function readContainer({ link, row }: FoundContainer, doing: string): Promise<unknown> {
  return await link.engine.get(at`/containers/${row.id}/json`, { doing, missing: "container_not_found" });
}
