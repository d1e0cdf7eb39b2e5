/**
 * No runaway: no more claims than pods that needed a place, and no shape that is made and given up over and over. A pod that
 * the scheduler put elsewhere than it was meant to go may have taken another one's place, which then is needed once more.
 */
import type { TruthChange, TruthObject } from '../truth/kube-truth.ts';
import {
  type Check,
  couldNotBootstrap,
  isTrue,
  type MakeCheck,
  nodePoolOf,
  ownerKind,
  type View,
} from './check.ts';

/** How often claims of one shape may come to nothing in one story. */
const FAILURES_OF_A_SHAPE = 30;

export const launchesAreBounded: MakeCheck = (view): Check => {
  const needy = new Set<string>();
  const made = new Set<string>();
  /** Claims that went without ever having become a node. */
  const lost = new Set<string>();
  const failures = new Map<string, number>();
  /** The claim a pod was last told to wait for, by the pod's UID. */
  const meant = new Map<string, string>();
  const onClaim = (check: Check, type: TruthChange['type'], object: TruthObject) => {
    const uid = object.metadata.uid!;
    if (type === 'ADDED') made.add(uid);
    if (!goes(type, object)) return;
    for (const pod of podsOf(view, object)) needy.add(`${pod.metadata.uid} moves`);
    // Until its node is ready no pod has got its place there.
    if (lost.has(uid) || isTrue(object, 'Initialized')) return;
    lost.add(uid);
    if (isTrue(object, 'Registered')) return;
    const shape = `${nodePoolOf(object)} ${JSON.stringify(object.spec.resources?.requests)}`;
    const count = (failures.get(shape) ?? 0) + 1;
    failures.set(shape, count);
    if (count > FAILURES_OF_A_SHAPE)
      view.violated(check.name, `${count} claims of the shape ${shape} came to nothing`);
  };
  return {
    name: 'launches are bounded',
    onKube({ kind, type, object }) {
      if (kind === 'events') noteNomination(meant, object);
      if (kind === 'pods') for (const need of needsOf(view, object, meant)) needy.add(need);
      if (kind === 'daemonSets' && type === 'ADDED') for (const need of needsBeside(view)) needy.add(need);
      if (kind === 'claims') onClaim(this, type, object);
    },
    sometimes() {
      if (made.size > needy.size + lost.size)
        view.violated(
          this.name,
          `${made.size} claims were made, ${needy.size} pods needed a place, ${lost.size} claims came to nothing`,
        );
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function goes(type: TruthChange['type'], claim: TruthObject): boolean {
  return type === 'DELETED' || claim.metadata.deletionTimestamp !== undefined || couldNotBootstrap(claim);
}

/** A pod without a place needs one; so will a pod on a node that goes, though it has one. */
function needsOf({ kube }: View, pod: TruthObject, meant: ReadonlyMap<string, string>): readonly string[] {
  if (ownerKind(pod) === 'DaemonSet') return [];
  const { uid } = pod.metadata;
  if (pod.spec.nodeName === undefined) return [uid!];
  const node = kube.get('nodes', pod.spec.nodeName);
  const elsewhere = pod.spec.nodeName === `aks-${meant.get(uid!)}` ? [] : [`${uid} elsewhere`];
  return node?.metadata.deletionTimestamp === undefined ? elsewhere : [`${uid} moves`, ...elsewhere];
}

function podsOf({ kube }: View, claim: TruthObject): readonly TruthObject[] {
  const { nodeName } = claim.status ?? {};
  return nodeName === undefined ? [] : kube.list('pods').filter(({ spec }) => spec.nodeName === nodeName);
}

/** What a new daemon takes from a machine that is on its way may leave too little for the pod it was meant for. */
function needsBeside({ kube }: View): readonly string[] {
  return kube
    .list('pods')
    .filter((pod) => pod.spec.nodeName === undefined && ownerKind(pod) !== 'DaemonSet')
    .map(({ metadata }) => `${metadata.uid} beside a daemon`);
}

function noteNomination(meant: Map<string, string>, object: TruthObject): void {
  const event = object as unknown as { reason?: string; message?: string; involvedObject?: { uid?: string } };
  const [, claim] = /nodeclaim\/([a-z0-9-]+)/.exec(event.message ?? '') ?? [];
  if (event.reason === 'Nominated' && claim !== undefined) meant.set(event.involvedObject?.uid ?? '', claim);
}
