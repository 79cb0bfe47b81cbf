/** The API's group `containers`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type {
  ContainerCondition,
  ContainerStop,
  LogFormat,
  LogGap,
  SocketFailure,
  StreamFailure,
  Unavailable,
} from "./models.ts";

/** GET: List the containers of all engines, running or not. */
export const CONTAINERS: Endpoint<"/api/containers", {
  get: {
    response: ContainerList;
    query: {
      /** Only containers in one of these states. */
      state?: ContainerState | readonly (ContainerState)[];
      /** Part of a name, an image, an id or a Compose service, in any case. */
      q?: string;
      /** `name` or `name=value`; several must all fit. */
      label?: string | readonly (string)[];
      /** A Compose project. */
      project?: string;
      /** The id of a registered workspace. */
      workspace?: string;
      /** An image's name, with or without its tag, or its id. */
      image?: string;
      /** Fields to sort by. */
      sort?: "created" | "name" | "state" | "image";
      /** The order; newest first, names from A to Z unless told otherwise. */
      order?: "asc" | "desc";
      /** Maximum number of rows; all if left out. */
      limit?: number;
      /** `next` of the page before. */
      cursor?: string;
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers");

/**
 * GET: One container, by id, the beginning of one, or name.
 *
 * DELETE: Remove a container.
 */
export const CONTAINER: Endpoint<"/api/containers/{id}", {
  get: {
    response: ContainerDetail | EngineContainer;
    query: {
      /** The engine's own object, masked alike. */
      raw?: boolean;
      /** Masks nothing; needs containers:reveal, and is audited. */
      reveal?: boolean;
      /** The name of one engine. */
      backend?: string;
    };
  };
  delete: {
    query: {
      /** Kill it first if it runs. */
      force?: boolean;
      /** Remove its anonymous volumes too. */
      volumes?: boolean;
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}", { delete: [204] });

/** POST: Start a container. */
export const CONTAINER_START: Endpoint<"/api/containers/{id}/start", {
  post: {
    response: ContainerControlled;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/start");

/** POST: Stop a container. */
export const CONTAINER_STOP: Endpoint<"/api/containers/{id}/stop", {
  post: {
    response: ContainerControlled;
    query: {
      /** The name of one engine. */
      backend?: string;
      /** Seconds until it is killed. */
      timeoutS?: number;
    };
  };
}> = new Endpoint("/api/containers/{id}/stop");

/** POST: Restart a container. */
export const CONTAINER_RESTART: Endpoint<"/api/containers/{id}/restart", {
  post: {
    response: ContainerControlled;
    query: {
      /** The name of one engine. */
      backend?: string;
      /** Seconds until it is killed. */
      timeoutS?: number;
    };
  };
}> = new Endpoint("/api/containers/{id}/restart");

/** POST: Pause a container: its processes stand still. */
export const CONTAINER_PAUSE: Endpoint<"/api/containers/{id}/pause", {
  post: {
    response: ContainerControlled;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/pause");

/** POST: Let a paused container go on. */
export const CONTAINER_UNPAUSE: Endpoint<"/api/containers/{id}/unpause", {
  post: {
    response: ContainerControlled;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/unpause");

/** POST: Send a signal to a container. */
export const CONTAINER_KILL: Endpoint<"/api/containers/{id}/kill", {
  post: {
    response: ContainerControlled;
    query: {
      /** The name of one engine. */
      backend?: string;
      /** Its name, with or without SIG, or its number. */
      signal?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/kill");

/** POST: Give a container another name. */
export const CONTAINER_RENAME: Endpoint<"/api/containers/{id}/rename", {
  post: {
    response: ContainerRenamed;
    payload: ContainerName;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/rename");

/** GET: The processes of a running container. */
export const CONTAINER_TOP: Endpoint<"/api/containers/{id}/top", {
  get: {
    response: ContainerProcesses;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/top");

/** GET: Read or follow a container's log. */
export const CONTAINER_LOGS: Endpoint<"/api/containers/{id}/logs", {
  get: {
    item: LogRecord;
    query: {
      /** Goes on with lines as they are written. */
      follow?: boolean;
      /** Number of the last lines, or `all`. */
      tail?: number | "all";
      /** Only lines from then on: a time as `2026-01-31T12:00:00Z`, seconds since 1970, or a span as `10m`. */
      since?: string;
      /** Only lines up to then, written as for `since`. */
      until?: string;
      /** Puts its time before each line of text. */
      timestamps?: boolean;
      /** True to receive lines of the standard output. */
      stdout?: boolean;
      /** True to receive lines of the standard error. */
      stderr?: boolean;
      /** Only lines that hold this text, in any case. */
      q?: string;
      /** Instead of what the header `Accept` asks for. */
      format?: LogFormat;
      /** The `cursor` of the last line received: the log resumes behind it. */
      cursor?: string;
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/logs");

/** WS: Run a shell or a command. */
export const CONTAINER_EXEC: Endpoint<"/api/containers/{id}/exec", {
  socket: {
    send: ExecRequest;
    receive: ExecMessage;
    query: {
      /** The program and its arguments; a single one is split at its blanks. Without it the container's best shell. */
      cmd?: string | readonly (string)[];
      /** The user, or user:group, to run as. */
      user?: string;
      /** The folder to run in. */
      workdir?: string;
      /** Further variables, each NAME=value. */
      env?: string | readonly (string)[];
      /** True if it runs on a terminal. */
      tty?: boolean;
      /** The terminal's width in characters. */
      cols?: number;
      /** The terminal's height in lines. */
      rows?: number;
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/exec");

/** GET: List commands that outlived their terminal. */
export const CONTAINER_ORPHANS: Endpoint<"/api/containers/{id}/orphans", {
  get: {
    response: {
      /** The commands. */
      readonly items: readonly (Orphan)[];
      /** Number of all items. */
      readonly total: number;
    };
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/orphans");

/** WS: Watch what a container uses. */
export const CONTAINER_STATS: Endpoint<"/api/containers/{id}/stats", {
  socket: {
    send: never;
    receive: StatsMessage;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/stats");

/** A part of `Container`. */
export type ComposeLabels = {
  /** The project. */
  readonly project: string;
  /** The service. */
  readonly service: string;
  /** The folder it was started in. */
  readonly workingDir: string | null;
  /** The files it was started from. */
  readonly configFiles: readonly (string)[];
  /** Present for a container that was adopted: its own labels say less. `likely`: another one has its name by now. */
  readonly claim?: "certain" | "likely";
};

/** A part of `LiveMessage`. */
export type Container = {
  /** The container's id. */
  readonly id: string;
  /** The container's name. */
  readonly name: string;
  /** As it was asked for. */
  readonly image: string;
  /** The id of its image. */
  readonly imageId: string;
  /** State as the engine reports it. */
  readonly state: ContainerState;
  /** The state in words that do not age: pair it with startedAt and finishedAt. */
  readonly status: string;
  /** Result of its health check; null without one. */
  readonly health: ContainerHealth | null;
  /** The output of the health check when it was last read, masked and cut; null unless it is unhealthy. */
  readonly healthOutput: string | null;
  /** Of the last end, also between restarts; null while it runs and before it ran. */
  readonly exitCode: number | null;
  /** Number of restarts by the engine since its last start. */
  readonly restartCount: number;
  /** The engine's reason why it does not run, beyond an exit code. */
  readonly reason: string | null;
  /** Its condition by itself: `restarting` lasts for a minute after a restart that was not the first. */
  readonly condition: ContainerCondition;
  /** When it was made. */
  readonly createdAt: string;
  /** When it last started. */
  readonly startedAt: string | null;
  /** When it last ended. */
  readonly finishedAt: string | null;
  /** Only of a container whose condition is `stopped`. */
  readonly stopped: ContainerStop | null;
  /** Its ports. */
  readonly ports: readonly (ContainerPort)[];
  /** The names of its networks. */
  readonly networks: readonly (string)[];
  /** Its mounts. */
  readonly mounts: readonly (ContainerMount)[];
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** The project and service that its Compose labels name, or that it was adopted for. */
  readonly compose: ComposeLabels | null;
  /** The workspace it belongs to. */
  readonly workspace: ContainerOwner | null;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** The engine does not answer, or does not list this kind: this is how it was last known. Absent else. */
  readonly stale?: true;
};

/** The answer of `POST /api/containers/{id}/start`. */
export type ContainerControlled = {
  /** The container's id. */
  readonly id: string;
  /** State after the act. */
  readonly state: ContainerState;
  /** False where it was so already. */
  readonly changed: boolean;
};

/** The answer of `GET /api/containers/{id}`. */
export type ContainerDetail = {
  /** The container's id. */
  readonly id: string;
  /** The container's name. */
  readonly name: string;
  /** As it was asked for. */
  readonly image: string;
  /** The id of its image. */
  readonly imageId: string;
  /** State as the engine reports it. */
  readonly state: ContainerState;
  /** The state in words that do not age: pair it with startedAt and finishedAt. */
  readonly status: string;
  /** Result of its health check; null without one. */
  readonly health: ContainerHealth | null;
  /** The output of the health check when it was last read, masked and cut; null unless it is unhealthy. */
  readonly healthOutput: string | null;
  /** Of the last end, also between restarts; null while it runs and before it ran. */
  readonly exitCode: number | null;
  /** Number of restarts by the engine since its last start. */
  readonly restartCount: number;
  /** The engine's reason why it does not run, beyond an exit code. */
  readonly reason: string | null;
  /** Its condition by itself: `restarting` lasts for a minute after a restart that was not the first. */
  readonly condition: ContainerCondition;
  /** When it was made. */
  readonly createdAt: string;
  /** When it last started. */
  readonly startedAt: string | null;
  /** When it last ended. */
  readonly finishedAt: string | null;
  /** Only of a container whose condition is `stopped`. */
  readonly stopped: ContainerStop | null;
  /** Its ports. */
  readonly ports: readonly (ContainerPort)[];
  /** The names of its networks. */
  readonly networks: readonly (string)[];
  /** Its mounts. */
  readonly mounts: readonly (ContainerMount)[];
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** The project and service that its Compose labels name, or that it was adopted for. */
  readonly compose: ComposeLabels | null;
  /** The workspace it belongs to. */
  readonly workspace: ContainerOwner | null;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** The engine does not answer, or does not list this kind: this is how it was last known. Absent else. */
  readonly stale?: true;
  /** True if secrets were masked in this answer. */
  readonly masked: boolean;
  /** The arguments it runs with. */
  readonly command: readonly (string)[];
  /** The program it runs. */
  readonly entrypoint: readonly (string)[];
  /** Values are masked without `reveal`. */
  readonly env: { readonly [key: string]: string };
  /** The user it runs as; empty for the image's own. */
  readonly user: string;
  /** The folder it runs in. */
  readonly workingDir: string;
  /** Its host name. */
  readonly hostname: string;
  /** True if it has a terminal. */
  readonly terminal: boolean;
  /** The signal that asks it to stop. */
  readonly stopSignal: string | null;
  /** Restart policy. */
  readonly restart: {
    /** The policy. */
    readonly name: string;
    /** Maximum number of restarts; 0 for no limit. */
    readonly maximumRetries: number;
  };
  /** The process on the machine; null while it does not run. */
  readonly pid: number | null;
  /** True if it was killed because memory ran out. */
  readonly oomKilled: boolean;
  /** Its limits; null for no limit. */
  readonly limits: {
    /** Memory. */
    readonly memoryBytes: number | null;
    /** Processors. */
    readonly cpus: number | null;
    /** Processes. */
    readonly pids: number | null;
  };
  /** True if it may do whatever the host may. */
  readonly privileged: boolean;
  /** True if its own files are read-only. */
  readonly readOnlyRoot: boolean;
  /** Capabilities it was given. */
  readonly capAdd: readonly (string)[];
  /** Capabilities it was denied. */
  readonly capDrop: readonly (string)[];
  /** Network mode, in the engine's word. */
  readonly networkMode: string;
  /** Its connection to each of its networks. */
  readonly attachments: readonly ({
    /** The network's name. */
    readonly network: string;
    /** The network's id; null before the first start. */
    readonly networkId: string | null;
    /** Its address there. */
    readonly address: string | null;
    /** The way out. */
    readonly gateway: string | null;
    /** Its hardware address there. */
    readonly mac: string | null;
    /** Further names it answers to there. */
    readonly aliases: readonly (string)[];
  })[];
  /** The command that checks its health. */
  readonly healthcheck: readonly (string)[] | null;
  /** The last checks of its health. */
  readonly healthLog: readonly ({
    /** When the check began. */
    readonly startedAt: string | null;
    /** When it ended. */
    readonly endedAt: string | null;
    /** 0 for healthy. */
    readonly exitCode: number;
    /** Its log. */
    readonly output: string;
  })[];
  /** Destination of its output. */
  readonly logDriver: string;
};

/** A part of `Container`. */
export type ContainerHealth = "starting" | "healthy" | "unhealthy";

/** The answer of `GET /api/containers`. */
export type ContainerList = {
  /** The containers of this page. */
  readonly items: readonly (Container)[];
  /** Number of matches on all pages. */
  readonly total: number;
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
  /** The engines that could not be asked. */
  readonly unavailable: readonly (Unavailable)[];
  /** Engines whose latest changes are not in the list yet, because too much happens on them, or they hang or do not list it. */
  readonly stale?: readonly (string)[];
};

/** A part of `Container`. */
export type ContainerMount = {
  /** volume, bind, tmpfs, ... */
  readonly type: string;
  /** The volume's name. */
  readonly name: string | null;
  /** The folder on the machine, or the volume's name. */
  readonly source: string;
  /** Path in the container. */
  readonly target: string;
  /** True if it is read-only. */
  readonly readOnly: boolean;
};

/** The payload of `POST /api/containers/{id}/rename`. */
export type ContainerName = {
  /** The new name. */
  readonly name: string;
};

/** A part of `Container`. */
export type ContainerOwner = {
  /** The workspace's id. */
  readonly id: string;
  /** The id of its unit. */
  readonly unit: string | null;
};

/** A part of `Container`. */
export type ContainerPort = {
  /** The port in the container. */
  readonly container: number;
  /** tcp, udp or sctp. */
  readonly protocol: string;
  /** Null where it is only exposed, or the engine chooses one at the start. */
  readonly host: number | null;
  /** The machine's address it is published on. */
  readonly address: string | null;
  /** True if it is open now; false for a port that opens when the container runs. */
  readonly published: boolean;
};

/** The answer of `GET /api/containers/{id}/top`. */
export type ContainerProcesses = {
  /** The names of the columns. */
  readonly titles: readonly (string)[];
  /** One row a process, with a cell for each title. */
  readonly processes: readonly (readonly (string)[])[];
};

/** The answer of `POST /api/containers/{id}/rename`. */
export type ContainerRenamed = {
  /** The container's id. */
  readonly id: string;
  /** Its new name. */
  readonly name: string;
};

/** A part of `Container`. */
export type ContainerState =
  | "created"
  | "running"
  | "paused"
  | "restarting"
  | "removing"
  | "exited"
  | "dead"
  | "unknown";

/** The answer of `GET /api/containers/{id}`. */
export type EngineContainer = { readonly [key: string]: unknown };

/** Text messages from an exec; its output comes as bytes. */
export type ExecMessage = {
  /** The command runs. */
  readonly type: "ready";
  /** The command's id. */
  readonly execId: string;
  /** The container's id. */
  readonly container: string;
} | {
  /** The command has ended. */
  readonly type: "exit";
  /** Its exit code; null where the engine does not know it. */
  readonly code: number | null;
} | SocketFailure;

/** Text messages to an exec; its standard input is sent as bytes. */
export type ExecRequest = {
  /** The terminal has another size. */
  readonly type: "resize";
  /** The terminal's width in characters. */
  readonly cols: number;
  /** The terminal's height in lines. */
  readonly rows: number;
} | {
  /** The input has ended. */
  readonly type: "eof";
} | {
  /** Output waits, and with it the command, until `resume`: who draws it is behind. */
  readonly type: "pause";
} | {
  /** Output continues. */
  readonly type: "resume";
};

/** The reason why no more lines follow. */
export type LogEnd = {
  /** The reason of the end. */
  readonly reason: "removed" | "stopping" | "not_allowed";
};

/** An item of the stream of `GET /api/containers/{id}/logs`. */
export type LogRecord = {
  /** Resumes behind this line. */
  readonly cursor: string;
  /** When it was written. */
  readonly time: string;
  /** Which output. */
  readonly stream: "stdout" | "stderr";
  /** The text of the line. */
  readonly line: string;
  /** The line was longer than 256 KiB. */
  readonly cut?: true;
} | {
  readonly gap: LogGap;
} | {
  readonly end: LogEnd;
} | {
  readonly error: StreamFailure;
};

/** The answer of `GET /api/containers/{id}/orphans`. */
export type Orphan = {
  /** The command's id. */
  readonly execId: string;
  /** The container's id. */
  readonly container: string;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** When its terminal was closed. */
  readonly since: string;
};

/** Measurements of a container, about one a second. */
export type StatsMessage = StatsSample | SocketFailure;

/** One measurement. */
export type StatsSample = {
  /** When. */
  readonly time: string;
  /** 100 is one processor; null in the first sample, which has nothing to compare with. */
  readonly cpuPercent: number | null;
  /** Memory that is in use. */
  readonly memoryBytes: number;
  /** Memory it may use. */
  readonly memoryLimitBytes: number;
  /** Received so far. */
  readonly rxBytes: number;
  /** Sent so far. */
  readonly txBytes: number;
  /** Read from disks so far. */
  readonly readBytes: number;
  /** Written to disks so far. */
  readonly writeBytes: number;
  /** Number of processes. */
  readonly pids: number;
};
