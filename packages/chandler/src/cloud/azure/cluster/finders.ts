/**
 * How each value about the cluster is found, one row each: how often, what overrides it, where it is looked for and
 * in which order. A finder never guesses between two answers; it says which option settles the question. A default never
 * replaces what the cluster said earlier: a lost permission is no change of the cluster.
 */
import { isIP } from 'node:net';
import { ArmError, BAD_ANSWER, NO_TOKEN } from '../../../arm/index.ts';
import {
  caBundleProblem,
  diskEncryptionSetIdProblem,
  hardcoded,
  KUBERNETES_VERSION,
  networkSecurityGroupIdProblem,
  type Sourced,
  uuidProblem,
} from '../../../settings/index.ts';
import { findClusterId, findSecurityGroup } from './cluster-id.ts';
import type {
  ClusterFacts,
  ClusterNetwork,
  ClusterOptions,
  ClusterProblemCode,
  ClusterReaders,
  Detection,
  DetectionProblem,
  ManagedClusterView,
} from './facts.ts';
import { releaseOf, withoutV } from './kubernetes-version.ts';

/** Readers that are asked at most once in a round; what one said, or how it failed, is the same for all finders. */
export type Ask = ClusterReaders;

export interface Finder<V> {
  readonly everyMs: number;
  override(options: ClusterOptions): V | undefined;
  find(ask: Ask, options: ClusterOptions, previous: V | undefined): Promise<Detection<V>>;
}

export type Finders = { readonly [K in keyof ClusterFacts]-?: Finder<NonNullable<ClusterFacts[K]>> };

export const DEFAULT_DNS_SERVICE_IP = '10.0.0.10';

const MINUTE_MS = 60_000;

export const FINDERS: Finders = {
  kubernetesVersion: {
    everyMs: 15 * MINUTE_MS,
    override: ({ kubernetesVersion }) => mapped(given(kubernetesVersion), withoutV),
    async find(ask) {
      const text = await ask.serverVersion();
      if (!KUBERNETES_VERSION.test(text)) {
        return malformed(
          `the API server reports the version "${text}"; set KUBERNETES_VERSION to override it`,
        );
      }
      // During an upgrade either version: which of them new nodes get, the status of the node class decides.
      return { value: fromCluster(releaseOf(text), '/version gitVersion') };
    },
  },
  caBundle: {
    everyMs: 15 * MINUTE_MS,
    override: ({ clusterCaBundle }) => given(clusterCaBundle),
    async find(ask) {
      const trusted = await ask.clientConfigCA();
      if (trusted !== undefined && trusted !== '') return checkedCA(trusted, 'client configuration');
      const presented = await ask.tlsCA();
      if (presented !== undefined && presented !== '')
        return checkedCA(presented, 'TLS connection to the API server');
      return notFound(
        'the credentials of the controller have no certificate authority, and the API server does not present one; set CLUSTER_CA_BUNDLE',
      );
    },
  },
  clusterId: {
    everyMs: 60 * MINUTE_MS,
    override: ({ clusterId }) => given(clusterId),
    find: findClusterId,
  },
  networkSecurityGroup: {
    everyMs: 60 * MINUTE_MS,
    override: ({ networkSecurityGroupId: id }) =>
      mapped(given(id), (text) => ({ id: text, name: text.slice(text.lastIndexOf('/') + 1) })),
    async find(ask, options) {
      const detection = await findSecurityGroup(ask, options);
      if (!('value' in detection)) return detection;
      return networkSecurityGroupIdProblem(detection.value.value.id) === undefined
        ? detection
        : malformed(`Azure returned the invalid network security group ID "${detection.value.value.id}"`);
    },
  },
  vnetGuid: {
    // With the network, on which it depends: both are read in the same round.
    everyMs: 15 * MINUTE_MS,
    override: ({ vnetGuid }) => given(vnetGuid),
    async find(ask, options, previous) {
      const network = await findNetwork(ask, options, undefined);
      if (!('value' in network)) return network as Exclude<typeof network, { value: ClusterNetwork }>;
      const { plugin, pluginMode } = network.value;
      if (plugin.value !== 'azure' || pluginMode.value !== 'overlay') {
        return { value: { value: '', source: 'computed', path: 'only overlay networks use it' } };
      }
      // Empty: the network was known to have no overlay.
      if (isModeGuessed(network.value) && previous?.value === '') {
        return {
          value: previous,
          problem: withAdvice(
            await unreadableCluster(ask),
            'the network is taken to have no overlay, as before; set VNET_GUID to override it',
          ),
        };
      }
      const id = options.vnetSubnetId.value.replace(/\/subnets\/[^/]*$/i, '');
      const found = await ask.getVirtualNetwork(id);
      if (found?.resourceGuid === undefined) return notFound(`${id} has no resourceGuid; set VNET_GUID`);
      if (uuidProblem(found.resourceGuid) !== undefined) {
        return malformed(`${id} has the resourceGuid "${found.resourceGuid}"; set VNET_GUID`);
      }
      return { value: fromCluster(found.resourceGuid, `${id} properties.resourceGuid`) };
    },
  },
  dnsServiceIP: {
    everyMs: 15 * MINUTE_MS,
    override: ({ dnsServiceIp }) => given(dnsServiceIp),
    async find(ask, _, previous) {
      const service = await ask.kubeDnsServiceIP();
      // A headless Service says `None`.
      if (service !== undefined && isIP(service) !== 0) {
        return { value: fromCluster(service, 'Service kube-system/kube-dns spec.clusterIP') };
      }
      const profile = (await managedOrNothing(ask)).view?.networkProfile?.dnsServiceIP;
      if (profile !== undefined && isIP(profile) !== 0) {
        return { value: fromCluster(profile, 'managedCluster properties.networkProfile.dnsServiceIP') };
      }
      if (previous?.source === 'cluster') {
        return {
          value: previous,
          problem: {
            code: 'NotFound',
            message: `neither the Service kube-system/kube-dns nor the managed cluster has an address; ${previous.value}, which was read before, is still used; set DNS_SERVICE_IP to override it`,
          },
        };
      }
      return { value: hardcoded(DEFAULT_DNS_SERVICE_IP) };
    },
  },
  network: { everyMs: 15 * MINUTE_MS, override: () => undefined, find: findNetwork },
  nodeResourceGroup: {
    everyMs: 60 * MINUTE_MS,
    override: ({ nodeResourceGroup }) => given(nodeResourceGroup),
    async find(ask) {
      const name = (await ask.managedCluster())?.nodeResourceGroup ?? '';
      return name === ''
        ? notFound('the managed cluster names no node resource group; set AZURE_NODE_RESOURCE_GROUP')
        : { value: fromCluster(name, 'managedCluster properties.nodeResourceGroup') };
    },
  },
  diskEncryptionSetId: {
    everyMs: 15 * MINUTE_MS,
    override: () => undefined,
    async find(ask) {
      const id = (await ask.managedCluster())?.diskEncryptionSetID ?? '';
      if (id === '') return { none: true };
      return diskEncryptionSetIdProblem(id) === undefined
        ? { value: fromCluster(id, 'managedCluster properties.diskEncryptionSetID') }
        : malformed(`the managed cluster has the disk encryption set "${id}"`);
    },
  },
};

/**
 * The HTTP status of a refusal, where it has one. Duck-typed: readers speak ARM or Kubernetes. The page of a proxy and
 * the refusal of a token have a status too, but say nothing about what was read.
 */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if (error instanceof ArmError && (error.code === BAD_ANSWER || error.code === NO_TOKEN)) return undefined;
  const { status, statusCode, code } = error as Readonly<Record<string, unknown>>;
  return [status, statusCode, code].find((answer) => typeof answer === 'number');
}

/** Whether it is an unconfirmed default that the network has an overlay. */
export function isModeGuessed({ plugin, pluginMode }: ClusterNetwork): boolean {
  return plugin.source === 'hardcoded' || pluginMode.source === 'hardcoded';
}

export function fromCluster<T>(value: T, path: string): Sourced<T> {
  return { value, source: 'cluster', path };
}

// ---------------------------------------------------------------------------------------------------

/** An option that says something. */
function given(option: Sourced<string>): Sourced<string> | undefined {
  return option.value === '' ? undefined : option;
}

function mapped<A, B>(sourced: Sourced<A> | undefined, change: (value: A) => B): Sourced<B> | undefined {
  return sourced === undefined ? undefined : { ...sourced, value: change(sourced.value) };
}

function checkedCA(bundle: string, path: string): Detection<Sourced<string>> {
  const expected = caBundleProblem(bundle);
  if (expected === undefined) return { value: fromCluster(bundle.replace(/\s+/g, ''), path) };
  return malformed(`the certificate authority of the ${path} is not ${expected}; set CLUSTER_CA_BUNDLE`);
}

interface ReadCluster {
  readonly view?: ManagedClusterView | undefined;
  readonly refusal?: DetectionProblem;
}

/** Who may not read the managed cluster gets what upstream always uses: the defaults. */
async function managedOrNothing(ask: Ask): Promise<ReadCluster> {
  try {
    return { view: await ask.managedCluster() };
  } catch (error) {
    const code = REFUSALS[statusOf(error) ?? 0];
    if (code === undefined) throw error;
    const said = error instanceof Error ? error.message : String(error);
    return { refusal: { code, message: `the managed cluster cannot be read: ${said}` } };
  }
}

const REFUSALS: Readonly<Record<number, ClusterProblemCode>> = { 403: 'Denied', 404: 'NotFound' };

/** Why the managed cluster says nothing about its network now. */
async function unreadableCluster(ask: Ask): Promise<DetectionProblem> {
  const { refusal } = await managedOrNothing(ask);
  return refusal ?? { code: 'NotFound', message: 'the managed cluster shows no network profile' };
}

function withAdvice({ code, message }: DetectionProblem, advice: string): DetectionProblem {
  return { code, message: `${message}; ${advice}` };
}

async function findNetwork(
  ask: Ask,
  options: ClusterOptions,
  previous: ClusterNetwork | undefined,
): Promise<Detection<ClusterNetwork>> {
  const names = [
    options.networkPlugin,
    options.networkPluginMode,
    options.networkDataplane,
    options.networkPolicy,
  ];
  const asked = names.every((option) => option.source !== 'hardcoded');
  const profile = asked ? undefined : (await managedOrNothing(ask)).view?.networkProfile;
  let isKept = false;
  const one = (
    option: Sourced<string>,
    field: keyof NonNullable<typeof profile>,
    known: Sourced<string> | undefined,
  ): Sourced<string> => {
    if (option.source !== 'hardcoded') return option;
    if (profile?.networkPlugin === undefined) {
      if (known?.source !== 'cluster') return option;
      isKept = true;
      return known;
    }
    const text = profile[field] ?? '';
    // Azure writes "none" where there is no policy.
    const value = field === 'networkPolicy' && text === 'none' ? '' : text;
    return fromCluster(value, `managedCluster properties.networkProfile.${field}`);
  };
  const network: ClusterNetwork = {
    plugin: one(options.networkPlugin, 'networkPlugin', previous?.plugin),
    pluginMode: one(options.networkPluginMode, 'networkPluginMode', previous?.pluginMode),
    dataplane: one(options.networkDataplane, 'networkDataplane', previous?.dataplane),
    policy: one(options.networkPolicy, 'networkPolicy', previous?.policy),
  };
  const problem = isKept
    ? withAdvice(
        await unreadableCluster(ask),
        'the values that were read before are still used; set NETWORK_PLUGIN, NETWORK_PLUGIN_MODE, NETWORK_DATAPLANE and NETWORK_POLICY to override them',
      )
    : undefined;
  const { plugin, pluginMode } = network;
  if (plugin.value !== 'azure' && plugin.value !== 'none') {
    return {
      code: 'Unsupported',
      message: `the cluster has the network plugin "${plugin.value}", but only azure and none are supported; set NETWORK_PLUGIN to override it`,
    };
  }
  const value: ClusterNetwork =
    plugin.value === 'none' && pluginMode.source === 'hardcoded'
      ? { ...network, pluginMode: { value: '', source: 'computed', path: 'network plugin none' } }
      : network;
  return problem === undefined ? { value } : { value, problem };
}

function malformed(message: string): Detection<never> {
  return { code: 'Malformed', message };
}

function notFound(message: string): Detection<never> {
  return { code: 'NotFound', message };
}
