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
}> = new Endpoint("/api/networks");

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
}> = new Endpoint("/api/networks/{name}");

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

/** A part of `NetworkList`. */
export type Network = {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly scope: string;
  /** Without a way out. */
  readonly internal: boolean;
  readonly attachable: boolean;
  readonly ipv6: boolean;
  readonly subnets: readonly (Subnet)[];
  /** Values of options that look secret are masked. */
  readonly options: { readonly [key: string]: string };
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  readonly createdAt: string | null;
  /** The engine's own: it cannot be removed. */
  readonly predefined: boolean;
  /** The containers connected to it, running or not; null without `containers:read`. */
  readonly containers: readonly (UsingContainer)[] | null;
  readonly backend: string;
  /** The engine does not answer: this is how it was last known. Absent else. */
  readonly stale?: true;
};

/** The payload of `POST /api/networks/{name}/connect`. */
export type NetworkConnection = {
  /** Id or name. */
  readonly container: string;
  readonly aliases?: readonly (string)[];
  readonly address?: string;
};

/** The answer of `POST /api/networks`. */
export type NetworkDetail = {
  readonly id: string;
  readonly name: string;
  readonly driver: string;
  readonly scope: string;
  /** Without a way out. */
  readonly internal: boolean;
  readonly attachable: boolean;
  readonly ipv6: boolean;
  readonly subnets: readonly (Subnet)[];
  /** Values of options that look secret are masked. */
  readonly options: { readonly [key: string]: string };
  /** Values of labels that look secret are masked. */
  readonly labels: { readonly [key: string]: string };
  readonly createdAt: string | null;
  /** The engine's own: it cannot be removed. */
  readonly predefined: boolean;
  /** The containers connected to it, running or not; null without `containers:read`. */
  readonly containers: readonly (UsingContainer)[] | null;
  readonly backend: string;
  /** The engine does not answer: this is how it was last known. Absent else. */
  readonly stale?: true;
  /** Of the containers that run; null without `containers:read`. */
  readonly endpoints: readonly (NetworkEndpoint)[] | null;
};

/** The payload of `POST /api/networks/{name}/disconnect`. */
export type NetworkDisconnection = {
  /** Id or name. */
  readonly container: string;
  readonly force?: boolean;
};

/** A part of `NetworkDetail`. */
export type NetworkEndpoint = {
  readonly id: string;
  readonly name: string;
  readonly ipv4: string | null;
  readonly ipv6: string | null;
  readonly mac: string | null;
};

/** The answer of `GET /api/networks`. */
export type NetworkList = {
  readonly items: readonly (Network)[];
  readonly total: number;
  readonly unavailable: readonly (Unavailable)[];
  /** Engines whose latest changes are not in the list yet, because too much happens on them or they hang. */
  readonly stale?: readonly (string)[];
};

/** The answer of `POST /api/networks/{name}/connect`. */
export type NetworkMembership = {
  readonly network: string;
  readonly container: string;
  /** False where it was so already. */
  readonly changed: boolean;
};

/** The payload of `POST /api/networks`. */
export type NewNetwork = {
  readonly name: string;
  readonly driver?: string;
  readonly internal?: boolean;
  readonly attachable?: boolean;
  readonly ipv6?: boolean;
  readonly subnets?: readonly ({
    readonly subnet: string;
    readonly gateway?: string | null;
  })[];
  readonly options?: { readonly [key: string]: string };
  readonly labels?: { readonly [key: string]: string };
};

/** A part of `Network`. */
export type Subnet = {
  readonly subnet: string;
  readonly gateway: string | null;
};
