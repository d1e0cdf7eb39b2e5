/**
 * What the node's identity may do in the cluster, as ClusterRoleBindings: by default the role of a node; with TLS
 * bootstrap only what it takes to get a node certificate, after which the Node authorizer decides; in the document's
 * own mode nothing, where Azure's roles decide already.
 */
import type { ManagedClusterFacts } from '../azure/azure-client.ts';
import type { FlexConfig } from '../config/config.ts';

export interface NodeBinding {
  readonly name: string;
  readonly clusterRole: string;
  readonly user: string;
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
      { name, clusterRole: 'system:node-bootstrapper', user: principalId },
      { name: `${name}:approval`, clusterRole: `${CSR_ROLES}:nodeclient`, user: principalId },
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
