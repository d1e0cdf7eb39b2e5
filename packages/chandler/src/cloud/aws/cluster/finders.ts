/**
 * How each value about the cluster is found, one row each: how often, what overrides it, where it is looked for and in which order,
 * and whether nodes can be launched without it.
 */
import { isIP } from 'node:net';
import { caBundleProblem, type Sourced } from '../../../settings/index.ts';
import { AwsError } from '../errors/index.ts';
import type { AwsControllerValues } from '../options/index.ts';
import { cidrProblem } from '../options/value-checks.ts';
import { type Cure, type FindingProblem, NO_SUCH_CLUSTER } from './problems.ts';
import type { AwsClusterReaders, EksClusterView } from './readers.ts';

/** The options that say more than the cluster does. Most may change at runtime, so they are asked for, not kept. */
export type AwsClusterOptions = Pick<
  AwsControllerValues,
  | 'clusterName'
  | 'clusterEndpoint'
  | 'clusterCaBundle'
  | 'eksControlPlane'
  | 'kubernetesVersion'
  | 'serviceCidr'
  | 'dnsServiceIp'
  | 'cniPrefixDelegation'
>;

export interface FoundValues {
  readonly region: Sourced<string>;
  readonly accountId: Sourced<string>;
  readonly endpoint: Sourced<string>;
  readonly caBundle: Sourced<string>;
  readonly serviceCidr: Sourced<string>;
  readonly dnsIp: Sourced<string>;
  readonly kubernetesVersion: Sourced<string>;
  readonly prefixDelegation: Sourced<boolean>;
}

export type FoundName = keyof FoundValues;

/** A value, with what is odd about it; or why there is none. */
export type Finding<V> = { readonly value: V; readonly problem?: FindingProblem } | FindingProblem;

/** The questions of one round, each put once. */
export interface Ask
  extends Pick<
    AwsClusterReaders,
    'region' | 'accountId' | 'serverVersion' | 'kubeDnsIp' | 'clientCa' | 'cni'
  > {
  eks(signal: AbortSignal): Promise<EksClusterView>;
}

export interface Finder<V> {
  readonly everyMs: number;
  override(options: AwsClusterOptions): V | undefined;
  find(ask: Ask, options: AwsClusterOptions, signal: AbortSignal): Promise<Finding<V>>;
  /** What settles it when nobody answers. */
  readonly cure?: Cure;
  /** What is used when whoever was asked has none; without it, nothing can be launched. */
  readonly unknown?: V;
  /** `unknown` is used also while nobody answers: most nodes can be launched without the value. */
  readonly isOptional?: true;
}

/** Versions that upstream supports. */
export const MIN_MINOR = 26;
export const MAX_MINOR = 36;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const UNKNOWN: Sourced<string> = { value: '', source: 'cluster', path: 'unknown' };

const GRANT_EKS = 'eks:DescribeCluster of this cluster';

export const FINDERS: { readonly [Name in FoundName]: Finder<FoundValues[Name]> } = {
  region: {
    everyMs: 24 * HOUR_MS,
    override: () => undefined,
    find: async (ask, _, signal) => ({ value: await ask.region(signal) }),
  },
  accountId: {
    everyMs: 24 * HOUR_MS,
    override: () => undefined,
    find: async (ask, _, signal) => ({ value: found(await ask.accountId(signal), 'sts:GetCallerIdentity') }),
    unknown: UNKNOWN,
    isOptional: true,
  },
  endpoint: {
    everyMs: 24 * HOUR_MS,
    override: ({ clusterEndpoint }) => given(clusterEndpoint),
    async find(ask, _, signal) {
      const { endpoint, status } = await ask.eks(signal);
      if (endpoint !== undefined && endpoint !== '')
        return { value: found(endpoint, 'eks cluster endpoint') };
      return {
        code: 'NotFound',
        message: `the cluster has no endpoint, its status is ${status}; wait until it is ACTIVE, or set CLUSTER_ENDPOINT`,
      };
    },
    cure: { grant: GRANT_EKS, option: 'CLUSTER_ENDPOINT' },
  },
  caBundle: {
    everyMs: HOUR_MS,
    override: ({ clusterCaBundle }) => given(clusterCaBundle),
    async find(ask, _, signal) {
      const client = await ask.clientCa();
      if (client !== undefined) return checkedCa(client, 'kubeconfig certificate-authority-data');
      const { caBundle, status } = await ask.eks(signal);
      if (caBundle !== undefined && caBundle !== '')
        return checkedCa(caBundle, 'eks cluster certificateAuthority');
      return {
        code: 'NotFound',
        message: `the cluster has no certificate authority, its status is ${status}; set CLUSTER_CA_BUNDLE`,
      };
    },
    cure: { grant: GRANT_EKS, option: 'CLUSTER_CA_BUNDLE' },
    unknown: UNKNOWN,
  },
  serviceCidr: {
    everyMs: 24 * HOUR_MS,
    override: ({ serviceCidr }) => given(serviceCidr),
    async find(ask, _, signal) {
      const { serviceCidr = '' } = await ask.eks(signal);
      const expected = serviceCidr === '' ? 'given' : cidrProblem(serviceCidr);
      if (expected === undefined) return { value: found(serviceCidr, 'eks cluster kubernetesNetworkConfig') };
      return {
        code: serviceCidr === '' ? 'NotFound' : 'Malformed',
        message: `the range of Services of the cluster is not ${expected}; set SERVICE_CIDR`,
      };
    },
    cure: { grant: GRANT_EKS, option: 'SERVICE_CIDR, which nodes with AL2023 need' },
    unknown: UNKNOWN,
    isOptional: true,
  },
  dnsIp: {
    everyMs: 15 * MINUTE_MS,
    override: ({ dnsServiceIp }) => given(dnsServiceIp),
    async find(ask, _, signal) {
      const address = (await ask.kubeDnsIp(signal)) ?? '';
      if (isIP(address) !== 0) return { value: found(address, 'Service kube-system/kube-dns') };
      return {
        code: 'NotFound',
        message:
          'there is no Service kube-system/kube-dns with a cluster IP; nodes use the default address of their AMI, or set DNS_SERVICE_IP',
      };
    },
    cure: { grant: 'to get the Service kube-system/kube-dns', option: 'DNS_SERVICE_IP' },
    unknown: UNKNOWN,
  },
  kubernetesVersion: {
    everyMs: 5 * MINUTE_MS,
    override: ({ kubernetesVersion }) => {
      const option = given(kubernetesVersion);
      return option === undefined ? undefined : { ...option, value: minorOf(option.value) };
    },
    async find(ask, { eksControlPlane }, signal) {
      if (!eksControlPlane.value)
        return checkedVersion(await ask.serverVersion(signal), 'API server /version');
      const { version } = await ask.eks(signal);
      if (version !== undefined) return checkedVersion(version, 'eks cluster version');
      return {
        code: 'NotFound',
        message: 'EKS does not say the version of the cluster; set KUBERNETES_VERSION',
      };
    },
    cure: { grant: GRANT_EKS, option: 'KUBERNETES_VERSION' },
  },
  prefixDelegation: {
    everyMs: 15 * MINUTE_MS,
    override: ({ cniPrefixDelegation: { value, source, path } }) =>
      value === 'detect' ? undefined : { value: false, source, path },
    find: async (ask, _, signal) => ({
      value: found((await ask.cni(signal)).prefixDelegation, 'DaemonSet kube-system/aws-node'),
    }),
    cure: { grant: 'to get the DaemonSet kube-system/aws-node', option: 'CNI_PREFIX_DELEGATION=ignore' },
    unknown: { value: false, source: 'cluster', path: 'unknown' },
    isOptional: true,
  },
};

/** EKS names neither the region nor what to check when it has no such cluster. */
export function withPlace(error: unknown, name: string, region: string | undefined): unknown {
  if (!(error instanceof AwsError) || !error.codes.includes(NO_SUCH_CLUSTER)) return error;
  const message = `there is no cluster ${name} in ${region ?? 'the region'}; check CLUSTER_NAME, AWS_REGION and the account of the controller's role`;
  return new AwsError({ code: NO_SUCH_CLUSTER, message, status: error.status, requestId: error.requestId });
}

/** An endpoint of EKS names its region. */
export function regionOfEndpoint(endpoint: string): string | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  return /\.([a-z0-9-]+)\.eks\.amazonaws\.com(?:\.cn)?$/.exec(new URL(endpoint).hostname)?.[1];
}

// ---------------------------------------------------------------------------------------------------------------

function found<T>(value: T, path: string): Sourced<T> {
  return { value, source: 'cluster', path };
}

/** An option that says something. */
function given(option: Sourced<string>): Sourced<string> | undefined {
  return option.value === '' ? undefined : option;
}

function checkedCa(bundle: string, path: string): Finding<Sourced<string>> {
  const expected = caBundleProblem(bundle);
  if (expected === undefined) return { value: found(bundle.replace(/\s+/g, ''), path) };
  return { code: 'Malformed', message: `${path} is not ${expected}; set CLUSTER_CA_BUNDLE` };
}

/** `v1.33.4` → `1.33`. */
function minorOf(version: string): string {
  return version.replace(/^v/, '').split('.').slice(0, 2).join('.');
}

function checkedVersion(version: string, path: string): Finding<Sourced<string>> {
  const minor = minorOf(version);
  const [one, two] = minor.split('.').map(Number);
  if (!/^\d+\.\d+$/.test(minor))
    return {
      code: 'Malformed',
      message: `${path} says '${version.slice(0, 40)}', which is no version; set KUBERNETES_VERSION`,
    };
  const value = found(minor, path);
  if (one === 1 && two! >= MIN_MINOR && two! <= MAX_MINOR) return { value };
  const message = `Kubernetes ${minor} is not one of 1.${MIN_MINOR} to 1.${MAX_MINOR}, with which this was tested`;
  return { value, problem: { code: 'Unsupported', message } };
}
