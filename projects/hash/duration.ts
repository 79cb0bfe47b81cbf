/** A duration as Go writes it: `90s` is `1m30s`. */
export function duration(nanoseconds: number): string {
  if (nanoseconds === 0) return "0s";
  if (nanoseconds < 1e3) return `${nanoseconds}ns`;
  if (nanoseconds < 1e6) return `${nanoseconds / 1e3}µs`;
  if (nanoseconds < 1e9) return `${nanoseconds / 1e6}ms`;
  const hours = Math.floor(nanoseconds / 3600e9);
  const minutes = Math.floor(nanoseconds % 3600e9 / 60e9);
  const seconds = nanoseconds % 60e9 / 1e9;
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
