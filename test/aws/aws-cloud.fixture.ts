/**
 * The AWS cloud over the simulated AWS, through the official SDK, in process and in virtual time. `startProcess` is a new
 * process: nothing is kept but what AWS has, and the records that claims keep in the cluster.
 */

import type { AwsServerOptions } from '@chandler/cloudsim/aws';
import { imageNamed, NODE_GROUP_ID, subnetIdOf, type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted, stored } from '@chandler/kube/testing';
import type {
  EC2NodeClass,
  EC2NodeClassSpec,
  EC2NodeClassStatus,
  NodeClaim,
} from '../../packages/chandler/src/api/index.ts';
import {
  type AwsCalls,
  type AwsCloud,
  type AwsClusterFacts,
  createAwsCalls,
  fixedCredentials,
  type LaunchRecordStore,
  type PlacementGroup,
  type ZonalShiftReader,
} from '../../packages/chandler/src/cloud/aws/index.ts';
import { CloudError, type LaunchStep } from '../../packages/chandler/src/cloud/index.ts';
import { hardcoded } from '../../packages/chandler/src/settings/index.ts';
import type { CloudFixture } from '../contract/drive.ts';
import { type CloudProcess, cloudProcess } from './cloud-process.fixture.ts';

export type { CloudProcess } from './cloud-process.fixture.ts';

export interface AwsCloudFixtureOptions {
  readonly server?: Partial<AwsServerOptions>;
  readonly placementGroup?: PlacementGroup;
  readonly zonalShift?: ZonalShiftReader;
}

export interface ProcessOptions {
  readonly fetch?: Fetch;
  /** Around its calls. */
  readonly around?: (calls: AwsCalls) => AwsCalls;
  readonly records?: LaunchRecordStore;
}

export type AwsCloudFixture = Awaited<ReturnType<typeof awsCloud>>;

export async function awsCloud(options: AwsCloudFixtureOptions = {}) {
  const aws = await testAws(options.server);
  const { server, world } = aws;
  const setupCalls = callsOf(aws, server.fetch);
  await addProfile(setupCalls, server.settings.nodeRoleName);
  await world.clock.advance(60_000);
  const records = new FixtureRecords();
  const startProcess = (own: ProcessOptions = {}): CloudProcess => {
    const calls = callsOf(aws, own.fetch ?? server.fetch);
    return processOf(aws, own.around?.(calls) ?? calls, own.records ?? records, options);
  };
  const first = startProcess();
  return {
    ...first,
    aws,
    server,
    world,
    clock: world.clock,
    records,
    startProcess,
    nodeClass: (spec: Partial<EC2NodeClassSpec> = {}, status: EC2NodeClassStatus = {}) =>
      readyClass(aws, spec, status),
    /** Those that are not terminated. */
    running: () => [...server.account.instances.values()].filter(({ state }) => state !== 'terminated'),
    templates: () =>
      [...server.account.launchTemplates.values()].map(({ template }) => template.LaunchTemplateName!),
    callsOf: (action: string) => server.calls().filter((call) => call.action === action),
    close: () => aws.close(),
  };
}

/** The annotations of claims, as the API server would keep them. */
export class FixtureRecords implements LaunchRecordStore {
  readonly #texts = new Map<string, { readonly claim: Stored<NodeClaim>; readonly text: string }>();
  /** Set to fail. */
  refuse: ((claim: Stored<NodeClaim>) => Error | undefined) | undefined;

  textOf({ metadata }: Stored<NodeClaim>): string | undefined {
    return this.#texts.get(metadata.uid)?.text;
  }

  async keep(claim: Stored<NodeClaim>, text: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const refusal = this.refuse?.(claim);
    if (refusal !== undefined) throw refusal;
    this.#texts.set(claim.metadata.uid, { claim, text });
  }

  /** Claims whose status was written, by UID. */
  readonly named = new Map<string, string>();

  pending(): Iterable<Stored<NodeClaim>> {
    return [...this.#texts.values()].flatMap(({ claim }) =>
      this.named.has(claim.metadata.uid) ? [] : [claim],
    );
  }

  ownerOf(providerID: string): Stored<NodeClaim> | undefined {
    const [uid] = [...this.named].find(([, named]) => named === providerID) ?? [];
    return uid === undefined ? undefined : this.#texts.get(uid)?.claim;
  }

  /** The claim was deleted. */
  forget(claimUid: string): void {
    this.#texts.delete(claimUid);
    this.named.delete(claimUid);
  }
}

export function aClaim(
  name: string,
  changes: Partial<NodeClaim['metadata']> & { spec?: object } = {},
): Stored<NodeClaim> {
  const { spec, ...metadata } = changes;
  return stored({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, uid: `uid-${name}`, labels: { 'karpenter.sh/nodepool': 'general' }, ...metadata },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large', 'm5.xlarge'] },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      ],
      ...spec,
    },
  }) as Stored as Stored<NodeClaim>;
}

/** A claim of the contract of clouds. */
export const contractClaim: CloudFixture['claim'] = (
  name,
  { uid = `uid-${name}`, standalone = false, instanceType } = {},
) => {
  const type = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [instanceType] };
  return aClaim(name, {
    uid,
    ...(standalone ? { labels: {} } : {}),
    ...(instanceType === undefined ? {} : { spec: { requirements: [type] } }),
  });
};

/** Created just now, so that they wait for each other. */
export function freshClaims(
  { clock }: Pick<AwsCloudFixture, 'clock'>,
  ...names: readonly string[]
): readonly Stored<NodeClaim>[] {
  const creationTimestamp = new Date(clock.now()).toISOString();
  return names.map((name) => aClaim(name, { creationTimestamp }));
}

/** Steps all claims at once until each is settled or fails. */
export async function settleAll(
  { clock }: Pick<AwsCloudFixture, 'clock'>,
  cloud: AwsCloud,
  claims: readonly Stored<NodeClaim>[],
  nodeClass: Stored<EC2NodeClass>,
): Promise<ReadonlyMap<string, LaunchStep | Error>> {
  const results = new Map<string, LaunchStep | Error>();
  for (let rounds = 0; rounds < 300 && results.size < claims.length; rounds += 1) {
    const open = claims.filter(({ metadata }) => !results.has(metadata.name));
    const steps = await Promise.allSettled(
      open.map((claim) => cloud.create({ claim, nodeClass }, neverAborted())),
    );
    let waitMs = 60_000;
    for (const [index, step] of steps.entries()) {
      const { name } = open[index]!.metadata;
      if (step.status === 'rejected') results.set(name, step.reason as Error);
      else if (step.value.state === 'launched' && step.value.settled) results.set(name, step.value);
      else waitMs = Math.min(waitMs, step.value.retryAfterMs ?? 1000);
    }
    await clock.advance(waitMs);
  }
  return results;
}

export async function settleOne(
  fixture: Pick<AwsCloudFixture, 'clock'>,
  cloud: AwsCloud,
  claim: Stored<NodeClaim>,
  nodeClass: Stored<EC2NodeClass>,
): Promise<Extract<LaunchStep, { state: 'launched' }>> {
  const result = (await settleAll(fixture, cloud, [claim], nodeClass)).get(claim.metadata.name);
  if (result === undefined) throw new Error(`${claim.metadata.name} did not settle`);
  if (result instanceof Error) throw result;
  return result as Extract<LaunchStep, { state: 'launched' }>;
}

/** One step of each claim at once. @returns what failed; an error that is none of the cloud is thrown. */
export async function stepOnce(
  cloud: AwsCloud,
  claims: readonly Stored<NodeClaim>[],
  nodeClass: Stored<EC2NodeClass>,
  onStep: (claim: Stored<NodeClaim>, step: LaunchStep) => void = () => undefined,
): Promise<readonly CloudError[]> {
  const errors: CloudError[] = [];
  const step = async (claim: Stored<NodeClaim>) => {
    try {
      onStep(claim, await cloud.create({ claim, nodeClass }, neverAborted()));
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      errors.push(error);
    }
  };
  await Promise.all(claims.map(step));
  return errors;
}

/** Steps until every claim is settled, as the controller does: a claim whose step failed is stepped again. */
export async function launchDespiteErrors(
  { clock, records }: Pick<AwsCloudFixture, 'clock' | 'records'>,
  cloud: AwsCloud,
  claims: readonly Stored<NodeClaim>[],
  nodeClass: Stored<EC2NodeClass>,
): Promise<{ readonly ids: ReadonlyMap<string, string>; readonly errors: readonly CloudError[] }> {
  const ids = new Map<string, string>();
  const errors: CloudError[] = [];
  for (let rounds = 0; rounds < 300 && ids.size < claims.length; rounds += 1) {
    let waitMs = 5_000;
    const open = claims.filter(({ metadata }) => !ids.has(metadata.name));
    const failed = await stepOnce(cloud, open, nodeClass, ({ metadata }, step) => {
      if (step.state === 'launched') records.named.set(metadata.uid, step.instance.providerID);
      if (step.state === 'launched' && step.settled) ids.set(metadata.name, step.instance.providerID);
      else waitMs = Math.min(waitMs, step.retryAfterMs ?? 1_000);
    });
    errors.push(...failed);
    await clock.advance(waitMs);
  }
  return { ids, errors };
}

export async function removeClaim(
  { clock }: Pick<AwsCloudFixture, 'clock'>,
  cloud: AwsCloud,
  claim: Stored<NodeClaim>,
): Promise<number> {
  for (let steps = 1; steps < 300; steps += 1) {
    const step = await cloud.delete(claim, neverAborted());
    if (step.state === 'gone') return steps;
    await clock.advance(step.retryAfterMs);
  }
  throw new Error(`${claim.metadata.name} did not go`);
}

export const PROFILE = 'playground-nodes';

// ---------------------------------------------------------------------------------------------------

export function callsOf({ server, world }: TestAws, fetch: Fetch): AwsCalls {
  return createAwsCalls({
    world,
    fetch,
    region: server.settings.region,
    credentials: fixedCredentials(server.credentials),
    version: '0.0.0-test',
    // A test moves the clock between steps only.
    longestWaitMs: 0,
  });
}

async function addProfile({ iam }: AwsCalls, RoleName: string): Promise<void> {
  const options = { signal: neverAborted() };
  await iam.createInstanceProfile({ InstanceProfileName: PROFILE }, options);
  await iam.addRoleToInstanceProfile({ InstanceProfileName: PROFILE, RoleName }, options);
}

export function processOf(
  { server, world }: TestAws,
  { ec2 }: Pick<AwsCalls, 'ec2'>,
  records: LaunchRecordStore,
  { placementGroup, zonalShift }: AwsCloudFixtureOptions = {},
): CloudProcess {
  const { context, account } = server;
  const types = context.catalogue.all();
  return cloudProcess(
    {
      world,
      cluster: () => clusterFacts(server),
      types: types.map(({ info }) => info),
      offered: types.flatMap(({ name, zones }) =>
        zones.map((Location) => ({ InstanceType: name, Location })),
      ),
      reservations: [...account.capacityReservations.values()].map(
        ({ CapacityReservationId: id = '', AvailableInstanceCount: freeInstances = 0 }) => ({
          id,
          freeInstances,
        }),
      ),
      placementGroup,
      zonalShift,
    },
    { ec2, records },
  );
}

function clusterFacts({ settings, cluster }: TestAws['server']): AwsClusterFacts {
  return {
    name: hardcoded(cluster.name),
    endpoint: hardcoded(cluster.endpoint),
    caBundle: hardcoded(Buffer.from('certificate').toString('base64')),
    serviceCidr: hardcoded(cluster.serviceIpv4Cidr ?? '172.20.0.0/16'),
    dnsIp: hardcoded('172.20.0.10'),
    ipFamily: 'ipv4',
    kubernetesVersion: hardcoded(settings.kubernetesMinor),
    region: hardcoded(settings.region),
    partition: settings.partition,
    accountId: hardcoded(settings.accountId),
  };
}

/** A class whose status says that all is well. */
export function readyClass(
  { server }: TestAws,
  spec: Partial<EC2NodeClassSpec>,
  status: EC2NodeClassStatus,
): Stored<EC2NodeClass> {
  const condition = (type: string) => ({
    type,
    status: 'True' as const,
    reason: type,
    message: '',
    observedGeneration: 1,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  });
  const image = (architecture: string, arch: string) => ({
    id: imageNamed(server, `al2023-${architecture}-standard-${server.settings.kubernetesMinor}`),
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: [arch] }],
  });
  return stored({
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', generation: 1 },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': server.settings.clusterName } }],
      securityGroupSelectorTerms: [{ id: NODE_GROUP_ID }],
      instanceProfile: PROFILE,
      ...spec,
    },
    status: {
      instanceProfile: PROFILE,
      subnets: server.settings.zones.map(({ name, id }, index) => ({
        id: subnetIdOf(index),
        zone: name,
        zoneID: id,
      })),
      securityGroups: [{ id: NODE_GROUP_ID, name: 'nodes' }],
      amis: [image('x86_64', 'amd64'), image('arm64', 'arm64')],
      conditions: ['Ready', 'CapacityReservationsReady'].map(condition),
      ...status,
    },
  }) as Stored as Stored<EC2NodeClass>;
}
