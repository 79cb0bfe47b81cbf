/** Lists of containers over all engines, cached as text and compressed once until something in them changes. */
import * as z from "../../../core/schema.ts";
import type { Reach } from "../../../core/access.ts";
import type { Ownership } from "../../../core/ownership.ts";
import type { Sight } from "../../../core/sight.ts";
import type { Cached } from "../../../http/declare/answer.ts";
import type { CachedText } from "../../../http/declare/cached_text.ts";
import type { Backends } from "../../../engines/links/backends.ts";
import { MadeTexts, UNSETTLED } from "../backends/made_texts.ts";
import { type Engines, linksInSight, rowsInSight } from "../backends/seen.ts";
import { StaleEngines } from "../backends/route_fields.ts";
import { Unavailable } from "../../../engines/links/unavailable.ts";
import { merged, OrderedRows } from "./ordered.ts";
import { type ContainerQuery, cursorBehind } from "./query.ts";
import { Container, type ContainerRow } from "../../../engines/rows/container.ts";
import { engineError } from "../../../engines/calls/errors.ts";
import {
  jsonArray,
  jsonMembers,
  jsonObject,
  type JsonText,
  jsonText,
  membersOf,
} from "../../../core/json_text.ts";

export const ContainerList = z.object({
  items: z.array(Container).describe("The containers of this page"),
  total: z.int().describe("Number of matches on all pages"),
  next: z.string().optional().describe("The cursor of the next page; absent on the last"),
  unavailable: z.array(Unavailable).describe("The engines that could not be asked"),
  stale: StaleEngines,
}).meta({ id: "ContainerList" });

export class ContainerLists {
  readonly #made = new MadeTexts();
  readonly #ordered = new OrderedRows();
  #texts = new WeakMap<ContainerRow, JsonText>();
  #textsOwnership = -1;

  private readonly backends: Backends;
  private readonly ownership: Ownership;

  constructor(private readonly engines: Engines) {
    this.backends = engines.backends;
    this.ownership = engines.sights.ownership;
  }

  /** The list that the query asks for, as far as the caller's reach goes; from the cache if nothing changed since. */
  async answer(query: ContainerQuery, request: Request, reach: Reach): Promise<Cached> {
    const mark = request.url.indexOf("?");
    const key = `${reach.key}${mark < 0 ? "" : request.url.slice(mark)}`;
    const text = this.#made.known(key, this.#stamp()) ??
      await this.#settled(key, query, this.engines.sights.of(reach));
    return await text.answer(request);
  }

  /** A row as the answer shows it. */
  textOf(row: ContainerRow): JsonText {
    if (this.#textsOwnership !== this.ownership.revision) {
      this.#texts = new WeakMap();
      this.#textsOwnership = this.ownership.revision;
    }
    let text = this.#texts.get(row);
    if (text === undefined) {
      const { networkIds: _ids, healthCommand: _command, ending: _ending, backend, ...shown } = row;
      text = jsonText({ ...shown, workspace: this.ownership.ownerOf(row), backend });
      this.#texts.set(row, text);
    }
    return text;
  }

  /** Waits until the owner of every listed project is known. */
  async #settled(key: string, query: ContainerQuery, sight: Sight): Promise<CachedText> {
    if (query.workspace !== undefined && this.ownership.projectsOf(query.workspace) === null) {
      await this.ownership.refresh(); // it may have been registered just now
    }
    const list = await this.#renew(key, query, sight);
    return await this.ownership.settle() ? await this.#renew(key, query, sight) : list;
  }

  async #renew(key: string, query: ContainerQuery, sight: Sight): Promise<CachedText> {
    const { shown, unavailable, stale } = await linksInSight(this.backends, query.backend, sight);
    // Nothing below waits, so the stamp fits the rows.
    const stamp = this.#stamp();
    const { workspace } = query;
    let isKnown = workspace === undefined ||
      this.ownership.projectsOf(workspace) !== null && sight.reach.has({ workspace });
    const behind = new Set<string>();
    const isShown = (row: ContainerRow) =>
      sight.sees(row) && (workspace === undefined || this.ownership.ownerOf(row)?.id === workspace);
    const isWhole = sight.reach.everywhere && workspace === undefined;
    let total = 0;
    const all = this.#ordered.of(shown, query);
    const lists = shown.map((link, at) => {
      if (link.isBehind("containers")) behind.add(link.name);
      if (!isKnown) {
        for (const row of rowsInSight(link, sight)) isKnown ||= this.ownership.ownerOf(row)?.id === workspace;
      }
      const fitting = isWhole ? all[at]! : { rows: all[at]!.rows.filter(isShown) };
      total += fitting.rows.length;
      return fitting;
    });
    if (!isKnown) {
      throw engineError(
        "workspace_not_found",
        `Cannot list containers: there is no workspace "${workspace}"`,
      );
    }
    const { rows, isMore } = merged(lists, query, query.limit ?? total);
    const last = rows.at(-1);
    const next = isMore && last !== undefined ? cursorBehind(last, query) : undefined;
    const texts = rows.map((row) => behind.has(row.backend) ? asStale(this.textOf(row)) : this.textOf(row));
    const text = jsonObject(jsonMembers({
      items: jsonArray(texts),
      total: jsonText(total),
      next: next === undefined ? undefined : jsonText(next),
      unavailable: jsonText(unavailable),
      stale: stale.length === 0 ? undefined : jsonText(stale),
    }));
    return this.#made.keep(key, stamp, text, { isScoped: !sight.reach.everywhere });
  }

  /** Returns the rows that the mirrors show now in this sight, by engine and id, without waiting. */
  current(
    sight: Sight,
  ): { readonly rows: Map<string, JsonText>; readonly unavailable: readonly Unavailable[] } {
    const { shown, unavailable } = this.backends.current("containers");
    const rows = new Map<string, JsonText>();
    for (const link of shown) {
      for (const row of rowsInSight(link, sight)) {
        const text = this.textOf(row);
        rows.set(`${link.name}/${row.id}`, link.isBehind("containers") ? asStale(text) : text);
      }
    }
    return {
      rows,
      unavailable: sight.reach.everywhere
        ? unavailable
        : unavailable.filter(({ backend }) => sight.seesEngine(backend)),
    };
  }

  #stamp(): string {
    if (!this.backends.settled("containers")) return UNSETTLED;
    return `${this.ownership.revision} ${this.backends.stamp(["containers"])}`;
  }
}

const STALE = jsonMembers({ stale: jsonText(true) });

/** The row's text with the mark that it is how it was last known. */
function asStale(text: JsonText): JsonText {
  return jsonObject(membersOf(text), STALE);
}
