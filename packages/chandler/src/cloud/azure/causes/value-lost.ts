/**
 * Layers 2 and 3: a value was seen at one station of its path into a VM and not at the next. One row for each station
 * where it can be lost; they share one predicate, which finds the first difference. A loss within the controller is a
 * defect of it; a loss at Azure is caused by a policy.
 */
import {
  type Cause,
  type EvidenceSet,
  firstLoss,
  type Layer,
  type Match,
  seen,
} from '../../../causes/index.ts';
import type { ValueStation } from '../evidence/value-stations.ts';

interface Station {
  readonly id: string;
  readonly at: ValueStation;
  readonly layer: Layer;
  readonly title: string;
  readonly symptom: string;
}

const STATIONS: readonly Station[] = [
  {
    id: 'L2.1',
    at: 'options',
    layer: 'provider',
    title: 'The controller does not pass the configured disk encryption set to a launch',
    symptom: 'The disk encryption set is configured, but the options of the launch do not have it.',
  },
  {
    id: 'L2.2',
    at: 'nodeClass',
    layer: 'provider',
    title: 'The controller resolves another disk encryption set than the configured one',
    symptom:
      'The options have the disk encryption set, but the controller resolved another one, or none, for the NodeClass.',
  },
  {
    id: 'L2.3',
    at: 'launchTemplate',
    layer: 'provider',
    title: 'The launch template lacks the disk encryption set',
    symptom: 'The controller resolved the disk encryption set, but the launch template does not have it.',
  },
  {
    id: 'L3.1',
    at: 'plan',
    layer: 'vmCreation',
    title: 'The launch plan of the controller lacks the disk encryption set',
    symptom: 'The launch template has the disk encryption set, but the launch plan does not have it.',
  },
  {
    id: 'L3.2',
    at: 'vmObject',
    layer: 'vmCreation',
    title: 'The VM object lacks the disk encryption set',
    symptom:
      'The launch plan has the disk encryption set, but storageProfile.osDisk.managedDisk of the VM object does not have it.',
  },
  {
    id: 'L3.3',
    at: 'vmRequest',
    layer: 'vmCreation',
    title: 'The request lacks the disk encryption set',
    symptom: 'The VM object has the disk encryption set, but the request to Azure does not have it.',
  },
  {
    id: 'L3.4',
    at: 'vm',
    layer: 'vmCreation',
    title: 'The VM in Azure does not have the disk encryption set',
    symptom: 'The request has the disk encryption set, but the managed disk in Azure does not have it.',
  },
];

const DEFECT =
  'This is a defect of the controller, not of your configuration. Use another version, and report the defect with the output of `chandler dump`. Nodes keep the wrong key until they are replaced.';
const POLICY =
  'Find what changes the request in Azure, such as an Azure Policy with the effect modify. Exempt the node resource group from it, and replace the node.';

export const VALUE_LOST: readonly Cause[] = STATIONS.map((station) => ({
  id: station.id,
  layer: station.layer,
  specificity: 'exact',
  title: station.title,
  symptom: station.symptom,
  summary: '{claim} has the disk encryption set {before} at stage {station}, but {now} {where}.',
  fix: station.at === 'vm' ? POLICY : DEFECT,
  confirm: [
    'chandler why value diskEncryptionSetID --nodeclaim {claim}',
    'kubectl get nodeclaim {claim} -o jsonpath="{.metadata.annotations.chandler\\.sh/journey}"',
    'az vm show -g {resourceGroup} -n {vm} --query storageProfile.osDisk.managedDisk.diskEncryptionSet.id',
  ],
  evenIfWell: true,
  recognise: (evidence) => lostAt(evidence, station.at),
}));

// ---------------------------------------------------------------------------------------------------

function lostAt(evidence: EvidenceSet, station: ValueStation): Match | undefined {
  for (const record of evidence.all('value')) {
    const loss = firstLoss(record);
    if (loss === undefined || loss.at.station !== station) continue;
    const { before, at } = loss;
    const vm = evidence.all('vm').find(({ claim }) => claim === record.claim);
    return {
      facts: {
        claim: record.claim,
        before: before.value,
        station: before.station,
        now: at.value === '' ? 'none' : at.value,
        lostAt: at.station,
        where: at.station === 'vm' ? 'on the VM in Azure' : `at stage ${at.station}`,
        ...(vm === undefined ? {} : { vm: vm.name }),
      },
      seen: [before, at].map((sighting) =>
        seen(
          record,
          `${sighting.station}: ${sighting.value === '' ? 'none' : sighting.value} (${sighting.seenIn})`,
        ),
      ),
    };
  }
  return undefined;
}
