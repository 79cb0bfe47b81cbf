/** The API's group `networks`, written from the document that the service serves. */
import { Endpoint } from "../endpoint.ts";
import type { Unavailable, UsingContainer } from "./models.ts";

/**
 * GET: List the networks of all engines.
 *
 * POST: Create a network.
 */
export const NETWORKS: Endpoint<"/api/networks", {
  get: {
    response: NetworkList;
    query: {
      /** The name of one engine. */
      backend?: string;
      /** Part of a name or id. */
      q?: string;
      /** Only those that no container is connected to, or only the others. */
      unused?: boolean;
    };
  };
  post: {
    response: NetworkDetail;
    payload: NewNetwork;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/networks", { post: [201] });

/**
 * GET: One network, by name or id, with the addresses in it.
 *
 * DELETE: Remove a network.
 */
export const NETWORK: Endpoint<"/api/networks/{name}", {
  get: {
    response: NetworkDetail;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
  delete: {
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/networks/{name}", { delete: [204] });

/** POST: Connect a container. */
export const NETWORK_CONNECT: Endpoint<"/api/networks/{name}/connect", {
  post: {
    response: NetworkMembership;
    payload: NetworkConnection;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/networks/{name}/connect");

/** POST: Disconnect a container. */
export const NETWORK_DISCONNECT: Endpoint<"/api/networks/{name}/disconnect", {
  post: {
    response: NetworkMembership;
    payload: NetworkDisconnection;
    query: {
      /** The name of one engine. */
      backend?: string;
    };
  };
}> = new Endpoint("/api/networks/{name}/disconnect");

/** A part of `LiveMessage`. */
export type Network = {
  /** The network's id. */
  readonly id: string;
  /** The network's name. */
  readonly name: string;
  /** The driver that makes it. */
  readonly driver: string;
  /** The reach of its driver, as `local`. */
  readonly scope: string;
  /** Without a way out. */
  readonly internal: boolean;
  /** True if single containers may join a network of a swarm. */
  readonly attachable: boolean;
  /** True if it has IPv6, too. */
  readonly ipv6: boolean;
  /** Its address ranges. */
  readonly subnets: readonly (Subnet)[];
  /** Values of options that look secret are masked. */
  readonly options: { readonly [key: string]: string };
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** When it was made. */
  readonly createdAt: string | null;
  /** The engine's own: it cannot be removed. */
  readonly predefined: boolean;
  /** The containers connected to it, running or not; null without `containers:read`. */
  readonly containers: readonly (UsingContainer)[] | null;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** Only of a network of a swarm: the engines that have it, the first one is `backend`. */
  readonly backends?: readonly (string)[];
  /** The engine does not answer, or does not list this kind: this is how it was last known. Absent else. */
  readonly stale?: true;
};

/** The payload of `POST /api/networks/{name}/connect`. */
export type NetworkConnection = {
  /** Id or name. */
  readonly container: string;
  /** Further names that it answers to there. */
  readonly aliases?: readonly (string)[];
  /** The address it gets there. */
  readonly address?: string;
};

/** The answer of `POST /api/networks`. */
export type NetworkDetail = {
  /** The network's id. */
  readonly id: string;
  /** The network's name. */
  readonly name: string;
  /** The driver that makes it. */
  readonly driver: string;
  /** The reach of its driver, as `local`. */
  readonly scope: string;
  /** Without a way out. */
  readonly internal: boolean;
  /** True if single containers may join a network of a swarm. */
  readonly attachable: boolean;
  /** True if it has IPv6, too. */
  readonly ipv6: boolean;
  /** Its address ranges. */
  readonly subnets: readonly (Subnet)[];
  /** Values of options that look secret are masked. */
  readonly options: { readonly [key: string]: string };
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  /** When it was made. */
  readonly createdAt: string | null;
  /** The engine's own: it cannot be removed. */
  readonly predefined: boolean;
  /** The containers connected to it, running or not; null without `containers:read`. */
  readonly containers: readonly (UsingContainer)[] | null;
  /** The engine it is on, by name. */
  readonly backend: string;
  /** Only of a network of a swarm: the engines that have it, the first one is `backend`. */
  readonly backends?: readonly (string)[];
  /** The engine does not answer, or does not list this kind: this is how it was last known. Absent else. */
  readonly stale?: true;
  /** Of the containers that run; null without `containers:read`. */
  readonly endpoints: readonly (NetworkEndpoint)[] | null;
};

/** The payload of `POST /api/networks/{name}/disconnect`. */
export type NetworkDisconnection = {
  /** Id or name. */
  readonly container: string;
  /** Even if the container does not let go. */
  readonly force?: boolean;
};

/** A part of `NetworkDetail`. */
export type NetworkEndpoint = {
  /** The container's id. */
  readonly id: string;
  /** The container's name. */
  readonly name: string;
  /** Its IPv4 address. */
  readonly ipv4: string | null;
  /** Its IPv6 address. */
  readonly ipv6: string | null;
  /** Its hardware address. */
  readonly mac: string | null;
};

/** The answer of `GET /api/networks`. */
export type NetworkList = {
  /** The items found. */
  readonly items: readonly (Network)[];
  /** Number of all items. */
  readonly total: number;
  /** The engines that could not be asked. */
  readonly unavailable: readonly (Unavailable)[];
  /** Engines whose latest changes are not in the list yet, because too much happens on them, or they hang or do not list it. */
  readonly stale?: readonly (string)[];
};

/** The answer of `POST /api/networks/{name}/connect`. */
export type NetworkMembership = {
  /** The network's name. */
  readonly network: string;
  /** The container's id. */
  readonly container: string;
  /** False where it was so already. */
  readonly changed: boolean;
};

/** The payload of `POST /api/networks`. */
export type NewNetwork = {
  /** The network's name. */
  readonly name: string;
  /** The driver that makes it; bridge unless told otherwise. */
  readonly driver?: string;
  /** True if it has no route to the outside. */
  readonly internal?: boolean;
  /** True if single containers may join a network of a swarm. */
  readonly attachable?: boolean;
  /** True if it has IPv6, too. */
  readonly ipv6?: boolean;
  /** Its address ranges; the engine chooses without. */
  readonly subnets?: readonly ({
    /** An address range. */
    readonly subnet: string;
    /** The address of the way out. */
    readonly gateway?: string | null;
  })[];
  /** Options of the driver. */
  readonly options?: { readonly [key: string]: string };
  /** Labels to find it by. */
  readonly labels?: { readonly [key: string]: string };
};

/** A part of `Network`. */
export type Subnet = {
  /** The address range. */
  readonly subnet: string;
  /** The address of the way out. */
  readonly gateway: string | null;
};
