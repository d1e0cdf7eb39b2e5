/** A playground on the simulated AWS, in virtual time and without sockets, and instances that are launched by hand. */
import { fleetParams, ownedTags, TestAws, templateParams } from '@chandler/cloudsim/aws/testing';
import { fetchTransport, KubeClient, NODES } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import {
  type Playground,
  type PlaygroundCloud,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';
import { inTime } from '../operator/operator-stage.ts';

export interface AwsCluster {
  readonly world: VirtualWorld;
  readonly playground: Playground;
  readonly cloud: PlaygroundCloud;
  readonly admin: KubeClient;
  /** Raw calls with the credentials of the controller. */
  readonly aws: TestAws;
  inTime<T>(promise: Promise<T>): Promise<T>;
  until(what: string, holds: () => Promise<boolean> | boolean, withinMs?: number): Promise<void>;
  isNode(name: string): Promise<boolean>;
  stop(): Promise<void>;
}

export async function startAwsCluster(): Promise<AwsCluster> {
  const world = virtualWorld();
  const playground = await inTime(
    world,
    startPlayground({ world, port: false, systemTaint: true, aws: { bootTimeMs: 2_000 } }),
  );
  const admin = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
  const aws = new TestAws(playground.aws!.server, world);
  const until: AwsCluster['until'] = async (what, holds, withinMs = 120_000) => {
    for (let waited = 0; waited <= withinMs; waited += STEP_MS) {
      if (await holds()) return;
      await world.clock.advance(STEP_MS);
    }
    throw new Error(`after ${withinMs / 1000} s still not so: ${what}`);
  };
  return {
    world,
    playground,
    cloud: playground.cloud!,
    admin,
    aws,
    inTime: (promise) => inTime(world, promise),
    until,
    isNode: async (name) => (await inTime(world, admin.find(NODES, { name }))) !== undefined,
    stop: () => inTime(world, playground.stop()),
  };
}

export interface Launched {
  readonly id: string;
  readonly nodeName: string;
  readonly zone: string;
}

/** What EC2 answers: the new instances, and the codes of its errors. */
export interface FleetAnswer {
  readonly launched: readonly Launched[];
  readonly codes: readonly string[];
}

/** Launches with a template whose user data lets the instance join. */
export async function launchFleet(
  { aws, inTime: wait }: AwsCluster,
  fleet: Parameters<typeof fleetParams>[1] = {},
): Promise<FleetAnswer> {
  const { server } = aws;
  await wait(ensureProfile(aws));
  const template = templateParams(
    server,
    {
      IamInstanceProfile: { Name: PROFILE },
      UserData: Buffer.from(nodeConfig(aws)).toString('base64'),
      TagSpecifications: ['network-interface', 'spot-instances-request'].map((ResourceType) => ({
        ResourceType,
        Tags: ownedTags(server.settings.clusterName),
      })),
    },
    `karpenter.k8s.aws/${++templates}`,
  );
  const created = await wait(aws.ec2('CreateLaunchTemplate', template));
  if (created.code !== undefined) throw new Error(created.text);
  const answer = await wait(
    aws.ec2('CreateFleet', fleetParams(server, { ...fleet, template: template.LaunchTemplateName })),
  );
  if (answer.code !== undefined) throw new Error(answer.text);
  const ids = TestAws.values(answer.text, 'item').filter((text) => text.startsWith('i-'));
  return {
    launched: ids.map((id) => {
      const { nodeName, zone } = server.instances.get(id)!;
      return { id, nodeName, zone };
    }),
    codes: TestAws.values(answer.text, 'errorCode'),
  };
}

// ---------------------------------------------------------------------------------------------------

const STEP_MS = 500;
const PROFILE = 'nodes';
let templates = 0;

/** As the owner of the account: the policy of a controller wants tags on it. */
async function ensureProfile({ server, world }: TestAws): Promise<void> {
  const { account, settings } = server;
  if (account.instanceProfiles.has(PROFILE)) return;
  account.instanceProfiles.set(PROFILE, {
    name: PROFILE,
    path: '/',
    arn: `arn:${settings.partition}:iam::${settings.accountId}:instance-profile/${PROFILE}`,
    id: account.newUniqueId('AIPA'),
    createdMs: world.clock.now(),
    roleName: settings.nodeRoleName,
    usableMs: world.clock.now(),
    tags: [],
  });
}

function nodeConfig({ server: { cluster } }: TestAws): string {
  return `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster: {name: ${cluster.name}, apiServerEndpoint: "${cluster.endpoint}", certificateAuthority: Q0E=, cidr: 172.20.0.0/16}
  kubelet:
    config: {maxPods: 58}
    flags: ["--node-labels=karpenter.sh/nodepool=default"]
`;
}
