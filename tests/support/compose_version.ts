/** The version of Compose that tests run beside; `BERTH_TEST_COMPOSE_VERSION=5.6.0` makes it another one. */
export const COMPOSE = Deno.env.get("BERTH_TEST_COMPOSE_VERSION") ?? "2.40.3";
