/**
 * At rest every pod that can run runs, and every other one has been told why not, truly: the last word of ours about it is
 * a refusal that names each pool that is ready, for a reason that holds.
 */
import type { TruthObject } from '../truth/kube-truth.ts';
import { type Check, cores, cpuOfPod, isTrue, type MakeCheck, ownerKind, type View } from './check.ts';
import { coresOf, standing } from './limits.ts';

export const everybodyRunsOrKnowsWhy: MakeCheck = (view): Check => {
  /** Something could not be bought: for a while it is not tried again. */
  let soldOut = false;
  return {
    name: 'everybody runs or knows why',
    sometimes() {
      const faults = view.servers.arm.faults.list();
      soldOut ||= faults.some(({ name, struck }) => struck > 0 && BUYING.test(name));
    },
    atRest() {
      for (const pod of view.kube.list('pods').filter(isWaiting)) {
        const { name } = pod.metadata;
        const pool = poolThatCould(view, pod);
        if (pool !== undefined) {
          view.violated(this.name, `${name} waits, and pool ${pool} could take it`);
          continue;
        }
        const word = lastWord(view, pod);
        if (word?.reason !== 'FailedScheduling')
          view.violated(this.name, `${name} waits, and its last word is ${word?.reason}: ${word?.message}`);
        else {
          const wrong = whatIsUntrue(view, pod, word.message, soldOut);
          if (wrong !== undefined)
            view.violated(this.name, `${name} was told "${word.message}", but ${wrong}`);
        }
      }
    },
  };
};

export function isWaiting(pod: TruthObject): boolean {
  return (
    pod.spec.nodeName === undefined &&
    pod.status?.phase === 'Pending' &&
    pod.metadata.deletionTimestamp === undefined &&
    ownerKind(pod) !== 'DaemonSet'
  );
}

/** A pool that is ready, compatible, and has room under its limit for a machine that would hold the pod. */
export function poolThatCould(view: View, pod: TruthObject): string | undefined {
  return view.kube
    .list('pools')
    .find((pool) => isReady(pool) && isCompatible(pool, pod) && hasRoom(view, pool, pod))?.metadata.name;
}

// ---------------------------------------------------------------------------------------------------

/** Faults of the ARM server after which a size counts as not to be had. */
const BUYING = /^(?:allocation|zonal-allocation|overconstrained|sku-not-available|quota|spot-evict)/;

/** What of a machine's cores pods surely get: 1.9 of two, 3.86 of four. */
const USABLE = 0.95;
const ZONES = ['eastus-1', 'eastus-2', 'eastus-3'];

function isReady(pool: TruthObject): boolean {
  return pool.metadata.deletionTimestamp === undefined && isTrue(pool, 'Ready');
}

function isCompatible(pool: TruthObject, pod: TruthObject): boolean {
  const { metadata, spec } = pool.spec.template;
  const tolerates = (pod.spec.tolerations ?? []).some(({ key }: { key?: string }) => key === 'dedicated');
  if ((spec.taints ?? []).length > 0 && !tolerates) return false;
  return Object.entries((pod.spec.nodeSelector ?? {}) as Record<string, string>).every(([key, value]) => {
    if (key === 'topology.kubernetes.io/zone') return ZONES.includes(value);
    if (key === 'kubernetes.io/arch') return value === 'amd64';
    return metadata?.labels?.[key] === value;
  });
}

function hasRoom(view: View, pool: TruthObject, pod: TruthObject): boolean {
  const limit = pool.spec.limits?.cpu as string | undefined;
  const used = standing(view, pool.metadata.name!).reduce((sum, claim) => sum + coresOf(view, claim), 0);
  const room = limit === undefined ? Number.POSITIVE_INFINITY : cores(limit) - used;
  const { sizes } = view.servers.azure.catalogue;
  const daemons = 0.1;
  return sizes.all.some(
    ({ vCpusAvailable }) =>
      vCpusAvailable <= Math.min(room, 16) && cpuOfPod(pod) + daemons <= vCpusAvailable * USABLE,
  );
}

interface Word {
  readonly reason: string;
  readonly message: string;
}

function lastWord({ kube }: View, pod: TruthObject): Word | undefined {
  const words = kube
    .list('events')
    .map((event) => event as unknown as Word & EventFields)
    .filter(
      ({ source, involvedObject }) =>
        source?.component === 'karpenter' && involvedObject?.uid === pod.metadata.uid,
    );
  words.sort((one, other) => timeOf(one) - timeOf(other) || revisionOf(one) - revisionOf(other));
  return words.at(-1);
}

interface EventFields {
  readonly source?: { readonly component?: string };
  readonly involvedObject?: { readonly uid?: string };
  readonly lastTimestamp?: string;
  readonly metadata: { readonly resourceVersion?: string };
}

/** Whole seconds: within one, the order of writing decides. */
function timeOf({ lastTimestamp = '' }: EventFields): number {
  return Date.parse(lastTimestamp);
}

function revisionOf({ metadata }: EventFields): number {
  return Number(metadata.resourceVersion);
}

/** Each ready pool must be named, with its own reason; what is said of limits must be so. */
function whatIsUntrue(view: View, pod: TruthObject, message: string, soldOut: boolean): string | undefined {
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
    if (unsold && !soldOut) return `nothing was ever sold out`;
    if (!limited && !unsold && isCompatible(pool, pod) && fits(pod)) return `pool ${name} is compatible`;
  }
  for (const [, name] of message.matchAll(/incompatible with nodepool "([^"]+)"/g))
    if (!ready.some(({ metadata }) => metadata.name === name)) return `pool ${name} is not ready`;
  return undefined;
}

function fits(pod: TruthObject): boolean {
  return cpuOfPod(pod) + 0.1 <= 16 * USABLE && (pod.spec.topologySpreadConstraints ?? []).length === 0;
}
