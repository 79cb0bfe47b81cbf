/** Engines that may be in another swarm by now: each is asked at once, and again for what came meanwhile. */
import { pause } from "../../../core/pause.ts";

/** The least time between two questions of one engine. */
const BETWEEN_MS = 100;

interface Turn {
  again: boolean;
  done: Promise<void>;
}

export class Places {
  readonly #turns = new Map<string, Turn>();

  /** `ask` asks an engine for its place, and does not throw. */
  constructor(
    private readonly ask: (engine: string) => Promise<void>,
    private readonly ending: AbortSignal,
  ) {}

  doubt(engine: string): void {
    const running = this.#turns.get(engine);
    if (running !== undefined) return void (running.again = true);
    const turn: Turn = { again: false, done: Promise.resolve() };
    this.#turns.set(engine, turn);
    turn.done = this.#askUntilSure(engine, turn);
  }

  /** Resolves once none of these engines is asked. */
  async sure(engines: readonly string[] = [...this.#turns.keys()]): Promise<void> {
    await Promise.all(engines.map((engine) => this.#turns.get(engine)?.done));
  }

  async #askUntilSure(engine: string, turn: Turn): Promise<void> {
    do {
      turn.again = false;
      await this.ask(engine);
      if (turn.again) await pause(BETWEEN_MS, this.ending);
    } while (turn.again && !this.ending.aborted);
    this.#turns.delete(engine);
  }
}
