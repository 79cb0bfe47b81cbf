/** The plugins that come with berth, in the order they start; the only file that names them. */
import { containerRuntime } from "./containers/plugin.ts";
import { dashboard } from "./dashboard/plugin.ts";
import type { Plugin } from "./plugin.ts";
import { swarm } from "./swarm/plugin.ts";
import { systemd } from "./systemd/plugin.ts";

export const PLUGINS: readonly Plugin[] = [containerRuntime, swarm, dashboard, systemd];
