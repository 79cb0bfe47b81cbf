/** Remembers commands that still run after their terminal was closed: no engine has a call to end them. */
import type { ExecSession } from "./exec_session.ts";

const MOST = 1_000;

export interface Orphan {
  readonly execId: string;
  readonly container: string;
  readonly backend: string;
  readonly since: string;
}

export class Orphans {
  readonly #sessions = new Map<string, { readonly session: ExecSession; readonly since: string }>();

  add(session: ExecSession): void {
    this.#sessions.set(session.id, { session, since: new Date().toISOString() });
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST && oldest !== undefined) this.#sessions.delete(oldest);
  }

  /** The commands that still run in this container, by the engine's present answer. */
  async of(containerId: string): Promise<Orphan[]> {
    const found: Orphan[] = [];
    for (const [id, { session, since }] of this.#sessions) {
      if (session.container.id !== containerId) continue;
      if (await session.isRunning() === false) this.#sessions.delete(id);
      else found.push({ execId: id, container: containerId, backend: session.engine.name, since });
    }
    return found;
  }
}
