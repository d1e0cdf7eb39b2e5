/**
 * Reads Azure with the credentials that are available: the VM of a claim, its extensions, its serial log, the managed
 * cluster, a disk encryption set. One request each; a refusal names the permission. It changes nothing.
 */
import type { ManagedCluster } from '@azure/arm-containerservice';
import { type Fetch, rethrowProgramError, type World } from '@chandler/kube';
import {
  type ArmClients,
  BAD_ANSWER,
  isNotFound,
  NO_TOKEN,
  pagesOf,
  toArmError,
} from '../../../arm/index.ts';
import { isFound, type LookupFailure, type LookupResult } from '../../../causes/index.ts';

import { READ_CONSOLE, SERIAL_LOG_UNREADABLE, SerialLogs } from '../bootstrap-outcome/serial-log.ts';
import { DiskEncryptionEvidence } from '../disk-encryption/evidence/gather.ts';
import { LaunchEvidence } from '../disk-encryption/evidence/launch-evidence.ts';
import { diskEncryptionReaders } from '../disk-encryption/readers.ts';
import type { AzureReader, SeenCluster } from './azure-evidence.ts';

export interface AzureReaderOptions {
  readonly clients: ArmClients;
  readonly world: Pick<World, 'clock'>;
  /** For consoles, which are blobs behind a signed address. */
  readonly fetch: Fetch;
}

const READ_VM = 'Microsoft.Compute/virtualMachines/read';
const READ_CLUSTER = 'Microsoft.ContainerService/managedClusters/read';

export function azureReader({ clients, world, fetch }: AzureReaderOptions): AzureReader {
  return {
    vm: ({ subscription, resourceGroup, name }) =>
      seen(READ_VM, async () => {
        const { virtualMachines } = await clients.compute(subscription);
        return virtualMachines.get(resourceGroup, name, { expand: 'instanceView' });
      }),
    serialLog: async ({ subscription, resourceGroup, name }) => {
      const looked = await seen(READ_CONSOLE, async () => {
        const compute = () => clients.compute(subscription);
        const logs = new SerialLogs({ clock: world.clock, clients: { compute }, fetch, resourceGroup });
        return (await logs.read(name))?.text;
      });
      if (!isFound(looked)) return looked;
      // A log that is not there is not an empty one.
      return looked.found === undefined
        ? { why: 'notFound', message: 'boot diagnostics are off, or have no log yet' }
        : { found: looked.found };
    },
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
          name && group ? await managedClusters.get(group, name).catch(unlessProgramError) : undefined;
        if (named !== undefined && ours(named)) return seenCluster(named);
        for await (const cluster of pagesOf(managedClusters.list()))
          if (ours(cluster)) return seenCluster(cluster);
        return undefined;
      });
      if (!isFound(looked)) return looked;
      return looked.found === undefined ? { why: 'notFound' } : { found: looked.found };
    },
    set: (id, nodes) =>
      new DiskEncryptionEvidence({
        readers: diskEncryptionReaders(clients),
        launches: new LaunchEvidence(),
        ...nodes,
        now: () => world.clock.now(),
      }).about(id),
  };
}

// ---------------------------------------------------------------------------------------------------

/** AKS calls the group of the nodes `MC_{group}_{cluster}_{region}`, unless another name was set. */
function namesIn(nodeGroup: string): readonly string[] {
  const [mark = '', ...parts] = nodeGroup.split('_');
  return mark.toLowerCase() === 'mc' && parts.length === 3 ? parts.slice(0, 2) : [];
}

function unlessProgramError(error: unknown): undefined {
  rethrowProgramError(error);
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

async function seen<T>(permission: string, read: () => Promise<T>): Promise<LookupResult<T>> {
  try {
    return { found: await read() };
  } catch (error) {
    return notSeen(error, permission);
  }
}

/** Only Azure itself says that something is forbidden or not there: a proxy has pages with the same status. */
function notSeen(thrown: unknown, permission: string): LookupFailure {
  const error = toArmError(thrown);
  const { status, code, text } = error;
  if (code === NO_TOKEN) return { why: 'notConfigured', message: text };
  if (isNotFound(error)) return { why: 'notFound' };
  const isOfArm = code !== BAD_ANSWER && code !== SERIAL_LOG_UNREADABLE;
  if (isOfArm && (status === 401 || status === 403)) return { why: 'forbidden', permission, message: text };
  return { why: 'unreachable', message: text };
}
