/** Containers by which berth learns what an engine sees: never started, removed at once, and no rows or events. */
export const PROBE = "berth-probe-";

export const isProbe = (name: string): boolean => name.startsWith(PROBE);
