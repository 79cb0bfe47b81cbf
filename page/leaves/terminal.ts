/** The terminal of a shell, loaded when one is opened: xterm, without inline styles, links or a clipboard for programs. */
import { FitAddon } from "@xterm/addon-fit";
import { type ITheme, Terminal } from "@xterm/xterm";
import layout from "@xterm/xterm/style" with { type: "text" };

export interface TerminalOptions {
  /** Names the field that takes what is typed. */
  readonly label: string;
  readonly onInput: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly onSize: (columns: number, rows: number) => void;
  /** Ctrl+Shift+L: the way out by keyboard, because Tab belongs to the shell. */
  readonly onLeave: () => void;
}

const LINES_ABOVE = 10_000;
const FONT_SIZE = 13;
/** Text of any colour can be read on any ground. */
const CONTRAST = 4.5;
/** The API's own limit of either side. */
const MOST_CHARACTERS = 1_000;
const FULL_OFF = "\x1b[?1049l";
const RESET = "\x1b[!p";
const MOUSE_OFF = "\x1b[?1000l\x1b[?1002l\x1b[?1003l";
const PASTE_OFF = "\x1b[?2004l";
const LINK = 8;
const CLIPBOARD = 52;

export class TerminalView {
  readonly #terminal: Terminal;
  readonly #fit = new FitAddon();
  readonly #ending: (() => void)[] = [];

  constructor(box: HTMLElement, { label, onInput, onSize, onLeave }: TerminalOptions) {
    Terminal.strings.promptLabel = label;
    const styles = new Styles();
    this.#ending.push(() => styles.dispose());
    const terminal = this.#terminal = new Terminal({
      theme: themeOf(box),
      fontFamily: getComputedStyle(box).fontFamily,
      fontSize: FONT_SIZE,
      minimumContrastRatio: CONTRAST,
      scrollback: LINES_ABOVE,
    });
    this.#ending.push(() => terminal.dispose());
    // A program's output opens nothing and writes nothing outside the terminal.
    for (const code of [LINK, CLIPBOARD]) terminal.parser.registerOscHandler(code, () => true);
    terminal.loadAddon(this.#fit);
    terminal.open(box);
    this.fit();

    terminal.onData((text) => onInput(new TextEncoder().encode(text)));
    terminal.onBinary((text) => onInput(Uint8Array.from(text, (one) => one.charCodeAt(0))));
    terminal.onResize(({ cols, rows }) => onSize(cols, rows));
    terminal.attachCustomKeyEventHandler((event) => {
      if (!event.ctrlKey || !event.shiftKey || !["KeyC", "KeyL"].includes(event.code)) return true;
      event.preventDefault();
      if (event.type === "keydown" && event.code === "KeyC") void this.copy();
      if (event.type === "keydown" && event.code === "KeyL") onLeave();
      return false;
    });

    const observer = new ResizeObserver(() => this.fit());
    observer.observe(box);
    this.#ending.push(() => observer.disconnect());
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => terminal.options.theme = themeOf(box);
    scheme.addEventListener("change", repaint);
    this.#ending.push(() => scheme.removeEventListener("change", repaint));
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  /** As many characters as the box has room for. */
  fit(): void {
    const wanted = this.#fit.proposeDimensions();
    if (wanted === undefined || Number.isNaN(wanted.cols) || Number.isNaN(wanted.rows)) return;
    this.#terminal.resize(Math.min(wanted.cols, MOST_CHARACTERS), Math.min(wanted.rows, MOST_CHARACTERS));
  }

  /** Resolves when it has been drawn into the terminal's lines. */
  write(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  /** As if it were typed. */
  type(text: string): void {
    this.#terminal.input(text);
  }

  /** As a terminal sends an arrow: programs on the whole screen want another sequence than shells. */
  arrow(way: "A" | "B" | "C" | "D"): void {
    this.type(`\x1b${this.#terminal.modes.applicationCursorKeysMode ? "O" : "["}${way}`);
  }

  async copy(): Promise<void> {
    const text = this.#terminal.getSelection();
    if (text !== "") await navigator.clipboard?.writeText(text);
  }

  async paste(): Promise<void> {
    this.#terminal.paste(await navigator.clipboard.readText());
    this.focus();
  }

  /** Takes what is typed. */
  begin(): void {
    this.#terminal.options.disableStdin = false;
  }

  /** Takes nothing more; what a program left switched on is off again, and the next one begins on a line of its own. */
  async end(): Promise<void> {
    this.#terminal.options.disableStdin = true;
    const isFull = this.#terminal.buffer.active.type === "alternate";
    await this.write(`${isFull ? FULL_OFF : ""}${RESET}${MOUSE_OFF}${PASTE_OFF}\r\n`);
  }

  focus(): void {
    this.#terminal.focus();
  }

  dispose(): void {
    for (const end of this.#ending.reverse()) end();
    this.#ending.length = 0;
  }
}

/**
 * The policy of the page refuses style elements and style attributes that come from a script, and xterm makes both.
 * While a terminal is there, the text of the former goes into constructed sheets, and the latter into the element's own
 * style. xterm can be told of another document, but then asks this one all the same.
 */
class Styles {
  readonly #sheets: CSSStyleSheet[] = [];

  constructor() {
    this.#sheet().replaceSync(layout);
    document.createElement = (name: string) => this.#create(name);
  }

  #create(name: string): HTMLElement {
    const made = Document.prototype.createElement.call(document, name === "style" ? "span" : name);
    if (name === "style") {
      made.hidden = true;
      const sheet = this.#sheet();
      Object.defineProperty(made, "textContent", { set: (text: string) => sheet.replaceSync(text) });
    } else if (name === "span") made.setAttribute = setAttribute;
    return made;
  }

  #sheet(): CSSStyleSheet {
    const sheet = new CSSStyleSheet();
    this.#sheets.push(sheet);
    document.adoptedStyleSheets.push(sheet);
    return sheet;
  }

  dispose(): void {
    delete (document as { createElement?: unknown }).createElement; // the prototype's own is there again
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => !this.#sheets.includes(one));
  }
}

function setAttribute(this: HTMLElement, name: string, value: string): void {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}

const ANSI = [
  ...["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"],
  ...["brightBlack", "brightRed", "brightGreen", "brightYellow"],
  ...["brightBlue", "brightMagenta", "brightCyan", "brightWhite"],
] as const;

/** The page's own colours as they are now, in the one notation that xterm reads. */
function themeOf(box: HTMLElement): ITheme {
  const probe = document.createElement("span");
  probe.hidden = true;
  box.append(probe);
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })!;
  const colour = (variable: string) => {
    probe.style.color = `var(${variable})`;
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    const channels = [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    return `#${channels.map((one) => one.toString(16).padStart(2, "0")).join("")}`;
  };
  const theme = {
    background: colour("--ground"),
    foreground: colour("--text"),
    cursor: colour("--accent"),
    cursorAccent: colour("--on-accent"),
    selectionBackground: colour("--selection"),
    ...Object.fromEntries(ANSI.map((name, index) => [name, colour(`--ansi-${index}`)])),
  };
  probe.remove();
  return theme;
}
