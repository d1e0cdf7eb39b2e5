/**
 * Checks with the credential of the operator whether Azure knows the cluster and the resource group of the config, and
 * whether the cluster can be used from this machine. Read-only; without them a wrong ID is known only at step 9.
 */
import type { Timer } from '@chandler/kube';
import type { AzureClient, ManagedClusterFacts } from '../azure/azure-client.ts';
import { isLocalAccountsDisabled } from '../azure/azure-failure.ts';
import type { BindAccess, ClusterAddress, ClusterCredential, NodeFacts } from '../azure/cluster-client.ts';
import { readKubeconfig } from '../azure/kubeconfig.ts';
import { FlexError, type FlexErrorFacts } from '../flex-error.ts';
import { describeMachine } from '../host/machine-ids.ts';
import { kubeletSkew, parseVersion } from '../kubelet/version.ts';
import { nodeBindings } from '../steps/node-access.ts';
import { isNameInUse, nameInUse, nodeOwner } from '../steps/node-owner.ts';
import { type Check, error, type Inspection, ok, warning } from './check.ts';
import { isAzureReachable } from './network-checks.ts';
import type { Finding } from './report.ts';

export const AZURE_CHECKS: readonly Check[] = [
  {
    name: 'azure-cluster',
    neededBy: ['credentials'],
    look: (inspection) => withAzure(inspection, cluster),
  },
  {
    name: 'azure-resource-group',
    neededBy: ['arc'],
    look: (inspection) => withAzure(inspection, resourceGroup),
  },
];

// ---------------------------------------------------------------------------------------------------

const MAX_WAIT_MS = 60_000;
const GRANT_ADMIN =
  'Assign the role Azure Kubernetes Service RBAC Cluster Admin (or the ClusterRole cluster-admin) to the operator.';

/** A failure of a call becomes a finding; anything else is a defect of ours. */
async function withAzure(
  inspection: Inspection,
  look: (azure: AzureClient, inspection: Inspection) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const { azure, world, signal } = inspection;
  // That Azure cannot be reached is the finding of another check; the client would retry for minutes.
  if (azure === undefined || !(await isAzureReachable(inspection))) return [];
  const limit = new AbortController();
  let timer: Timer | undefined;
  try {
    // Before the limit: a person types a code.
    await azure.signIn(signal);
    timer = world.clock.after(MAX_WAIT_MS, () => limit.abort(new Error('timeout')));
    return await look(azure, { ...inspection, signal: AbortSignal.any([signal, limit.signal]) });
  } catch (failure) {
    if (signal.aborted) throw failure;
    if (limit.signal.aborted)
      return [warning(`Azure did not answer within ${MAX_WAIT_MS / 1000} s`, 'Run the command again.')];
    if (!(failure instanceof FlexError)) throw failure;
    return [error(failure.facts.message, remedyOf(failure.facts, inspection), failure.facts.where)];
  } finally {
    timer?.cancel();
  }
}

function remedyOf(facts: FlexErrorFacts, { config }: Inspection): string {
  if (facts.code === 'azure.not-found')
    return `Correct azure.targetCluster.resourceId: ${config.azure.targetCluster.resourceId}. List clusters with az aks list -o table.`;
  return facts.remedy ?? 'Check the credential of the operator: az account show.';
}

async function cluster(azure: AzureClient, inspection: Inspection): Promise<readonly Finding[]> {
  const { config, signal } = inspection;
  const target = config.azure.targetCluster.name;
  const facts = await azure.cluster(signal);
  const wrongRegion = facts.location !== undefined && facts.location !== config.azure.targetCluster.location;
  return [
    ok(`the cluster exists, with Kubernetes ${facts.kubernetesVersion}`, target),
    ...(wrongRegion
      ? [
          warning(
            `the cluster is in ${facts.location}, not in ${config.azure.targetCluster.location}`,
            `Set azure.targetCluster.location to ${facts.location}.`,
            target,
          ),
        ]
      : []),
    ...skew(inspection, facts),
    ...(await access(azure, inspection, facts)),
  ];
}

function skew({ config }: Inspection, { kubernetesVersion }: ManagedClusterFacts): readonly Finding[] {
  const [kubelet, server] = [parseVersion(config.kubernetes.version), parseVersion(kubernetesVersion)];
  if (kubelet === undefined || server === undefined) return [];
  const result = kubeletSkew(kubelet, server);
  if (result.ok) return [];
  const what = result.problem === 'newer-than-server' ? 'newer than' : 'too old for';
  return [
    error(
      `kubelet ${config.kubernetes.version} is ${what} the cluster version ${kubernetesVersion}`,
      `Set kubernetes.version to a version from ${result.oldest} to ${server.major}.${server.minor}.`,
      'kubernetes.version',
    ),
  ];
}

/** The credential is the one that step 9 uses; it stays in memory. */
async function access(
  azure: AzureClient,
  inspection: Inspection,
  facts: ManagedClusterFacts,
): Promise<readonly Finding[]> {
  const { config, cluster: client, signal } = inspection;
  const target = config.azure.targetCluster.name;
  const text = await kubeconfigOf(azure, facts, signal);
  const { address, credential: given } = await readKubeconfig(text);
  const credential: ClusterCredential = given ?? { kind: 'token', token: await azure.clusterToken(signal) };
  const host = new URL(address.server).host;
  const roles = nodeBindings(config, facts, '').map(({ clusterRole }) => clusterRole);
  try {
    await reach(client, address, credential, signal);
    const may = roles.length === 0 ? 'yes' : await client.mayBind(address, credential, roles, signal);
    if (may !== 'no') {
      const node = await client.node(address, credential, config.agent.nodeName, signal).catch(ifForbidden);
      return [
        accessFinding(may, roles, target),
        ...(node === undefined ? [] : await nodeName(inspection, node)),
      ];
    }
  } catch (failure) {
    if (signal.aborted || !(failure instanceof FlexError)) throw failure;
    if (failure.facts.class !== 'auth') return [unreachable(failure, facts, host)];
    return [error(failure.facts.message, failure.facts.remedy ?? GRANT_ADMIN, target)];
  }
  return [error('the operator may not create a ClusterRoleBinding in the cluster', GRANT_ADMIN, target)];
}

function accessFinding(may: BindAccess, roles: readonly string[], target: string): Finding {
  if (may === 'yes') return ok('the operator has access to it, and its API server can be reached', target);
  const message = `the operator lacks the verb bind on the ClusterRoles ${roles.join(', ')}: a binding is accepted only if the operator has all of their permissions`;
  return warning(message, GRANT_ADMIN, target);
}

/** A proxy in front of the cluster may hide the version; that it answers is enough, as for step 9. */
async function reach(
  client: Inspection['cluster'],
  address: ClusterAddress,
  credential: ClusterCredential,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.serverVersion(address, signal, credential);
  } catch (failure) {
    if (!(failure instanceof FlexError) || failure.facts.class !== 'auth') throw failure;
  }
}

/** Bootstrap does not need to read it either. */
function ifForbidden(failure: unknown): undefined {
  if (failure instanceof FlexError && failure.facts.code === 'cluster.forbidden') return undefined;
  throw failure;
}

/** A Node with the name of the config that is not that of this machine. */
async function nodeName(inspection: Inspection, node: NodeFacts): Promise<readonly Finding[]> {
  const { facts } = await nameInUse(inspection, node);
  if (await isNameInUse(inspection, node)) return [error(facts.message, facts.remedy ?? '', facts.where)];
  if (node.ready || (await nodeOwner(inspection, node)) !== 'other') return [];
  return [
    warning(
      `the cluster has a Node ${inspection.config.agent.nodeName} of another machine (${describeMachine(node)}), which is not Ready; bootstrap takes over its name`,
      'Set agent.nodeName to another name if that machine comes back.',
      facts.where,
    ),
  ];
}

async function kubeconfigOf(
  azure: AzureClient,
  { localAccountsDisabled }: ManagedClusterFacts,
  signal: AbortSignal,
): Promise<string> {
  if (localAccountsDisabled) return await azure.kubeconfig('user', signal);
  try {
    return await azure.kubeconfig('admin', signal);
  } catch (failure) {
    if (!isLocalAccountsDisabled(failure)) throw failure;
    return await azure.kubeconfig('user', signal);
  }
}

function unreachable(failure: FlexError, { privateFqdn }: ManagedClusterFacts, host: string): Finding {
  const message = `the API server cannot be reached: ${failure.facts.message.replaceAll(/https?:\/\/\S+/g, host)}`;
  return privateFqdn === undefined
    ? error(message, 'Allow outbound connections to port 443 of the API server.', host)
    : error(
        `${message}. The cluster is private`,
        `Connect the machine to the virtual network of the cluster (VPN, ExpressRoute), and resolve ${privateFqdn} there.`,
        host,
      );
}

async function resourceGroup(
  azure: AzureClient,
  { config, signal }: Inspection,
): Promise<readonly Finding[]> {
  const { machineName, resourceGroup: group } = config.azure.arc;
  const machine = await azure.machine(signal);
  return machine === undefined
    ? [ok(`the resource group exists, without a machine ${machineName}`, group)]
    : [ok(`the resource group has the machine ${machineName}`, group)];
}
