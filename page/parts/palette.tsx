/** One field from which everything is a few letters away: screens, projects, containers, and what can be done. */
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { projectHref } from "../live/projects.ts";
import { containerHref } from "./container_href.ts";
import { control, CONTROLS, type Destinations, readDestinations } from "../live/destinations.ts";
import { isDense, makeDense } from "./dense.ts";
import { listenToKeys, opened } from "./keys.ts";
import { LaterKeysHelp } from "./later.tsx";
import { may, signOut } from "../live/session.ts";
import { go } from "../router.ts";
import { NAMED } from "../screen_table.ts";
import { words } from "../words/en.ts";
import { language, LANGUAGES, speak } from "../words/language.ts";
import { Dialog } from "./dialog.tsx";
import { shown } from "./shown.ts";
import { theme, THEMES, wearTheme } from "./theme.ts";

interface Item {
  readonly word: string;
  readonly kind: string;
  readonly act: () => void;
}

const MOST = 50;

export function Palette() {
  useEffect(listenToKeys, []);
  const close = () => opened.value = null;
  if (opened.value === "keys") return <LaterKeysHelp close={close} />;
  return opened.value === "palette" ? <Search close={close} /> : null;
}

function Search({ close }: { readonly close: () => void }) {
  const [text, setText] = useState("");
  const [index, setIndex] = useState(0);
  const [found, setFound] = useState<Destinations>({ projects: [], containers: [] });
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    const ending = new AbortController();
    void readDestinations(ending.signal).then((all) => ending.signal.aborted || setFound(all));
    return () => ending.abort();
  }, []);
  const items = useMemo(() => fitting(text, found), [text, found]);
  const current = Math.min(index, items.length - 1);
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const take = (item: Item | undefined) => {
    if (item === undefined) return;
    close();
    item.act();
  };
  return (
    <Dialog title={words.palette.title} onClose={close}>
      <input
        type="text"
        class="palette-field"
        role="combobox"
        aria-label={words.palette.input}
        aria-expanded="true"
        aria-controls={id}
        aria-autocomplete="list"
        {...(current >= 0 ? { "aria-activedescendant": `${id}-${current}` } : {})}
        placeholder={words.palette.input}
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setIndex(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step !== 0 && items.length > 0) {
            event.preventDefault();
            setIndex((current + step + items.length) % items.length);
          }
          if (event.key === "Enter") {
            event.preventDefault();
            take(items[current]);
          }
        }}
      />
      <ul class="palette-list" id={id} role="listbox" aria-label={words.palette.title} ref={list}>
        {items.map((item, at) => (
          <li
            key={`${item.kind} ${item.word}`}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === current}
            onClick={() => take(item)}
          >
            <span>{shown(item.word)}</span>
            <span class="quiet">{shown(item.kind)}</span>
          </li>
        ))}
      </ul>
      {items.length === 0 && <p class="hint" role="status">{words.palette.none}</p>}
    </Dialog>
  );
}

/** Everything whose name holds all that was written; what begins like it comes first. */
function fitting(text: string, found: Destinations): readonly Item[] {
  const parts = text.toLowerCase().split(/\s+/).filter((part) => part !== "");
  const rank = ({ word, kind }: Item) => {
    const whole = `${word} ${kind}`.toLowerCase();
    if (!parts.every((part) => whole.includes(part))) return -1;
    return parts.length > 0 && whole.startsWith(parts[0]!) ? 1 : 0;
  };
  return [...itemsOf(found, parts)].map((item) => ({ item, rank: rank(item) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, MOST)
    .map(({ item }) => item);
}

function* itemsOf({ projects, containers }: Destinations, parts: readonly string[]): Iterable<Item> {
  const { palette } = words;
  for (const { path, word } of NAMED) yield { word, kind: palette.screen, act: () => go(path) };
  for (const { id, name, workspace, engines } of projects) {
    // Two projects may have one name.
    const place = workspace?.name ?? engines.join(", ");
    yield { word: name, kind: `${palette.project}, ${place}`, act: () => go(projectHref(id)) };
  }
  for (const { backend, name } of containers) {
    const at = containerHref({ backend, name });
    yield { word: name, kind: `${palette.container}, ${backend}`, act: () => go(at) };
  }
  // The act comes first, so that a name alone never does anything.
  for (const action of may("containers:control") && parts.length > 0 ? CONTROLS : []) {
    const verb = words.containers[action];
    if (!verb.toLowerCase().startsWith(parts[0]!)) continue;
    for (const container of containers) {
      yield {
        word: `${verb} ${container.name}`,
        kind: `${palette.action}, ${container.backend}`,
        act: () => {
          control(action, container);
          go(`/c?${new URLSearchParams({ q: container.name })}`);
        },
      };
    }
  }
  yield { word: words.palette.keys, kind: palette.action, act: () => opened.value = "keys" };
  yield {
    word: isDense.value ? words.bar.roomy : words.bar.dense,
    kind: palette.action,
    act: () => makeDense(!isDense.value),
  };
  for (const one of THEMES) {
    if (one === theme.value) continue;
    yield { word: words.bar.themes[one], kind: palette.action, act: () => wearTheme(one) };
  }
  for (const [name, word] of Object.entries(LANGUAGES)) {
    if (name === language) continue;
    yield { word, kind: words.bar.language, act: () => speak(name as keyof typeof LANGUAGES) };
  }
  yield { word: words.bar.signOut, kind: palette.action, act: () => void signOut().catch(() => {}) };
}
