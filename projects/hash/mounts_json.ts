/** Writes the volumes of a service as Docker Compose does. */
import type { Mount } from "../../artifacts/artifact.ts";
import { cleanTarget } from "../../artifacts/compose/clean_path.ts";
import { textOf, truthOf, valueAt } from "../../artifacts/yaml/values.ts";
import type { Declared } from "../fields/field.ts";
import { sourceOf } from "../fields/mount_sources.ts";
import { shortOptionsOf } from "../fields/mounts.ts";
import { type Json, NoForm, object, sure, under } from "./go_json.ts";
import { type Around, bytes, flag, type HashForm, inside, number, text, type Writer } from "./writer.ts";

const tmpfsOptions: Writer = (node, of, around) =>
  object({ size: inside(node, "size", bytes, of, around), mode: inside(node, "mode", number, of, around) });
const imageOptions: Writer = (node, of, around) =>
  object({ subpath: inside(node, "subpath", text, of, around) });

function volumeOptions(mount: Mount, isShort: boolean, of: Declared, around: Around): Json | undefined {
  if (isShort) return shortOptionsOf(mount.at).includes("nocopy") ? { nocopy: true } : {};
  return inside(
    mount.at,
    "volume",
    (node) =>
      object({
        nocopy: inside(node, "nocopy", flag, of, around),
        subpath: inside(node, "subpath", text, of, around),
      }),
    of,
    around,
  );
}

export const volumes: Writer = (_node, of, around) => {
  const { form } = around;
  const list = of.service.mounts.map((mount, n) =>
    under(String(n), mount.at, () => {
      if (mount.unknown || mount.invalid !== null) throw new NoForm();
      const isShort = mount.at.kind === "scalar";
      return object({
        type: mount.type,
        source: mount.type === "bind" ? sure(sourceOf(of, mount).real) : mount.source || undefined,
        target: cleanTarget(sure(mount.target)),
        read_only: mount.readOnly || undefined,
        consistency: isShort ? undefined : textOf(valueAt(mount.at, "consistency")) || undefined,
        bind: mount.type === "bind" ? bindOptions(mount, isShort, form) : undefined,
        volume: mount.type === "volume" ? volumeOptions(mount, isShort, of, around) : undefined,
        tmpfs: mount.type === "tmpfs" ? inside(mount.at, "tmpfs", tmpfsOptions, of, around) : undefined,
        image: mount.type === "image" ? inside(mount.at, "image", imageOptions, of, around) : undefined,
      });
    })
  );
  return list.length === 0 ? undefined : list;
};

/** From 5.0 on Compose does not write what it takes for granted. */
function bindOptions(mount: Mount, isShort: boolean, form: HashForm): Json | undefined {
  const written = isShort ? null : valueAt(mount.at, "bind");
  if (!isShort && written === null) return undefined;
  const creates = isShort || truthOf(valueAt(written, "create_host_path")) === true;
  const isRefused = !isShort && truthOf(valueAt(written, "create_host_path")) === false;
  const words = isShort ? shortOptionsOf(mount.at) : [];
  const option = (key: string, isWord: (word: string) => boolean) =>
    isShort ? words.find(isWord) : textOf(valueAt(written, key)) || undefined;
  return object({
    selinux: option("selinux", (word) => word === "z" || word === "Z"),
    propagation: option("propagation", (word) => /^r?(?:shared|slave|private)$/.test(word)),
    create_host_path: form === "a" ? creates || undefined : isRefused ? false : undefined,
    recursive: option("recursive", () => false),
  });
}
