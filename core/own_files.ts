/** Files that berth makes for moments in the folders of workspaces: no part of what lies there. */

/** Returns the name of such a file. `what` tells it from others: 16 hex digits or a UUID, behind a word at most. */
export const ownFileName = (what: string): string => `.berth-${what}.new`;

export const isOwnFile = (name: string): boolean =>
  /^\.berth-(?:[a-z]+-)?(?:[0-9a-f]{16}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.new$/.test(name);
