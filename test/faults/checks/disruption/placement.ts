/**
 * Pods of consolidated nodes have a place: at the moment of the command they fit on the other nodes and on the
 * replacements. It is checked when the first node is deleted, since only then the replacements are known, with the
 * pods and the free capacity of the moment when the nodes were marked. Only where processes are certain of the state.
 */
import type { Mark } from '../../server-state/disruption-marks.ts';
import type { ObservedObject } from '../../server-state/kube-state.ts';
import { type Check, isTrue, type MakeCheck, ownerKind, type View } from '../check.ts';
import { isCertain, removedClaim } from './commands.ts';
import { isActive, isProtectedPod, isTainted, moves, podsOn } from './facts.ts';
import { type Room, roomOn, unplaced } from './packing.ts';

export const consolidatedPodsFit: MakeCheck = (view): Check => {
  const situations = new Map<string, Situation>();
  const boundMs = new Map<string, number>();
  const nowMs = () => view.servers.world.clock.monotonic();
  const isKnown = ({ metadata }: ObservedObject) =>
    nowMs() - (boundMs.get(metadata.uid!) ?? nowMs()) > view.unseenMs;
  return {
    name: 'consolidated pods fit',
    onKube({ kind, type, object }) {
      if (kind !== 'pods') return;
      const { uid } = object.metadata;
      if (type === 'DELETED') boundMs.delete(uid!);
      else if (object.spec.nodeName !== undefined && !boundMs.has(uid!)) boundMs.set(uid!, nowMs());
    },
    onMark(mark) {
      const { command, reason } = mark;
      if (command === undefined || reason !== 'Underutilized' || !isCertain(view)) return;
      const known = situations.get(command.id) ?? { rooms: new Map(), pods: new Map() };
      situations.set(command.id, known);
      for (const pod of movingPods(view, mark).filter(isKnown)) known.pods.set(pod.metadata.uid!, pod);
      // Until the last node of the command is marked, some of these are nodes of the command itself.
      known.rooms = roomsOf(view, isKnown);
    },
    onArrival(traffic) {
      const removed = removedClaim(view, traffic);
      const situation = removed === undefined ? undefined : situations.get(removed.command.id);
      if (removed === undefined || situation === undefined) return undefined;
      situations.delete(removed.command.id);
      const launched = removed.command.launches.flatMap((name) => replacementRoom(view, name) ?? []);
      if (launched.length < removed.command.launches.length) return undefined;
      const homeless = unplaced([...situation.pods.values()], [...situation.rooms.values(), ...launched]);
      if (homeless.length > 0)
        view.violated(
          this.name,
          `${homeless.map(({ metadata }) => metadata.name).join(', ')} fit nowhere when ${removed.claim.metadata.name} is removed by ${removed.command.id}`,
        );
      return undefined;
    },
  };
};

// ---------------------------------------------------------------------------------------------------

interface Situation {
  rooms: ReadonlyMap<string, Room>;
  readonly pods: Map<string, ObservedObject>;
}

function movingPods(view: View, { node }: Mark): readonly ObservedObject[] {
  const nowMs = view.servers.world.clock.now();
  return podsOn(view, node).filter((pod) => moves(pod) && !isProtectedPod(pod, nowMs));
}

/** Nodes that stay, with the pods that a process knows on them. */
function roomsOf(view: View, isKnown: (pod: ObservedObject) => boolean): ReadonlyMap<string, Room> {
  const leaving = new Set(view.marks.list().map(({ node }) => node));
  const staying = view.kube
    .list('nodes')
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !leaving.has(metadata.name!))
    .filter((node) => isTrue(node, 'Ready') && !isTainted(node));
  return new Map(
    staying.map((node) => {
      const pods = podsOn(view, node.metadata.name!).filter((pod) => isActive(pod) && isKnown(pod));
      return [node.metadata.name!, roomOn(node, pods)];
    }),
  );
}

/** Empty but for the pods of DaemonSets. */
function replacementRoom(view: View, claimName: string): Room | undefined {
  const node = view.kube.get('nodes', view.kube.get('claims', claimName)?.status?.nodeName ?? '');
  if (node === undefined) return undefined;
  const daemons = podsOn(view, node.metadata.name!).filter((pod) => ownerKind(pod) === 'DaemonSet');
  return roomOn(node, daemons.filter(isActive));
}
