/** The editor of grants: a role or single permissions, everywhere or on scopes. */
import type { Permission, Role } from "../../../client/berth/models.ts";
import type { Grant } from "../../../client/berth/settings.ts";
import { who } from "../../live/session.ts";
import { Select } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { words } from "../../words/en_later.ts";
import { Scopes } from "./scopes.tsx";

/** A grant as it is written in the form. */
export interface GrantDraft {
  /** Empty for what is ticked. */
  readonly role: Role | "";
  readonly permissions: ReadonlySet<Permission>;
  /** Null for everywhere; an empty list is refused. */
  readonly on: readonly string[] | null;
}

const ROLES: readonly Role[] = ["viewer", "operator", "admin"];

export function draftsOf(grants: readonly Grant[]): readonly GrantDraft[] {
  return grants.map((grant) => ({
    role: "role" in grant ? grant.role : "",
    permissions: new Set("permissions" in grant ? grant.permissions : []),
    on: grant.on ?? null,
  }));
}

export function grantsOf(drafts: readonly GrantDraft[]): Grant[] {
  return drafts.map(({ role, permissions, on }) => {
    const where = on === null ? {} : { on };
    return role === "" ? { permissions: [...permissions], ...where } : { role, ...where };
  });
}

/** False while a right is on nothing. */
export const isWhole = (drafts: readonly GrantDraft[]): boolean => drafts.every(({ on }) => on?.length !== 0);

export function Grants(
  { label, drafts, change }: {
    readonly label: string;
    readonly drafts: readonly GrantDraft[];
    readonly change: (drafts: readonly GrantDraft[]) => void;
  },
) {
  const { rights } = words.settings;
  const set = (at: number, part: Partial<GrantDraft>) =>
    change(drafts.map((one, index) => index === at ? { ...one, ...part } : one));
  return (
    <>
      {drafts.map((draft, at) => (
        <fieldset class="grant" key={at}>
          <legend>{rights.grant(at + 1)}</legend>
          <Select
            label={label}
            name={`role-${at}`}
            value={draft.role}
            onChange={(role) => set(at, { role: role as Role | "" })}
            options={[
              ...ROLES.map((role) => [role, words.settings.keys.role(role)] as const),
              ["", words.settings.keys.these] as const,
            ]}
          />
          {draft.role === "" && (
            <Ticks
              ticked={draft.permissions}
              change={(permissions) => set(at, { permissions })}
            />
          )}
          <Scopes number={at} on={draft.on} change={(on) => set(at, { on })} />
          {drafts.length > 1 && (
            <button
              type="button"
              class="link"
              onClick={() => change(drafts.filter((_, index) => index !== at))}
            >
              {rights.without}
            </button>
          )}
        </fieldset>
      ))}
      <button
        type="button"
        class="link"
        onClick={() => change([...drafts, { role: "viewer", permissions: new Set(), on: null }])}
      >
        {rights.another}
      </button>
    </>
  );
}

function Ticks(
  { ticked, change }: {
    readonly ticked: ReadonlySet<Permission>;
    readonly change: (ticked: ReadonlySet<Permission>) => void;
  },
) {
  const text = words.settings.keys;
  const sentences: Readonly<Record<string, string>> = words.permissions;
  const toggle = (permission: Permission) => {
    const next = new Set(ticked);
    if (!next.delete(permission)) next.add(permission);
    change(next);
  };
  const known = new Set([...who.value?.grants.flatMap(({ permissions }) => permissions) ?? [], ...ticked]);
  return (
    <fieldset class="ticks">
      <legend>{text.permissions}</legend>
      <p class="hint">{text.permissionsHint}</p>
      {[...known].sort().map((permission) => (
        <label key={permission}>
          <input type="checkbox" checked={ticked.has(permission)} onClick={() => toggle(permission)} />
          <span>
            {shown(sentences[permission] ?? permission)} <code class="quiet">{permission}</code>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
