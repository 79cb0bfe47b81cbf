/** Writes `deploy`, and the devices that are asked for there and in `gpus`, as Docker Compose does. */
import { nanosecondsOf } from "../../artifacts/compose/amounts.ts";
import { isNull, listOf, numberOf, textOf, valueAt } from "../../artifacts/yaml/values.ts";
import { object, sure } from "./go_json.ts";
import { bytes, inside, map, number, text, texts, time, type Writer } from "./writer.ts";

export const requests: Writer = (node, of, around) =>
  listOf(node).map((item) => {
    const countAt = valueAt(item, "count");
    const ids = inside(item, "device_ids", texts, of, around);
    const isAll = /^all$/i.test(textOf(countAt) ?? "");
    const count = isAll || (isNull(countAt) && valueAt(item, "device_ids") === null) ? -1 : numberOf(countAt);
    return object({
      capabilities: inside(item, "capabilities", texts, of, around),
      driver: inside(item, "driver", text, of, around),
      count: count || undefined,
      device_ids: ids,
      options: inside(item, "options", map, of, around),
    });
  });

/** A pointer in Go: zero is written. */
const count: Writer = (node) => sure(numberOf(node));

/** A time that is no pointer in Go: zero is left out. */
const timeIfAny: Writer = (node, of, around) =>
  sure(nanosecondsOf(sure(textOf(node)))) === 0 ? undefined : time(node, of, around);

const update: Writer = (node, of, around) => {
  const at = (key: string, write: Writer) => inside(node, key, write, of, around);
  return object({
    parallelism: at("parallelism", count),
    delay: at("delay", timeIfAny),
    failure_action: at("failure_action", text),
    monitor: at("monitor", timeIfAny),
    max_failure_ratio: at("max_failure_ratio", number),
    order: at("order", text),
  });
};

const placement: Writer = (node, of, around) => {
  const at = (key: string, write: Writer) => inside(node, key, write, of, around);
  const preferences = listOf(valueAt(node, "preferences")).map((one) =>
    object({ spread: inside(one, "spread", text, of, around) })
  );
  return object({
    constraints: at("constraints", texts),
    preferences: preferences.length === 0 ? undefined : preferences,
    max_replicas_per_node: at("max_replicas_per_node", number),
  });
};

export const deploy: Writer = (node, of, around) => {
  const at = (key: string, write: Writer) => inside(node, key, write, of, around);
  const share = (kind: string) =>
    at(`resources.${kind}`, (one) =>
      object({
        cpus: inside(one, "cpus", number, of, around),
        memory: inside(one, "memory", bytes, of, around),
        pids: inside(one, "pids", number, of, around),
        devices: inside(one, "devices", requests, of, around),
      }));
  const policy: Writer = (one) =>
    object({
      condition: inside(one, "condition", text, of, around),
      delay: inside(one, "delay", time, of, around),
      max_attempts: inside(one, "max_attempts", count, of, around),
      window: inside(one, "window", time, of, around),
    });
  return object({
    mode: at("mode", text),
    labels: at("labels", map),
    update_config: at("update_config", update),
    rollback_config: at("rollback_config", update),
    resources: object({ limits: share("limits"), reservations: share("reservations") }),
    restart_policy: at("restart_policy", policy),
    placement: at("placement", placement) ?? {},
    endpoint_mode: at("endpoint_mode", text),
  });
};
