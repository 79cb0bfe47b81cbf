/** The acts of an apply on its engine: a replica that may have lost the apply changes nothing. */

import type { EngineActs } from "../../core/engine_acts.ts";

/** `assertHeld` is waited for before each change. */
export function ownedActs(acts: EngineActs, assertHeld: () => Promise<void>): EngineActs {
  const held = <Given extends unknown[], Answer>(act: (...given: Given) => Promise<Answer>) =>
  async (
    ...given: Given
  ): Promise<Answer> => {
    await assertHeld();
    return await act(...given);
  };
  return {
    isAway: (error) => acts.isAway(error),
    find: (container) => acts.find(container),
    lastWords: (id, lines) => acts.lastWords(id, lines),
    checkHealth: (id) => acts.checkHealth(id),
    network: (name) => acts.network(name),
    usersOf: (network) => acts.usersOf(network),
    volume: (name) => acts.volume(name),
    imageId: (reference) => acts.imageId(reference),
    create: held((name, spec) => acts.create(name, spec)),
    copy: held((id, files) => acts.copy(id, files)),
    start: held((id) => acts.start(id)),
    stop: held((id, grace) => acts.stop(id, grace)),
    kill: held((id) => acts.kill(id)),
    restart: held((id, grace) => acts.restart(id, grace)),
    rename: held((id, name) => acts.rename(id, name)),
    remove: held((id) => acts.remove(id)),
    update: held((id, spec) => acts.update(id, spec)),
    run: held((id, order) => acts.run(id, order)),
    createNetwork: held((spec) => acts.createNetwork(spec)),
    removeNetwork: held((name) => acts.removeNetwork(name)),
    connect: held((id, network) => acts.connect(id, network)),
    disconnect: held((id, network) => acts.disconnect(id, network)),
    createVolume: held((spec) => acts.createVolume(spec)),
    removeVolume: held((name) => acts.removeVolume(name)),
    pull: held((order) => acts.pull(order)),
    build: held((order) => acts.build(order)),
    tag: held((id, reference) => acts.tag(id, reference)),
  };
}
