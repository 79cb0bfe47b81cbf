/** A question over the page: focus goes into it and comes back, Escape closes what may be closed. */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export function Dialog(
  { title, children, onClose }: {
    readonly title: string;
    readonly children: ComponentChildren;
    /** Absent where only an answer ends it. */
    readonly onClose?: () => void;
  },
) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const before = document.activeElement;
    element.current?.showModal();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  const isClosable = onClose !== undefined;
  useEffect(() => {
    if (isClosable) return;
    // Otherwise a browser lets Escape close this one, or the question below it.
    const keep = (event: KeyboardEvent) => event.key === "Escape" && event.preventDefault();
    document.addEventListener("keydown", keep, true);
    return () => document.removeEventListener("keydown", keep, true);
  }, [isClosable]);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      // A browser closes a question by itself at Escape pressed again, without the event above.
      onClose={() => onClose === undefined ? element.current?.showModal() : onClose()}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  );
}
