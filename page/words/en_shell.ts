/** The words for shells. */

export const shell = {
  word: "Shell",
  label: (name: string) => `Shell in ${name}`,
  input: "What the shell is typed",
  noRight: "You may not run commands. Ask an admin for the permission containers:exec.",
  notRunning: "This container does not run. Start it to open a shell in it.",
  command: "Command",
  commandHint: "Empty for the best shell that the container has",
  user: "User",
  userHint: "Empty for the container's own",
  open: "Open a shell",
  again: "Open another",
  hint: "It ends when you leave this view, and what it was given to do is in the audit log.",
  leave: "Tab belongs to the shell: Ctrl+Shift+L leaves it, Ctrl+Shift+C copies.",
  opening: "opening",
  isOpen: "open",
  copy: "Copy",
  paste: "Paste",
  end: "End it",
  keys: "Keys",
  key: { escape: "Esc", tab: "Tab", interrupt: "Ctrl C", over: "Ctrl D" },
  arrow: { A: "Up", B: "Down", C: "Right", D: "Left" },
  unloaded: "The terminal could not be loaded. Reload the page.",
  ended: {
    exit: (code: number | null) =>
      code === null ? "It has ended." : code === 0 ? "It has ended well." : `It has ended with code ${code}.`,
    lost: (time: string) =>
      `The connection was lost at ${time}, and the shell with it: what ran in it was ended. What it wrote is still here.`,
    stopping: "berth stops, and ended the shell.",
    notAllowed: "You may not run commands here any more: the shell was ended.",
  },
};
