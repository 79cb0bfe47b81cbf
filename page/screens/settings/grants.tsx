/** The editor of grants: a role or single permissions, everywhere or on scopes. */
import type { Permission, Role } from "../../../client/berth/models.ts";
import type { Grant } from "../../../client/berth/settings.ts";
import { who } from "../../live/session.ts";
import { Select } from "../../parts/form.tsx";
import { words } from "../../words/en_later.ts";

/** A grant as it is written in the form. */
export interface GrantDraft {
  /** Empty for what is ticked. */
  readonly role: Role | "";
  readonly permissions: ReadonlySet<Permission>;
  /** Scopes with commas between them. */
  readonly on: string;
}

const ROLES: readonly Role[] = ["viewer", "operator", "admin"];

export function draftsOf(grants: readonly Grant[]): readonly GrantDraft[] {
  return grants.map((grant) => ({
    role: "role" in grant ? grant.role : "",
    permissions: new Set("permissions" in grant ? grant.permissions : []),
    on: grant.on?.join(", ") ?? "",
  }));
}

export function grantsOf(drafts: readonly GrantDraft[]): Grant[] {
  return drafts.map(({ role, permissions, on }) => {
    const scopes = on.split(/[\s,]+/).filter((one) => one !== "");
    const where = scopes.length === 0 ? {} : { on: scopes };
    return role === "" ? { permissions: [...permissions], ...where } : { role, ...where };
  });
}

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
          <Scopes on={draft.on} change={(on) => set(at, { on })} />
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
        onClick={() => change([...drafts, { role: "viewer", permissions: new Set(), on: "" }])}
      >
        {rights.another}
      </button>
    </>
  );
}

function Scopes({ on, change }: { readonly on: string; readonly change: (on: string) => void }) {
  const { where, whereHint } = words.settings.rights;
  return (
    <div class="field">
      <label>
        {where}
        <input
          type="text"
          value={on}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => change(currentTarget.value)}
        />
      </label>
      <p class="hint">{whereHint}</p>
    </div>
  );
}

function Ticks(
  { ticked, change }: {
    readonly ticked: ReadonlySet<Permission>;
    readonly change: (ticked: ReadonlySet<Permission>) => void;
  },
) {
  const text = words.settings.keys;
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
          <code>{permission}</code>
        </label>
      ))}
    </fieldset>
  );
}
