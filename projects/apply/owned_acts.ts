/** The acts of an apply on its engine: a replica that may have lost the apply changes nothing. */

import type { EngineActs } from "../../core/engine_acts.ts";
import type { StackActs } from "../../core/stack_acts.ts";

type AssertHeld = () => Promise<void>;

const heldBy =
  (assertHeld: AssertHeld) =>
  <Given extends unknown[], Answer>(act: (...given: Given) => Promise<Answer>) =>
  async (
    ...given: Given
  ): Promise<Answer> => {
    await assertHeld();
    return await act(...given);
  };

/** `assertHeld` is waited for before each change. */
export function ownedActs(acts: EngineActs, assertHeld: AssertHeld): EngineActs {
  const held = heldBy(assertHeld);
  return {
    isAway: (error) => acts.isAway(error),
    find: (container) => acts.find(container),
    lastWords: (id, lines) => acts.lastWords(id, lines),
    checkHealth: (id) => acts.checkHealth(id),
    network: (name) => acts.network(name),
    networkNow: (name) => acts.networkNow(name),
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
    recreateNetwork: held((spec) => acts.recreateNetwork(spec)),
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

/** The same for the acts on a swarm. */
export function ownedStackActs(acts: StackActs, assertHeld: AssertHeld): StackActs {
  const held = heldBy(assertHeld);
  return {
    isAway: (error) => acts.isAway(error),
    service: (name) => acts.service(name),
    differences: (service, declared) => acts.differences(service, declared),
    tasks: (id) => acts.tasks(id),
    hasTasks: (id) => acts.hasTasks(id),
    isSame: (one, other) => acts.isSame(one, other),
    gone: (definition) => acts.gone(definition),
    gained: (definition, held, isOwn) => acts.gained(definition, held, isOwn),
    createService: held((spec, files, loginFor) => acts.createService(spec, files, loginFor)),
    updateService: held((service, spec, files, loginFor) =>
      acts.updateService(service, spec, files, loginFor)
    ),
    restoreService: held((service, definition, loginFor) =>
      acts.restoreService(service, definition, loginFor)
    ),
    removeService: held((id, name) => acts.removeService(id, name)),
    createNetwork: held((spec) => acts.createNetwork(spec)),
    removeNetwork: held((id, name) => acts.removeNetwork(id, name)),
    createFile: held((kind, file) => acts.createFile(kind, file)),
    removeFile: held((kind, id, name) => acts.removeFile(kind, id, name)),
  };
}
