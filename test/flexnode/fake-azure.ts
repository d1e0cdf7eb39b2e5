/** Azure and the cluster of a folder machine, in process: what they keep can be looked at, every question is a point where a run can end. */
import { type FlexConfig, FlexError } from '../../packages/chandler/src/flexnode/index.ts';
import type {
  AzureClient,
  ClusterClient,
  ClusterCredential,
  NodeFacts,
  RoleAssignment,
} from '../../packages/chandler/src/flexnode/testing.ts';

import type { FakeNode } from './fake-node.ts';
import type { KillSwitch } from './kill-switch.ts';
import { TEST_CA_DATA } from './test-ca.ts';

/** Lives on while runs come and go. */
export interface AzureState {
  readonly machines: Set<string>;
  /** Of the API server, whatever version the kubelets have. */
  serverVersion: string;
  readonly assignments: Map<string, RoleAssignment>;
  readonly bindings: Map<string, string>;
  readonly nodes: Set<string>;
  /** What the kubelet of a Node has reported about its machine. */
  readonly nodeInfo: Map<string, Pick<NodeFacts, 'machineId' | 'systemUuid'>>;
  /** Nodes that the kubelet of another machine reports as Ready, too: every fourth read shows that machine. */
  readonly reportedElsewhere: Map<string, Pick<NodeFacts, 'machineId' | 'systemUuid'>>;
}

export function azureState(): AzureState {
  return {
    machines: new Set(),
    serverVersion: '1.33.1',
    assignments: new Map(),
    bindings: new Map(),
    nodes: new Set(),
    nodeInfo: new Map(),
    reportedElsewhere: new Map(),
  };
}

export const OPERATOR_TOKEN = 'eyJoperator.secret-of-the-operator.x';
/** A token of the Arc identity. */
export const NODE_TOKEN = 'token-of-the-node';
export const PRINCIPAL_ID = 'aaaaaaaa-0000-0000-0000-000000000001';

export function fakeAzure(state: AzureState, config: FlexConfig, kill: KillSwitch): AzureClient {
  const { arc, subscriptionId, targetCluster } = config.azure;
  const id = `/subscriptions/${subscriptionId}/resourceGroups/${arc.resourceGroup}/providers/Microsoft.HybridCompute/machines/${arc.machineName}`;
  return {
    signIn: async () => undefined,
    armToken: () => kill.call('armToken', async () => OPERATOR_TOKEN),
    clusterToken: () => kill.call('clusterToken', async () => OPERATOR_TOKEN),
    machine: () =>
      kill.call('GET machine', async () =>
        state.machines.has(arc.machineName)
          ? {
              id,
              name: arc.machineName,
              location: arc.location,
              principalId: PRINCIPAL_ID,
              status: 'Connected',
            }
          : undefined,
      ),
    deleteMachine: () => kill.call('DELETE machine', async () => state.machines.delete(arc.machineName)),
    assignRole: ({ scope, principalId, roleId }) =>
      kill.call(`PUT role ${roleId}`, async () => {
        const assignment = { id: `${scope}/${roleId}`, principalId, roleId };
        state.assignments.set(assignment.id, assignment);
        return assignment;
      }),
    roleAssignments: (_scope, principalId) =>
      kill.call('GET roles', async () =>
        [...state.assignments.values()].filter((each) => each.principalId === principalId),
      ),
    deleteRoleAssignment: (assignment) =>
      kill.call('DELETE role', async () => state.assignments.delete(assignment)),
    cluster: () =>
      kill.call('GET cluster', async () => ({
        kubernetesVersion: state.serverVersion,
        fqdn: 'harbour.test',
        dnsServiceIp: '10.0.0.10',
        localAccountsDisabled: false,
        azureRbac: true,
      })),
    kubeconfig: (kind) => kill.call(`POST kubeconfig ${kind}`, async () => kubeconfig(targetCluster.name)),
  };
}

export function fakeCluster(
  state: AzureState,
  config: FlexConfig,
  kill: KillSwitch,
  node: Pick<FakeNode, 'status'>,
): ClusterClient {
  let reads = 0;
  return {
    // AKS disables anonymous requests.
    serverVersion: (_address, _signal, credential) =>
      kill.call('GET /version', async () => {
        if (credential !== undefined) return `v${state.serverVersion}`;
        const message = 'read the version: Unauthorized (HTTP 401)';
        throw new FlexError({ class: 'auth', code: 'cluster.unauthorized', message });
      }),
    whoAmI: () =>
      kill.call('whoAmI', async () => ({ username: PRINCIPAL_ID, groups: ['system:authenticated'] })),
    mayBind: () => kill.call('may bind', async () => 'yes' as const),
    bindUser: (_address, _credential, { name, user }) =>
      kill.call(`bind ${name}`, async () => void state.bindings.set(name, user)),
    binding: (_address, _credential, name) =>
      kill.call(`GET binding ${name}`, async () => {
        const user = state.bindings.get(name);
        return user === undefined ? undefined : { clusterRole: '', user };
      }),
    deleteBinding: (_address, _credential, name) =>
      kill.call(`unbind ${name}`, async () => state.bindings.delete(name)),
    clientCa: () =>
      kill.call('GET client CA', async () => Buffer.from(TEST_CA_DATA, 'base64').toString('utf8')),
    node: (_address, credential, name) =>
      kill.call(`GET node ${name}`, async () => {
        if (!mayReadNodes(state, credential, name)) {
          const message = `nodes "${name}" is forbidden (HTTP 403)`;
          throw new FlexError({ class: 'auth', code: 'cluster.forbidden', message });
        }
        const status = node.status();
        if (!state.nodes.has(name)) return undefined;
        const { ready = false, kubeletVersion = `v${config.kubernetes.version}`, heartbeat } = status ?? {};
        const elsewhere = state.reportedElsewhere.get(name);
        reads += 1;
        if (elsewhere !== undefined && (reads % 4 === 0 || !ready))
          return { ready: true, kubeletVersion, ...elsewhere };
        return {
          ready,
          kubeletVersion,
          ...(heartbeat === undefined ? {} : { heartbeat }),
          ...state.nodeInfo.get(name),
        };
      }),
    labelNode: (_address, _credential, name) => kill.call(`PATCH node ${name}`, async () => undefined),
    deleteNode: (_address, _credential, name) =>
      kill.call(`DELETE node ${name}`, async () => state.nodes.delete(name)),
  };
}

// ---------------------------------------------------------------------------------------------------

/** The operator may, a certificate is that of the node itself, and the Arc identity needs a binding or a role. */
function mayReadNodes(state: AzureState, credential: ClusterCredential, node: string): boolean {
  if (credential.kind === 'certificate' || credential.token !== NODE_TOKEN) return true;
  return state.bindings.has(`chandler-flexnode:${node}`) || state.assignments.size > 0;
}

function kubeconfig(name: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${name}`,
    'contexts:',
    `- name: ${name}`,
    `  context: {cluster: ${name}, user: operator}`,
    'clusters:',
    `- name: ${name}`,
    `  cluster: {server: "https://harbour.test:443", certificate-authority-data: "${TEST_CA_DATA}"}`,
    'users:',
    '- name: operator',
    `  user: {token: "secret-of-the-admin"}`,
    '',
  ].join('\n');
}
