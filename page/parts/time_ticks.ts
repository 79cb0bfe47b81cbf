/** The round times between two, six at most. */

const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1_440].map((minutes) => minutes * 60_000);
const MOST = 6;

export function timeTicks(from: number, to: number): readonly number[] {
  const step = STEPS_MS.find((one) => (to - from) / one < MOST) ?? to - from;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, index) => (first + index) * step);
}
