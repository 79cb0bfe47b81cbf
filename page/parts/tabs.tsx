/** Views of one thing, each with an address of its own. */
import { useEffect, useRef } from "preact/hooks";
import { go, query, withQuery } from "../router.ts";

export interface Tab {
  readonly id: string;
  readonly word: string;
  readonly count?: number;
}

/** The first is the one without a name in the address. */
export function currentTab(tabs: readonly Tab[]): string {
  const asked = query.value.get("view");
  return tabs.find(({ id }) => id === asked)?.id ?? tabs[0]!.id;
}

export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const current = currentTab(tabs);
  const shown = useRef<HTMLAnchorElement>(null);
  useEffect(() => shown.current?.scrollIntoView({ block: "nearest", inline: "nearest" }), [current]);
  const move = (event: KeyboardEvent, step: number) => {
    event.preventDefault();
    const next = tabs[(tabs.findIndex(({ id }) => id === current) + step + tabs.length) % tabs.length]!;
    go(hrefOf(tabs, next), { replace: true });
    const list = (event.currentTarget as Element).parentElement;
    (list?.children[tabs.indexOf(next)] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map((tab) => (
        <a
          key={tab.id}
          role="tab"
          href={hrefOf(tabs, tab)}
          aria-selected={tab.id === current}
          tabIndex={tab.id === current ? 0 : -1}
          {...(tab.id === current ? { ref: shown } : {})}
          onKeyDown={(event) => {
            if (event.key === "ArrowRight") move(event, 1);
            if (event.key === "ArrowLeft") move(event, -1);
          }}
        >
          {tab.word}
          {tab.count !== undefined && <span class="count">{tab.count}</span>}
        </a>
      ))}
    </div>
  );
}

function hrefOf(tabs: readonly Tab[], tab: Tab): string {
  return withQuery({ view: tab === tabs[0] ? null : tab.id });
}
