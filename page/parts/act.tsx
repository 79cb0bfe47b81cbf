/** A button that may be forbidden: then it is disabled and names the permission that it needs. */
import type { ComponentChildren } from "preact";
import type { Permission } from "../../client/berth/models.ts";
import { may } from "../live/session.ts";
import { words } from "../words/en.ts";

export function Act(
  { permission, act, kind = "", disabled = false, children }: {
    readonly permission: Permission;
    readonly act: () => void;
    readonly kind?: string;
    readonly disabled?: boolean;
    readonly children: ComponentChildren;
  },
) {
  const isAllowed = may(permission);
  return (
    <button
      type="button"
      class={`button ${kind}`}
      disabled={disabled || !isAllowed}
      {...(isAllowed ? {} : { title: words.lacks(permission) })}
      onClick={act}
    >
      {children}
    </button>
  );
}
