/**
 * Health checks that say what they have to say soon, and then keep still: each check that Docker runs is a process that
 * it starts in the container, and five a second of them in each container are most of what a file of tests would cost.
 */

/** Begins each check: it keeps still once the container was found healthy. Podman has no checks but those that berth asks for. */
const STILL = "test -e /run/.containerenv || ! test -e /dev/shm/checked || sleep 20";

const checked = (words: string, more = "") =>
  `healthcheck: { test: [CMD-SHELL, '${STILL}; ${words}'], interval: 200ms${more} }`;

/** Healthy at its first check. */
export const HEALTHY = checked("touch /dev/shm/checked");

/** Healthy as soon as somebody makes the file `/go`. */
export const HELD = checked(
  "test -e /run/.containerenv && exec test -e /go; until test -e /go; do sleep 0.1; done; touch /dev/shm/checked",
  ", retries: 1000",
);
