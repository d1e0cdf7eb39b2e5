/**
 * The way of one value, the disk encryption set, from what was configured to the machine that Azure shows: where it was
 * seen, and what it was there. A station where nobody looked has no sighting; that proves nothing.
 */
import { AzureAnnotation } from '../../api/index.ts';
import type {
  JourneyEvidence,
  JourneyStage,
  Sighting,
  ValueStation,
  VmEvidence,
} from '../../causes/index.ts';

import type { Ask } from './ask.ts';
import type { ClaimShape, DeploymentShape, NodeClassShape } from './shapes.ts';
import { timeMs } from './shapes.ts';

export const DES_OPTION = 'nodeOsdiskDiskencryptionsetId';

export interface ValueSources {
  readonly claim: ClaimShape;
  readonly journey: JourneyEvidence | undefined;
  readonly nodeClass: NodeClassShape | undefined;
  readonly configured: Configured | undefined;
  readonly vm: VmEvidence | undefined;
}

/** What was asked for, as far as it can be seen to have been so when the machine was made. */
export interface Configured {
  readonly value: string;
  readonly source: string;
  readonly path: string;
  readonly seenIn: string;
}

export function readValues({ ledger }: Ask, sources: ValueSources): void {
  const { name = '' } = sources.claim.metadata;
  const sightings = sightingsOf(sources);
  if (sightings.length === 0) return;
  ledger.add({
    kind: 'value',
    reading: ledger.reading(`way of the disk encryption set of ${name}`),
    name: 'diskEncryptionSet',
    claim: name,
    sightings,
  });
}

/**
 * The node class's own field counts when the class is still the one that the claim was made with; the option counts when
 * the Deployment was not changed since. What was configured later says nothing about an older machine.
 */
export function configuredSet(
  claim: ClaimShape,
  journey: JourneyEvidence | undefined,
  nodeClass: NodeClassShape | undefined,
  deployment: { readonly object: DeploymentShape; readonly option: Configured | undefined } | undefined,
): Configured | undefined {
  const own = nodeClass?.spec?.osDiskDiskEncryptionSetID?.trim() ?? '';
  if (own !== '')
    return sameClass(claim, nodeClass)
      ? {
          value: own,
          source: 'NodeClass',
          path: 'spec.osDiskDiskEncryptionSetID',
          seenIn: `${nodeClass!.kind ?? 'NodeClass'} ${nodeClass!.metadata.name}`,
        }
      : undefined;
  const option = deployment?.option;
  if (option === undefined || option.value === '' || deployment === undefined) return undefined;
  const rolledOutMs = rolloutMs(deployment.object);
  const usedMs = journey?.stages.find(({ name }) => name === 'options')?.atMs;
  if (rolledOutMs === undefined || usedMs === undefined || rolledOutMs > usedMs) return undefined;
  return option;
}

// ---------------------------------------------------------------------------------------------------

/** Which stage of the journey tells about which station, and under which name. */
const STATIONS: readonly (readonly [station: ValueStation, stage: string, fact: string])[] = [
  ['options', 'options', 'diskEncryptionSet'],
  ['nodeClass', 'nodeClass', 'diskEncryptionSet'],
  ['launchTemplate', 'launchTemplate', 'diskEncryptionSet'],
  ['plan', 'vmObject', 'planned'],
  ['vmObject', 'vmObject', 'diskEncryptionSet'],
  ['vmRequest', 'vmRequest', 'diskEncryptionSet'],
];

function sightingsOf({ claim, journey, configured, vm }: ValueSources): readonly Sighting[] {
  const { name = '' } = claim.metadata;
  const seen: Sighting[] = [];
  if (configured !== undefined)
    seen.push({
      station: 'configured',
      value: configured.value,
      source: `${configured.source} ${configured.path}`.trim(),
      seenIn: configured.seenIn,
    });
  for (const [station, stageName, fact] of STATIONS) {
    const stage = journey?.stages.find((each) => each.name === stageName);
    const sighting = stage === undefined ? undefined : sightingIn(stage, station, fact, name);
    if (sighting !== undefined && !isBeside(station, journey, configured)) seen.push(sighting);
  }
  const last = atAzure(journey, vm, name);
  if (last !== undefined) seen.push(last);
  return seen;
}

/** Options do not have what a node class or the cluster names, and need not. */
function isBeside(
  station: ValueStation,
  journey: JourneyEvidence | undefined,
  configured: Configured | undefined,
): boolean {
  if (station !== 'options') return false;
  if (configured !== undefined) return configured.source === 'NodeClass' || configured.source === 'cluster';
  const fact = journey?.stages.find(({ name }) => name === 'nodeClass')?.facts?.['diskEncryptionSet'];
  return typeof fact === 'object' && (fact.source === 'NodeClass' || fact.source === 'cluster');
}

function sightingIn(
  stage: JourneyStage,
  station: ValueStation,
  factName: string,
  claim: string,
): Sighting | undefined {
  const fact = stage.facts?.[factName];
  if (fact === undefined || typeof fact === 'number' || typeof fact === 'boolean') return undefined;
  const value = typeof fact === 'object' ? fact.value : fact;
  return {
    station,
    value: value === 'none' ? '' : value,
    ...(typeof fact === 'object' ? { source: fact.source } : {}),
    seenIn: `journey of ${claim}, stage ${stage.name}`,
    atMs: stage.atMs,
  };
}

/** What Azure shows now beats what it showed then. */
function atAzure(
  journey: JourneyEvidence | undefined,
  vm: VmEvidence | undefined,
  claim: string,
): Sighting | undefined {
  if (vm?.found)
    return {
      station: 'vm',
      value: vm.diskEncryptionSetId ?? '',
      seenIn: `Azure, VM ${vm.name}`,
      atMs: vm.reading.atMs,
    };
  const stage = journey?.stages.find(({ name, outcome }) => name === 'vmResult' && outcome === 'ok');
  return stage === undefined ? undefined : sightingIn(stage, 'vm', 'diskEncryptionSet', claim);
}

function sameClass(claim: ClaimShape, nodeClass: NodeClassShape | undefined): boolean {
  const hash = AzureAnnotation.nodeClassHash;
  const now = nodeClass?.metadata.annotations?.[hash];
  return now !== undefined && claim.metadata.annotations?.[hash] === now;
}

/** When its template was changed last, or a moment after that. */
function rolloutMs(deployment: DeploymentShape): number | undefined {
  if (deployment.metadata.generation === 1) return timeMs(deployment.metadata.creationTimestamp);
  const conditions = (deployment.status as { conditions?: readonly Record<string, string>[] } | undefined)
    ?.conditions;
  const progressing = conditions?.find((each) => each['type'] === 'Progressing');
  return timeMs(progressing?.['lastUpdateTime']) ?? timeMs(deployment.metadata.creationTimestamp);
}
