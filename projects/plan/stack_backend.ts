/** The name by which a swarm stands where plans for containers name their engine. */

const PREFIX = "swarm:";

export const backendOf = ({ name }: { readonly name: string }): string => `${PREFIX}${name}`;

export const isOnSwarm = (backend: string): boolean => backend.startsWith(PREFIX);

/** Returns the swarm's name or id. */
export const swarmIn = (backend: string): string => backend.slice(PREFIX.length);
