/**
 * The path of the disk encryption set from the configuration to the VM in Azure: where the value was seen, and what it was
 * there. A station that was not read has no sighting; that proves nothing.
 */
import type { KubeObject } from '@chandler/kube';
import type { AKSNodeClass } from '../../../api/index.ts';
import type {
  ConsideredSource,
  EvidenceContext,
  EvidenceSet,
  JourneyEvidence,
  JourneyStage,
  Sighting,
  VmEvidence,
} from '../../../causes/index.ts';
import type { ClaimReading, ValuePath } from '../../index.ts';

import { DES_OPTION, DES_VARIABLE } from '../causes/disk-encryption-facts.ts';
import { VALUE_STATIONS, type ValueStation } from './value-stations.ts';

const MEANINGS: Readonly<Record<ValueStation, string>> = {
  configured: 'configuration',
  options: 'options of the launch',
  nodeClass: 'resolved for the NodeClass',
  launchTemplate: 'launch template',
  plan: 'plan of the VM',
  vmObject: 'VM object',
  vmRequest: 'request to Azure',
  vm: 'VM in Azure',
};

export const DISK_ENCRYPTION_SET_PATH: ValuePath = {
  name: 'diskEncryptionSetID',
  title: 'disk encryption set',
  stations: VALUE_STATIONS.map((station) => ({ station, meaning: MEANINGS[station] })),
  sources: sourcesOf,
  notNeededAt: (station, value) => {
    const resolved = value?.sightings.find((each) => each.station === 'nodeClass');
    return station === 'options' && (resolved?.source === 'NodeClass' || resolved?.source === 'cluster')
      ? `not needed: the ${resolved.source} names it`
      : undefined;
  },
};

/** The configured value, where it is known to be the one that the VM was created with. */
interface Configured {
  readonly value: string;
  readonly source: string;
  readonly path: string;
  readonly seenIn: string;
}

export function readDiskEncryptionPath({ recorder }: EvidenceContext, reading: ClaimReading): void {
  const { name } = reading.claim.metadata;
  const sightings = sightingsOf(reading, configuredSet(reading));
  if (sightings.length === 0) return;
  recorder.add({
    kind: 'value',
    reading: recorder.reading(`path of the disk encryption set of ${name}`),
    name: 'diskEncryptionSet',
    claim: name,
    sightings,
  });
}

// ---------------------------------------------------------------------------------------------------

/**
 * The node class's own field counts when the class was not edited since the launch: its drift hash leaves the field out.
 * The option counts when neither the Deployment nor the settings were changed since. What was configured later says nothing
 * about an older VM, which has drifted.
 */
function configuredSet({ journey, nodeClass, controller }: ClaimReading): Configured | undefined {
  const own = (nodeClass as Partial<AKSNodeClass> | undefined)?.spec?.osDiskDiskEncryptionSetID?.trim() ?? '';
  if (own !== '')
    return isUnchanged(nodeClass!, journey)
      ? {
          value: own,
          source: 'NodeClass',
          path: 'spec.osDiskDiskEncryptionSetID',
          seenIn: `${nodeClass!.kind ?? 'NodeClass'} ${nodeClass!.metadata.name}`,
        }
      : undefined;
  const option = controller?.options[DES_OPTION];
  if (controller === undefined || option === undefined || option.value === '') return undefined;
  const rolledOutMs = rolloutMs(controller.deployment);
  const usedMs = journey?.stages.find(({ name }) => name === 'options')?.atMs;
  if (rolledOutMs === undefined || usedMs === undefined || rolledOutMs > usedMs) return undefined;
  if (option.source !== 'settings')
    return { ...option, seenIn: `Deployment ${controller.namespace}/${controller.deployment.metadata.name}` };
  const { name, changedAtMs } = controller.settings ?? {};
  if (name === undefined || changedAtMs === undefined || changedAtMs > usedMs) return undefined;
  return { ...option, seenIn: `ConfigMap ${name}` };
}

/** Which stage of the journey is evidence for which station, and under which name. */
const STATIONS: readonly (readonly [station: ValueStation, stage: string, fact: string])[] = [
  ['options', 'options', 'diskEncryptionSet'],
  ['nodeClass', 'nodeClass', 'diskEncryptionSet'],
  ['launchTemplate', 'launchTemplate', 'diskEncryptionSet'],
  ['plan', 'vmObject', 'planned'],
  ['vmObject', 'vmObject', 'diskEncryptionSet'],
  ['vmRequest', 'vmRequest', 'diskEncryptionSet'],
];

function sightingsOf(
  { claim, journey, vm }: ClaimReading,
  configured: Configured | undefined,
): readonly Sighting[] {
  const { name } = claim.metadata;
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
    seenIn: `launch record of ${claim}, stage ${stage.name}`,
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

/** By its generation, which launches record; one that was never edited is as it was created. */
function isUnchanged({ metadata }: KubeObject, journey: JourneyEvidence | undefined): boolean {
  const stage = journey?.stages.find(({ name }) => name === 'nodeClass');
  const createdMs = timeMs(metadata.creationTimestamp);
  if (stage === undefined || createdMs === undefined || createdMs > stage.atMs) return false;
  return metadata.generation === (stage.facts?.['generation'] ?? 1);
}

/** When its template was changed last, or a moment after that. */
function rolloutMs(deployment: KubeObject): number | undefined {
  if (deployment.metadata.generation === 1) return timeMs(deployment.metadata.creationTimestamp);
  const conditions = (deployment['status'] as { conditions?: readonly Record<string, string>[] } | undefined)
    ?.conditions;
  const progressing = conditions?.find((each) => each['type'] === 'Progressing');
  return timeMs(progressing?.['lastUpdateTime']) ?? timeMs(deployment.metadata.creationTimestamp);
}

/** Undefined for what is no time. */
function timeMs(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

const OPTION_SOURCES = ['flag', 'env', 'settings'];

/** The class says which source won; of the others is known what can be seen of them. */
function sourcesOf(evidence: EvidenceSet): readonly ConsideredSource[] {
  const nodeClass = evidence.all('nodeClass').find(({ found }) => found);
  const chosen = nodeClass?.diskEncryptionSet;
  const option = evidence.first('options')?.values[DES_OPTION];
  const cluster = evidence.first('cluster');
  const wonBy = (...sources: readonly string[]) => chosen !== undefined && sources.includes(chosen.source);
  const optionWins = wonBy(...OPTION_SOURCES);
  return [
    {
      source: 'NodeClass',
      path: 'spec.osDiskDiskEncryptionSetID',
      value: wonBy('NodeClass') ? chosen!.id : nodeClass === undefined ? undefined : '',
      wins: wonBy('NodeClass'),
    },
    {
      source: optionWins
        ? chosen!.source
        : option?.source === undefined
          ? 'option'
          : sourceText(option.source),
      path: option?.path || DES_VARIABLE,
      value: option?.value ?? (optionWins ? chosen!.id : undefined),
      wins: optionWins,
    },
    {
      source: 'cluster',
      path: 'properties.diskEncryptionSetID',
      value:
        cluster === undefined
          ? wonBy('cluster')
            ? chosen!.id
            : undefined
          : (cluster.diskEncryptionSetId ?? ''),
      wins: wonBy('cluster'),
    },
  ];
}

function sourceText(source: string): string {
  return source === 'hardcoded' ? 'option' : source;
}
