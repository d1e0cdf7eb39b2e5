/** What is asked about the cluster, one small question each. Nothing there is `undefined`; no answer is a rejection. */
import { DAEMON_SETS, type KubeClient, SERVICES } from '@chandler/kube';
import type { Sourced } from '../../../settings/index.ts';
import type { CloudWires } from '../../index.ts';
import { AwsError, BAD_ANSWER } from '../errors/index.ts';
import { type CniSettings, cniSettings } from '../instance-types/index.ts';
import type { AwsCalls, RegionSource } from '../wire/index.ts';

export interface AwsClusterReaders {
  region(signal: AbortSignal): Promise<Sourced<string>>;
  /** Of STS: the account that the controller works in. */
  accountId(signal: AbortSignal): Promise<string>;
  /** Of EKS. */
  cluster(name: string, signal: AbortSignal): Promise<EksClusterView>;
  /** Of `/version`: `1.33`. */
  serverVersion(signal: AbortSignal): Promise<string>;
  /** Of the Service kube-system/kube-dns. */
  kubeDnsIp(signal: AbortSignal): Promise<string | undefined>;
  /** Base64 of PEM: what the credentials of the process trust. */
  clientCa(): Promise<string | undefined>;
  cni(signal: AbortSignal): Promise<CniSettings>;
}

/** As far as it is read. */
export interface EksClusterView {
  /** `ACTIVE`, `CREATING` … */
  readonly status: string;
  readonly arn: string | undefined;
  readonly endpoint: string | undefined;
  /** Base64 of PEM. */
  readonly caBundle: string | undefined;
  /** `1.33`. */
  readonly version: string | undefined;
  readonly serviceCidr: string | undefined;
}

export interface AwsClusterReadersOptions {
  readonly calls: Pick<AwsCalls, 'eks' | 'sts'>;
  readonly region: RegionSource;
  readonly client: KubeClient;
  readonly clusterCaPem: CloudWires['clusterCaPem'];
}

export function awsClusterReaders(options: AwsClusterReadersOptions): AwsClusterReaders {
  const { calls, region, client, clusterCaPem } = options;
  return {
    region: (signal) => region.get(signal),
    async accountId(signal) {
      const { Account } = await calls.sts.getCallerIdentity({}, { signal });
      if (Account === undefined || !/^\d{12}$/.test(Account))
        throw badAnswer('sts:GetCallerIdentity has no account');
      return Account;
    },
    async cluster(name, signal) {
      const { cluster } = await calls.eks.describeCluster({ name }, { signal });
      if (cluster?.name !== name) throw badAnswer(`eks:DescribeCluster answered without the cluster ${name}`);
      const {
        arn,
        endpoint,
        certificateAuthority,
        version,
        kubernetesNetworkConfig: network,
        status,
      } = cluster;
      return {
        status: status ?? '',
        arn,
        endpoint,
        caBundle: certificateAuthority?.data,
        version,
        serviceCidr: network?.ipFamily === 'ipv6' ? network.serviceIpv6Cidr : network?.serviceIpv4Cidr,
      };
    },
    async serverVersion(signal) {
      const answer: unknown = JSON.parse(await client.raw('/version', { signal }));
      const { major, minor } = (answer ?? {}) as Readonly<Record<string, unknown>>;
      const text = `${String(major)}.${String(minor).replace(/\+$/, '')}`;
      if (!/^\d+\.\d+$/.test(text))
        throw new Error('/version of the API server has no major and minor version');
      return text;
    },
    async kubeDnsIp(signal) {
      const service = await client.find(SERVICES, { namespace: 'kube-system', name: 'kube-dns' }, { signal });
      return (service?.['spec'] as { readonly clusterIP?: string } | undefined)?.clusterIP;
    },
    async clientCa() {
      const pem = typeof clusterCaPem === 'function' ? await clusterCaPem() : clusterCaPem;
      return pem === undefined ? undefined : Buffer.from(pem).toString('base64');
    },
    async cni(signal) {
      return cniSettings(
        await client.find(DAEMON_SETS, { namespace: 'kube-system', name: 'aws-node' }, { signal }),
      );
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

function badAnswer(message: string): AwsError {
  return new AwsError({ code: BAD_ANSWER, message });
}
