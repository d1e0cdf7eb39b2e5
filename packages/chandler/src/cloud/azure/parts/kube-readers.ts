/** What Azure's parts ask of Kubernetes and no store holds: single reads, each with "there is none" as an answer. */
import type { KubeObject } from '@chandler/kube';
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  isApiError,
  type KubeClient,
  type ResourceRef,
  SECRETS,
  SERVICES,
} from '@chandler/kube';
import type { ClusterReaders } from '../cluster/index.ts';
import { MAINTENANCE_CONFIG_MAP } from '../images/index.ts';

const SYSTEM = 'kube-system';

export interface KubeReaders extends Pick<ClusterReaders, 'serverVersion' | 'kubeDnsServiceIP'> {
  getSecret(namespace: string, name: string): Promise<KubeObject | undefined>;
  /** `data` of the window for node image upgrades. */
  maintenanceWindow(): Promise<Readonly<Record<string, string>> | undefined>;
  hasNetworkPolicies(engine: 'cilium' | 'calico'): Promise<boolean>;
  hasNodeLocalDns(): Promise<boolean>;
}

export interface KubeReadersOptions {
  readonly client: KubeClient;
  readonly namespace: string;
}

export function kubeReaders({ client, namespace }: KubeReadersOptions): KubeReaders {
  return {
    async serverVersion() {
      const version = JSON.parse(await client.raw('/version')) as { readonly gitVersion?: unknown } | null;
      if (typeof version?.gitVersion !== 'string')
        throw new Error('/version of the API server has no gitVersion');
      return version.gitVersion;
    },
    async kubeDnsServiceIP() {
      const service = await client.find(SERVICES, { namespace: SYSTEM, name: 'kube-dns' });
      return (service?.['spec'] as { readonly clusterIP?: string } | undefined)?.clusterIP;
    },
    getSecret: (of, name) => client.find(SECRETS, { namespace: of, name }),
    async maintenanceWindow() {
      const found = await client.find(CONFIG_MAPS, { namespace, name: MAINTENANCE_CONFIG_MAP });
      return found?.['data'] as Readonly<Record<string, string>> | undefined;
    },
    async hasNetworkPolicies(engine) {
      for (const resource of [NETWORK_POLICIES, ...POLICIES_OF[engine]]) {
        if (await hasOther(client, resource)) return true;
      }
      return false;
    },
    async hasNodeLocalDns() {
      return (await client.find(DAEMON_SETS, { namespace: SYSTEM, name: 'node-local-dns' })) !== undefined;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const NETWORK_POLICIES = policies('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', true);

/** Engines bring kinds of their own; one that is not installed has no objects. */
const POLICIES_OF: Readonly<Record<'cilium' | 'calico', readonly ResourceRef[]>> = {
  cilium: [
    policies('cilium.io', 'v2', 'ciliumnetworkpolicies', 'CiliumNetworkPolicy', true),
    policies('cilium.io', 'v2', 'ciliumclusterwidenetworkpolicies', 'CiliumClusterwideNetworkPolicy', false),
  ],
  calico: [
    policies('crd.projectcalico.org', 'v1', 'networkpolicies', 'NetworkPolicy', true),
    policies('crd.projectcalico.org', 'v1', 'globalnetworkpolicies', 'GlobalNetworkPolicy', false),
  ],
};

function policies(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced: boolean,
): ResourceRef {
  return { group, version, plural, kind, namespaced };
}

/** AKS itself puts one there. */
async function hasOther(client: KubeClient, resource: ResourceRef): Promise<boolean> {
  try {
    const { items } = await client.list(resource, { limit: 2 });
    return items.some(
      ({ metadata }) => !(metadata.namespace === SYSTEM && metadata.name === 'konnectivity-agent'),
    );
  } catch (error) {
    if (isApiError(error, 'notFound')) return false;
    throw error;
  }
}
