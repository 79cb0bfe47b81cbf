/** Follows the log of a service whose containers number their lines: `line 1`, `line 2`. */
import type { TestCaller } from "./service.ts";

export class ServiceLogReader {
  /** The number of the last line of each task. */
  readonly tasks = new Map<string, number>();
  /** Tasks of which lines are said to be missing. */
  readonly gaps = new Set<string>();
  /** Lines that came twice, or behind others that never came, without a gap in between. */
  readonly faults: string[] = [];
  readonly ended: Promise<void>;
  readonly #open = new Set<string>();

  constructor(berth: TestCaller, service: string, signal: AbortSignal) {
    this.ended = this.#read(berth, service, signal).catch((error) => {
      if (!signal.aborted) throw error;
    });
  }

  last(task: string): number {
    return this.tasks.get(task) ?? 0;
  }

  async #read(berth: TestCaller, service: string, signal: AbortSignal): Promise<void> {
    const path = `GET /api/services/${service}/logs?format=ndjson&follow&tail=all`;
    const answer = await berth.fetch(path, undefined, { signal });
    let rest = "";
    for await (const text of answer.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      for (const line of lines) if (line !== "") this.#take(JSON.parse(line));
    }
  }

  #take(
    { taskId = "", line, gap, node }: Record<"taskId" | "line" | "node", string> & { gap?: unknown },
  ): void {
    if (gap !== undefined) {
      this.gaps.add(taskId);
      this.#open.add(taskId);
      if (!/^node\d$/.test(node)) this.faults.push(`a gap on "${node}"`);
    }
    if (line === undefined) return;
    const number = Number(/^line (\d+)$/.exec(line)?.[1]);
    const before = this.last(taskId);
    const hasGap = this.#open.delete(taskId);
    if (number !== before + 1 && !(hasGap && number > before)) {
      this.faults.push(`${taskId} on ${node}: ${number} behind ${before}`);
    }
    this.tasks.set(taskId, number);
  }
}
