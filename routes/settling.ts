/** Settling a difference in the file: the file is brought to the container, and no container changes. */
import * as z from "../core/schema.ts";
import type { Model, Unit } from "../artifacts/artifact.ts";
import type { FileEditor } from "../artifacts/registry/file_editor.ts";
import { type Registry, unknownWorkspace } from "../artifacts/registry/registry.ts";
import { WorkspaceFileText } from "../artifacts/report/file_text_shape.ts";
import { reachOf } from "../core/access.ts";
import { ServiceError } from "../core/error.ts";
import { type InspectedContainer, reachOfRunning } from "../core/runtime.ts";
import { runtimeSeen } from "../core/sight.ts";
import type { Call } from "../http/declare/call.ts";
import { etagOf } from "../http/declare/etag.ts";
import { flag, text } from "../http/declare/query.ts";
import { type CoreRouter, json, problems, reply, route, router } from "../http/declare/router.ts";
import type { Settled } from "../projects/adopt/settle.ts";
import type { SettleScene } from "../projects/adopt/settle_scene.ts";
import { mustHold } from "./adopting.ts";
import { type ArtifactsOptions, find, findComparedModel, lookAt, ownSide } from "./artifact_lookup.ts";
import { currentFor, textOf } from "./file_tags.ts";
import { LineChange } from "./line_change.ts";

const SettleRequest = z.strictObject({
  container: text(200).describe("The container's id or name"),
  fields: z.array(text(500)).min(1).max(100).describe("The fields that differ, named as in drift"),
}).meta({ id: "SettleRequest", examples: [{ container: "shop-web-1", fields: ["restart"] }] });

const SettledFile = WorkspaceFileText.extend({
  changes: z.array(LineChange).describe("The differences from the text before"),
  left: z.array(z.string()).describe("The fields in which the container still differs"),
  saved: z.boolean().describe("False for a preview"),
}).meta({ id: "SettledFile" });

const settle = route({
  method: "post",
  path: "/workspaces/{id}/artifacts/units/{name}/settle",
  summary: "Bring the file to the container, in single fields",
  description:
    "Replaces, inserts or deletes the nodes of these fields in one file, reads the new text as if it were saved, and " +
    "saves it only if these differences are gone, no other appeared and nothing else that berth reads is another: 422 " +
    "`cannot_settle` with the reason otherwise. Values of variables and secrets are not settled. With `preview` nothing " +
    "is saved, and the `ETag` of the answer is what `If-Match` takes. Needs `artifacts:read` and `containers:read`, " +
    "too, and for variables of the environment the permission that revealing the container needs, and a recent sign-in.",
  headers: ["If-Match"],
  permission: "workspaces:files",
  subject: "found",
  params: z.object({
    id: text(200).describe("The workspace's id"),
    name: text(300).describe("The unit's name or id"),
  }),
  query: z.object({ preview: flag.describe("Show the change, and save nothing").default(false) }),
  body: SettleRequest,
  particulars: ({ body }) => ({ container: body.container, fields: body.fields.join(" ").slice(0, 1_000) }),
  answers: {
    200: json(SettledFile, "The file, with its secrets masked"),
    ...problems(
      "forbidden",
      "invalid_request",
      "workspace_not_found",
      "workspace_unavailable",
      "artifact_not_found",
      "ambiguous_name",
      "engine_unavailable",
      "cannot_settle",
      "tag_required",
      "file_changed",
      "file_not_found",
      "file_not_written",
      "disk_full",
      "not_editable",
      "sign_in_again",
      "store_unavailable",
    ),
  },
});

type SettlingOptions = Pick<ArtifactsOptions, "runtime" | "sights" | "digests"> & {
  readonly registry: Pick<
    Registry,
    "model" | "comparedModel" | "models" | "overlaid" | "hashOf" | "mustBeEditable" | "parsed"
  >;
  readonly editor: Pick<FileEditor, "put">;
};

/** The fields of one container, and the files as they are. */
interface Found {
  readonly model: Model;
  readonly unit: Unit;
  readonly container: InspectedContainer;
  readonly scene: SettleScene;
}

export function settling(options: SettlingOptions): CoreRouter {
  const { registry, editor } = options;
  return router().on(settle, async (call) => {
    const { params: { id }, query: { preview }, body, principal, reach, request } = call;
    const readable = reachOf(principal, "artifacts:read");
    if (!reach.has({ workspace: id }) || !readable.has({ workspace: id })) throw unknownWorkspace();
    await registry.mustBeEditable(id);
    const mustBeCurrent = preview ? null : currentFor(request);
    const found = await foundBy(call, options);
    const { settled, left } = await settledBy(found, body.fields, { id, registry });
    const file = settled.splices[0]!.file; // a change has one at least
    if (mustBeCurrent !== null) {
      await mustBeCurrent(file, await registry.model(id));
      const { kind, id: by, name } = principal;
      const writing = { workspace: id, path: file.path, by: { kind, id: by, name }, mustBeCurrent };
      await editor.put(writing, settled.text);
    }
    const after = await registry.parsed(id, file.path, file.kind, settled.text);
    const { fileText } = await import("../artifacts/report/file_text.ts");
    const [old, now] = [fileText(file, null).text, fileText(after, null).text];
    return reply(200, {
      ...fileText(after, null),
      changes: [...linesThatDiffer(old, now)],
      left: [...left],
      saved: !preview,
    }, {
      etag: etagOf(await textOf(preview ? file : after, preview ? await registry.model(id) : null, false)),
    });
  });
}

/** Throws `artifact_not_found`, `engine_unavailable` and `forbidden`. */
async function foundBy(
  call: Call<{ id: string; name: string }, unknown, z.output<typeof SettleRequest>>,
  options: SettlingOptions,
): Promise<Found> {
  const { params: { id, name }, body, principal } = call;
  const { registry, sights } = options;
  const model = await findComparedModel(registry, id, reachOf(principal, "artifacts:read"));
  const unit = await find(model, "unit", name);
  const engines = options.runtime();
  const own = await ownSide(options, id);
  const { view } = await lookAt(model, { ...options, runtime: engines, principal, own, only: [unit.id] });
  if (engines === null || view === null) {
    throw new ServiceError("engine_unavailable", "Cannot settle the difference: no container can be seen");
  }
  const row = view.containers.get(unit.id)?.find((one) =>
    one.id === body.container || one.name === body.container
  );
  const runtime = runtimeSeen(engines, sights.of(reachOfRunning(principal)));
  const container = row === undefined ? null : await runtime.inspect(row.id, row.backend);
  if (row === undefined || container === null) {
    throw new ServiceError(
      "artifact_not_found",
      `Cannot settle the difference: "${unit.name}" has no container "${body.container}"`,
    );
  }
  if (body.fields.some((field) => field.startsWith("environment"))) {
    mustHold([row], principal, sights, runtime.permissionFor("revealContainer"));
    await call.mustBeProved();
  }
  const [containers, holdings] = await Promise.all([runtime.containers(), runtime.holdings()]);
  return { model, unit, container, scene: { runtime, containers, holdings, own } };
}

/** Throws `cannot_settle` unless the new text settles these fields and nothing else is another by it. */
async function settledBy(
  { model, unit, container, scene }: Found,
  fields: readonly string[],
  { id, registry }: { readonly id: string; readonly registry: SettlingOptions["registry"] },
): Promise<{ readonly settled: Settled; readonly left: readonly string[] }> {
  const [{ settle, cannotSettle, otherChange }, { differencesIn, aroundOf }] = await Promise.all([
    import("../projects/adopt/settle.ts"),
    import("../projects/adopt/settle_scene.ts"),
  ]);
  const before = await differencesIn(model, unit.id, container, scene) ?? [];
  const meant = fields.map((field) => {
    const one = before.find((difference) => difference.field === field);
    if (one === undefined) {
      throw cannotSettle(unit, { field, at: unit.source }, "there is no such difference any more");
    }
    return one;
  });
  const group = model.groups.find((one) => one.id === unit.group)!; // it has a service
  const defaults = await scene.runtime.engineDefaults(container.backend);
  const settled = settle(unit, meant, container, aroundOf(group, unit, container, { ...scene, defaults }));
  const { file } = settled.splices[0]!; // as `settle` promises
  const after = await registry.overlaid(id, { [file.path]: settled.text });
  const [first] = meant; // one at least, by the request
  const other = otherChange(model, after, unit);
  if (other !== null) throw cannotSettle(unit, first!, other);
  const now = await differencesIn(after, unit.id, container, scene);
  if (now === null) throw cannotSettle(unit, first!, "berth could not read the new text");
  const left = now.map(({ field }) => field);
  const still = meant.find(({ field }) => left.includes(field));
  if (still !== undefined) {
    throw cannotSettle(unit, still, "it would still differ: something else decides the value");
  }
  const fresh = now.find(({ field }) => !before.some((one) => one.field === field));
  if (fresh !== undefined) throw cannotSettle(unit, first!, `"${fresh.field}" would differ then`);
  return { settled, left };
}

/** Returns the stretch of lines between what both texts begin and end with. */
function* linesThatDiffer(before: string, after: string) {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let [end, other] = [old.length, now.length];
  while (end > start && other > start && old[end - 1] === now[other - 1]) [end, other] = [end - 1, other - 1];
  if (end === start && other === start) return;
  yield {
    line: start + 1,
    before: old.slice(start, end).join("\n"),
    after: now.slice(start, other).join("\n"),
  };
}
