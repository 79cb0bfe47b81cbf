/** Shows the sentence that the document holds back, where the page's own script has not come or cannot run. */

const LATE_MS = 4_000;

setTimeout(() => document.querySelector("#page > p[hidden]")?.removeAttribute("hidden"), LATE_MS);
