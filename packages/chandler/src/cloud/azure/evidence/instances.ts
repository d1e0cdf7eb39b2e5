/** The VM of a claim as Azure shows it: VM, extensions, serial log; and the managed cluster. Layers 3 to 5. */
import type { VirtualMachine, VirtualMachineExtensionInstanceView } from '@azure/arm-compute';
import {
  conditionOf,
  type EvidenceContext,
  type ExtensionEvidence,
  isFound,
  isTrue,
  type LookupFailure,
  type NodeClaimEvidence,
  type VmEvidence,
} from '../../../causes/index.ts';
import type { ControllerDeployment } from '../../index.ts';

import { imageIdOf } from '../images/image-id.ts';
import { CUSTOM_SCRIPT_EXTENSION } from '../vm/extension-object.ts';
import { isFailure } from '../vm/view.ts';
import {
  type AzureReader,
  type ClusterLocation,
  stateIn,
  type VmLocation,
  vmLocation,
} from './azure-evidence.ts';

/** Without a reader, what the maker of a dump read. */
export interface AzureContext extends EvidenceContext {
  readonly azure: AzureReader | undefined;
  /** Why there is no reader, where there is no dump. */
  readonly missing: LookupFailure;
}

/** The VM, and while it has not joined, or its node is not Ready, its extensions and console. */
export async function readVm(
  context: AzureContext,
  claim: NodeClaimEvidence,
  isUnready = false,
): Promise<VmEvidence | undefined> {
  const { recorder, azure } = context;
  const at = vmLocation(claim.providerId ?? '');
  if (at === undefined) return undefined;
  const { name } = at;
  if (azure === undefined) return keptVm(context, claim, name);
  const looked = await azure.vm(at);
  if (!isFound(looked) && looked.why !== 'notFound') {
    recorder.addUnread('vm', `VM ${name}`, looked);
    return undefined;
  }
  // The controller deletes the VM of a claim whose bootstrap failed: that it does not exist is expected.
  const failed = conditionOf(claim, 'CSEProvisioned')?.status === 'False';
  if (failed && !isFound(looked)) return undefined;
  const vm = vmEvidence(context, claim, name, isFound(looked) ? looked.found : undefined);
  recorder.add(vm);
  if (isFound(looked)) await readInside(context, claim, at, looked.found, isUnready);
  return vm;
}

/** The managed cluster, by the controller's options; where they do not name it, by the resource group of the VMs. */
export async function readClusterOf(
  context: AzureContext,
  claims: readonly NodeClaimEvidence[],
  controller: ControllerDeployment | undefined,
): Promise<void> {
  const vm = claims.map(({ providerId = '' }) => vmLocation(providerId)).find((at) => at !== undefined);
  const nodes =
    vm === undefined ? undefined : { subscription: vm.subscription, resourceGroup: vm.resourceGroup };
  const at = clusterOf(controller, nodes?.subscription) ?? nodes;
  if (at !== undefined) await readCluster(context, at);
}

// ---------------------------------------------------------------------------------------------------

function clusterOf(
  controller: ControllerDeployment | undefined,
  ofNodes: string | undefined,
): ClusterLocation | undefined {
  const value = (name: string) => controller?.options[name]?.value ?? '';
  const at = {
    subscription: value('azureSubscriptionId') || (ofNodes ?? ''),
    resourceGroup: value('armResourceGroup'),
    name: value('clusterName'),
  };
  return at.resourceGroup === '' || at.name === '' ? undefined : at;
}

async function readCluster(
  { reader, recorder, azure, missing }: AzureContext,
  at: ClusterLocation | Omit<VmLocation, 'name'>,
): Promise<void> {
  const what = 'name' in at ? `managed cluster ${at.name}` : `managed cluster of ${at.resourceGroup}`;
  if (azure === undefined) {
    if (!reader.kept.records.some(({ kind }) => kind === 'cluster'))
      recorder.addUnread('cluster', what, reader.from === 'dump' ? { why: 'notInDump' } : missing);
    return;
  }
  const looked = await ('name' in at ? azure.cluster(at) : azure.clusterOfNodes(at));
  if (!isFound(looked)) {
    recorder.addUnread('cluster', what, looked);
    return;
  }
  const { name, ...cluster } = looked.found;
  recorder.add({
    kind: 'cluster',
    reading: recorder.reading(`managed cluster ${name}`, 'azure'),
    ...cluster,
  });
}

/** As the maker of the dump saw it. */
function keptVm(
  { reader, recorder, missing }: AzureContext,
  claim: NodeClaimEvidence,
  name: string,
): VmEvidence | undefined {
  const kept = reader.kept.records.find(
    (record): record is VmEvidence => record.kind === 'vm' && record.claim === claim.name,
  );
  if (kept !== undefined) recorder.add(kept);
  else recorder.addUnread('vm', `VM ${name}`, reader.from === 'dump' ? { why: 'notInDump' } : missing);
  return kept;
}

function vmEvidence(
  { recorder }: AzureContext,
  claim: NodeClaimEvidence,
  name: string,
  vm: VirtualMachine | undefined,
): VmEvidence {
  const view = vm?.instanceView;
  const agent = view?.vmAgent?.statuses?.[0]?.displayStatus;
  return {
    kind: 'vm',
    reading: recorder.reading(`VM ${name}`, 'azure'),
    name,
    claim: claim.name,
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

async function readInside(
  context: AzureContext,
  claim: NodeClaimEvidence,
  at: VmLocation,
  vm: VirtualMachine,
  isUnready: boolean,
): Promise<void> {
  const { recorder, azure } = context;
  const { name } = claim;
  const imageId = imageIdOf(vm.storageProfile?.imageReference) ?? claim.imageId;
  for (const view of (vm.instanceView?.extensions ?? []).filter(makesNode))
    recorder.add(extensionEvidence(context, name, view, imageId));
  // A node that has joined, and is Ready, needs no more evidence.
  if (isTrue(claim, 'Registered') && isTrue(claim, 'Initialized') && !isUnready) return;
  const looked = await azure!.serialLog(at);
  const what = `serial log of VM ${at.name}`;
  if (!isFound(looked)) {
    recorder.addUnread('serialLog', what, looked);
    return;
  }
  const reading = recorder.reading(what, 'azure');
  recorder.add({ kind: 'serialLog', reading, claim: name, text: looked.found, imageId });
}

/** By its name: policies add scripts of their own, and extensions of the platform (billing, monitoring) do not make a node. */
function makesNode({ name = '' }: VirtualMachineExtensionInstanceView): boolean {
  return name.toLowerCase() === CUSTOM_SCRIPT_EXTENSION;
}

function extensionEvidence(
  { recorder }: AzureContext,
  claim: string,
  view: VirtualMachineExtensionInstanceView,
  imageId: string | undefined,
): ExtensionEvidence {
  const statuses = [...(view.statuses ?? []), ...(view.substatuses ?? [])];
  const state = stateIn(view.statuses, 'ProvisioningState')?.split('/')[0]?.toLowerCase() ?? '';
  const failed = (view.statuses ?? []).some(isFailure);
  return {
    kind: 'extension',
    reading: recorder.reading(`extension ${view.name} of ${claim}`, 'azure'),
    claim,
    name: view.name ?? '',
    state: failed ? 'failed' : state === 'succeeded' ? 'succeeded' : 'running',
    message: statuses
      .map(({ message = '' }) => message)
      .join('\n')
      .trim(),
    imageId,
  };
}
