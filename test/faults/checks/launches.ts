/** No runaway: no more claims than pods that needed a place, and no shape that is made and given up over and over. */
import { type Check, isTrue, type MakeCheck, nodePoolOf, ownerKind } from './check.ts';

/** How often claims of one shape may come to nothing in one story. */
const FAILURES_OF_A_SHAPE = 30;

export const launchesAreBounded: MakeCheck = (view): Check => {
  const needy = new Set<string>();
  const made = new Set<string>();
  /** Claims that went without ever having become a node, and those that somebody else took away. */
  const lost = new Set<string>();
  const failures = new Map<string, number>();
  return {
    name: 'launches are bounded',
    onKube({ kind, type, object }) {
      const uid = object.metadata.uid!;
      if (kind === 'pods' && ownerKind(object) !== 'DaemonSet') {
        if (object.spec.nodeName === undefined) needy.add(uid);
        // A pod on a node that goes will need a place, though it has one.
        const node = view.kube.get('nodes', object.spec.nodeName ?? '');
        if (node?.metadata.deletionTimestamp !== undefined) needy.add(`${uid} moves`);
      }
      if (kind !== 'claims') return;
      if (type === 'ADDED') made.add(uid);
      if (object.metadata.deletionTimestamp === undefined) return;
      for (const pod of view.kube.list('pods'))
        if (pod.spec.nodeName !== undefined && pod.spec.nodeName === object.status?.nodeName)
          needy.add(`${pod.metadata.uid} moves`);
      if (lost.has(uid)) return;
      if (!isTrue(object, 'Registered')) {
        lost.add(uid);
        const shape = `${nodePoolOf(object)} ${JSON.stringify(object.spec.resources?.requests)}`;
        const count = (failures.get(shape) ?? 0) + 1;
        failures.set(shape, count);
        if (count > FAILURES_OF_A_SHAPE)
          view.violated(this.name, `${count} claims of the shape ${shape} came to nothing`);
      }
    },
    sometimes() {
      const bound = needy.size + lost.size;
      if (made.size > bound)
        view.violated(
          this.name,
          `${made.size} claims were made, ${needy.size} pods needed a place, ${lost.size} claims came to nothing`,
        );
    },
  };
};
