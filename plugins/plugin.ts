/** The contract between berth and an optional ability: a plugin is a value, and importing one does nothing. */
import type { z } from "zod";
import type { Log } from "../core/log.ts";
import type { ContainerRuntime, Ownership } from "../core/runtime.ts";
import type { Router } from "../http/router.ts";

export interface Plugin<Config extends z.ZodType = z.ZodType> {
  /** Its folder, its key in the configuration, its name in /api/system/plugins. */
  readonly name: string;
  readonly summary: string;
  readonly version: string;
  /** What its routes below /api begin with (`containers`, `system/prune`), so that they can be explained while it is switched off. */
  readonly paths: readonly string[];
  readonly config: Config;
  /** What the process must be allowed to do. Asked before `start`, never prompted for. */
  permissions(config: z.output<Config>): readonly Deno.PermissionDescriptor[];
  /** Resolves soon: what may be away (an engine, another host) is waited for in the background. */
  start(host: PluginHost, config: z.output<Config>): Promise<RunningPlugin>;
}

export interface RegisteredWorkspace {
  readonly id: string;
  readonly name: string;
  /** The real path, absolute. */
  readonly path: string;
}

/** What berth gives a plugin; it has nothing else. */
export interface PluginHost {
  /** Every line carries the plugin's name. */
  readonly log: Log;
  /** Fires when the service stops: open streams end then. */
  readonly stopping: AbortSignal;
  /** The registered workspaces. */
  workspaces(): Promise<readonly RegisteredWorkspace[]>;
  /** Which workspace and unit a container belongs to. */
  readonly ownership: Ownership;
}

/** What a started plugin brings; disposing it ends everything it began. */
export interface RunningPlugin extends AsyncDisposable {
  /** Mounted below /api, denied by default like all others. */
  readonly routes?: Router;
  /** What system routes and drift ask. */
  readonly runtime?: ContainerRuntime;
}

/** Keeps a plugin's own configuration type while it is declared. */
export function plugin<Config extends z.ZodType>(declared: Plugin<Config>): Plugin<Config> {
  return declared;
}
