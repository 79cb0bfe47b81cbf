/** The text of a file with findings on its lines, to read or to write, loaded when one is opened: CodeMirror. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** A finding to mark at a place; lines and columns count from 1, as berth counts. */
export interface Marked {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly severity: "error" | "warning" | "info" | "hint";
  readonly message: string;
}

export interface EditorOptions {
  /** Names the text. */
  readonly label: string;
  readonly isYaml: boolean;
  /** CodeMirror's own words, by its English ones. */
  readonly phrases: Readonly<Record<string, string>>;
  /** Told of every change that somebody made. */
  readonly onChange: (text: string) => void;
  /** Ctrl+S. */
  readonly onSave: () => void;
}

export class TextEditor {
  readonly #view: EditorView;
  readonly #access = new Compartment();
  readonly #separator = new Compartment();
  /** Ends each line of the text that is shown. */
  #lineEnd = "\n";
  #isSetting = false;

  constructor(box: HTMLElement, { label, isYaml, phrases, onChange, onSave }: EditorOptions) {
    // In a shadow root its styles are constructed sheets, which the policy allows; in the document they would be elements.
    const root = box.shadowRoot ?? box.attachShadow({ mode: "open" });
    this.#view = new EditorView({
      parent: root,
      root,
      extensions: [
        EditorState.phrases.of(phrases),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", tabindex: "0" }),
        lineNumbers(),
        foldGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        highlightSpecialChars({ addSpecialChars: BIDI }),
        highlightActiveLine(),
        highlightSelectionMatches(),
        bracketMatching(),
        search({ top: true }),
        masks,
        isYaml ? [yaml(), syntaxHighlighting(COLOURS)] : [],
        EditorView.lineWrapping,
        // Tab goes on to what is behind: who walks by keyboard is not held here.
        keymap.of([
          { key: "Mod-s", run: () => (onSave(), true), preventDefault: true },
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...lintKeymap,
        ]),
        EditorView.updateListener.of(({ docChanged }) => {
          if (docChanged && !this.#isSetting) onChange(this.text);
        }),
        this.#separator.of([]),
        this.#access.of(READ_ONLY),
        THEME,
      ],
    });
  }

  get text(): string {
    return this.#view.state.doc.sliceString(0, undefined, this.#lineEnd);
  }

  /** Shows another text, in which nothing can be undone. */
  show(text: string): void {
    if (text === this.text) return;
    this.#isSetting = true;
    const others = text.replaceAll("\r\n", "");
    const isMixed = text.includes("\r") && /[\r\n]/.test(others);
    this.#lineEnd = text.includes("\r\n") && !isMixed ? "\r\n" : "\n";
    // In a text with several kinds of line ends each stays as it is: a carriage return is one of the line's characters.
    const separator = isMixed ? EditorState.lineSeparator.of("\n") : [];
    this.#view.dispatch({ effects: this.#separator.reconfigure(separator) });
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text } });
    this.#isSetting = false;
  }

  allow(isWritable: boolean): void {
    this.#view.dispatch({ effects: this.#access.reconfigure(isWritable ? [] : READ_ONLY) });
  }

  mark(marked: readonly Marked[]): void {
    const { doc } = this.#view.state;
    const offset = (line: number, column: number) => {
      const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
      return Math.min(from + column - 1, to);
    };
    const found = marked.map(({ line, column, endLine, endColumn, severity, message }): Diagnostic => ({
      from: offset(line, column),
      to: Math.max(offset(line, column), offset(endLine, endColumn)),
      severity,
      message,
    }));
    this.#view.dispatch(setDiagnostics(this.#view.state, found.sort((a, b) => a.from - b.from)));
  }

  /** Brings a line into view and the cursor to it. */
  goTo(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
  }

  search(): void {
    openSearchPanel(this.#view);
  }

  focus(): void {
    this.#view.focus();
  }

  dispose(): void {
    this.#view.destroy();
  }
}

const READ_ONLY: Extension = [EditorState.readOnly.of(true), EditorView.editable.of(true)];
/** Characters that turn a line around or are invisible are shown as a sign. */
const BIDI = /[\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f]/g;

const maskMatcher = new MatchDecorator({
  regexp: /\*{8}/g,
  decoration: Decoration.mark({ class: "cm-mask" }),
});

/** Masks look like what they are, and the cursor passes them as one. */
const masks = ViewPlugin.fromClass(
  class {
    found: DecorationSet;
    constructor(view: EditorView) {
      this.found = maskMatcher.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.found = maskMatcher.updateDeco(update, this.found);
    }
  },
  {
    decorations: ({ found }) => found,
    provide: (plugin) => EditorView.atomicRanges.of((view) => view.plugin(plugin)?.found ?? Decoration.none),
  },
);

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--ansi-4)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--ansi-2)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--quiet)" },
  { tag: [tags.labelName, tags.typeName, tags.keyword, tags.meta], color: "var(--ansi-5)" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--quiet)" },
]);

const THEME = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--ground)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { font: "12px/18px var(--mono)", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": {
    color: "var(--quiet)",
    backgroundColor: "var(--ground)",
    borderRight: "1px solid var(--hairline)",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--raised)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selection)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--differs-ground)" },
  ".cm-searchMatch": { backgroundColor: "var(--differs-ground)", outline: "1px solid var(--differs)" },
  ".cm-mask, .cm-mask *": { color: "var(--quiet) !important", backgroundColor: "var(--raised)" },
  ".cm-specialChar": { color: "var(--broken)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selection)" },
  ".cm-lintRange": {
    textDecoration: "underline wavy 1px",
    textUnderlineOffset: "3px",
    backgroundImage: "none",
  },
  ".cm-lintRange-error": { textDecorationColor: "var(--broken)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--differs)" },
  ".cm-lintRange-info, .cm-lintRange-hint": { textDecorationColor: "var(--quiet)" },
  ".cm-lint-marker": {
    content: "none",
    width: "12px",
    height: "18px",
    lineHeight: "18px",
    textAlign: "center",
  },
  ".cm-lint-marker-error": { content: "none", color: "var(--broken)" },
  ".cm-lint-marker-error::before": { content: "'✕'" },
  ".cm-lint-marker-warning": { content: "none", color: "var(--differs)" },
  ".cm-lint-marker-warning::before": { content: "'!'", fontWeight: "700" },
  ".cm-lint-marker-info, .cm-lint-marker-hint": { content: "none", color: "var(--quiet)" },
  ".cm-lint-marker-info::before, .cm-lint-marker-hint::before": { content: "'i'" },
  ".cm-tooltip, .cm-panels": {
    color: "var(--text)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--hairline)",
    font: "13px/20px system-ui, sans-serif",
  },
  ".cm-panels button, .cm-panels input, .cm-panels label": { font: "inherit", color: "inherit" },
  ".cm-panels .cm-textfield": { backgroundColor: "var(--ground)", border: "1px solid var(--field)" },
  ".cm-panels .cm-button": { background: "var(--ground)", border: "1px solid var(--field)" },
  ".cm-foldPlaceholder": {
    color: "var(--quiet)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--hairline)",
  },
});
