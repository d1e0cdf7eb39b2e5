/**
 * Looks at Azure with whatever credentials there are: the machine of a claim, its extensions, its console, the managed
 * cluster, a disk encryption set. One question each; a refusal names the permission. Nothing is changed there.
 */
import type { InstanceViewStatus, VirtualMachine } from '@azure/arm-compute';
import { type ArmClients, NO_TOKEN, parseResourceId, resourceName, toArmError } from '../../arm/index.ts';
import {
  DiskEncryptionEvidence,
  diskEncryptionReaders,
  LaunchEvidence,
  type Evidence as SetEvidence,
} from '../../cloud/azure/disk-encryption/index.ts';
import type { Fetch, World } from '../../world.ts';
import type { Looked, NotSeen } from '../reader/reader.ts';

export interface AzureEye {
  vm(at: MachineAt): Promise<Looked<VirtualMachine>>;
  /** The end of what the machine wrote to its console. */
  serialLog(at: MachineAt): Promise<Looked<string>>;
  cluster(at: ClusterAt): Promise<Looked<SeenCluster>>;
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

const SERIAL_BYTES = 1024 * 1024;

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
        const cluster = await managedClusters.get(resourceGroup, name);
        const access = cluster.apiServerAccessProfile;
        return {
          diskEncryptionSetId: cluster.diskEncryptionSetID,
          privateCluster: access?.enablePrivateCluster,
          authorizedIpRanges: access?.authorizedIPRanges ?? [],
          apiServerHost: cluster.privateFqdn ?? cluster.fqdn,
          powerState: cluster.powerState?.code,
        };
      }),
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
  const response = await send(address);
  if (!response.ok) return '';
  const text = await response.text();
  return text.slice(-SERIAL_BYTES);
}
