/** The sentences of newer images in English. */
import { count, day } from "./en_counts.ts";

export const updates = {
  count: (amount: number) => count(amount, "image", "images"),
  newer: (amount: number) => `${count(amount, "newer image", "newer images")}`,
  off: "berth does not look for newer images.",
  offHint:
    "Switched on, it asks the registry of each image twice a day. It pulls nothing, and changes nothing by itself.",
  on: "Look for newer images",
  turnOff: "Stop looking",
  check: "Look now",
  checking: (amount: number) => `${count(amount, "image is", "images are")} looked at.`,
  coolDown: "Cool-down of a new image",
  days: (days: number) => days === 0 ? "none" : count(days, "day", "days"),
  none: "No declared project has an image of a registry.",
  noneHint: "Images that are built here, pinned to a digest or from localhost are left out.",
  image: "Image",
  project: "Project",
  state: "State",
  candidate: "Newer one",
  states: {
    newer: "newer image",
    current: "up to date",
    gone: "gone",
    refused: "refused",
    limited: "asked too often",
    unknown: "unknown",
  },
  checked: (ago: string) => `asked ${ago} ago`,
  never: "not asked yet",
  until: (time: string) => `again ${time}`,
  firstSeen: (ms: number) => `first seen ${day.format(ms)}`,
  cools: (ms: number) => `cooling down until ${day.format(ms)}`,
  notes: "Release notes",
  wentBack: (ms: number) => `went back on ${day.format(ms)}`,
  update: "Update",
  updateAll: (amount: number) => `Update ${count(amount, "project", "projects")}`,
  steps: { patch: "patch", minor: "minor version", major: "major version" },
  change: (version: string) => `Change to ${version}`,
  changes: (path: string) => `The lines of ${path} that differ`,
  changeHint:
    "berth writes the file, keeps its text before, and shows the plan next. Nothing runs until you apply it.",
  majorHint: "A major version may need work by hand: read its release notes first.",
  write: "Write it and plan",
  notEditable: (path: string) =>
    `berth may not write ${path}: change the line by hand, or make the folder editable on its screen.`,
  asking: "The change is worked out…",
} as const;
