/** The steps of the checklist `byok`: what each asks, which causes break it, and what was found where none does. */
import {
  type EvidenceSet,
  firstLoss,
  isTrue,
  type NodeClaimEvidence,
  SHOW_OPTIONS,
  type Sighting,
  type ValueEvidence,
  type VmEvidence,
} from '../../../causes/index.ts';
import type { Checklist, ChecklistRow, StepResult } from '../../index.ts';

import { DES_OPTION } from '../causes/disk-encryption-facts.ts';
import { isMalformed, parseDiskEncryptionSetId } from '../disk-encryption/disk-encryption-set-id.ts';
import { type AzureReader, vmLocation } from './azure-evidence.ts';
import { ACCESS, aboutSet, KEY_AND_VAULT, type LookedUpSet, stateOf, THE_SET, worst } from './byok-set.ts';
import { VALUE_STATIONS, type ValueStation } from './value-stations.ts';

export function byokChecklist(azure: AzureReader | undefined): Checklist {
  return {
    name: 'byok',
    title: 'Disks with a customer-managed key, in twelve steps',
    async steps(evidence) {
      const scene: Scene = { evidence, sets: await readSets(evidence, azure) };
      return STEPS.map(({ check, ...step }): ChecklistRow => ({ ...step, result: check(scene) }));
    },
  };
}

// ---------------------------------------------------------------------------------------------------

interface Scene {
  readonly evidence: EvidenceSet;
  /** What Azure says about each set now; empty without credentials or without a set. */
  readonly sets: readonly LookedUpSet[];
}

interface StepRow extends Omit<ChecklistRow, 'result'> {
  readonly check: (scene: Scene) => StepResult;
}

const STEPS: readonly StepRow[] = [
  {
    title: 'The ID of a disk encryption set is configured and well-formed, and the set exists',
    covers: ['L1', 'configuration.controller-down', 'configuration.option-refused'],
    check: configured,
    byHand: [
      'kubectl -n {namespace} get deployment {deployment} -o yaml | grep -A1 NODE_OSDISK_DISKENCRYPTIONSET_ID',
      'az disk-encryption-set show --ids {set}',
    ],
  },
  {
    title: 'The controller has the value when a launch starts',
    covers: ['L2.1', 'L2.2'],
    check: ({ evidence }) => seenAt(evidence, ['options', 'nodeClass']),
    byHand: [SHOW_OPTIONS, 'chandler why value diskEncryptionSetID --nodeclaim NAME'],
  },
  {
    title: 'The launch template and the launch plan have the value',
    covers: ['L2.3', 'L3.1'],
    check: ({ evidence }) => seenAt(evidence, ['launchTemplate', 'plan']),
    byHand: ['kubectl -n {namespace} logs deployment/{deployment} | grep "stage launchTemplate"'],
  },
  {
    title: 'The VM object has the value',
    covers: ['L3.2', 'L3.3'],
    check: ({ evidence }) => seenAt(evidence, ['vmObject', 'vmRequest']),
    byHand: ['kubectl -n {namespace} logs deployment/{deployment} | grep "stage vmObject"'],
  },
  {
    title: 'Azure accepts the request',
    covers: ['L4.1', 'cloud', 'azure'],
    check: ({ evidence }) => launchedOf(evidence),
    byHand: ['kubectl describe nodeclaim NAME'],
  },
  {
    title: 'The controller has a role on the set, and the set has one on the vault',
    covers: ['L4.2', 'L4.3'],
    check: ({ evidence, sets }) => aboutSet(evidence, sets, ACCESS),
    byHand: [
      'az role assignment list --scope {set} --include-inherited -o table',
      'az keyvault show -n {vault} --query properties.accessPolicies',
    ],
  },
  {
    title: 'The key and the vault can be used',
    covers: ['L4.4', 'L4.5', 'disk-encryption'],
    check: ({ evidence, sets }) => aboutSet(evidence, sets, KEY_AND_VAULT),
    byHand: ['az keyvault key show --vault-name {vault} --name {key}'],
  },
  {
    title: 'The VM is created and boots',
    covers: ['L5', 'cse', 'registration', 'boot'],
    check: ({ evidence }) => machines(evidence),
    byHand: [
      'az vm get-instance-view -g {resourceGroup} -n {vm}',
      'az vm boot-diagnostics get-boot-log -g {resourceGroup} -n {vm}',
    ],
  },
  {
    title: 'The Node exists and is Ready',
    covers: ['L6.1', 'nodes'],
    check: ({ evidence }) => nodes(evidence),
    byHand: ['kubectl get nodes', 'kubectl get nodeclaims -o wide'],
  },
  {
    title: 'Every stage is recorded',
    covers: [],
    check: ({ evidence }) => journeys(evidence),
    byHand: ['kubectl -n {namespace} logs deployment/{deployment} | grep diskEncryptionSet'],
  },
  {
    title: "The VM's OS disk has the configured set",
    covers: ['L3.4'],
    check: ({ evidence }) => onDisk(evidence),
    byHand: [
      'az vm show -g {resourceGroup} -n {vm} --query storageProfile.osDisk.managedDisk.diskEncryptionSet.id',
    ],
  },
  {
    title: 'The sources of the value, and the one that takes precedence',
    covers: [],
    check: ({ evidence }) => sources(evidence),
    byHand: ['kubectl get aksnodeclass NAME -o jsonpath={.status.diskEncryptionSet}'],
  },
];

const ok = (...found: readonly string[]): StepResult => ({ state: 'ok', found });
const unknown = (...found: readonly string[]): StepResult => ({ state: 'unknown', found });
const notReached = (...found: readonly string[]): StepResult => ({ state: 'notReached', found });

function configured({ evidence, sets }: Scene): StepResult {
  const classes = evidence
    .all('nodeClass')
    .filter(({ diskEncryptionSet }) => diskEncryptionSet !== undefined);
  const { ofClasses, ofOption } = configuredSets(evidence);
  const ids = distinct([...ofClasses, ...ofOption]);
  if (ids.length === 0)
    return unknown(
      evidence.first('options')?.values[DES_OPTION] === undefined
        ? 'no NodeClass has a set, and the option cannot be read'
        : 'no NodeClass has a set, and the option is not set',
    );
  const malformed = ids.filter((id) => isMalformed(parseDiskEncryptionSetId(id)));
  if (malformed.length > 0)
    return { state: 'broken', found: malformed.map((id) => `${id} is not an ID of a disk encryption set`) };
  const exists = aboutSet(evidence, sets, THE_SET);
  const uses = classes.map(
    ({ name, diskEncryptionSet: own }) => `NodeClass ${name} uses ${own!.id} (${own!.source})`,
  );
  return { ...exists, found: [...uses, ...exists.found] };
}

/** What may not be read is not absent. */
function withoutClaims(evidence: EvidenceSet): StepResult {
  return evidence.couldNotRead('nodeClaim')
    ? unknown('no NodeClaim could be read')
    : notReached('there is no NodeClaim yet');
}

function seenAt(evidence: EvidenceSet, stations: readonly ValueStation[]): StepResult {
  if (evidence.all('nodeClaim').length === 0) return withoutClaims(evidence);
  const claims = claimsWithSet(evidence).map(({ name }) => name);
  if (claims.length === 0) return notReached(NO_CLAIM_WITH_SET);
  const values = evidence.all('value').filter(({ claim }) => claims.includes(claim));
  const seen = values.flatMap((value) => stations.flatMap((station) => sightingText(value, station)));
  if (seen.length === 0) return unknown('no NodeClaim has a launch record');
  const lost = values.flatMap((value) => lostBefore(value, stations));
  if (lost.length > 0) return { state: 'broken', found: [...seen, ...lost] };
  const absent = values.some(({ sightings }) =>
    sightings.some(({ station, value }) => value === '' && stations.includes(station as ValueStation)),
  );
  return absent ? unknown(...seen) : ok(...seen);
}

const NO_CLAIM_WITH_SET = 'no NodeClaim is of a NodeClass with a set';

/** A NodeClass beside those with a set need not have one; its NodeClaims count if one of their stages has a value. */
function claimsWithSet(evidence: EvidenceSet): readonly NodeClaimEvidence[] {
  const classes = evidence.all('nodeClass').filter(({ found }) => found);
  const without = classes.filter(({ diskEncryptionSet }) => diskEncryptionSet === undefined);
  if (without.length === classes.length) return evidence.all('nodeClaim');
  return evidence.all('nodeClaim').filter(({ name, nodeClass }) => {
    const sightings = evidence.all('value').flatMap((value) => (value.claim === name ? value.sightings : []));
    return !without.some((each) => each.name === nodeClass) || sightings.some(({ value }) => value !== '');
  });
}

/** What is absent at these stations because it was lost at one of them, or at an earlier one. */
function lostBefore(value: ValueEvidence, stations: readonly ValueStation[]): readonly string[] {
  const loss = firstLoss(value);
  const last = Math.max(...stations.map((station) => VALUE_STATIONS.indexOf(station)));
  if (loss === undefined || VALUE_STATIONS.indexOf(loss.at.station as ValueStation) > last) return [];
  const gone = stations.some((station) =>
    value.sightings.some((each) => each.station === station && each.value !== loss.before.value),
  );
  return gone
    ? [`${value.claim}: the value is present at ${loss.before.station} and lost at ${loss.at.station}`]
    : [];
}

function sightingText({ claim, sightings }: ValueEvidence, station: ValueStation): readonly string[] {
  const sighting = sightings.find((each) => each.station === station);
  return sighting === undefined
    ? []
    : [`${claim}, ${station}: ${sighting.value === '' ? 'none' : sighting.value}`];
}

function launchedOf(evidence: EvidenceSet): StepResult {
  const claims = evidence.all('nodeClaim');
  if (claims.length === 0) return withoutClaims(evidence);
  const launched = claims.filter((claim) => isTrue(claim, 'Launched')).map(({ name }) => name);
  return launched.length === 0
    ? unknown('no VM has been created yet')
    : ok(`VMs were created for ${launched.join(', ')}`);
}

function machines(evidence: EvidenceSet): StepResult {
  const claims = evidence.all('nodeClaim');
  if (claims.length === 0) return withoutClaims(evidence);
  const vms = evidence.all('vm');
  const results = claims.flatMap((claim): readonly StepResult[] => {
    const vm = vms.find((each) => each.claim === claim.name);
    if (vm !== undefined) return [machine(vm, isTrue(claim, 'Registered'))];
    if (isTrue(claim, 'Registered')) return [ok(`joined: ${claim.name}`)];
    return isTrue(claim, 'Launched') ? [unknown(`the VM of ${claim.name} was not read`)] : [];
  });
  return results.length === 0 ? unknown('no VM has been created yet') : worst(results);
}

function machine({ name, found, provisioningState, powerState }: VmEvidence, joined: boolean): StepResult {
  if (!found) return { state: 'broken', found: [`${name}: does not exist in Azure`] };
  const state = provisioningState ?? 'no provisioning state';
  const text = `${name}: ${state}, ${powerState ?? 'no power state'}`;
  // The state is that of the last operation, which need not be the creation.
  if (state === 'Failed') return { state: joined ? 'unknown' : 'broken', found: [text] };
  const runs = powerState === undefined ? joined : powerState === 'running';
  return runs && state !== 'Deleting' ? ok(text) : unknown(text);
}

function nodes(evidence: EvidenceSet): StepResult {
  const all = evidence.all('node');
  if (all.length === 0) return notReached('no NodeClaim has a Node yet');
  const ready = all.filter((node) => isTrue(node, 'Ready')).map(({ name }) => name);
  const absent = evidence
    .all('nodeClaim')
    .filter((claim) => isTrue(claim, 'Launched') && !all.some((node) => node.claim === claim.name))
    .map(({ name }) => `NodeClaim ${name} has no Node yet`);
  return ready.length === all.length && absent.length === 0
    ? ok(`Ready: ${ready.join(', ')}`)
    : unknown(`${ready.length} of ${all.length} are Ready`, ...absent);
}

function journeys(evidence: EvidenceSet): StepResult {
  const claims = evidence.all('nodeClaim');
  if (claims.length === 0) return withoutClaims(evidence);
  const kept = evidence.all('journey').map(({ claim }) => claim);
  return kept.length === 0
    ? unknown('no NodeClaim has a launch record: another controller created them')
    : ok(`${kept.length} of ${claims.length} NodeClaims have a launch record: ${kept.join(', ')}`);
}

function onDisk(evidence: EvidenceSet): StepResult {
  if (evidence.all('nodeClaim').length === 0) return withoutClaims(evidence);
  const claims = claimsWithSet(evidence);
  if (claims.length === 0) return notReached(NO_CLAIM_WITH_SET);
  const launched = claims.filter((claim) => isTrue(claim, 'Launched') || sightingOnDisk(evidence, claim));
  return launched.length === 0
    ? unknown('no VM was read')
    : worst(launched.map((claim) => diskOf(evidence, claim)));
}

function sightingOnDisk(evidence: EvidenceSet, { name }: NodeClaimEvidence): Sighting | undefined {
  const value = evidence.all('value').find(({ claim }) => claim === name);
  return value?.sightings.find(({ station }) => station === 'vm');
}

/** What the path shows as lost is broken. Without a path, what the NodeClass uses now is the only comparison. */
function diskOf(evidence: EvidenceSet, claim: NodeClaimEvidence): StepResult {
  const { name } = claim;
  const sighting = sightingOnDisk(evidence, claim);
  if (sighting === undefined) return unknown(`the VM of ${name} was not read`);
  const value = evidence.all('value').find((each) => each.claim === name)!;
  const seen = sightingText(value, 'vm');
  const lost = lostBefore(value, ['vm']);
  if (lost.length > 0) return { state: 'broken', found: [...seen, ...lost] };
  const launchedWith = value.sightings.findLast(({ station }) => station !== 'vm')?.value ?? '';
  const nodeClass = evidence
    .all('nodeClass')
    .find((each) => each.name === claim.nodeClass && each.diskEncryptionSet !== undefined);
  const now = nodeClass?.diskEncryptionSet?.id ?? '';
  const wanted = now === '' ? launchedWith : now;
  if (wanted === '') return unknown(...seen, `${name}: it is not known which set the VM must have`);
  if (wanted.toLowerCase() === sighting.value.toLowerCase()) return ok(...seen);
  const other = `NodeClass ${claim.nodeClass} uses ${now}`;
  return launchedWith === ''
    ? { state: 'broken', found: [...seen, other] }
    : unknown(...seen, `${other}, which is not what the VM was launched with`);
}

function sources(evidence: EvidenceSet): StepResult {
  const option = evidence.first('options')?.values[DES_OPTION];
  const cluster = evidence.first('cluster');
  const managed = evidence.first('controller')?.hosting === 'managed';
  const classes = evidence.all('nodeClass');
  // Where no set is in effect, nothing shows that the sources are right.
  const isKnown = classes.some(({ diskEncryptionSet: set }) => set !== undefined);
  const winners = classes.map(({ name, diskEncryptionSet: set }) =>
    set === undefined
      ? `NodeClass ${name}: no set is in effect`
      : `NodeClass ${name}: the source in effect is ${set.source}`,
  );
  return stateOf(
    isKnown ? 'ok' : 'unknown',
    'the field of the NodeClass comes first, then the option, then the property of the managed cluster',
    `option: ${option === undefined ? (managed ? 'cannot be set, AKS runs the controller' : 'not read') : option.value === '' ? 'not set' : `${option.value} (${option.source})`}`,
    `cluster: ${cluster === undefined ? 'not read' : (cluster.diskEncryptionSetId ?? 'has none')}`,
    ...winners,
  );
}

/** Those of the NodeClasses, and that of the option. */
function configuredSets(evidence: EvidenceSet) {
  const ofClasses = evidence.all('nodeClass').map(({ diskEncryptionSet }) => diskEncryptionSet?.id ?? '');
  return {
    ofClasses: distinct(ofClasses),
    ofOption: distinct([evidence.first('options')?.values[DES_OPTION]?.value ?? '']),
  };
}

function distinct(ids: readonly string[]): readonly string[] {
  return [...new Map(ids.filter((id) => id !== '').map((id) => [id.toLowerCase(), id])).values()];
}

/** In the region and the subscription of the nodes, which the set must be in too. */
async function readSets(
  evidence: EvidenceSet,
  azure: AzureReader | undefined,
): Promise<readonly LookedUpSet[]> {
  if (azure === undefined) return [];
  const nodes = { location: locationOf(evidence), subscriptionId: subscriptionOf(evidence) };
  const { ofClasses, ofOption } = configuredSets(evidence);
  const inUse = ofClasses.length > 0 ? ofClasses : ofOption;
  const ids = inUse.filter((id) => !isMalformed(parseDiskEncryptionSetId(id)));
  return Promise.all(ids.map(async (id) => ({ id, about: await azure.set(id, nodes) })));
}

function locationOf(evidence: EvidenceSet): string | undefined {
  const labels = evidence.all('node').map(({ labels: own }) => own['topology.kubernetes.io/region'] ?? '');
  return evidence.first('options')?.values['location']?.value || labels.find((label) => label !== '');
}

/** Not that of the environment: a person may have another one in it, or none. */
function subscriptionOf(evidence: EvidenceSet): string | undefined {
  const vms = evidence.all('nodeClaim').map(({ providerId = '' }) => vmLocation(providerId));
  const ofNodes = vms.find((vm) => vm !== undefined)?.subscription;
  return ofNodes ?? (evidence.first('options')?.values['azureSubscriptionId']?.value || undefined);
}
