/** On paper alone: which address this is, and when it was printed. */
import { useEffect, useState } from "preact/hooks";
import { address } from "../router.ts";
import { words } from "../words/en.ts";
import { shown } from "./shown.ts";

export function PrintHead() {
  const [at, setAt] = useState(() => Date.now());
  useEffect(() => {
    const now = () => setAt(Date.now());
    addEventListener("beforeprint", now);
    return () => removeEventListener("beforeprint", now);
  }, []);
  return <p class="print-head" aria-hidden="true">{words.printed(shown(address.value.href), at)}</p>;
}
