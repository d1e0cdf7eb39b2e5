/**
 * Reads a snapshot into the input of the bound, with slots only for the resources that some pod requests. Volumes count as
 * a resource where new nodes have a limit on them.
 */
import { Kept } from '../engine/kept.ts';
import { limitedDrivers, typeListsOf } from '../engine/type-limits.ts';
import type { SchedulingInput } from '../model.ts';
import type { Algebra } from '../requirements/algebra.ts';
import { ATTACHMENT_PREFIX, type Resources } from '../resources.ts';
import { admit } from '../shapes/validate-input.ts';
import { VolumeIndex } from '../volumes/volume-index.ts';
import type { BoundInput } from './bound-input.ts';
import { readFreeCapacity } from './free-capacity.ts';
import { readNewNodes } from './new-nodes.ts';
import { mergeEqual, readDemands } from './placements.ts';
import { divided } from './zonal-split.ts';

/** @param kept of a planner that has planned the same input: what it has read is not read again. */
export function readBoundInput(
  given: SchedulingInput,
  except: ReadonlySet<string>,
  kept: Kept = new Kept(),
): BoundInput {
  const { input } = admit(given, kept, []);
  const { algebra, resources } = kept;
  const volumes = volumesOf(algebra, resources, input);
  const { placements, demands, spreads } = readDemands({ algebra, resources, volumes, input, except });
  const newNodes = readNewNodes(kept, input, placements, volumes);
  const slots = Array.from({ length: resources.count }, (_, slot) => slot);
  const attachments = slots.filter((slot) => resources.name(slot).startsWith(ATTACHMENT_PREFIX));
  // How many volumes existing nodes could still attach is not read.
  const freeCapacity = readFreeCapacity(algebra, resources, input, placements).map((group) => ({
    ...group,
    room: withInfinite(group.room, attachments),
    largest: withInfinite(group.largest, attachments),
  }));
  const all = mergeEqual([
    ...demands,
    ...spreads.flatMap((spread) => divided(spread, newNodes, freeCapacity)),
  ]);
  const totals = slots.map((slot) =>
    all.reduce((sum, { amounts, count }) => sum + (amounts[slot] ?? 0) * count, 0),
  );
  const asked = slots.filter((slot) => totals[slot]! > 0);
  // What has no limit has room for everything.
  const only = (amounts: readonly number[]) =>
    asked.map((slot) => (amounts[slot] === Infinity ? totals[slot]! : (amounts[slot] ?? 0)));
  return {
    slotCount: asked.length,
    demands: all.map((demand) => ({ ...demand, amounts: only(demand.amounts) })),
    newNodes: newNodes.map((newNode) => ({ ...newNode, room: only(newNode.room) })),
    freeCapacity: freeCapacity.map((group) => ({
      ...group,
      room: only(group.room),
      largest: only(group.largest),
    })),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function volumesOf(algebra: Algebra, resources: Resources, input: SchedulingInput): VolumeIndex {
  const drivers = limitedDrivers(typeListsOf(input).values());
  const volumes = new VolumeIndex(algebra, resources, input.volumes, drivers);
  for (const pod of [...(input.boundPods ?? []), ...input.pods]) volumes.noteMounts(pod);
  return volumes;
}

function withInfinite(amounts: readonly number[], slots: readonly number[]): readonly number[] {
  const all = [...amounts];
  for (const slot of slots) {
    while (all.length <= slot) all.push(0);
    all[slot] = Infinity;
  }
  return all;
}
