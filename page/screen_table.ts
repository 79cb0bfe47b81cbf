/** Every screen in one table: its address, its title, and its place in the navigation. */
import { nameIn } from "./live/projects.ts";
import { words } from "./words/en.ts";

const { titles } = words;

export type Parts = Readonly<Record<string, string>>;
export type GroupName = "projects" | "containers" | "resources" | "activity" | "settings";

export interface ScreenEntry {
  readonly path: string;
  readonly title: string | ((parts: Parts) => string);
  /** Its component, which gets the parts of the address. */
  readonly view: string;
  /** The word of the bar that it stands below. */
  readonly group?: GroupName;
  /** Its word in the navigation; a screen of one thing has none. */
  readonly word?: string;
  /** The letter behind `g` that goes there. */
  readonly key?: string;
}

const entry = <View extends string>(one: ScreenEntry & { readonly view: View }) => one;

/** In the order of the navigation: a group begins with the screen that its word leads to. */
export const SCREENS = [
  entry({
    path: "/",
    title: words.overview.title,
    view: "Overview",
    group: "projects",
    word: words.projects.list,
    key: "o",
  }),
  entry({
    path: "/folders",
    title: words.projects.folders,
    view: "Folders",
    group: "projects",
    word: words.projects.folders,
    key: "f",
  }),
  entry({
    path: "/updates",
    title: titles.updates,
    view: "Updates",
    group: "projects",
    word: titles.updates,
    key: "u",
  }),
  entry({ path: "/write-down", title: titles.writeDown, view: "WriteDown", group: "projects" }),
  entry({ path: "/new", title: titles.newProject, view: "NewProject", group: "projects" }),
  entry({ path: "/p/:id", title: ({ id = "" }) => nameIn(id), view: "Project", group: "projects" }),
  entry({
    path: "/p/:id/plan",
    title: ({ id = "" }) => titles.planOf(nameIn(id)),
    view: "Plan",
    group: "projects",
  }),
  entry({ path: "/plan", title: titles.plan, view: "Plans", group: "projects" }),
  entry({ path: "/w/:id", title: ({ id = "" }) => id, view: "Workspace", group: "projects" }),
  entry({ path: "/w/:id/source", title: ({ id = "" }) => id, view: "Source", group: "projects" }),
  entry({
    path: "/w/:id/plan",
    title: ({ id = "" }) => titles.planOf(id),
    view: "FolderPlan",
    group: "projects",
  }),
  entry({ path: "/applies/:id", title: titles.apply, view: "Apply" }),
  entry({
    path: "/c",
    title: words.containers.title,
    view: "Containers",
    group: "containers",
    word: words.nav.containers,
    key: "c",
  }),
  entry({
    path: "/c/:backend/:name",
    title: ({ name = "" }) => name,
    view: "Container",
    group: "containers",
  }),
  entry({
    path: "/images",
    title: titles.images,
    view: "Images",
    group: "resources",
    word: titles.images,
    key: "i",
  }),
  entry({
    path: "/volumes",
    title: titles.volumes,
    view: "Volumes",
    group: "resources",
    word: titles.volumes,
    key: "v",
  }),
  entry({
    path: "/networks",
    title: titles.networks,
    view: "Networks",
    group: "resources",
    word: titles.networks,
    key: "n",
  }),
  entry({ path: "/swarm", title: titles.swarm, view: "Swarm", group: "resources", word: titles.swarm }),
  entry({
    path: "/services",
    title: titles.services,
    view: "Services",
    group: "resources",
    word: titles.services,
  }),
  entry({ path: "/services/:id", title: titles.services, view: "Service", group: "resources" }),
  entry({ path: "/disk", title: titles.disk, view: "Disk", group: "resources", word: titles.disk, key: "d" }),
  entry({
    path: "/incidents",
    title: titles.incidents,
    view: "Incidents",
    group: "activity",
    word: titles.incidents,
    key: "t",
  }),
  entry({ path: "/incidents/:id", title: titles.incidents, view: "Incident", group: "activity" }),
  entry({
    path: "/events",
    title: titles.events,
    view: "Events",
    group: "activity",
    word: titles.events,
    key: "e",
  }),
  entry({ path: "/logs", title: titles.logs, view: "Logs", group: "activity", word: titles.logs, key: "l" }),
  entry({
    path: "/audit",
    title: titles.audit,
    view: "Audit",
    group: "activity",
    word: titles.audit,
    key: "a",
  }),
  entry({
    path: "/settings/keys",
    title: titles.keys,
    view: "Keys",
    group: "settings",
    word: titles.keys,
    key: "k",
  }),
  entry({
    path: "/settings/people",
    title: titles.people,
    view: "People",
    group: "settings",
    word: titles.people,
    key: "p",
  }),
  entry({
    path: "/settings/sessions",
    title: titles.sessions,
    view: "Sessions",
    group: "settings",
    word: titles.sessions,
    key: "s",
  }),
  entry({
    path: "/settings/engines",
    title: titles.engines,
    view: "Engines",
    group: "settings",
    word: titles.engines,
  }),
  entry({
    path: "/settings/notices",
    title: titles.notices,
    view: "Notices",
    group: "settings",
    word: titles.notices,
  }),
  entry({
    path: "/settings/registries",
    title: titles.registries,
    view: "Registries",
    group: "settings",
    word: titles.registries,
  }),
] as const;

/** The names of all components. */
export type ViewName = (typeof SCREENS)[number]["view"];

/** Screens that have a word of their own, as the navigation, the palette and the keys know them. */
export const NAMED: readonly (ScreenEntry & { readonly word: string })[] = SCREENS.flatMap((
  one: ScreenEntry,
) => one.word === undefined ? [] : [{ ...one, word: one.word }]);
