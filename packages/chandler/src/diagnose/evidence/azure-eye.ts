/**
 * Looks at Azure with whatever credentials there are: the machine of a claim, its extensions, its console, the managed
 * cluster, a disk encryption set. One question each; a refusal names the permission. Nothing is changed there.
 */
import type { InstanceViewStatus, VirtualMachine } from '@azure/arm-compute';
import type { ManagedCluster } from '@azure/arm-containerservice';
import type { Fetch, World } from '@chandler/kube';
import {
  type ArmClients,
  ArmError,
  NO_TOKEN,
  parseResourceId,
  resourceName,
  toArmError,
} from '../../arm/index.ts';
import {
  DiskEncryptionEvidence,
  diskEncryptionReaders,
  LaunchEvidence,
  type Evidence as SetEvidence,
  tailOf,
} from '../../cloud/azure/index.ts';

import { isFound, type Looked, type NotSeen } from '../reader/reader.ts';

export interface AzureEye {
  vm(at: MachineAt): Promise<Looked<VirtualMachine>>;
  /** The end of what the machine wrote to its console. */
  serialLog(at: MachineAt): Promise<Looked<string>>;
  cluster(at: ClusterAt): Promise<Looked<SeenCluster>>;
  /** The cluster whose nodes are in a resource group, where nobody says what it is called. */
  clusterOfNodes(at: Omit<MachineAt, 'name'>): Promise<Looked<SeenCluster>>;
  /** What can be found out about a disk encryption set for machines of a region. */
  set(id: string, location: string): Promise<SetEvidence>;
}

export interface MachineAt {
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly name: string;
}

export interface ClusterAt {
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly name: string;
}

export interface SeenCluster {
  readonly name: string;
  readonly diskEncryptionSetId: string | undefined;
  readonly privateCluster: boolean | undefined;
  readonly authorizedIpRanges: readonly string[];
  readonly apiServerHost: string | undefined;
  readonly powerState: string | undefined;
}

export interface AzureEyeOptions {
  readonly clients: ArmClients;
  readonly world: Pick<World, 'clock'>;
  /** For consoles, which are blobs behind a signed address. */
  readonly fetch: Fetch;
}

const READ_VM = 'Microsoft.Compute/virtualMachines/read';
const READ_CONSOLE = 'Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action';
const READ_CLUSTER = 'Microsoft.ContainerService/managedClusters/read';

export function azureEye({ clients, world, fetch }: AzureEyeOptions): AzureEye {
  return {
    vm: ({ subscription, resourceGroup, name }) =>
      seen(READ_VM, async () => {
        const { virtualMachines } = await clients.compute(subscription);
        return virtualMachines.get(resourceGroup, name, { expand: 'instanceView' });
      }),
    serialLog: ({ subscription, resourceGroup, name }) =>
      seen(READ_CONSOLE, async () => {
        const { virtualMachines } = await clients.compute(subscription);
        const { serialConsoleLogBlobUri: address } = await virtualMachines.retrieveBootDiagnosticsData(
          resourceGroup,
          name,
        );
        return address === undefined ? '' : readConsole(fetch, address);
      }),
    cluster: ({ subscription, resourceGroup, name }) =>
      seen(READ_CLUSTER, async () => {
        const { managedClusters } = await clients.containerService(subscription);
        return seenCluster(await managedClusters.get(resourceGroup, name));
      }),
    clusterOfNodes: async ({ subscription, resourceGroup }) => {
      const looked = await seen(READ_CLUSTER, async () => {
        const { managedClusters } = await clients.containerService(subscription);
        const ours = ({ nodeResourceGroup = '' }: ManagedCluster) =>
          nodeResourceGroup.toLowerCase() === resourceGroup.toLowerCase();
        const [group, name] = namesIn(resourceGroup);
        // Fewer are allowed to list than to read.
        const named =
          name && group ? await managedClusters.get(group, name).catch(() => undefined) : undefined;
        if (named !== undefined && ours(named)) return seenCluster(named);
        for await (const cluster of managedClusters.list()) if (ours(cluster)) return seenCluster(cluster);
        return undefined;
      });
      if (!isFound(looked)) return looked;
      return looked.found === undefined ? { why: 'notFound' } : { found: looked.found };
    },
    set: (id, location) =>
      new DiskEncryptionEvidence({
        readers: diskEncryptionReaders(clients),
        launches: new LaunchEvidence(),
        location,
        now: () => world.clock.now(),
      }).about(id),
  };
}

/** Where the machine of a provider id is; undefined for what is no VM of Azure. */
export function machineAt(providerId: string): MachineAt | undefined {
  if (!providerId.startsWith('azure://')) return undefined;
  const parsed = parseResourceId(providerId.slice('azure://'.length), 'Microsoft.Compute/virtualMachines');
  if ('problem' in parsed) return undefined;
  const { subscriptionId: subscription, resourceGroup } = parsed.id;
  return { subscription, resourceGroup, name: resourceName(parsed.id) };
}

/** `running` of `PowerState/running`. */
export function stateIn(
  statuses: readonly InstanceViewStatus[] | undefined,
  prefix: string,
): string | undefined {
  const status = statuses?.find(({ code }) => code?.toLowerCase().startsWith(`${prefix.toLowerCase()}/`));
  return status?.code?.slice(prefix.length + 1);
}

// ---------------------------------------------------------------------------------------------------

/** AKS calls the group of the nodes `MC_{group}_{cluster}_{region}`, unless it was told another name. */
function namesIn(nodeGroup: string): readonly string[] {
  const [mark = '', ...parts] = nodeGroup.split('_');
  return mark.toLowerCase() === 'mc' && parts.length === 3 ? parts.slice(0, 2) : [];
}

function seenCluster(cluster: ManagedCluster): SeenCluster {
  const access = cluster.apiServerAccessProfile;
  return {
    name: cluster.name ?? '',
    diskEncryptionSetId: cluster.diskEncryptionSetID,
    privateCluster: access?.enablePrivateCluster,
    authorizedIpRanges: access?.authorizedIPRanges ?? [],
    apiServerHost: cluster.privateFqdn ?? cluster.fqdn,
    powerState: cluster.powerState?.code,
  };
}

async function seen<T>(permission: string, read: () => Promise<T>): Promise<Looked<T>> {
  try {
    return { found: await read() };
  } catch (error) {
    return notSeen(error, permission);
  }
}

function notSeen(error: unknown, permission: string): NotSeen {
  const { status, code, text } = toArmError(error);
  if (code === NO_TOKEN) return { why: 'notConfigured', message: text };
  if (status === 404) return { why: 'notFound' };
  if (status === 401 || status === 403) return { why: 'forbidden', permission, message: text };
  return { why: 'unreachable', message: text };
}

async function readConsole(send: Fetch, address: string): Promise<string> {
  try {
    const response = await send(address, { redirect: 'error' });
    if (response.ok) return (await tailOf(response)).text;
    await response.body?.cancel();
    return '';
  } catch {
    // What a fetch says about a signed address may hold the address.
    throw new ArmError({ code: 'SerialLogUnreadable', message: 'the serial log could not be downloaded' });
  }
}
