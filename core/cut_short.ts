/** The connection ended before a streamed answer did: the engine said nothing of how the act ended. */
export class CutShort extends Error {
  constructor(cause: unknown) {
    super("The engine's answer was cut short", { cause });
  }
}
