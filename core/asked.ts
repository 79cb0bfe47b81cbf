/** Notes the time of the last request: copying a whole log gives way while others ask. */

let askedAt = -Infinity;

/** Notes that somebody asks now. */
export function noteAsked(): void {
  askedAt = performance.now();
}

/** Returns true if somebody has asked within this time. */
export function wasAskedWithin(ms: number): boolean {
  return performance.now() - askedAt < ms;
}
