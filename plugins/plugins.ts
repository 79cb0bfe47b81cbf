/** The plugins that come with berth, in the order they start. */
import { containerRuntime } from "./container-runtime/plugin.ts";
import type { Plugin } from "./plugin.ts";

export const PLUGINS: readonly Plugin[] = [containerRuntime];
