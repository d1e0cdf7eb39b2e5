/**
 * The AWS cloud of the product over moto, through the official SDK and HTTP. The product's clock is virtual and moves between
 * calls only; moto has no time: what is requested has happened when it answers.
 */
import { DescribeInstancesCommand, type Instance } from '@aws-sdk/client-ec2';
import { type Fetch, type Stored, systemFetch } from '@chandler/kube';
import { neverAborted, stored, type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import type { EC2NodeClass, EC2NodeClassSpec } from '../../packages/chandler/src/api/index.ts';
import {
  type AwsCalls,
  type AwsCloud,
  type AwsClusterFacts,
  AwsNodeClassStatus,
  allPages,
  CapacityReservations,
  createAwsCalls,
  DryRuns,
  fixedCredentials,
  ImageReader,
  InstanceProfiles,
  type InstanceTypeInfo,
  PlacementGroups,
  SecurityGroups,
  Subnets,
  type TypeOffering,
} from '../../packages/chandler/src/cloud/aws/index.ts';
import { hardcoded } from '../../packages/chandler/src/settings/index.ts';
import { FixtureRecords } from '../aws/aws-cloud.fixture.ts';
import { cloudProcess } from '../aws/cloud-process.fixture.ts';
import {
  ACCOUNT_ID,
  CLUSTER,
  DISCOVERY,
  KUBERNETES_MINOR,
  MOTO_URL,
  type MotoAccount,
  NODE_ROLE,
  parameterOf,
  prepareAccount,
  REGION,
} from './account.ts';
import { MOTO_IMAGES } from './images.table.ts';

/** What happens to CreateFleet on the way: it does not arrive, or its answer does not. */
export type NetworkFault = 'request lost' | 'answer lost';

export interface MotoCloud {
  readonly account: MotoAccount;
  readonly world: VirtualWorld;
  readonly calls: AwsCalls;
  readonly profiles: InstanceProfiles;
  readonly cloud: AwsCloud;
  /** As the product itself made it ready. */
  readonly nodeClass: Stored<EC2NodeClass>;
  networkFault: NetworkFault | undefined;
  /** A process that knows nothing but what the account has, and the records of claims. */
  startProcess(): AwsCloud;
  /** Those that are not terminated, as anybody else would ask for them. */
  running(): Promise<readonly Instance[]>;
  close(): void;
}

export async function motoCloud(): Promise<MotoCloud> {
  const account = await prepareAccount();
  const world = virtualWorld({ startMs: Date.now() });
  const state: { networkFault: NetworkFault | undefined } = { networkFault: undefined };
  const calls = motoCalls(account, world, withFaults(state));
  const cluster = await clusterFacts(calls);
  const known = { world, cluster: () => cluster, ...(await soldTypes(calls)) };
  const records = new FixtureRecords();
  const startProcess = () => {
    const { ec2 } = motoCalls(account, world, withFaults(state));
    return cloudProcess(known, { ec2, records }).cloud;
  };
  const cloud = startProcess();
  const scope = () => ({ region: REGION, clusterName: CLUSTER });
  const profiles = new InstanceProfiles({ world, iam: calls.iam, scope });
  const nodeClass = await readyClass(world, classStatus({ world, calls, cluster, cloud, profiles }));
  return Object.assign(state, {
    account,
    world,
    calls,
    profiles,
    cloud,
    nodeClass,
    startProcess,
    async running() {
      const Filters = [
        { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
      ];
      const { Reservations = [] } = await account.clients.ec2.send(new DescribeInstancesCommand({ Filters }));
      return Reservations.flatMap(({ Instances = [] }) => Instances);
    },
    close: () => account.clients.destroy(),
  });
}

export function motoCalls({ key }: MotoAccount, world: VirtualWorld, fetch: Fetch = systemFetch): AwsCalls {
  return createAwsCalls({
    world,
    fetch,
    endpoint: MOTO_URL,
    region: REGION,
    credentials: fixedCredentials(key),
    version: '0.0.0-test',
    // A test moves the clock between steps only.
    longestWaitMs: 0,
  });
}

export function nodeClassObject(spec: Partial<EC2NodeClassSpec> = {}): Stored<EC2NodeClass> {
  return stored({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      role: NODE_ROLE,
      amiFamily: 'AL2023',
      amiSelectorTerms: MOTO_IMAGES.map(({ architecture }) => ({ ssmParameter: parameterOf(architecture) })),
      subnetSelectorTerms: [{ tags: DISCOVERY }],
      securityGroupSelectorTerms: [{ tags: DISCOVERY }],
      ...spec,
    },
  }) as Stored as Stored<EC2NodeClass>;
}

// ---------------------------------------------------------------------------------------------------

function withFaults(state: { readonly networkFault: NetworkFault | undefined }): Fetch {
  return async (input, init) => {
    const { networkFault } = state;
    const action = new URLSearchParams(typeof init?.body === 'string' ? init.body : '').get('Action');
    if (networkFault === undefined || action !== 'CreateFleet') return systemFetch(input, init);
    if (networkFault === 'answer lost') await (await systemFetch(input, init)).text();
    throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
  };
}

async function clusterFacts({ eks }: AwsCalls): Promise<AwsClusterFacts> {
  const { cluster } = await eks.describeCluster({ name: CLUSTER }, { signal: neverAborted() });
  return {
    name: hardcoded(CLUSTER),
    endpoint: hardcoded(cluster!.endpoint!),
    caBundle: hardcoded(cluster!.certificateAuthority!.data!),
    serviceCidr: hardcoded(cluster!.kubernetesNetworkConfig!.serviceIpv4Cidr!),
    dnsIp: hardcoded('172.20.0.10'),
    ipFamily: 'ipv4',
    kubernetesVersion: hardcoded(KUBERNETES_MINOR),
    region: hardcoded(REGION),
    partition: 'aws',
    accountId: hardcoded(ACCOUNT_ID),
  };
}

interface SoldTypes {
  readonly types: readonly InstanceTypeInfo[];
  readonly offered: readonly TypeOffering[];
}

let sold: Promise<SoldTypes> | undefined;

/** moto takes seconds to list them, and they are the same in every account. */
function soldTypes({ ec2 }: AwsCalls): Promise<SoldTypes> {
  const options = { signal: neverAborted() };
  sold ??= (async () => ({
    types: await allPages(
      ec2.describeInstanceTypes,
      {},
      ({ InstanceTypes }) => InstanceTypes as readonly InstanceTypeInfo[] | undefined,
      options,
    ),
    offered: await allPages(
      ec2.describeInstanceTypeOfferings,
      { LocationType: 'availability-zone' },
      ({ InstanceTypeOfferings }) => InstanceTypeOfferings as readonly TypeOffering[] | undefined,
      options,
    ),
  }))();
  return sold;
}

interface StatusParts {
  readonly world: VirtualWorld;
  readonly calls: AwsCalls;
  readonly cluster: AwsClusterFacts;
  readonly cloud: AwsCloud;
  readonly profiles: InstanceProfiles;
}

function classStatus({ world, calls, cluster, cloud, profiles }: StatusParts): AwsNodeClassStatus {
  const { clock } = world;
  const { ec2, ssm } = calls;
  return new AwsNodeClassStatus({
    world,
    cluster: { current: () => cluster },
    images: new ImageReader({ clock, ec2, ssm, refreshIntervalMs: () => 60_000 }),
    subnets: new Subnets({ clock, ec2, refreshIntervalMs: () => 60_000 }),
    securityGroups: new SecurityGroups({ clock, ec2 }),
    reservations: new CapacityReservations({ clock, ec2 }),
    placementGroups: new PlacementGroups({ clock, ec2 }),
    profiles,
    isolatedVpc: () => false,
    reservedCapacity: () => true,
    dryRuns: new DryRuns({
      clock,
      ec2,
      requests: (nodeClass, pools, signal) => cloud.dryRunRequests(nodeClass, pools, signal),
    }),
    dryRunDisabled: () => false,
    kubeletExpressions: { isOpen: () => false, problem: () => undefined },
    poolsOf: () => [],
  });
}

/** Reconciled until it is ready, as the controller does. */
async function readyClass(world: VirtualWorld, status: AwsNodeClassStatus): Promise<Stored<EC2NodeClass>> {
  let nodeClass = nodeClassObject();
  for (let pass = 0; pass < 10; pass += 1) {
    const found = await status.reconcile(nodeClass, neverAborted());
    nodeClass = { ...nodeClass, status: found.status };
    if (found.status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True') return nodeClass;
    await world.clock.advance(11_000);
  }
  throw new Error(`the EC2NodeClass did not become ready: ${JSON.stringify(nodeClass.status?.conditions)}`);
}
