/** The table of screens: which address shows which. */
import type { ComponentChild } from "preact";
import { Empty } from "./parts/states.tsx";
import { Audit } from "./screens/audit/audit.tsx";
import { Container } from "./screens/container/container.tsx";
import { Containers } from "./screens/containers/containers.tsx";
import { Disk } from "./screens/disk/disk.tsx";
import { Events } from "./screens/events/events.tsx";
import { Images } from "./screens/images/images.tsx";
import { Logs } from "./screens/logs/logs.tsx";
import { Networks } from "./screens/networks/networks.tsx";
import { Overview } from "./screens/overview/overview.tsx";
import { Engines } from "./screens/settings/engines.tsx";
import { Keys } from "./screens/settings/keys.tsx";
import { People } from "./screens/settings/people.tsx";
import { Sessions } from "./screens/settings/sessions.tsx";
import { Volumes } from "./screens/volumes/volumes.tsx";
import { Workspace } from "./screens/workspace/workspace.tsx";
import { words } from "./words/en.ts";

interface Screen {
  readonly title: string;
  readonly view: ComponentChild;
}

type Parts = Readonly<Record<string, string | undefined>>;

const SCREENS: readonly (readonly [pattern: URLPattern, screen: (parts: Parts) => Screen])[] = [
  [pattern("/"), () => ({ title: words.overview.title, view: <Overview /> })],
  [pattern("/w/:id"), ({ id = "" }) => ({ title: id, view: <Workspace id={id} key={id} /> })],
  [pattern("/c"), () => ({ title: words.containers.title, view: <Containers /> })],
  [pattern("/c/:backend/:name"), ({ backend = "", name = "" }) => ({
    title: name,
    view: <Container backend={backend} name={name} key={`${backend}/${name}`} />,
  })],
  [pattern("/logs"), () => ({ title: words.logs.title, view: <Logs /> })],
  [pattern("/images"), () => ({ title: words.images.title, view: <Images /> })],
  [pattern("/volumes"), () => ({ title: words.volumes.title, view: <Volumes /> })],
  [pattern("/networks"), () => ({ title: words.networks.title, view: <Networks /> })],
  [pattern("/disk"), () => ({ title: words.disk.title, view: <Disk /> })],
  [pattern("/events"), () => ({ title: words.events.title, view: <Events /> })],
  [pattern("/audit"), () => ({ title: words.audit.title, view: <Audit /> })],
  [pattern("/settings/keys"), () => ({ title: words.settings.keys.title, view: <Keys /> })],
  [pattern("/settings/people"), () => ({ title: words.settings.people.title, view: <People /> })],
  [pattern("/settings/sessions"), () => ({ title: words.settings.sessions.title, view: <Sessions /> })],
  [pattern("/settings/engines"), () => ({ title: words.settings.engines.title, view: <Engines /> })],
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
        <a href="/">{words.problem.toOverview}</a>
      </Empty>
    ),
  };
}
