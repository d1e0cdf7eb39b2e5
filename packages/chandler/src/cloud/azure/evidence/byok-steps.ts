/** The steps of the checklist `byok`: what each asks, which causes break it, and what was found where none does. */
import { type EvidenceSet, firstLoss, isTrue, type ValueEvidence } from '../../../causes/index.ts';
import type { Checklist, ChecklistRow, StepResult } from '../../index.ts';

import { DES_OPTION } from '../causes/disk-encryption-facts.ts';
import { isMalformed, parseDiskEncryptionSetId } from '../disk-encryption/disk-encryption-set-id.ts';
import type { Evidence as SetEvidence } from '../disk-encryption/evidence/gather.ts';
import { type AzureReader, vmLocation } from './azure-evidence.ts';
import { VALUE_STATIONS, type ValueStation } from './value-stations.ts';

export function byokChecklist(azure: AzureReader | undefined): Checklist {
  return {
    name: 'byok',
    title: 'Disks with a customer-managed key, in twelve steps',
    async steps(evidence) {
      const scene: Scene = { evidence, set: await readSet(evidence, azure) };
      return STEPS.map(({ check, ...step }): ChecklistRow => ({ ...step, result: check(scene) }));
    },
  };
}

// ---------------------------------------------------------------------------------------------------

interface Scene {
  readonly evidence: EvidenceSet;
  /** What Azure says about the set now; absent without credentials or without a set. */
  readonly set: SetEvidence | undefined;
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
      'kubectl -n kube-system get deployment karpenter -o yaml | grep -A1 NODE_OSDISK_DISKENCRYPTIONSET_ID',
      'az disk-encryption-set show --ids {set}',
    ],
  },
  {
    title: 'The controller has the value when a launch starts',
    covers: ['L2.1', 'L2.2'],
    check: ({ evidence }) => seenAt(evidence, ['options', 'nodeClass']),
    byHand: [
      'chandler controller --print-options',
      'chandler why value diskEncryptionSetID --nodeclaim NAME',
    ],
  },
  {
    title: 'The launch template and the launch plan have the value',
    covers: ['L2.3', 'L3.1'],
    check: ({ evidence }) => seenAt(evidence, ['launchTemplate', 'plan']),
    byHand: ['kubectl -n kube-system logs deployment/karpenter | grep "stage launchTemplate"'],
  },
  {
    title: 'The VM object has the value',
    covers: ['L3.2', 'L3.3'],
    check: ({ evidence }) => seenAt(evidence, ['vmObject', 'vmRequest']),
    byHand: ['kubectl -n kube-system logs deployment/karpenter | grep "stage vmObject"'],
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
    check: (scene) =>
      aboutSet(scene, ['readerMissing', 'accessMissing', 'accessNotReadable', 'vaultNotReadable']),
    byHand: [
      'az role assignment list --scope {set} --include-inherited -o table',
      'az keyvault show -n {vault} --query properties.accessPolicies',
    ],
  },
  {
    title: 'The key and the vault can be used',
    covers: ['L4.4', 'L4.5', 'disk-encryption'],
    check: (scene) =>
      aboutSet(scene, [
        'keyDisabled',
        'keyDeleted',
        'keyExpired',
        'keyNotYetValid',
        'vaultUnreachable',
        'keyNotReadable',
      ]),
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
    byHand: ['kubectl -n kube-system logs deployment/karpenter | grep diskEncryptionSet'],
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

function configured({ evidence, set }: Scene): StepResult {
  const classes = evidence
    .all('nodeClass')
    .filter(({ diskEncryptionSet }) => diskEncryptionSet !== undefined);
  const option = evidence.first('options')?.values[DES_OPTION]?.value ?? '';
  if (classes.length === 0 && option === '')
    return unknown(
      evidence.first('options') === undefined
        ? 'no NodeClass has a set, and the options cannot be read'
        : 'no NodeClass has a set, and the option is not set',
    );
  const ids = [...new Set([...classes.map(({ diskEncryptionSet }) => diskEncryptionSet!.id), option])].filter(
    (id) => id !== '',
  );
  const malformed = ids.filter((id) => isMalformed(parseDiskEncryptionSetId(id)));
  if (malformed.length > 0)
    return { state: 'broken', found: malformed.map((id) => `${id} is not an ID of a disk encryption set`) };
  const existing =
    set === undefined
      ? 'Azure was not queried, so it is not known whether the set exists'
      : `Azure: ${set.reason}`;
  return ok(
    ...classes.map(
      ({ name, diskEncryptionSet: own }) => `NodeClass ${name} uses ${own!.id} (${own!.source})`,
    ),
    existing,
  );
}

function seenAt(evidence: EvidenceSet, stations: readonly ValueStation[]): StepResult {
  const values = evidence.all('value');
  if (evidence.all('nodeClaim').length === 0) return notReached('there is no NodeClaim yet');
  const seen = values.flatMap((value) => stations.flatMap((station) => sightingText(value, station)));
  if (seen.length === 0) return unknown('no NodeClaim has a launch record');
  const lost = values.flatMap((value) => lostBefore(value, stations));
  return lost.length === 0 ? ok(...seen) : { state: 'broken', found: [...seen, ...lost] };
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
  if (claims.length === 0) return notReached('there is no NodeClaim yet');
  const launched = claims.filter((claim) => isTrue(claim, 'Launched')).map(({ name }) => name);
  return launched.length === 0
    ? unknown('no VM has been created yet')
    : ok(`VMs were created for ${launched.join(', ')}`);
}

function aboutSet({ evidence, set }: Scene, kinds: readonly string[]): StepResult {
  if (set === undefined) {
    const verified = evidence.all('nodeClass').flatMap(({ name, conditions }) =>
      conditions
        .filter(({ type }) => type === 'DiskEncryptionVerified')
        .map(({ status, reason = '', message = '' }) => ({
          status,
          text: `NodeClass ${name}: ${status}, ${reason} ${message}`.trim(),
        })),
    );
    const [first] = verified;
    if (first === undefined)
      return unknown('Azure was not queried, and no NodeClass has the condition DiskEncryptionVerified');
    return { state: first.status === 'True' ? 'ok' : 'unknown', found: verified.map(({ text }) => text) };
  }
  const about = set.problems.filter(({ kind }) => kinds.includes(kind));
  if (about.length === 0) return ok('Azure shows no problem');
  const broken = about.some(({ permission }) => permission === undefined);
  return {
    state: broken && set.verified === 'False' ? 'broken' : 'unknown',
    found: about.map(({ message, permission }) =>
      permission === undefined ? message : `${message}; reading it requires ${permission}`,
    ),
  };
}

function machines(evidence: EvidenceSet): StepResult {
  const vms = evidence.all('vm');
  if (evidence.all('nodeClaim').length === 0) return notReached('there is no NodeClaim yet');
  if (vms.length === 0) {
    const joined = evidence.all('nodeClaim').filter((claim) => isTrue(claim, 'Registered'));
    return joined.length === 0
      ? unknown('Azure was not queried')
      : ok(`joined: ${joined.map(({ name }) => name).join(', ')}`);
  }
  return ok(
    ...vms.map(
      ({ name, provisioningState, powerState }) =>
        `${name}: ${provisioningState ?? 'deleted'}, ${powerState ?? 'no power state'}`,
    ),
  );
}

function nodes(evidence: EvidenceSet): StepResult {
  const all = evidence.all('node');
  if (all.length === 0) return notReached('no NodeClaim has a Node yet');
  const ready = all.filter((node) => isTrue(node, 'Ready')).map(({ name }) => name);
  return ready.length === all.length
    ? ok(`Ready: ${ready.join(', ')}`)
    : unknown(`${ready.length} of ${all.length} are Ready`);
}

function journeys(evidence: EvidenceSet): StepResult {
  const claims = evidence.all('nodeClaim');
  if (claims.length === 0) return notReached('there is no NodeClaim yet');
  const kept = evidence.all('journey').map(({ claim }) => claim);
  return kept.length === 0
    ? unknown('no NodeClaim has a launch record: another controller created them')
    : ok(`${kept.length} of ${claims.length} NodeClaims have a launch record: ${kept.join(', ')}`);
}

function onDisk(evidence: EvidenceSet): StepResult {
  if (evidence.all('nodeClaim').length === 0) return notReached('there is no NodeClaim yet');
  const values = evidence
    .all('value')
    .filter(({ sightings }) => sightings.some(({ station }) => station === 'vm'));
  if (values.length === 0) return unknown('no VM was read');
  return seenAt(evidence, ['vm']);
}

function sources(evidence: EvidenceSet): StepResult {
  const option = evidence.first('options')?.values[DES_OPTION];
  const cluster = evidence.first('cluster');
  const managed = evidence.first('controller')?.hosting === 'managed';
  const winners = evidence
    .all('nodeClass')
    .map(({ name, diskEncryptionSet: set }) =>
      set === undefined
        ? `NodeClass ${name}: no source names a set`
        : `NodeClass ${name}: the source in effect is ${set.source}`,
    );
  return ok(
    'the field of the NodeClass comes first, then the option, then the property of the managed cluster',
    `option: ${option === undefined ? (managed ? 'cannot be set, AKS runs the controller' : 'not read') : option.value === '' ? 'not set' : `${option.value} (${option.source})`}`,
    `cluster: ${cluster === undefined ? 'not read' : (cluster.diskEncryptionSetId ?? 'has none')}`,
    ...winners,
  );
}

/** In the region and the subscription of the nodes, which the set must be in too. */
async function readSet(
  evidence: EvidenceSet,
  azure: AzureReader | undefined,
): Promise<SetEvidence | undefined> {
  const id =
    evidence.all('nodeClass').find(({ diskEncryptionSet }) => diskEncryptionSet !== undefined)
      ?.diskEncryptionSet?.id ?? evidence.first('options')?.values[DES_OPTION]?.value;
  if (azure === undefined || id === undefined || id === '') return undefined;
  if (isMalformed(parseDiskEncryptionSetId(id))) return undefined;
  return azure.set(id, { location: locationOf(evidence), subscriptionId: subscriptionOf(evidence) });
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
