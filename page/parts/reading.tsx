/**
 * The states of a reading, or of a part of a screen: loading, not allowed, failed, and the value below the
 * failure.
 */
import type { ComponentChild } from "preact";
import type { Permission } from "../../client/berth/models.ts";
import type { Resource } from "../live/resource.ts";
import { may, who } from "../live/session.ts";
import { words } from "../words/en_later.ts";
import { Empty, Loading, Trouble, Unread } from "./states.tsx";

export function Reading<T>(
  { read, permission, isPart = false, children }: {
    readonly read: Resource<T>;
    readonly permission?: Permission;
    readonly isPart?: boolean;
    readonly children: (value: T) => ComponentChild;
  },
) {
  if (permission !== undefined && isForbidden(permission)) {
    return <Empty title={words.noRight(permission)} whole={!isPart} />;
  }
  const value = read.value.value;
  const problem = read.problem.value;
  if (value === undefined) {
    if (!isPart) return <Unread problem={problem} again={read.reload} />;
    return problem === null ? <Loading /> : <Trouble problem={problem} again={read.reload} />;
  }
  return (
    <>
      {problem !== null && <Trouble problem={problem} since={read.at.value} again={read.reload} />}
      {children(value)}
    </>
  );
}

/** Returns the key if the caller holds the permission, and null, which reads nothing, otherwise. */
export function keyIfAllowed(permission: Permission, key: string): string | null {
  return isForbidden(permission) ? null : key;
}

function isForbidden(permission: Permission): boolean {
  return Boolean(who.value) && !may(permission);
}
