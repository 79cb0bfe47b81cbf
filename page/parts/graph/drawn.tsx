/** The drawing: only what is in view is drawn; walked by arrows along what needs what. */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { DagNode } from "../../../client/berth/workspaces.ts";
import { shown } from "../shown.ts";
import { Sign } from "../sign.tsx";
import { words } from "../../words/en_later.ts";
import { type Box, type Drawing, meets, type Placed } from "../graph_layout.ts";
import { type Links, saidOf, verdictIn } from "./links.ts";

const ZOOMS = [0.25, 0.5, 0.75, 1, 1.5, 2];
/** Drawn around the view, so that scrolling shows no gaps. */
const MORE = 200;
const MARGIN = 16;

interface Walk {
  readonly from: Placed;
  readonly drawing: Drawing;
  readonly links: Links;
  readonly inOrder: readonly Placed[];
}

const first = ({ drawing }: Walk, ids: readonly string[]) =>
  ids.map((id) => drawing.at.get(id)).find((placed) => placed);
const down = ({ inOrder, from }: Walk) => inOrder[inOrder.indexOf(from) + 1];
const up = ({ inOrder, from }: Walk) => inOrder[inOrder.indexOf(from) - 1];

/** Where each key leads from a node. */
const WALKS: Readonly<Record<string, (walk: Walk) => Placed | undefined>> = {
  ArrowLeft: (walk) => first(walk, walk.links.needs(walk.from.node.id)),
  ArrowRight: (walk) => first(walk, walk.links.neededBy(walk.from.node.id)),
  ArrowDown: down,
  j: down,
  ArrowUp: up,
  k: up,
  Home: ({ inOrder }) => inOrder[0],
  End: ({ inOrder }) => inOrder.at(-1),
};

export interface DrawnProps {
  readonly drawing: Drawing;
  readonly links: Links;
  /** The node whose neighbours are shown. */
  readonly lit: string | null;
  readonly light: (id: string | null) => void;
  readonly open: (node: DagNode) => void;
}

export function Drawn({ drawing, links, lit, light, open }: DrawnProps) {
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const [view, setView] = useState<Box>({ x: 0, y: 0, width: 1_200, height: 800 });
  const [current, setCurrent] = useState<string | null>(null);
  const hasMoved = useRef(false);
  const inOrder = useMemo(
    () => [...drawing.nodes].sort((a, b) => a.x - b.x || a.y - b.y),
    [drawing],
  );
  const measure = () => {
    const { current } = box;
    if (current === null) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = current;
    setView({
      x: scrollLeft / zoom - MARGIN,
      y: scrollTop / zoom - MARGIN,
      width: clientWidth / zoom,
      height: clientHeight / zoom,
    });
  };
  useLayoutEffect(measure, [zoom, drawing]);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, [zoom]);
  useLayoutEffect(() => {
    if (!hasMoved.current) return;
    hasMoved.current = false;
    box.current?.querySelector<SVGElement>('.node[tabindex="0"]')?.focus({ preventScroll: true });
  });

  const focusable = (current !== null && drawing.at.get(current)) || inOrder[0];
  const goTo = (placed: Placed | undefined) => {
    if (placed === undefined) return;
    const list = box.current!;
    const [x, y] = [(placed.x + MARGIN) * zoom, (placed.y + MARGIN) * zoom];
    const [width, height] = [placed.width * zoom, placed.height * zoom];
    if (x < list.scrollLeft || x + width > list.scrollLeft + list.clientWidth) {
      list.scrollLeft = x - (list.clientWidth - width) / 2;
    }
    if (y < list.scrollTop || y + height > list.scrollTop + list.clientHeight) {
      list.scrollTop = y - (list.clientHeight - height) / 2;
    }
    hasMoved.current = true;
    setCurrent(placed.node.id);
    light(placed.node.id);
    measure();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (focusable === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter") open(focusable.node);
    else if (event.key === "Escape") light(null);
    else if (event.key in WALKS) goTo(WALKS[event.key]!({ from: focusable, drawing, links, inOrder }));
    else return;
    event.preventDefault();
  };
  return (
    <div class="graph-side">
      <Zoom zoom={zoom} setZoom={setZoom} />
      <div
        class="graph-box"
        role="group"
        aria-label={words.graph.label}
        tabIndex={0}
        ref={box}
        onScroll={measure}
        onKeyDown={onKeyDown}
      >
        <Picture
          {...{ drawing, links, zoom, view, focusable, lit, light, open }}
          focused={setCurrent}
        />
      </div>
    </div>
  );
}

function Zoom({ zoom, setZoom }: { readonly zoom: number; readonly setZoom: (zoom: number) => void }) {
  const step = (by: 1 | -1) => setZoom(ZOOMS[ZOOMS.indexOf(zoom) + by] ?? zoom);
  return (
    <div class="graph-zoom">
      <button
        type="button"
        class="button"
        aria-label={words.graph.smaller}
        disabled={zoom === ZOOMS[0]}
        onClick={() => step(-1)}
      >
        −
      </button>
      <span>{words.graph.zoom(zoom)}</span>
      <button
        type="button"
        class="button"
        aria-label={words.graph.larger}
        disabled={zoom === ZOOMS.at(-1)}
        onClick={() => step(1)}
      >
        +
      </button>
    </div>
  );
}

interface PictureProps extends DrawnProps {
  readonly zoom: number;
  /** The part of the drawing that is in view. */
  readonly view: Box;
  /** The node that Tab leads to. */
  readonly focusable: Placed | undefined;
  readonly focused: (id: string) => void;
}

function Picture({ drawing, links, zoom, view, focusable, lit, light, open, focused }: PictureProps) {
  const seen: Box = {
    x: view.x - MORE,
    y: view.y - MORE,
    width: view.width + 2 * MORE,
    height: view.height + 2 * MORE,
  };
  const near = useMemo(
    () => lit === null ? null : new Set([lit, ...links.needs(lit), ...links.neededBy(lit)]),
    [lit, links],
  );
  const [width, height] = [drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN];
  return (
    <svg
      role="presentation"
      width={width * zoom}
      height={height * zoom}
      viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
      class={near === null ? "" : "has-lit"}
      onPointerLeave={() => light(null)}
    >
      <Arrow />
      {drawing.frames.filter((frame) => meets(frame, seen)).map((frame) => (
        <g key={frame.group.id} class="frame">
          <rect x={frame.x} y={frame.y} width={frame.width} height={frame.height} rx="8" />
          <text x={frame.x + 12} y={frame.y + 17}>
            {cut(frame.group.label, Math.floor((frame.width - 24) / LABEL_CHARACTER))}
          </text>
        </g>
      ))}
      {drawing.lines.filter((line) => meets(line, seen)).map(({ edge, path }) => (
        <path
          key={edge.id}
          d={path}
          class={`edge${edge.inCycle ? " is-cycle" : ""}${edge.unresolved ? " is-unresolved" : ""}${
            lit !== null && (edge.source === lit || edge.target === lit) ? " is-lit" : ""
          }`}
          marker-end="url(#arrow)"
        />
      ))}
      {drawing.nodes.filter((placed) => placed === focusable || meets(placed, seen)).map((placed) => (
        <Node
          key={placed.node.id}
          placed={placed}
          links={links}
          isLit={near?.has(placed.node.id) === true}
          isFocusable={placed === focusable}
          light={light}
          open={open}
          focused={() => focused(placed.node.id)}
        />
      ))}
    </svg>
  );
}

/** The end of each line. */
function Arrow() {
  return (
    <defs>
      <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
        <path d="M0 1 7 4 0 7z" class="arrow" />
      </marker>
    </defs>
  );
}

function Node(
  { placed: { node, x, y, width, height }, links, isLit, isFocusable, light, open, focused }: {
    readonly placed: Placed;
    readonly links: Links;
    readonly isLit: boolean;
    readonly isFocusable: boolean;
    readonly light: (id: string | null) => void;
    readonly open: (node: DagNode) => void;
    readonly focused: () => void;
  },
) {
  const verdict = verdictIn(node);
  const { error, warning } = node.diagnostics;
  const below = node.kind === "unit" ? node.data.image ?? "" : words.graph.kind[node.kind];
  return (
    <g
      class={`node is-${node.kind}${verdict === null ? "" : ` is-${verdict}`}${isLit ? " is-lit" : ""}${
        node.cycle === null ? "" : " is-cycle"
      }`}
      role="link"
      aria-description={saidOf(node, links)}
      tabIndex={isFocusable ? 0 : -1}
      transform={`translate(${x} ${y})`}
      onPointerEnter={() => light(node.id)}
      onFocus={() => {
        focused();
        light(node.id);
      }}
      onClick={() => open(node)}
    >
      <rect width={width} height={height} rx="6" />
      {verdict !== null && (
        <g transform="translate(10 10)">
          <Sign verdict={verdict} />
        </g>
      )}
      <text class="node-name" x={verdict === null ? 10 : 28} y="20">{cut(node.label, 22)}</text>
      <text class="node-below" x="10" y="36">{cut(below, error + warning > 0 ? 20 : 25)}</text>
      {error + warning > 0 && (
        <text class={error > 0 ? "node-findings is-error" : "node-findings"} x={width - 10} y="36">
          {error > 0 ? words.graph.errors(error) : words.graph.warnings(warning)}
        </text>
      )}
    </g>
  );
}

/** A drawing has no room for more; the node's own label says it all. */
/** The width of a character in a frame's title. */
const LABEL_CHARACTER = 8;

function cut(text: string, most: number): string {
  const safe = shown(text);
  return safe.length > most ? `${safe.slice(0, most - 1)}…` : safe;
}
