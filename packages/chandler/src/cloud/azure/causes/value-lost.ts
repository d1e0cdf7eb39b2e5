/**
 * Layers 2 and 3: a value was there at one station of its way into a machine and not at the next. One row for each
 * station where it can be lost; they share one predicate, which finds the first difference. A loss within the
 * controller is a defect of it; a loss at Azure is the work of a policy.
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
    title: 'The configured value does not reach the provider',
    symptom: 'It is configured, and the options that a launch starts from do not have it.',
  },
  {
    id: 'L2.2',
    at: 'nodeClass',
    layer: 'provider',
    title: 'The provider has lost the value',
    symptom: 'The options have it; what the provider resolved for the NodeClass does not.',
  },
  {
    id: 'L2.3',
    at: 'launchTemplate',
    layer: 'provider',
    title: 'The value is lost before the launch begins',
    symptom: 'The provider resolved it; the launch template does not have it.',
  },
  {
    id: 'L3.1',
    at: 'plan',
    layer: 'vmCreation',
    title: 'The plan of the machine lacks the value',
    symptom: 'The launch template has it; the plan that the VM is made from does not.',
  },
  {
    id: 'L3.2',
    at: 'vmObject',
    layer: 'vmCreation',
    title: 'The VM object is made without the value',
    symptom: 'The plan has it; storageProfile.osDisk.managedDisk of the VM object does not.',
  },
  {
    id: 'L3.3',
    at: 'vmRequest',
    layer: 'vmCreation',
    title: 'The request is sent without the value',
    symptom: 'The VM object had it; what was sent to Azure does not.',
  },
  {
    id: 'L3.4',
    at: 'vm',
    layer: 'vmCreation',
    title: 'The VM in Azure does not have the value',
    symptom: 'It was sent; the managed disk that Azure reports does not have it.',
  },
];

const DEFECT =
  'This is a defect of the controller, not of your configuration: use another version, and report it with the output of `chandler dump`. Nodes made meanwhile keep the wrong key until they are replaced.';
const POLICY =
  'Look for an Azure Policy with the effect modify or a tool that rewrites requests, exempt the node resource group, and replace the node.';

export const VALUE_LOST: readonly Cause[] = STATIONS.map((station) => ({
  id: station.id,
  layer: station.layer,
  specificity: 'exact',
  title: station.title,
  symptom: station.symptom,
  summary: 'The disk encryption set of {claim} was {before} at {station}, and is {now} at {lostAt}.',
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
