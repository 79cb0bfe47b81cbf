/** A menu below a word or a sign, which closes when something in it is chosen, or by Escape, or by a click elsewhere. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  /** Its class in the styles. */
  readonly kind: string;
  /** Its name for people who do not see it. */
  readonly label: string;
  readonly word: string;
  /** The links and buttons, made only while it is open. */
  readonly children: ComponentChildren;
}

export function Menu({ kind, label, word, children }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const close = ({ target }: MouseEvent) => {
      if (menu.current === null) return;
      const isChosen = (target as Element).closest(".menu a, .menu button") !== null;
      if (isChosen || !menu.current.contains(target as Node)) menu.current.open = false;
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || menu.current === null) return;
      menu.current.open = false;
      menu.current.querySelector("summary")?.focus();
    };
    document.addEventListener("click", close);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", onKey);
    };
  }, [isOpen]);
  return (
    <details class={kind} ref={menu} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary aria-label={label}>{word}</summary>
      {isOpen && <div class="menu">{children}</div>}
    </details>
  );
}
