/**
 * When the cluster is stable, every pod that can run is running, and the last event on every other pod is a
 * correct refusal: it names each ready pool with a reason that is true.
 */
import type { ObservedObject } from '../server-state/kube-state.ts';
import { type Check, cores, cpuOfPod, isTrue, type MakeCheck, ownerKind, type View } from './check.ts';
import { activeClaims, coresOf } from './limits.ts';

export const podsRunOrAreExplained: MakeCheck = (view): Check => {
  /** Some offering was unavailable and is cached as such. */
  let soldOut = false;
  return {
    name: 'every pod runs or is explained',
    periodically() {
      const { cloud } = view.servers;
      soldOut ||= cloud.faults().some(({ name, struck }) => struck > 0 && cloud.takesCapacity(name));
    },
    atRest() {
      for (const pod of view.kube.list('pods').filter(isWaiting)) {
        const { name } = pod.metadata;
        const pool = poolThatCould(view, pod);
        if (pool !== undefined) {
          view.violated(this.name, `pod ${name} is pending, and pool ${pool} could launch a node for it`);
          continue;
        }
        const event = lastEvent(view, pod);
        if (event?.reason !== 'FailedScheduling')
          view.violated(
            this.name,
            `pod ${name} is pending, and its last event is ${event?.reason}: ${event?.message}`,
          );
        else {
          const wrong = falseStatement(view, pod, event.message, soldOut);
          if (wrong !== undefined)
            view.violated(this.name, `the event on pod ${name} says "${event.message}", but ${wrong}`);
        }
      }
    },
  };
};

export function isWaiting(pod: ObservedObject): boolean {
  return (
    pod.spec.nodeName === undefined &&
    pod.status?.phase === 'Pending' &&
    pod.metadata.deletionTimestamp === undefined &&
    ownerKind(pod) !== 'DaemonSet'
  );
}

/** A pool that is ready, compatible, and within its limit after launching a node for the pod. */
export function poolThatCould(view: View, pod: ObservedObject): string | undefined {
  return view.kube
    .list('pools')
    .find((pool) => isReady(pool) && isCompatible(view, pool, pod) && hasRoom(view, pool, pod))?.metadata
    .name;
}

// ---------------------------------------------------------------------------------------------------

/** The share of the cores that is available to pods: 1.9 of two, 3.86 of four. */
const USABLE = 0.95;

function isReady(pool: ObservedObject): boolean {
  return pool.metadata.deletionTimestamp === undefined && isTrue(pool, 'Ready');
}

function isCompatible({ story }: View, pool: ObservedObject, pod: ObservedObject): boolean {
  const { metadata, spec } = pool.spec.template;
  const tolerates = (pod.spec.tolerations ?? []).some(({ key }: { key?: string }) => key === 'dedicated');
  if ((spec.taints ?? []).length > 0 && !tolerates) return false;
  return Object.entries((pod.spec.nodeSelector ?? {}) as Record<string, string>).every(([key, value]) => {
    if (key === 'topology.kubernetes.io/zone') return story.zones.includes(value);
    if (key === 'kubernetes.io/arch') return value === 'amd64';
    return metadata?.labels?.[key] === value;
  });
}

function hasRoom(view: View, pool: ObservedObject, pod: ObservedObject): boolean {
  const limit = pool.spec.limits?.cpu as string | undefined;
  const used = activeClaims(view, pool.metadata.name!).reduce((sum, claim) => sum + coresOf(view, claim), 0);
  const room = limit === undefined ? Number.POSITIVE_INFINITY : cores(limit) - used;
  const daemons = 0.1;
  return view.servers.cloud.types.some(
    ({ cores: own }) => own <= Math.min(room, 16) && cpuOfPod(pod) + daemons <= own * USABLE,
  );
}

interface PodEvent {
  readonly reason: string;
  readonly message: string;
}

function lastEvent({ kube }: View, pod: ObservedObject): PodEvent | undefined {
  const events = kube
    .list('events')
    .map((event) => event as unknown as PodEvent & EventFields)
    .filter(
      ({ source, involvedObject }) =>
        source?.component === 'karpenter' && involvedObject?.uid === pod.metadata.uid,
    );
  events.sort((one, other) => timeOf(one) - timeOf(other) || revisionOf(one) - revisionOf(other));
  return events.at(-1);
}

interface EventFields {
  readonly source?: { readonly component?: string };
  readonly involvedObject?: { readonly uid?: string };
  readonly lastTimestamp?: string;
  readonly metadata: { readonly resourceVersion?: string };
}

/** Times are whole seconds; within one second the resource version decides. */
function timeOf({ lastTimestamp = '' }: EventFields): number {
  return Date.parse(lastTimestamp);
}

function revisionOf({ metadata }: EventFields): number {
  return Number(metadata.resourceVersion);
}

/** Each ready pool must be named, and the reason given for it must be true. */
function falseStatement(
  view: View,
  pod: ObservedObject,
  message: string,
  soldOut: boolean,
): string | undefined {
  const ready = view.kube.list('pools').filter(isReady);
  for (const pool of ready) {
    const { name } = pool.metadata;
    const said = new RegExp(`nodepool "${name}", ([^;]*(?:; (?!incompatible with nodepool)[^;]*)*)`).exec(
      message,
    )?.[1];
    if (said === undefined) return `pool ${name} is not mentioned`;
    const limited = /limit/.test(said);
    if (limited && pool.spec.limits === undefined) return `pool ${name} has no limits`;
    if (/taint/.test(said) && (pool.spec.template.spec.taints ?? []).length === 0)
      return `pool ${name} has no taints`;
    const unsold = /no available offering/.test(said);
    if (unsold && !soldOut) return `no offering was ever unavailable`;
    if (!limited && !unsold && isCompatible(view, pool, pod) && fits(pod))
      return `pool ${name} is compatible`;
  }
  for (const [, name] of message.matchAll(/incompatible with nodepool "([^"]+)"/g))
    if (!ready.some(({ metadata }) => metadata.name === name)) return `pool ${name} is not ready`;
  return undefined;
}

function fits(pod: ObservedObject): boolean {
  return cpuOfPod(pod) + 0.1 <= 16 * USABLE && (pod.spec.topologySpreadConstraints ?? []).length === 0;
}
