/** A shell in a container. It ends with the view; what it wrote stays until then. */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ContainerDetail } from "../../../client/berth/containers.ts";
import type { TerminalView } from "../../leaves/terminal.ts";
import { may } from "../../live/session.ts";
import { type Ending, Shell } from "../../live/shell.ts";
import { shown } from "../../parts/shown.ts";
import { Empty } from "../../parts/states.tsx";
import { words } from "../../words/en_later.ts";

/** A script of its own, asked for by the first who needs it. */
const TERMINAL = "/terminal.js";

export function ShellView({ container }: { readonly container: ContainerDetail }) {
  const box = useRef<HTMLDivElement>(null);
  const terminal = useRef<TerminalView | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const ender = useRef<HTMLButtonElement>(null);
  const [shell, setShell] = useState<Shell | null>(null);
  const current = useRef<Shell | null>(null);
  const [isUnloaded, setUnloaded] = useState(false);
  useEffect(() => () => {
    current.current?.end();
    terminal.current?.dispose();
  }, []);

  const state = shell?.state.value ?? null;
  const isOn = state === "open";
  useEffect(() => {
    if (isOn) terminal.current?.focus();
  }, [isOn]);

  const isRunning = container.state === "running";
  if (!may("containers:exec")) return <Empty title={words.shell.noRight} />;
  if (shell === null && !isRunning) return <Empty title={words.shell.notRunning} />;

  const open = async (command: string, user: string) => {
    const next = new Shell();
    current.current = next;
    setShell(next);
    try {
      terminal.current ??= await load(box.current!);
    } catch {
      return setUnloaded(true);
    }
    if (current.current !== next) return;
    terminal.current.begin();
    await next.run({ backend: container.backend, id: container.id, command, user }, terminal.current);
    if (current.current !== next) return;
    await terminal.current.end();
    opener.current?.focus();
  };
  const load = async (box: HTMLElement) => {
    const { TerminalView } = await import(TERMINAL) as typeof import("../../leaves/terminal.ts");
    return new TerminalView(box, {
      label: words.shell.input,
      onInput: (bytes) => current.current?.type(bytes),
      onSize: (columns, rows) => current.current?.resize(columns, rows),
      onLeave: () => ender.current?.focus(),
    });
  };
  const { ending } = shell ?? {};
  return (
    <div class="shell">
      {isUnloaded && <p class="trouble" role="alert">{words.shell.unloaded}</p>}
      {ending?.value && <Ended ending={ending.value} />}
      {(state === null || state === "ended") && isRunning && (
        <OpenForm isFirst={shell === null} open={open} opener={opener} />
      )}
      {state === null && <p class="hint">{words.shell.hint}</p>}
      {(state === "opening" || isOn) && (
        <Bar
          isOn={isOn}
          terminal={terminal.current}
          end={() => shell?.end()}
          ender={ender}
        />
      )}
      <div
        class={shell === null ? "terminal-box is-unused" : "terminal-box"}
        role="group"
        aria-label={words.shell.label(shown(container.name))}
        {...(isOn ? { "aria-describedby": "shell-leave" } : {})}
        ref={box}
      />
      {isOn && <Keys terminal={terminal.current!} />}
    </div>
  );
}

interface OpenFormProps {
  readonly isFirst: boolean;
  readonly open: (command: string, user: string) => Promise<void>;
  readonly opener: RefObject<HTMLButtonElement | null>;
}

function OpenForm({ isFirst, open, opener }: OpenFormProps) {
  return (
    <form
      class="shell-bar"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        void open(String(given.get("command")).trim(), String(given.get("user")).trim());
      }}
    >
      <label>
        {words.shell.command}
        <input type="text" name="command" placeholder={words.shell.commandHint} autocomplete="off" />
      </label>
      <label>
        {words.shell.user}
        <input type="text" name="user" placeholder={words.shell.userHint} autocomplete="off" />
      </label>
      <button type="submit" class="button is-main" ref={opener}>
        {isFirst ? words.shell.open : words.shell.again}
      </button>
    </form>
  );
}

interface BarProps {
  readonly isOn: boolean;
  readonly terminal: TerminalView | null;
  readonly end: () => void;
  readonly ender: RefObject<HTMLButtonElement | null>;
}

/** The buttons above a shell that opens or is open. */
function Bar({ isOn, terminal, end, ender }: BarProps) {
  return (
    <div class="shell-bar">
      <span class="quiet" role="status">{isOn ? words.shell.isOpen : words.shell.opening}</span>
      {isOn && <p class="hint" id="shell-leave">{words.shell.leave}</p>}
      {isOn && "clipboard" in navigator && (
        <>
          <button type="button" class="button" onClick={() => void terminal?.copy()}>
            {words.shell.copy}
          </button>
          <button
            type="button"
            class="button"
            onClick={() => void terminal?.paste().catch(() => {})}
          >
            {words.shell.paste}
          </button>
        </>
      )}
      <button type="button" class="button" ref={ender} onClick={end}>
        {words.shell.end}
      </button>
    </div>
  );
}

function Ended({ ending }: { readonly ending: Ending }) {
  const { ended } = words.shell;
  switch (ending.kind) {
    case "cancelled":
      return null;
    case "exit":
      return <p class="hint" role="status">{ended.exit(ending.code)}</p>;
    case "refused":
      return <p class="trouble" role="alert">{shown(ending.title)}</p>;
    case "lost":
      return <p class="trouble" role="alert">{ended.lost(words.time(Date.now()))}</p>;
    default:
      return <p class="trouble" role="alert">{ended[ending.kind]}</p>;
  }
}

/** For keyboards without such keys. */
function Keys({ terminal }: { readonly terminal: TerminalView }) {
  const { key, arrow, keys } = words.shell;
  const press = (send: () => void) => () => {
    send();
    terminal.focus();
  };
  return (
    <div class="shell-keys" role="group" aria-label={keys}>
      <button type="button" class="button" onClick={press(() => terminal.type("\x1b"))}>{key.escape}</button>
      <button type="button" class="button" onClick={press(() => terminal.type("\t"))}>{key.tab}</button>
      <button type="button" class="button" onClick={press(() => terminal.type("\x03"))}>
        {key.interrupt}
      </button>
      <button type="button" class="button" onClick={press(() => terminal.type("\x04"))}>{key.over}</button>
      {(["D", "A", "B", "C"] as const).map((way) => (
        <button
          key={way}
          type="button"
          class="button"
          aria-label={arrow[way]}
          onClick={press(() => terminal.arrow(way))}
        >
          {ARROWS[way]}
        </button>
      ))}
    </div>
  );
}

const ARROWS = { A: "↑", B: "↓", C: "→", D: "←" };
