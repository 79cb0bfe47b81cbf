/** The sentences of writing down what runs, in English. */
import { count } from "./en_counts.ts";

export const writeDown = {
  link: "Write down …",
  these: (amount: number) => `Write down ${count(amount, "container", "containers")} …`,
  choose: (name: string) => `Choose ${name}`,
  lead:
    "berth has written these containers down and compared the text with them. Nothing was saved, and no container has changed.",
  later:
    "berth does not take them over: a plan is blocked while containers without Compose's labels have the names.",
  noFolder: "Register a folder first: the text is read with its settings.",
  gone: "None of these containers is there any more.",
  on: (engine: string) => `on ${engine}`,
  services: (amount: number) => count(amount, "container", "containers"),
  same: "The text says all that berth compares.",
  differences: "Differences that are left",
  differs: (container: string, field: string, declared: string, actual: string) =>
    `${container}, ${field}: the text says ${declared}, the container has ${actual}`,
  refused: "Not written down",
  because: (container: string, why: string) => `${container}: ${why}`,
  leftOut: "Left out, and why",
  names: (containers: readonly string[]) =>
    containers.length <= 4
      ? containers.join(", ")
      : `${containers.slice(0, 3).join(", ")} and ${containers.length - 3} more`,
  left: (container: string, field: string, why: string) => `${container}, ${field}: ${why}`,
  copyFile: (path: string) => `Copy ${path}`,
  copied: "Copied",
  reveal: "Show secrets …",
  masked: "Secrets are masked. Copy the files once they are shown.",
} as const;
