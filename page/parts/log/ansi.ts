/** Colours that programs give their text, as classes; every other sequence is left out. */

export interface Piece {
  readonly text: string;
  /** Empty for plain text. */
  readonly classes: string;
}

/** CSI sequences, and OSC ones with what they carry: links and titles are not shown. */
const SEQUENCE = /\u001b(?:\[([0-?]*)[ -/]*([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

interface Style {
  colour: number | null;
  ground: number | null;
  readonly on: Set<"bold" | "dim" | "italic" | "underline">;
}

export function piecesOf(text: string): readonly Piece[] {
  if (!text.includes("\u001b")) return [{ text, classes: "" }];
  const pieces: Piece[] = [];
  const style: Style = { colour: null, ground: null, on: new Set() };
  let at = 0;
  const add = (piece: string) => {
    if (piece !== "") pieces.push({ text: piece, classes: classesOf(style) });
  };
  for (const match of text.matchAll(SEQUENCE)) {
    add(text.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") apply(style, match[1] ?? "");
  }
  add(text.slice(at));
  return pieces;
}

function apply(style: Style, parameters: string): void {
  const codes = parameters.split(/[;:]/).map(Number);
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index]!;
    if (code === 0) [style.colour, style.ground] = [null, null], style.on.clear();
    else if (code === 1) style.on.add("bold");
    else if (code === 2) style.on.add("dim");
    else if (code === 3) style.on.add("italic");
    else if (code === 4) style.on.add("underline");
    else if (code === 22) style.on.delete("bold"), style.on.delete("dim");
    else if (code === 23) style.on.delete("italic");
    else if (code === 24) style.on.delete("underline");
    else if (code === 7 || code === 27) [style.colour, style.ground] = [style.ground, style.colour];
    else if (code >= 30 && code <= 37) style.colour = code - 30;
    else if (code >= 90 && code <= 97) style.colour = code - 82;
    else if (code === 39) style.colour = null;
    else if (code >= 40 && code <= 47) style.ground = code - 40;
    else if (code >= 100 && code <= 107) style.ground = code - 92;
    else if (code === 49) style.ground = null;
    else if (code === 38 || code === 48) {
      const isIndexed = codes[index + 1] === 5;
      const colour = isIndexed
        ? ofPalette(codes[index + 2] ?? 0)
        : nearest(codes[index + 2] ?? 0, codes[index + 3] ?? 0, codes[index + 4] ?? 0);
      style[code === 38 ? "colour" : "ground"] = colour;
      index += isIndexed ? 2 : 4;
    }
  }
}

function classesOf({ colour, ground, on }: Style): string {
  return [
    // On a ground of its own, text has the page's ground as its colour, which can be read on all sixteen.
    ground !== null ? `ground-${ground}` : colour !== null ? `ansi-${colour}` : "",
    ...[...on].map((one) => `is-${one}`),
  ].filter((one) => one !== "").join(" ");
}

const LEVELS = [0, 95, 135, 175, 215, 255];

function ofPalette(index: number): number {
  if (index < 16) return Math.max(0, index);
  if (index >= 232) return nearest(...Array(3).fill(8 + (index - 232) * 10) as [number, number, number]);
  const cube = index - 16;
  return nearest(
    LEVELS[Math.floor(cube / 36)] ?? 0,
    LEVELS[Math.floor(cube / 6) % 6] ?? 0,
    LEVELS[cube % 6] ?? 0,
  );
}

/** The one of the sixteen that says the same: by which of red, green and blue are strong, and how bright the strongest is. */
function nearest(red: number, green: number, blue: number): number {
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return most < 64 ? 0 : most < 144 ? 8 : most < 224 ? 7 : 15;
  const bit = (part: number) => part > most / 2 ? 1 : 0;
  return (most > 191 ? 8 : 0) + bit(red) + 2 * bit(green) + 4 * bit(blue);
}
