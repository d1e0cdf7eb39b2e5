/**
 * Parses the FailedScheduling event of the controller into refusals. The phrases are those of Karpenter, so this also
 * works for clusters that run upstream Karpenter. They take precedence over a plan: only the controller knows which sizes
 * the cloud has, which offerings are unavailable and which NodeClaims are in flight.
 */
import type { RefusalFact } from '../../causes/index.ts';
import type { ReadEvent } from './events.ts';

/** The controller repeats the event about every five minutes. */
export const FRESH_MS = 11 * 60_000;

export function controllerRefusals(events: readonly ReadEvent[], nowMs: number): readonly RefusalFact[] {
  const event = lastDecision(events);
  if (event?.reason !== 'FailedScheduling' || nowMs - event.lastMs > FRESH_MS) return [];
  const text = event.message.replace(/^Failed to schedule pod, /, '');
  return partsOf(text).map((part): RefusalFact => {
    const nodePool = (INCOMPATIBLE.exec(part) ?? AT_LIMIT.exec(part))?.[1];
    return {
      code: PHRASES.find(({ says }) => says.test(part))?.code ?? 'ToldByController',
      facts: {},
      text: part.replace(/^incompatible with nodepool "[^"]+", /, ''),
      ...(nodePool === undefined ? {} : { nodePool }),
    };
  });
}

/** What the controller said last about the pod: that it has a node or a claim for it, or none. */
export function lastDecision(events: readonly ReadEvent[]): ReadEvent | undefined {
  return events.findLast(
    ({ reason, component }) =>
      (reason === 'Nominated' || reason === 'FailedScheduling') && /karpenter|chandler/.test(component),
  );
}

// ---------------------------------------------------------------------------------------------------

const INCOMPATIBLE = /^incompatible with nodepool "([^"]+)"/;
const AT_LIMIT =
  /^(?:all available instance types exceed limits|node limits have been exhausted) for nodepool: "([^"]+)"/;

/** One of each NodePool that was planned. Those that were left out count only if there is nothing else. */
function partsOf(text: string): readonly string[] {
  const all = text.split(
    /; (?=incompatible with nodepool |nodepool "[^"]+" is left out|all available instance types exceed limits|node limits have been exhausted)/,
  );
  const planned = all.filter((part) => !LEFT_OUT.test(part));
  return planned.length > 0 ? planned : [text];
}

const LEFT_OUT = /^nodepool "[^"]+" is left out/;

/** The first row that applies is used. */
const PHRASES: readonly { readonly says: RegExp; readonly code: string }[] = [
  // Without usable pools, only the excluded ones are named.
  { says: /no dynamic nodepools found|^nodepool "[^"]+" is left out/, code: 'NoPools' },
  { says: /no available offering/, code: 'NoOffering' },
  { says: /filtered out all available instance types/, code: 'PoolWithoutTypes' },
  { says: /exceed limits for nodepool|node limits have been exhausted/, code: 'LimitExceeded' },
  { says: /minValues requirement is not met/, code: 'MinValuesUnmet' },
  { says: /compatible reserved offerings/, code: 'ReservedOnly' },
  { says: /checking host port usage/, code: 'HostPortTaken' },
  { says: /would exceed volume limit/, code: 'VolumeLimit' },
  { says: /unsatisfiable topology constraint/, code: 'TopologyUnsatisfiable' },
  { says: /did not tolerate taint/, code: 'TaintNotTolerated' },
  { says: /does not have known values/, code: 'LabelUndefined' },
  {
    says: /PersistentVolumeClaim \S+: (?:storage class missing|no storage class)|getting storage class /,
    code: 'StorageClassMissing',
  },
  { says: /PersistentVolumeClaim \S+: volume |getting persistent volume /, code: 'VolumeMissing' },
  // Volumes that wait are seen where they are; the row about them says more.
  { says: /PersistentVolumeClaim \S+: (?:binds at once|not yet bound)/, code: 'VolumeUnbound' },
  { says: /PersistentVolumeClaim \S+: |persistent volume claim/i, code: 'VolumeClaimMissing' },
  { says: /cannot be (asked for|required), because no (new )?node/, code: 'RestrictedLabel' },
  { says: /matchFields is not supported/, code: 'MatchFields' },
  { says: /Dynamic Resource Allocation requirements/, code: 'ResourceClaims' },
  { says: /required offering met the scheduling requirements/, code: 'NoTypeMeetsAll' },
  { says: /had a required offering|has the required offering/, code: 'NoOffering' },
  { says: /enough resources|had the required resources|not enough \S+: /, code: 'ResourceInsufficient' },
  { says: /met all requirements|offering tuple/, code: 'NoTypeMeetsAll' },
  { says: /^(?:spec|status)[\w.[\]/-]*: /, code: 'InvalidPod' },
  { says: /incompatible (?:volume )?requirements/, code: 'RequirementIncompatible' },
];
