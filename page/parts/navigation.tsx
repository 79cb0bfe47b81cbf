/** The navigation: the few words of the bar, and the screens that share one of them. */
import { address } from "../router.ts";
import { type GroupName, NAMED, type ScreenEntry, SCREENS } from "../screen_table.ts";
import { words } from "../words/en.ts";

const { nav } = words;

/** The words of the bar; the settings stand in the menu of the person. */
const GROUPS: readonly (readonly [name: GroupName, word: string])[] = [
  ["projects", nav.overview],
  ["containers", nav.containers],
  ["resources", nav.resources],
  ["activity", nav.activity],
];
const ALL = [...GROUPS, ["settings", nav.settings]] as const;

const namedOf = (name: GroupName) => NAMED.filter(({ group }) => group === name);

/** True if a screen of the group is shown: an address below it, or of one of its things. */
function isIn(name: GroupName, pathname: string): boolean {
  return SCREENS.some(({ path, group }: ScreenEntry) => {
    if (group !== name) return false;
    const colon = path.indexOf(":");
    if (colon > 0) return pathname.startsWith(path.slice(0, colon));
    return path === pathname || (path !== "/" && pathname.startsWith(`${path}/`));
  });
}

function current(name: GroupName, pathname: string): { "aria-current"?: "page" | "true" } {
  if (!isIn(name, pathname)) return {};
  return { "aria-current": namedOf(name)[0]?.path === pathname ? "page" : "true" };
}

export function Navigation() {
  const { pathname } = address.value;
  return (
    <nav aria-label={nav.label}>
      {GROUPS.map(([name, word]) => (
        <a key={name} href={namedOf(name)[0]?.path ?? "/"} {...current(name, pathname)}>{word}</a>
      ))}
    </nav>
  );
}

/** The screens beside the one that is shown; nothing where it stands alone. */
export function Sections() {
  const { pathname } = address.value;
  const [name, word] = ALL.find(([name]) => isIn(name, pathname)) ?? [];
  if (name === undefined || word === undefined || namedOf(name).length < 2) return null;
  return (
    <nav class="tabs sections" aria-label={nav.within(word)}>
      {namedOf(name).map(({ path, word }) => (
        <a key={path} href={path} {...(path === pathname ? { "aria-current": "page" as const } : {})}>
          {word}
        </a>
      ))}
    </nav>
  );
}
