/** An image is pulled: what is there of how much, until it is all there or somebody stops it. */
import { useEffect, useRef, useState } from "preact/hooks";
import { IMAGES_PULL, type PullFrame, type PullProgress } from "../../../client/berth/images.ts";
import { stream } from "../../../client/stream.ts";
import { client } from "../../live/session.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, Form } from "../../parts/form.tsx";
import { shown } from "../../parts/shown.ts";
import { Mark } from "../../parts/sign.tsx";
import { words } from "../../words/en_later.ts";

const TEXT = words.images;

type Layers = ReadonlyMap<string, PullProgress>;
type Ending = { readonly said: string } | { readonly failed: string };

export function Pull({ close, done }: { readonly close: () => void; readonly done: () => void }) {
  const [layers, setLayers] = useState<Layers | null>(null);
  const [ending, setEnding] = useState<Ending | null>(null);
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  const send = async ({ reference = "" }: Readonly<Record<string, string>>) => {
    setEnding(null);
    setLayers(new Map());
    const { signal } = stopping.current;
    const payload = { reference: reference.trim() };
    try {
      for await (
        const frame of stream(client, IMAGES_PULL, { as: "ndjson", method: "post", payload, signal })
      ) {
        const end = endingOf(frame);
        if (end !== null) setEnding(end);
        else if ("status" in frame && frame.layer !== null) {
          const { layer } = frame;
          setLayers((before) => new Map(before).set(layer, frame));
        }
      }
      done();
    } finally {
      setLayers(null);
    }
  };
  return (
    <Dialog title={TEXT.pull} onClose={close}>
      <Form
        submit={TEXT.submit}
        aside={
          <button type="button" class="button" onClick={close}>
            {layers === null ? words.close : TEXT.stop}
          </button>
        }
        send={send}
      >
        <Field label={TEXT.reference} name="reference" hint={TEXT.referenceHint} autofocus />
        {layers !== null && <Progress layers={layers} />}
        <p role="status">
          {ending !== null && ("said" in ending
            ? <Mark verdict="completed">{ending.said}</Mark>
            : <Mark verdict="broken">{ending.failed}</Mark>)}
        </p>
      </Form>
    </Dialog>
  );
}

function endingOf(frame: PullFrame): Ending | null {
  if ("error" in frame) return { failed: shown(frame.error.title) };
  if (!("done" in frame)) return null;
  const { reference, changed } = frame.done;
  return { said: changed ? TEXT.pulled(shown(reference)) : TEXT.unchanged(shown(reference)) };
}

function Progress({ layers }: { readonly layers: Layers }) {
  const known = [...layers.values()].filter(({ total }) => total !== null);
  const sum = (of: (layer: PullProgress) => number | null) =>
    known.reduce((all, layer) => all + (of(layer) ?? 0), 0);
  const [current, total] = [sum((layer) => layer.current), sum((layer) => layer.total)];
  const text = total === 0 ? TEXT.pulling : TEXT.progress(current, total);
  return (
    <label class="progress">
      {total === 0 ? <progress /> : <progress value={current} max={total} />}
      <span class="quiet">{text}</span>
    </label>
  );
}
