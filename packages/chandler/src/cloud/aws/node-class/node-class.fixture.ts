/** A node class and its status, computed against a simulated AWS through the official SDK; a test breaks what it is about. */
import {
  fleetParams,
  ownedTags,
  type TestAws,
  templateParams,
  testAws,
} from '@chandler/cloudsim/aws/testing';
import type { Stored } from '@chandler/kube';
import { neverAborted, stored } from '@chandler/kube/testing';
import type { EC2NodeClass, EC2NodeClassSpec, EC2NodeClassStatus } from '../../../api/index.ts';
import { hardcoded } from '../../../settings/index.ts';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import type { AwsClusterFacts } from '../cluster/index.ts';
import { asCloudError, isAlreadyExists } from '../errors/index.ts';
import { ImageReader } from '../images/index.ts';
import { InstanceProfiles } from '../instance-profiles/index.ts';
import { CapacityReservations, PlacementGroups, SecurityGroups, Subnets } from '../network/index.ts';
import type { AwsCalls } from '../wire/index.ts';
import type { ClassPool } from './class-pools.ts';
import { DryRuns, type FindDryRunRequests } from './dry-runs.ts';
import { AwsNodeClassStatus, type AwsNodeClassStatusDeps } from './status.ts';

type ServerOptions = Parameters<typeof testAws>[0];

export interface SceneOptions {
  readonly server?: ServerOptions;
  readonly deps?: Partial<AwsNodeClassStatusDeps>;
  readonly calls?: (calls: AwsCalls) => AwsCalls;
}

export class Scene {
  readonly aws: TestAws;
  readonly calls: AwsCalls;
  readonly deps: AwsNodeClassStatusDeps;
  readonly dryRuns: DryRuns;
  readonly images: ImageReader;
  readonly profiles: InstanceProfiles;
  /** What tests turn. */
  facts: AwsClusterFacts;
  factsError: Error | undefined;
  dryRunDisabled = false;
  /** Undefined: the gate is closed. */
  expressionProblem: (() => string | undefined) | undefined;
  isolatedVpc = false;
  reservedCapacity = true;
  pools: readonly ClassPool[] = [];
  readonly #status: AwsNodeClassStatus;

  constructor(aws: TestAws, options: SceneOptions) {
    const { settings } = aws.server;
    const { clock } = aws.world;
    this.aws = aws;
    this.calls = (options.calls ?? ((calls) => calls))(awsCallsOf(aws));
    this.facts = factsOf(aws);
    const { ec2, iam, ssm } = this.calls;
    this.images = new ImageReader({ clock, ec2, ssm, refreshIntervalMs: () => 60_000 });
    const scope = () => ({ region: settings.region, clusterName: settings.clusterName });
    this.profiles = new InstanceProfiles({ world: aws.world, iam, scope });
    this.dryRuns = new DryRuns({ clock, ec2, requests: dryRunRequests(aws, this.calls) });
    const reader = {
      current: () => {
        if (this.factsError !== undefined) throw this.factsError;
        return this.facts;
      },
    };
    this.deps = {
      world: aws.world,
      cluster: reader,
      images: this.images,
      subnets: new Subnets({ clock, ec2, refreshIntervalMs: () => 60_000 }),
      securityGroups: new SecurityGroups({ clock, ec2 }),
      reservations: new CapacityReservations({ clock, ec2 }),
      placementGroups: new PlacementGroups({ clock, ec2 }),
      profiles: this.profiles,
      isolatedVpc: () => this.isolatedVpc,
      reservedCapacity: () => this.reservedCapacity,
      dryRuns: this.dryRuns,
      dryRunDisabled: () => this.dryRunDisabled,
      kubeletExpressions: {
        isOpen: () => this.expressionProblem !== undefined,
        problem: () => this.expressionProblem?.(),
      },
      poolsOf: () => this.pools,
      ...options.deps,
    };
    this.#status = new AwsNodeClassStatus(this.deps);
  }

  nodeClass(spec: Partial<EC2NodeClassSpec> = {}, rest: ClassRest = {}): Stored<EC2NodeClass> {
    const { clusterName, nodeRoleName } = this.aws.server.settings;
    const discovery = { tags: { 'karpenter.sh/discovery': clusterName } };
    return stored({
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: {
        name: 'default',
        generation: rest.generation ?? 1,
        creationTimestamp: '2026-01-01T00:00:00Z',
        ...(rest.annotations === undefined ? {} : { annotations: rest.annotations }),
      },
      spec: {
        amiSelectorTerms: [{ alias: 'al2023@latest' }],
        subnetSelectorTerms: [discovery],
        securityGroupSelectorTerms: [discovery],
        ...(spec.instanceProfile === undefined ? { role: nodeRoleName } : {}),
        ...spec,
      },
      ...(rest.status === undefined ? {} : { status: rest.status }),
    });
  }

  reconcile(nodeClass: Stored<EC2NodeClass>, signal: AbortSignal = neverAborted()) {
    return inTime(this.aws.world, this.#status.reconcile(nodeClass, signal));
  }

  /** Reconciled as often as needed until EC2 knows the instance profile. */
  async settled(spec: Partial<EC2NodeClassSpec> = {}, rest: ClassRest = {}) {
    let nodeClass = this.nodeClass(spec, rest);
    let found = await this.reconcile(nodeClass);
    for (let pass = 0; pass < 3; pass += 1) {
      await this.aws.world.clock.advance(5_000);
      nodeClass = { ...nodeClass, status: found.status };
      found = await this.reconcile(nodeClass);
    }
    return { ...found, nodeClass: { ...nodeClass, status: found.status } };
  }

  /** How many calls of the action AWS has received. */
  callsOf(action: string): number {
    return this.aws.server.calls().filter((call) => call.action === action).length;
  }
}

export interface ClassRest {
  readonly generation?: number;
  readonly annotations?: Record<string, string>;
  readonly status?: EC2NodeClassStatus;
}

export async function scene(options: SceneOptions = {}): Promise<Scene> {
  return new Scene(await testAws(options.server), options);
}

/** Advances time while calls wait for their turn in the rates. */
async function inTime<T>(world: TestAws['world'], promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  done.catch(() => undefined);
  for (let round = 0; !settled && round < 5_000; round += 1) await world.clock.advance(round < 500 ? 0 : 50);
  if (!settled) throw new Error('nothing happened for a long virtual time');
  return done;
}

export function conditionOf(status: EC2NodeClassStatus, type: string) {
  return status.conditions?.find((condition) => condition.type === type);
}

// ---------------------------------------------------------------------------------------------------

function factsOf(aws: TestAws): AwsClusterFacts {
  const { region, clusterName, partition, accountId, kubernetesMinor } = aws.server.settings;
  return {
    name: hardcoded(clusterName),
    endpoint: hardcoded('https://example.eks.amazonaws.com'),
    caBundle: hardcoded('Y2E='),
    serviceCidr: hardcoded('172.20.0.0/16'),
    dnsIp: hardcoded('172.20.0.10'),
    ipFamily: 'ipv4',
    kubernetesVersion: hardcoded(kubernetesMinor),
    region: hardcoded(region),
    partition,
    accountId: hardcoded(accountId),
  };
}

/** As a launch with the class would be requested, as far as the dry runs judge it. */
function dryRunRequests(aws: TestAws, { ec2 }: AwsCalls): FindDryRunRequests {
  return async ({ spec, status }) => {
    const profile = status?.instanceProfile ?? '';
    const template = templateParams(
      aws.server,
      {
        ImageId: status?.amis?.at(-1)?.id,
        IamInstanceProfile: { Name: profile },
        UserData: Buffer.from(spec.userData ?? '').toString('base64'),
      },
      `karpenter.k8s.aws/${profile}`,
    );
    return {
      createLaunchTemplate: template as never,
      ensureTemplate: async (signal) => {
        try {
          await ec2.createLaunchTemplate(template as never, { signal });
        } catch (thrown) {
          if (!isAlreadyExists(thrown)) throw asCloudError(thrown);
        }
      },
      templateMissing: () => undefined,
      createFleet: fleetParams(aws.server, { template: template.LaunchTemplateName }) as never,
      runInstances: (status?.subnets ?? []).map(({ id }) => ({
        MinCount: 1,
        MaxCount: 1,
        InstanceType: 'm5.large' as const,
        TagSpecifications: (['instance', 'volume', 'network-interface'] as const).map((ResourceType) => ({
          ResourceType,
          Tags: [...ownedTags(aws.server.settings.clusterName)],
        })),
        LaunchTemplate: { LaunchTemplateName: template.LaunchTemplateName, Version: '$Latest' },
        NetworkInterfaces: [
          { DeviceIndex: 0, SubnetId: id, Groups: status?.securityGroups?.map((each) => each.id) },
        ],
      })),
    };
  };
}
