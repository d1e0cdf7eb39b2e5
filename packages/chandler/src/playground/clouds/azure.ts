/** The playground on a simulated Azure: VMs of an ARM server become nodes of an AKS cluster. */
import {
  AKS_AGENT_TAINTS,
  AKS_STORAGE_CLASSES,
  type AzureOptions,
  controllerEnvironment,
  DISK_DRIVER,
  dropsValueAt,
  FAULTS,
  FILE_DRIVER,
  filesIn,
  type RunningAzure,
  removeControllerFiles,
  startAzure,
  writeControllerFiles,
} from '@chandler/cloudsim/azure';
import type { KubeObject } from '@chandler/kube';
import { AKS_NODE_CLASSES } from '../../api/index.ts';
import { injectFaults } from '../fault-injection.ts';
import { azureInstances } from './azure-instances.ts';
import type { AzureAction, AzureCheck, CloudAction, CloudCheck, NodesOf } from './cloud-actions.ts';
import { type PoolChoice, type PoolOfCloud, poolObject } from './default-pool.ts';
import {
  type CloudEnvironment,
  type CloudFiles,
  type CloudSimulation,
  faultStates,
  type PlaygroundCloud,
  type SystemNode,
} from './playground-cloud.ts';

/** @param started receives the running Azure. */
export function azureSimulation(
  options: AzureOptions,
  started: (azure: RunningAzure) => void,
): CloudSimulation {
  return {
    storageClasses: AKS_STORAGE_CLASSES,
    csiDrivers: { [DISK_DRIVER]: 16, [FILE_DRIVER]: undefined },
    sharedDrivers: [FILE_DRIVER],
    agentTaints: AKS_AGENT_TAINTS.map(({ key }) => key),
    async start(environment) {
      const azure = await startAzure(environment, options);
      started(azure);
      return azureCloud(azure, environment);
    },
  };
}

const AZURE_NODE_CLASS: KubeObject = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: { imageFamily: 'Ubuntu2204', osDiskSizeGB: 128 },
};

// ---------------------------------------------------------------------------------------------------

const POOL: PoolOfCloud = {
  nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
  requirements: [{ key: 'karpenter.azure.com/sku-family', operator: 'In', values: ['D'] }],
};
const ZONE_NUMBERS = ['1', '2', '3'];
/** No VM can be allocated in a zone. */
const NO_CAPACITY = 'zonal-allocation';

function azureCloud(azure: RunningAzure, { kubernetesVersion }: CloudEnvironment): PlaygroundCloud {
  const { arm } = azure;
  /** Ids of the faults that take the capacity of a zone. */
  const withoutCapacity = new Map<string, string>();
  const { settings } = arm;
  return {
    name: 'azure',
    title: 'Azure',
    instanceNoun: 'VM',
    region: settings.region,
    zones: ZONE_NUMBERS.map((number) => `${settings.region}-${number}`),
    kubernetesVersion,
    endpoint: arm.url,
    address: `${arm.url}, subscription ${settings.subscriptionId}`,
    fetch: arm.fetch,
    nodeClasses: AKS_NODE_CLASSES,
    defaultNodeClass: AZURE_NODE_CLASS,
    defaultPool: (choice?: PoolChoice) => poolObject(POOL, choice),
    async provider() {
      const { createAzureProvider } = await import('../../cloud/azure/index.ts');
      return createAzureProvider(injectFaults(dropsValueAt(arm.faults)));
    },
    async controllerRoles() {
      const [{ CONTROLLER_ROLES }, { TOKEN_ID }] = await Promise.all([
        import('../roles.gen.ts'),
        import('../render-roles.ts'),
      ]);
      const tokenId = azure.bootstrapToken.split('.')[0]!;
      return JSON.parse(JSON.stringify(CONTROLLER_ROLES).replaceAll(TOKEN_ID, tokenId)) as KubeObject[];
    },
    async writeFiles(folder, place) {
      const { envFile } = await writeControllerFiles(folder, { azure, ...place });
      return { folder, envFile, remove: () => removeControllerFiles(folder) };
    },
    controllerEnvironment: ({ folder }, place) => controllerEnvironment({ azure, ...place }, filesIn(folder)),
    facts: (files) => azureFacts(azure, files),
    systemNode: (number) => systemNode(azure, number),
    instances: azureInstances(azure),
    instanceOf: ({ name, providerID }) =>
      providerID?.startsWith('azure:') === true ? `aks-${name}` : undefined,
    leftovers: () => ({
      VMs: arm.resources.vms().length,
      NICs: arm.resources.nics().length,
      disks: arm.resources.disks().length,
    }),
    faults: () => faultStates(FAULTS, arm.faults.list()),
    addFault: (fault) => void arm.faults.add(fault),
    removeFaults: (name) => void arm.faults.remove(name),
    stopZone(zone) {
      for (const { id } of arm.resources.vms())
        if (arm.vms.vm(id)?.zone === numberOf(zone)) arm.vms.setInstanceView(id, { power: 'stopped' });
    },
    setCapacity(zone, available) {
      const fault = withoutCapacity.get(zone);
      if (available && fault !== undefined) arm.faults.remove(fault);
      withoutCapacity.delete(zone);
      if (!available) withoutCapacity.set(zone, arm.faults.add(`${NO_CAPACITY}@zone=${numberOf(zone)}`).id);
    },
    perform: (action) => perform(azure, action),
    failureOf: (check, nodesOf) => disksFailure(azure, check, nodesOf),
    stop: () => azure.stop(),
  };
}

/** `2` of `eastus-2`. */
function numberOf(zone: string): string {
  return zone.split('-').at(-1)!;
}

function azureFacts({ arm }: RunningAzure, { folder }: CloudFiles): Readonly<Record<string, string>> {
  const { url, settings, credentials } = arm;
  const { clientSecretFile, caFile, envFile, faultHeaderFile } = filesIn(folder);
  return {
    endpoint: url,
    region: settings.region,
    tenantId: credentials.tenantId,
    subscriptionId: settings.subscriptionId,
    clientId: credentials.clientId,
    clientSecretFile,
    caFile,
    envFile,
    faultHeaderFile,
    clusterName: settings.clusterName,
    clusterResourceGroup: settings.clusterResourceGroup,
    nodeResourceGroup: settings.nodeResourceGroup,
  };
}

/** System nodes are of a scale set that the ARM server does not show. */
function systemNode({ arm: { settings } }: RunningAzure, number: number): SystemNode {
  const { region, subscriptionId, nodeResourceGroup, clusterId } = settings;
  const group = `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup.toLowerCase()}`;
  const set = `aks-system-${clusterId}-vmss`;
  return {
    zone: `${region}-${((number - 1) % ZONE_NUMBERS.length) + 1}`,
    instanceType: 'Standard_D4s_v5',
    labels: { 'kubernetes.azure.com/mode': 'system', 'kubernetes.azure.com/agentpool': 'system' },
    providerID: `azure://${group}/providers/Microsoft.Compute/virtualMachineScaleSets/${set}/virtualMachines/${number - 1}`,
  };
}

function perform({ arm, azure }: RunningAzure, action: CloudAction): void {
  const own = action as AzureAction;
  if ('quota' in own) azure.catalogue.quota.setLimit(arm.settings.region, own.quota.name, own.quota.limit);
  else if ('byok' in own) azure.byok[own.byok]();
  else throw new Error(`Azure does not know the action ${JSON.stringify(action)}`);
}

async function disksFailure(
  { arm }: RunningAzure,
  check: CloudCheck,
  nodesOf: NodesOf,
): Promise<string | undefined> {
  if (!('disksEncryptedWith' in check))
    throw new Error(`Azure does not know the check ${JSON.stringify(check)}`);
  const { app, set } = (check as AzureCheck).disksEncryptedWith;
  const nodes = await nodesOf(app);
  const plain = arm.resources.vms().filter(({ name, properties }) => {
    const { storageProfile } = properties as unknown as VmProperties;
    const used = storageProfile?.osDisk?.managedDisk?.diskEncryptionSet?.id;
    return nodes.includes(name) && used?.toLowerCase() !== set.toLowerCase();
  });
  if (nodes.length === 0) return `no pod of ${app} is running`;
  return plain.length === 0 ? undefined : `the OS disk of ${plain[0]!.name} is not encrypted with ${set}`;
}

interface VmProperties {
  readonly storageProfile?: {
    readonly osDisk?: { readonly managedDisk?: { readonly diskEncryptionSet?: { readonly id?: string } } };
  };
}
