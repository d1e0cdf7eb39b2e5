/**
 * Parses the FailedScheduling event of the controller into refusals. The phrases are those of Karpenter, so this also
 * works for clusters that run upstream Karpenter. Used only if the planner finds no obstacle: only the controller knows
 * which offerings are unavailable and which NodeClaims are in flight.
 */
import type { RefusalFact } from '../../causes/index.ts';
import type { ReadEvent } from './events.ts';

/** The controller repeats the event about every five minutes. */
const FRESH_MS = 11 * 60_000;

export function controllerRefusals(events: readonly ReadEvent[], nowMs: number): readonly RefusalFact[] {
  const event = events.findLast(
    ({ reason, component, lastMs }) =>
      reason === 'FailedScheduling' && /karpenter|chandler/.test(component) && nowMs - lastMs <= FRESH_MS,
  );
  if (event === undefined) return [];
  const text = event.message.replace(/^Failed to schedule pod, /, '');
  return text.split(/; (?=incompatible with nodepool )/).map((part): RefusalFact => {
    const nodePool = /^incompatible with nodepool "([^"]+)"/.exec(part)?.[1];
    return {
      code: PHRASES.find(({ says }) => says.test(part))?.code ?? 'ToldByController',
      facts: {},
      text: part.replace(/^incompatible with nodepool "[^"]+", /, ''),
      ...(nodePool === undefined ? {} : { nodePool }),
    };
  });
}

// ---------------------------------------------------------------------------------------------------

const PHRASES: readonly { readonly says: RegExp; readonly code: string }[] = [
  { says: /no dynamic nodepools found/, code: 'NoPools' },
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
    says: /PersistentVolumeClaim \S+: (?:storage class missing|no storage class)/,
    code: 'StorageClassMissing',
  },
  { says: /PersistentVolumeClaim \S+: volume |getting persistent volume /, code: 'VolumeMissing' },
  // Volumes that wait are seen where they are; the row about them says more.
  { says: /PersistentVolumeClaim \S+: (?:binds at once|not yet bound)/, code: 'VolumeUnbound' },
  { says: /PersistentVolumeClaim \S+: |persistent volume claim/i, code: 'VolumeClaimMissing' },
  { says: /cannot be (asked for|required), because no (new )?node/, code: 'RestrictedLabel' },
  { says: /matchFields is not supported/, code: 'MatchFields' },
  { says: /had a required offering|has the required offering|required offering met/, code: 'NoOffering' },
  { says: /enough resources|had the required resources/, code: 'ResourceInsufficient' },
  { says: /met all requirements|offering tuple/, code: 'NoTypeMeetsAll' },
  { says: /incompatible (?:volume )?requirements/, code: 'RequirementIncompatible' },
];
