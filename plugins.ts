/** The plugins that come with berth, in the order they start. */
import { containerRuntime } from "./plugins/container-runtime/plugin.ts";
import type { Plugin } from "./plugins/plugin.ts";

export const PLUGINS: readonly Plugin[] = [containerRuntime];
