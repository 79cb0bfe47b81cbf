/**
 * A list of engine objects other than containers: filtered, with the containers that use each, and removed
 * one at a time.
 */
import type { ComponentChild, ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { containerHref } from "./container_href.ts";
import type { Permission, Unavailable as Away, UsingContainer } from "../../client/berth/models.ts";
import type { Resource } from "../live/resource.ts";
import { may } from "../live/session.ts";
import { go, query, withQuery } from "../router.ts";
import { words } from "../words/en_later.ts";
import { Choose } from "./choose.tsx";
import { Reading } from "./reading.tsx";
import { shown } from "./shown.ts";
import { Empty, Unavailable } from "./states.tsx";
import { type Column, Table } from "./table.tsx";

const TEXT = words.lists;

export interface ObjectsProps<T> {
  readonly title: string;
  readonly count: (amount: number) => string;
  readonly read: Resource<{ readonly items: readonly T[]; readonly unavailable: readonly Away[] }>;
  readonly permissions: { readonly read: Permission; readonly write: Permission };
  /** Content for an empty list. */
  readonly none: ComponentChild;
  /** Acts on all of them. */
  readonly end?: ComponentChildren;
  readonly columns: readonly Column<T>[];
  readonly keyOf: (item: T) => string;
  /** Returns the text that the filter searches. */
  readonly textOf: (item: T) => string;
  readonly nameOf: (item: T) => string;
  /** Null where that may not be seen. */
  readonly usersOf: (item: T) => readonly UsingContainer[] | null;
  /** Returns why it cannot be removed, other than being in use. */
  readonly keptBy?: (item: T) => string | null;
  readonly removal: (item: T, close: () => void) => ComponentChild;
}

export function Objects<T extends { readonly backend: string }>(props: ObjectsProps<T>) {
  const { title, count, read, permissions, none, end, columns, keyOf, textOf, usersOf, removal } = props;
  const [removed, setRemoved] = useState<T | null>(null);
  return (
    <Reading read={read} permission={permissions.read}>
      {({ items, unavailable }) => {
        const found = items.filter(fits(textOf, usersOf));
        return (
          <>
            <Unavailable engines={unavailable} />
            <header class="screen-head">
              <h1>{title}</h1>
              <span class="quiet" role="status">{count(found.length)}</span>
              <Filters />
              {end}
            </header>
            {items.length === 0 ? none : found.length === 0 ? <NoMatch /> : (
              <Table
                label={title}
                items={found}
                keyOf={keyOf}
                columns={[
                  ...columns,
                  {
                    head: TEXT.usedBy,
                    cell: (item) => <UsedBy users={usersOf(item)} backend={item.backend} />,
                  },
                  {
                    head: TEXT.engine,
                    kind: "short",
                    cell: ({ backend }) => <span class="quiet">{shown(backend)}</span>,
                  },
                  {
                    head: words.actions,
                    kind: "acts",
                    cell: (item) => <Remove item={item} {...props} ask={setRemoved} />,
                  },
                ]}
              />
            )}
            {removed !== null && removal(removed, () => setRemoved(null))}
          </>
        );
      }}
    </Reading>
  );
}

function fits<T>(
  textOf: (item: T) => string,
  usersOf: (item: T) => readonly UsingContainer[] | null,
): (item: T) => boolean {
  const wanted = (query.value.get("q") ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
  const use = query.value.get("use");
  return (item) => {
    if (use !== null && ((usersOf(item)?.length ?? 0) > 0) !== (use === "used")) return false;
    const text = textOf(item).toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
}

function Filters() {
  return (
    <div class="filters" role="search">
      <input
        type="search"
        aria-label={TEXT.filter}
        placeholder={TEXT.filter}
        value={query.value.get("q") ?? ""}
        onInput={({ currentTarget }) => go(withQuery({ q: currentTarget.value }), { replace: true })}
      />
      <Choose
        name="use"
        label={TEXT.usage}
        all={TEXT.all}
        options={["used", "unused"]}
        word={(use) => use === "used" ? TEXT.used : TEXT.unused}
      />
    </div>
  );
}

function NoMatch() {
  return (
    <Empty title={TEXT.noMatch}>
      <a class="button" href={withQuery({ q: null, use: null })}>{TEXT.showAll}</a>
    </Empty>
  );
}

const FIRST_USERS = 4;

function UsedBy(
  { users, backend }: { readonly users: readonly UsingContainer[] | null; readonly backend: string },
) {
  if (users === null) return <span class="quiet">{TEXT.hidden}</span>;
  if (users.length === 0) return <span class="quiet">{TEXT.nobody}</span>;
  const more = users.length - FIRST_USERS;
  return (
    <span class="users">
      {users.slice(0, FIRST_USERS).map(({ id, name }) => (
        <a key={id} href={containerHref({ backend, name })}>{shown(name)}</a>
      ))}
      {more > 0 && <span class="quiet">{TEXT.more(more)}</span>}
    </span>
  );
}

function Remove<T>(
  { item, permissions, nameOf, usersOf, keptBy, ask }: ObjectsProps<T> & {
    readonly item: T;
    readonly ask: (item: T) => void;
  },
) {
  const why = !may(permissions.write)
    ? words.lacks(permissions.write)
    : (usersOf(item)?.length ?? 0) > 0
    ? TEXT.inUse
    : keptBy?.(item) ?? null;
  return (
    <button
      type="button"
      class="link is-danger"
      aria-label={words.actOn(TEXT.remove, shown(nameOf(item)))}
      disabled={why !== null}
      {...(why === null ? {} : { title: why })}
      onClick={() => ask(item)}
    >
      {TEXT.remove}
    </button>
  );
}
