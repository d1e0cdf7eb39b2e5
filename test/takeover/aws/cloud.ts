/** Taking over from Karpenter on EKS: the stage, the cluster, and what only AWS has. */
import { type AwsServer, controllerEnvironment, filesIn } from '@chandler/cloudsim/aws';
import { CLUSTER_GROUP_ID, type InstanceRecord } from '@chandler/cloudsim/aws/testing';
import { type KubeObject, NODES } from '@chandler/kube';
import { expect } from 'vitest';
import { EC2_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { awsProvider } from '../../../packages/chandler/src/cloud/aws/index.ts';
import { claimName, nodePool, POOL_NAMES, type PoolName, poolOfNode } from '../objects.ts';
import { type StageCloud, type TakeoverStage, takeoverStage } from '../stage.ts';
import type { LaunchedNode, TakeoverCloud, UpstreamCluster } from '../upstream-cluster.ts';
import { annotate, create, createPodOn, setStatus, settlePoolWith, timeOf } from '../writing.ts';
import { KarpenterCalls } from './instances.ts';
import {
  claimOf,
  claimStatus,
  NODE_CAPACITY,
  nodeOf,
  nodeStatus,
  plannedClaim,
  providerId,
  TAGGED,
} from './nodes.ts';
import {
  CLASS_HASH,
  CLUSTER_CA,
  classAnnotations,
  launchTags,
  nodeClass,
  nodeClassStatus,
  PROFILE_NAME,
  RECORDED_HASHES,
  standardImage,
  TERMS,
} from './objects.ts';

export const AWS: TakeoverCloud = {
  title: 'AWS',
  nodeClasses: EC2_NODE_CLASSES,
  classHash: { key: CLASS_HASH, version: 'v6' },
  // Templates are made for a launch, and deleted when no launch needs them; an instance does not know its template.
  housekeeping: /\(dry run\)$|^ec2:(Create|Delete)LaunchTemplate$|^sqs:ReceiveMessage$/,
  reconciles: () => ({ nodeclass: 59, 'nodeclass.hash': 1, 'launchtemplate.garbagecollection': 59 }),
  start: eksCluster,
};

export interface EksCluster extends UpstreamCluster {
  readonly server: AwsServer;
  readonly calls: KarpenterCalls;
  /** The instance profile of the class. */
  readonly profile: string;
  readonly classUid: string;
}

export async function eksCluster(nodes: number): Promise<EksCluster> {
  const stage = await takeoverStage(STAGE_CLOUD);
  const { server } = stage.playground.aws!;
  const calls = new KarpenterCalls(server, stage.world);
  const time = timeOf(stage.world);
  const ofClass = await create(stage, EC2_NODE_CLASSES, nodeClass());
  const classUid = ofClass.metadata.uid!;
  await stage.inTime(calls.createProfile(PROFILE, classUid));
  // Until EC2 knows the profile and its role.
  await stage.world.clock.advance(15_000);
  const pools = {
    general: await create(stage, NODE_POOLS, nodePool('general', TERMS)),
    spot: await create(stage, NODE_POOLS, nodePool('spot', TERMS)),
  };
  for (const name of POOL_NAMES) await stage.inTime(calls.createTemplate(name, PROFILE));
  const names = await addNodes({ stage, calls, pools, time }, nodes);
  await setStatus(stage, EC2_NODE_CLASSES, ofClass, nodeClassStatus(server, PROFILE, time));
  await annotate(stage, EC2_NODE_CLASSES, ofClass, classAnnotations());
  // Karpenter has read what EventBridge had to say about all that.
  server.queue.purge();
  return {
    stage,
    server,
    calls,
    profile: PROFILE,
    classUid,
    names,
    time,
    env: {},
    hashes: { ...RECORDED_HASHES, nodeClass: RECORDED_HASHES.nodeClass.v6 },
    nodeNameOf: (claim) => (claim['status'] as { nodeName: string }).nodeName,
    async beginLaunch(name) {
      await stage.inTime(calls.launch('general', 0));
      await create(stage, NODE_CLAIMS, plannedClaim({ pool: pools.general }, name));
    },
    mismatch: (claims) => mismatch(server, claims),
    expectAccepted: (launched) => expectAccepted(server, launched),
  };
}

/** Those that run or are about to. */
export function activeInstances({ account }: AwsServer): readonly InstanceRecord[] {
  return [...account.active()];
}

// ---------------------------------------------------------------------------------------------------

/** Karpenter's hash of region, class and a random UUID. */
const PROFILE = 'playground_4067990795380418201';
const READS = /^(Describe|Get|List|AssumeRole)/;

const STAGE_CLOUD: StageCloud = {
  simulated: { aws: { server: { callLogLimit: 1_000_000, catalogue: { types: ['m5.*'] } } } },
  roles: 'rbac-aws.yaml',
  calls(playground) {
    const { server } = playground.aws!;
    return {
      get total() {
        return server.totalCalls;
      },
      list: () =>
        server.calls().map(({ service, action, code }) => ({
          line: `${service}:${action}${code === 'DryRunOperation' ? ' (dry run)' : ''}`,
          // Who receives a message hides it from others for a while.
          writes: !READS.test(action),
        })),
    };
  },
  access(playground) {
    const { server } = playground.aws!;
    const { accessKeyId, secretAccessKey } = server.credentials;
    const place = { server, serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' };
    return {
      provider: awsProvider,
      fetch: server.fetch,
      // The SDK would read the file itself, from the disk.
      env: {
        ...controllerEnvironment(place, filesIn('/aws')),
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      },
      files: {},
      clusterCaPem: CLUSTER_CA,
    };
  },
};

interface NodeWriters {
  readonly stage: TakeoverStage;
  readonly calls: KarpenterCalls;
  readonly pools: Readonly<Record<PoolName, KubeObject>>;
  readonly time: string;
}

/** Gives back the names of the claims. */
async function addNodes(
  { stage, calls, pools, time }: NodeWriters,
  count: number,
): Promise<readonly string[]> {
  const launched: InstanceRecord[] = [];
  for (let at = 0; at < count; at++) launched.push(await stage.inTime(calls.launch(poolOfNode(at), at % 3)));
  // Until every instance runs and has failed to start a kubelet.
  await stage.world.clock.advance(30_000);
  const { server } = calls;
  for (const [at, instance] of launched.entries()) {
    const name = claimName(at);
    await stage.inTime(calls.tag(instance, name));
    const owners = { server, pool: pools[poolOfNode(at)], profile: PROFILE };
    const claim = await create(
      stage,
      NODE_CLAIMS,
      claimOf(owners, name, instance),
      claimStatus(instance, time),
    );
    await create(stage, NODES, nodeOf(claim, instance), nodeStatus(time));
    await createPodOn(stage, instance.nodeName, time);
  }
  for (const name of POOL_NAMES) {
    const hash = RECORDED_HASHES.pools[name];
    const nodes = launched.filter((_, at) => poolOfNode(at) === name).length;
    await settlePoolWith(stage, pools[name], { hash, time, nodes, capacity: NODE_CAPACITY });
  }
  return launched.map((_, at) => claimName(at));
}

/** An instance for every claim, and none besides. */
function mismatch(server: AwsServer, claims: readonly KubeObject[]): readonly string[] {
  const wanted = claims.map((claim) => (claim['status'] as { providerID?: string } | undefined)?.providerID);
  const there = new Set<string | undefined>(activeInstances(server).map(providerId));
  return [...there.symmetricDifference(new Set(wanted))].map(String);
}

function expectAccepted(server: AwsServer, { claim, poolName }: LaunchedNode): void {
  expect(claim.metadata.annotations).toMatchObject({ [PROFILE_NAME]: PROFILE, ...TAGGED });
  const { providerID, imageID, nodeName } = claim['status'] as Record<string, string>;
  const instance = activeInstances(server).find((each) => providerId(each) === providerID)!;
  // EC2 adds tags of its own.
  const tags = instance.tags.filter(({ Key }) => !/^(chandler\.sh\/|aws:)/.test(Key!));
  expect(Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]))).toEqual({
    ...launchTags(poolName),
    Name: nodeName,
    'karpenter.sh/nodeclaim': claim.metadata.name,
  });
  // What Karpenter compares beside the hash: image, security groups, subnet.
  expect(imageID).toBe(instance.imageId);
  expect(imageID).toBe(standardImage(server));
  expect(instance.launched.SecurityGroups?.map(({ GroupId }) => GroupId)).toEqual([CLUSTER_GROUP_ID]);
  expect([...server.account.subnets.keys()]).toContain(instance.subnetId);
  expect(nodeName).toBe(instance.nodeName);
  // The profile of Karpenter is used, and there is no other.
  expect(instance.profileArn).toBe(server.account.instanceProfiles.get(PROFILE)!.arn);
  expect(server.account.instanceProfiles.size).toBe(1);
}
