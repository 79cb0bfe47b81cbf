/** The table of screens: which address shows which. */
import type { ComponentChild } from "preact";
import { nameIn } from "./live/projects.ts";
import { later, loadOthersBy } from "./parts/later.tsx";
import { Empty } from "./parts/states.tsx";
import { Containers } from "./screens/containers/containers.tsx";
import { Overview } from "./screens/overview/overview.tsx";
import { words } from "./words/en.ts";

interface Screen {
  readonly title: string;
  readonly view: ComponentChild;
}

/** Screens that are loaded on demand, all of them at once. */
const others = () => import("./screens_later.tsx");
loadOthersBy(others);
const Apply = later(async () => (await others()).Apply);
const Folders = later(async () => (await others()).Folders);
const Project = later(async () => (await others()).Project);
const FolderPlan = later(async () => (await others()).FolderPlan);
const Plans = later(async () => (await others()).Plans);
const Plan = later(async () => (await others()).Plan);
const Audit = later(async () => (await others()).Audit);
const Disk = later(async () => (await others()).Disk);
const Events = later(async () => (await others()).Events);
const Images = later(async () => (await others()).Images);
const Logs = later(async () => (await others()).Logs);
const NewProject = later(async () => (await others()).NewProject);
const Networks = later(async () => (await others()).Networks);
const Engines = later(async () => (await others()).Engines);
const Keys = later(async () => (await others()).Keys);
const People = later(async () => (await others()).People);
const Sessions = later(async () => (await others()).Sessions);
const Volumes = later(async () => (await others()).Volumes);
const Workspace = later(async () => (await others()).Workspace);
const Container = later(async () => (await others()).Container);

/** The screens before the first sign-in. */
export const SetPassword = later(async () => (await others()).SetPassword);
export const Setup = later(async () => (await others()).Setup);

type Parts = Readonly<Record<string, string | undefined>>;

const SCREENS: readonly (readonly [pattern: URLPattern, screen: (parts: Parts) => Screen])[] = [
  [pattern("/"), () => ({ title: words.overview.title, view: <Overview /> })],
  [pattern("/folders"), () => ({ title: words.projects.folders, view: <Folders /> })],
  [pattern("/new"), () => ({ title: words.titles.newProject, view: <NewProject /> })],
  [pattern("/p/:id"), ({ id = "" }) => ({ title: nameIn(id), view: <Project id={id} key={id} /> })],
  [
    pattern("/p/:id/plan"),
    ({ id = "" }) => ({ title: words.titles.planOf(nameIn(id)), view: <Plan id={id} key={id} /> }),
  ],
  [pattern("/plan"), () => ({ title: words.titles.plan, view: <Plans /> })],
  [pattern("/w/:id"), ({ id = "" }) => ({ title: id, view: <Workspace id={id} key={id} /> })],
  [
    pattern("/w/:id/plan"),
    ({ id = "" }) => ({ title: words.titles.planOf(id), view: <FolderPlan id={id} key={id} /> }),
  ],
  [
    pattern("/applies/:id"),
    ({ id = "" }) => ({ title: words.titles.apply, view: <Apply id={id} key={id} /> }),
  ],
  [pattern("/c"), () => ({ title: words.containers.title, view: <Containers /> })],
  [pattern("/c/:backend/:name"), ({ backend = "", name = "" }) => ({
    title: name,
    view: <Container backend={backend} name={name} key={`${backend}/${name}`} />,
  })],
  [pattern("/logs"), () => ({ title: words.titles.logs, view: <Logs /> })],
  [pattern("/images"), () => ({ title: words.titles.images, view: <Images /> })],
  [pattern("/volumes"), () => ({ title: words.titles.volumes, view: <Volumes /> })],
  [pattern("/networks"), () => ({ title: words.titles.networks, view: <Networks /> })],
  [pattern("/disk"), () => ({ title: words.titles.disk, view: <Disk /> })],
  [pattern("/events"), () => ({ title: words.titles.events, view: <Events /> })],
  [pattern("/audit"), () => ({ title: words.titles.audit, view: <Audit /> })],
  [pattern("/settings/keys"), () => ({ title: words.titles.keys, view: <Keys /> })],
  [pattern("/settings/people"), () => ({ title: words.titles.people, view: <People /> })],
  [pattern("/settings/sessions"), () => ({ title: words.titles.sessions, view: <Sessions /> })],
  [pattern("/settings/engines"), () => ({ title: words.titles.engines, view: <Engines /> })],
];

function pattern(pathname: string): URLPattern {
  return new URLPattern({ pathname });
}

export function screenAt(url: URL): Screen {
  for (const [pattern, screen] of SCREENS) {
    const found = pattern.exec({ pathname: url.pathname });
    if (found === null) continue;
    const parts = Object.entries(found.pathname.groups);
    return screen(Object.fromEntries(parts.map(([name, part]) => [name, decodeURIComponent(part ?? "")])));
  }
  return {
    title: words.problem.notFound,
    view: (
      <Empty title={words.problem.notFound} whole>
        <a class="button" href="/">{words.problem.toOverview}</a>
      </Empty>
    ),
  };
}
