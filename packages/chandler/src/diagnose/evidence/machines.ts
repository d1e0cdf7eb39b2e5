/** The machine of a claim as Azure shows it: VM, extensions, console; and the managed cluster. Layers 3 to 5. */
import type { VirtualMachine, VirtualMachineExtensionInstanceView } from '@azure/arm-compute';
import { conditionOf, type ExtensionEvidence, isTrue, type VmEvidence } from '../../causes/index.ts';
import { imageIdOf, machineName } from '../../cloud/azure/index.ts';

import { isFound } from '../reader/reader.ts';
import type { Ask } from './ask.ts';
import { type ClusterAt, type MachineAt, machineAt, stateIn } from './azure-eye.ts';
import { claimEvidence } from './claims.ts';
import type { ClaimShape } from './shapes.ts';

/** The VM, and while it has not joined, its extensions and console. */
export async function readMachine(ask: Ask, claim: ClaimShape): Promise<VmEvidence | undefined> {
  const { ledger, azure } = ask;
  const at = machineAt(claim.status?.providerID ?? '');
  const name = at?.name ?? machineName(claim.metadata.name ?? '');
  if (at === undefined) return undefined;
  if (azure === undefined) return keptMachine(ask, claim, name);
  const looked = await azure.vm(at);
  if (!isFound(looked) && looked.why !== 'notFound') {
    ledger.missed('vm', `VM ${name}`, looked);
    return undefined;
  }
  // The machine of a claim whose provisioning failed is taken away; that it is gone is no news.
  const failed = conditionOf(claimEvidence(ask, claim), 'CSEProvisioned')?.status === 'False';
  if (failed && !isFound(looked)) return undefined;
  const vm = vmEvidence(ask, claim, name, isFound(looked) ? looked.found : undefined);
  ledger.add(vm);
  if (isFound(looked)) await readInside(ask, claim, at, looked.found);
  return vm;
}

/** By its name; where nobody knows it, by the resource group of the nodes. */
export async function readCluster(
  { reader, ledger, azure }: Ask,
  at: ClusterAt | Omit<MachineAt, 'name'>,
): Promise<void> {
  const what = 'name' in at ? `managed cluster ${at.name}` : `managed cluster of ${at.resourceGroup}`;
  if (azure === undefined) {
    const why = reader.from === 'dump' ? 'notInDump' : 'notConfigured';
    if (!reader.kept.records.some(({ kind }) => kind === 'cluster')) ledger.missed('cluster', what, { why });
    return;
  }
  const looked = await ('name' in at ? azure.cluster(at) : azure.clusterOfNodes(at));
  if (!isFound(looked)) {
    ledger.missed('cluster', what, looked);
    return;
  }
  const { name, ...cluster } = looked.found;
  ledger.add({ kind: 'cluster', reading: ledger.reading(`managed cluster ${name}`, 'azure'), ...cluster });
}

// ---------------------------------------------------------------------------------------------------

/** As the maker of the dump saw it. */
function keptMachine({ reader, ledger }: Ask, claim: ClaimShape, name: string): VmEvidence | undefined {
  const kept = reader.kept.records.find(
    (record): record is VmEvidence => record.kind === 'vm' && record.claim === claim.metadata.name,
  );
  if (kept !== undefined) ledger.add(kept);
  else ledger.missed('vm', `VM ${name}`, { why: reader.from === 'dump' ? 'notInDump' : 'notConfigured' });
  return kept;
}

function vmEvidence(
  { ledger }: Ask,
  claim: ClaimShape,
  name: string,
  vm: VirtualMachine | undefined,
): VmEvidence {
  const view = vm?.instanceView;
  const agent = view?.vmAgent?.statuses?.[0]?.displayStatus;
  return {
    kind: 'vm',
    reading: ledger.reading(`VM ${name}`, 'azure'),
    name,
    claim: claim.metadata.name ?? '',
    found: vm !== undefined,
    provisioningState: vm?.provisioningState,
    powerState: stateIn(view?.statuses, 'PowerState'),
    agentReady: agent === undefined ? (vm === undefined ? undefined : false) : agent === 'Ready',
    diskEncryptionSetId: vm?.storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id,
    imageId: imageIdOf(vm?.storageProfile?.imageReference),
    size: vm?.hardwareProfile?.vmSize,
    bootDiagnostics: vm === undefined ? undefined : vm.diagnosticsProfile?.bootDiagnostics?.enabled === true,
    createdAtMs: vm?.timeCreated?.getTime(),
  };
}

async function readInside(ask: Ask, claim: ClaimShape, at: MachineAt, vm: VirtualMachine): Promise<void> {
  const { ledger, azure } = ask;
  const evidence = claimEvidence(ask, claim);
  const name = evidence.name;
  const imageId = imageIdOf(vm.storageProfile?.imageReference) ?? evidence.imageId;
  for (const view of vm.instanceView?.extensions ?? [])
    ledger.add(extensionEvidence(ask, name, view, imageId));
  // A node that has joined has told its story; so has one that told how its provisioning ended.
  if (isTrue(evidence, 'Registered') && conditionOf(evidence, 'Initialized')?.status === 'True') return;
  const looked = await azure!.serialLog(at);
  const what = `serial log of VM ${at.name}`;
  if (!isFound(looked)) {
    ledger.missed('serialLog', what, looked);
    return;
  }
  const reading = ledger.reading(what, 'azure');
  ledger.add({ kind: 'serialLog', reading, claim: name, text: looked.found, imageId });
}

/** Extensions of the platform (billing, monitoring) do not make a node; those that run a script do. */
const PROVISIONING = /CustomScript|cse-agent/i;

function extensionEvidence(
  { ledger }: Ask,
  claim: string,
  view: VirtualMachineExtensionInstanceView,
  imageId: string | undefined,
): ExtensionEvidence {
  const statuses = [...(view.statuses ?? []), ...(view.substatuses ?? [])];
  const state = stateIn(view.statuses, 'ProvisioningState')?.split('/')[0]?.toLowerCase() ?? '';
  const provisions = PROVISIONING.test(view.type ?? '') || PROVISIONING.test(view.name ?? '');
  return {
    kind: 'extension',
    reading: ledger.reading(`extension ${view.name} of ${claim}`, 'azure'),
    claim,
    name: view.name ?? '',
    state: state === 'failed' && provisions ? 'failed' : state === 'succeeded' ? 'succeeded' : 'running',
    message: statuses
      .map(({ message = '' }) => message)
      .join('\n')
      .trim(),
    imageId,
  };
}
