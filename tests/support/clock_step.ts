/** Steps the whole process' clock: loaded before berth, it adds what `BERTH_TEST_CLOCK` has in milliseconds to every time. */
const file = Deno.env.get("BERTH_TEST_CLOCK") ?? "";
const Real = Date;
let step = 0;

function look(): void {
  step = Number(Deno.readTextFileSync(file));
}

look();
Deno.addSignalListener("SIGUSR2", look);
globalThis.Date = new Proxy(Real, {
  construct: (target, given) =>
    given.length === 0 ? new target(target.now() + step) : new target(...given as [string]),
  get: (target, key) => key === "now" ? () => target.now() + step : Reflect.get(target, key),
});
