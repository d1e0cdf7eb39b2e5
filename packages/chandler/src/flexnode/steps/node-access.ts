/**
 * The ClusterRoleBindings of a node. By default the Arc identity may only request a node certificate, and only until the
 * Node is Ready; from then on the Node authorizer and NodeRestriction limit the node. With `security.tlsBootstrap` false
 * the Arc identity itself has the ClusterRole system:node. In document mode Azure's roles decide.
 */
import type { ManagedClusterFacts } from '../azure/azure-client.ts';
import type { FlexConfig } from '../config/config.ts';

export interface NodeBinding {
  readonly name: string;
  readonly clusterRole: string;
  readonly user: string;
  /** Needed only until the node has its certificate; step 11 deletes it. */
  readonly temporary?: true;
}

const CSR_ROLES = 'system:certificates.k8s.io:certificatesigningrequests';

export function nodeBindings(
  config: FlexConfig,
  cluster: Pick<ManagedClusterFacts, 'azureRbac'>,
  principalId: string,
): readonly NodeBinding[] {
  const { nodeName } = config.agent;
  const { documentMode, tlsBootstrap } = config.security;
  const name = `chandler-flexnode:${nodeName}`;
  if (tlsBootstrap) {
    return [
      {
        name: `${name}:request`,
        clusterRole: 'system:node-bootstrapper',
        user: principalId,
        temporary: true,
      },
      {
        name: `${name}:approval`,
        clusterRole: `${CSR_ROLES}:nodeclient`,
        user: principalId,
        temporary: true,
      },
      {
        name: `${name}:renewal`,
        clusterRole: `${CSR_ROLES}:selfnodeclient`,
        user: `system:node:${nodeName}`,
      },
    ];
  }
  // The document's roles only work where Azure decides about access to the cluster.
  if (documentMode && cluster.azureRbac) return [];
  return [{ name, clusterRole: 'system:node', user: principalId }];
}

/** For a person with kubectl. */
export function bindCommand(binding: NodeBinding): string {
  return `kubectl create clusterrolebinding ${binding.name} --clusterrole=${binding.clusterRole} --user=${binding.user}`;
}
