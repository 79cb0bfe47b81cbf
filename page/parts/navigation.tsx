/** The navigation: the few words of the bar, and the screens that share one of them. */
import { address } from "../router.ts";
import { words } from "../words/en.ts";

interface Group {
  readonly word: string;
  /** All that belongs to it begins like one of these. */
  readonly paths: readonly string[];
  readonly screens: readonly (readonly [path: string, word: string])[];
}

const { nav, titles } = words;

const GROUPS: readonly Group[] = [
  {
    word: nav.overview,
    paths: ["/w/", "/p/"],
    screens: [["/", words.projects.list], ["/folders", words.projects.folders]],
  },
  { word: nav.containers, paths: [], screens: [["/c", nav.containers]] },
  {
    word: nav.resources,
    paths: [],
    screens: [
      ["/images", titles.images],
      ["/volumes", titles.volumes],
      ["/networks", titles.networks],
      ["/disk", titles.disk],
    ],
  },
  {
    word: nav.activity,
    paths: [],
    screens: [["/events", titles.events], ["/logs", titles.logs], ["/audit", titles.audit]],
  },
];

const SETTINGS: Group = {
  word: nav.settings,
  paths: [],
  screens: [
    ["/settings/keys", titles.keys],
    ["/settings/people", titles.people],
    ["/settings/sessions", titles.sessions],
    ["/settings/engines", titles.engines],
  ],
};

function isIn({ paths, screens }: Group, pathname: string): boolean {
  return screens.some(([path]) => path === pathname || (path !== "/" && pathname.startsWith(`${path}/`))) ||
    paths.some((path) => pathname.startsWith(path));
}

function current(group: Group, pathname: string): { "aria-current"?: "page" | "true" } {
  if (!isIn(group, pathname)) return {};
  return { "aria-current": group.screens[0]![0] === pathname ? "page" : "true" };
}

/** Every screen that has an address of its own, with its word. */
export const SCREENS = [...GROUPS, SETTINGS].flatMap(({ screens }) => screens);

export function Navigation() {
  const { pathname } = address.value;
  return (
    <nav aria-label={nav.label}>
      {GROUPS.map((group) => (
        <a
          key={group.word}
          href={group.screens[0]![0]}
          {...current(group, pathname)}
        >
          {group.word}
        </a>
      ))}
    </nav>
  );
}

/** The screens beside the one that is shown; nothing where it stands alone. */
export function Sections() {
  const { pathname } = address.value;
  const group = [...GROUPS, SETTINGS].find((group) => isIn(group, pathname));
  if (group === undefined || group.screens.length < 2) return null;
  return (
    <nav class="tabs sections" aria-label={nav.within(group.word)}>
      {group.screens.map(([path, word]) => (
        <a key={path} href={path} {...(path === pathname ? { "aria-current": "page" as const } : {})}>
          {word}
        </a>
      ))}
    </nav>
  );
}
