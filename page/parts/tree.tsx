/** A value of others as a tree: objects and lists fold, what is empty or plain stands in its line. */
import { shown } from "./shown.ts";

export function Tree(
  { value, label, isOpen = false }: {
    readonly value: object;
    readonly label: string;
    /** True if the node's children are open at first. */
    readonly isOpen?: boolean;
  },
) {
  return (
    <div class="tree" tabIndex={0} role="group" aria-label={label}>
      {Object.entries(value).map(([name, inner]) => (
        <Node key={name} name={name} value={inner} isOpen={isOpen} />
      ))}
    </div>
  );
}

function Node(
  { name, value, isOpen = false }: {
    readonly name: string;
    readonly value: unknown;
    readonly isOpen?: boolean;
  },
) {
  const inner = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (inner.length === 0) {
    return (
      <p>
        <span class="quiet">{shown(name)}</span> <code>{shown(JSON.stringify(value) ?? "")}</code>
      </p>
    );
  }
  return (
    <details open={isOpen}>
      <summary>
        {shown(name)} <span class="quiet">{inner.length}</span>
      </summary>
      {inner.map(([key, one]) => <Node key={key} name={key} value={one} />)}
    </details>
  );
}
