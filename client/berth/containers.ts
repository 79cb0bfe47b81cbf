/** The API's group `containers`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Unavailable } from "./models.ts";

/** GET: List the containers of all engines, running or not. */
export const CONTAINERS: Endpoint<"/api/containers", {
  get: {
    response: ContainerList;
    query: {
      state?:
        | readonly (
          | "created"
          | "running"
          | "paused"
          | "restarting"
          | "removing"
          | "exited"
          | "dead"
          | "unknown"
        )[]
        | "created"
        | "running"
        | "paused"
        | "restarting"
        | "removing"
        | "exited"
        | "dead"
        | "unknown";
      /** Part of a name, an image, an id or a Compose service, in any case. */
      q?: string;
      /** `name` or `name=value`; several must all fit. */
      label?: readonly (string)[] | string;
      /** A Compose project. */
      project?: string;
      /** The id of a registered workspace. */
      workspace?: string;
      /** An image's name, with or without its tag, or its id. */
      image?: string;
      sort?: "created" | "name" | "state" | "image";
      order?: "asc" | "desc";
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
      raw?: boolean;
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
}> = new Endpoint("/api/containers/{id}");

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
      follow?: boolean;
      tail?: "all" | number;
      since?: string;
      until?: string;
      timestamps?: boolean;
      stdout?: boolean;
      stderr?: boolean;
      q?: string;
      format?: "text" | "ndjson" | "sse";
      cursor?: string;
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
      cmd?: readonly (string)[] | string;
      user?: string;
      workdir?: string;
      env?: readonly (string)[] | string;
      tty?: boolean;
      cols?: number;
      rows?: number;
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/exec");

/** GET: List commands that outlived their terminal. */
export const CONTAINER_ORPHANS: Endpoint<"/api/containers/{id}/orphans", {
  get: {
    response: {
      readonly items: readonly (Orphan)[];
      readonly total: number;
    };
    query: {
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
      backend?: string;
    };
  };
}> = new Endpoint("/api/containers/{id}/stats");

/** What an exec takes as text; its standard input goes as bytes. */
export type ExecRequest =
  | { readonly type: "resize"; readonly cols: number; readonly rows: number }
  | { readonly type: "eof" };

/** What an exec says as text; its output comes as bytes. */
export type ExecMessage =
  | { readonly type: "ready"; readonly execId: string; readonly container: string }
  | { readonly type: "exit"; readonly code: number | null }
  | { readonly type: "error"; readonly code: string; readonly title: string };

/** What a container uses, about once a second. */
export type StatsMessage = StatsSample | {
  readonly type: "error";
  readonly code: string;
  readonly title: string;
};

/** One measurement. */
export type StatsSample = {
  readonly time: string;
  /** 100 is one processor; null for the first, which has nothing to compare with. */
  readonly cpuPercent: number | null;
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number;
  readonly rxBytes: number;
  readonly txBytes: number;
  readonly readBytes: number;
  readonly writeBytes: number;
  readonly pids: number;
};

/** A part of `ContainerList`. */
export type Container = {
  readonly id: string;
  readonly name: string;
  /** As it was asked for. */
  readonly image: string;
  readonly imageId: string;
  readonly state:
    | "created"
    | "running"
    | "paused"
    | "restarting"
    | "removing"
    | "exited"
    | "dead"
    | "unknown";
  /** The state in words that do not age: pair it with startedAt and finishedAt. */
  readonly status: string;
  readonly health: "starting" | "healthy" | "unhealthy" | null;
  /** Of the last end, also between restarts; null while it runs and before it ran. */
  readonly exitCode: number | null;
  /** How often the engine restarted it since it was last started. */
  readonly restartCount: number;
  /** Why it does not run, where the engine says more than an exit code. */
  readonly reason: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly ports: readonly (ContainerPort)[];
  readonly networks: readonly (string)[];
  readonly mounts: readonly (ContainerMount)[];
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  readonly compose: {
    readonly project: string;
    readonly service: string;
    readonly workingDir: string | null;
    readonly configFiles: readonly (string)[];
  } | null;
  readonly workspace: {
    readonly id: string;
    readonly unit: string | null;
  } | null;
  readonly backend: string;
  /** The engine does not answer: this is how it was last known. Absent else. */
  readonly stale?: true;
};

/** The answer of `POST /api/containers/{id}/start`. */
export type ContainerControlled = {
  readonly id: string;
  readonly state:
    | "created"
    | "running"
    | "paused"
    | "restarting"
    | "removing"
    | "exited"
    | "dead"
    | "unknown";
  /** False where it was so already. */
  readonly changed: boolean;
};

/** The answer of `GET /api/containers/{id}`. */
export type ContainerDetail = {
  readonly id: string;
  readonly name: string;
  /** As it was asked for. */
  readonly image: string;
  readonly imageId: string;
  readonly state:
    | "created"
    | "running"
    | "paused"
    | "restarting"
    | "removing"
    | "exited"
    | "dead"
    | "unknown";
  /** The state in words that do not age: pair it with startedAt and finishedAt. */
  readonly status: string;
  readonly health: "starting" | "healthy" | "unhealthy" | null;
  /** Of the last end, also between restarts; null while it runs and before it ran. */
  readonly exitCode: number | null;
  /** How often the engine restarted it since it was last started. */
  readonly restartCount: number;
  /** Why it does not run, where the engine says more than an exit code. */
  readonly reason: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly ports: readonly (ContainerPort)[];
  readonly networks: readonly (string)[];
  readonly mounts: readonly (ContainerMount)[];
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  readonly compose: {
    readonly project: string;
    readonly service: string;
    readonly workingDir: string | null;
    readonly configFiles: readonly (string)[];
  } | null;
  readonly workspace: {
    readonly id: string;
    readonly unit: string | null;
  } | null;
  readonly backend: string;
  /** The engine does not answer: this is how it was last known. Absent else. */
  readonly stale?: true;
  /** Whether secrets were replaced in this answer. */
  readonly masked: boolean;
  readonly command: readonly (string)[];
  readonly entrypoint: readonly (string)[];
  /** Values are masked without `reveal`. */
  readonly env: { readonly [key: string]: string };
  readonly user: string;
  readonly workingDir: string;
  readonly hostname: string;
  readonly terminal: boolean;
  readonly stopSignal: string | null;
  readonly restart: {
    readonly name: string;
    readonly maximumRetries: number;
  };
  readonly pid: number | null;
  readonly oomKilled: boolean;
  readonly limits: {
    readonly memoryBytes: number | null;
    readonly cpus: number | null;
    readonly pids: number | null;
  };
  readonly privileged: boolean;
  readonly readOnlyRoot: boolean;
  readonly capAdd: readonly (string)[];
  readonly capDrop: readonly (string)[];
  readonly networkMode: string;
  /** How it is connected to each of its networks. */
  readonly attachments: readonly ({
    readonly network: string;
    readonly networkId: string;
    readonly address: string | null;
    readonly gateway: string | null;
    readonly mac: string | null;
    readonly aliases: readonly (string)[];
  })[];
  readonly healthcheck: readonly (string)[] | null;
  readonly healthLog: readonly ({
    readonly startedAt: string | null;
    readonly endedAt: string | null;
    readonly exitCode: number;
    readonly output: string;
  })[];
  readonly logDriver: string;
};

/** The answer of `GET /api/containers`. */
export type ContainerList = {
  readonly items: readonly (Container)[];
  /** How many fit, on all pages. */
  readonly total: number;
  /** The cursor of the next page; absent on the last. */
  readonly next?: string;
  readonly unavailable: readonly (Unavailable)[];
  /** Engines whose latest changes are not in the list yet, because too much happens on them or they hang. */
  readonly stale?: readonly (string)[];
};

/** A part of `Container`. */
export type ContainerMount = {
  /** volume, bind, tmpfs, ... */
  readonly type: string;
  /** The volume's name. */
  readonly name: string | null;
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
};

/** The payload of `POST /api/containers/{id}/rename`. */
export type ContainerName = {
  readonly name: string;
};

/** A part of `Container`. */
export type ContainerPort = {
  readonly container: number;
  readonly protocol: string;
  /** Null where it is only exposed, or the engine chooses one at the start. */
  readonly host: number | null;
  readonly address: string | null;
  /** Whether it is open now; false for what opens when the container runs. */
  readonly published: boolean;
};

/** The answer of `GET /api/containers/{id}/top`. */
export type ContainerProcesses = {
  readonly titles: readonly (string)[];
  /** One row a process, with a cell for each title. */
  readonly processes: readonly (readonly (string)[])[];
};

/** The answer of `POST /api/containers/{id}/rename`. */
export type ContainerRenamed = {
  readonly id: string;
  readonly name: string;
};

/** The answer of `GET /api/containers/{id}`. */
export type EngineContainer = { readonly [key: string]: unknown };

/** An item of the stream of `GET /api/containers/{id}/logs`. */
export type LogRecord = {
  /** Resumes behind this line. */
  readonly cursor: string;
  readonly time: string;
  readonly stream: "stdout" | "stderr";
  readonly line: string;
  /** The line was longer than 256 KiB. */
  readonly cut?: true;
} | {
  /** The engine lost lines in between. */
  readonly gap: {
    readonly after: string;
    readonly before: string | null;
  };
} | {
  readonly end: {
    readonly reason: "removed" | "stopping" | "not_allowed";
  };
} | {
  readonly error: {
    readonly code: string;
    readonly title: string;
  };
};

/** The answer of `GET /api/containers/{id}/orphans`. */
export type Orphan = {
  readonly execId: string;
  readonly container: string;
  readonly backend: string;
  readonly since: string;
};
