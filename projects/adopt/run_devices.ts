/** The flags of `docker run` that give a container devices. */
import type { Blank } from "./blank.ts";

/** A device of a vendor by its name alone. */
const VENDORS = /^[A-Za-z][\w.-]*\/[A-Za-z][\w.-]*=[A-Za-z0-9][\w.:-]*$/;

/** Each letter once. */
const isRights = (text: string): boolean => /^[rwm]{1,3}$/.test(text) && new Set(text).size === text.length;

/** Reads `--device`: of two parts the second one is the path in the container, or the rights. */
export function device(one: Blank, value: string): boolean | void {
  if (VENDORS.test(value)) {
    const ids = one.deviceRequests.filter(isVendors).flatMap(({ ids }) => ids);
    const request = { driver: "cdi", count: 0, ids: [...ids, value], capabilities: [], options: {} };
    one.deviceRequests = [...one.deviceRequests.filter((other) => !isVendors(other)), request];
    return;
  }
  const [source = "", second = source, third = "rwm", ...more] = value.split(":");
  if (source === "" || more.length > 0) return false;
  const [target, rights] = isRights(second) ? [source, second] : [second || source, third];
  one.devices = [...one.devices, { source, target, rights }];
}

type Request = Blank["deviceRequests"][number];
const isVendors = ({ driver }: Request): boolean => driver === "cdi";

/** Reads `--gpus`. Docker asks for devices by their names after all others. */
export function gpus(one: Blank, value: string): boolean | void {
  const count = value === "all" ? -1 : /^\d+$/.test(value) ? Number(value) : null;
  if (count === null) return false;
  const request = { driver: "", count, ids: [], capabilities: ["gpu"], options: {} };
  const others = one.deviceRequests.filter((other) => !isVendors(other));
  one.deviceRequests = [...others, request, ...one.deviceRequests.filter(isVendors)];
}
