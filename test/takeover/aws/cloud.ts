/** Taking over from Karpenter on EKS: the stage, the cluster, and what only AWS has. */
import { type AwsServer, controllerEnvironment, filesIn } from '@chandler/cloudsim/aws';
import { CLUSTER_GROUP_ID, type InstanceRecord } from '@chandler/cloudsim/aws/testing';
import type { KubeObject } from '@chandler/kube';
import { expect } from 'vitest';
import { EC2_NODE_CLASSES, NODE_CLAIMS } from '../../../packages/chandler/src/api/index.ts';
import { awsProvider } from '../../../packages/chandler/src/cloud/aws/index.ts';
import { type StageCloud, takeoverStage } from '../stage.ts';
import type { LaunchedNode, TakeoverCloud, UpstreamCluster } from '../upstream-cluster.ts';
import { create } from '../writing.ts';
import { type EksObjects, PROFILE, upstreamObjects } from './cluster.ts';
import { plannedClaim, providerId, TAGGED } from './nodes.ts';
import {
  CLASS_HASH,
  CLUSTER_CA,
  launchTags,
  PROFILE_NAME,
  RECORDED_HASHES,
  standardImage,
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

export interface EksCluster extends UpstreamCluster, EksObjects {
  readonly server: AwsServer;
}

export async function eksCluster(nodes: number): Promise<EksCluster> {
  const stage = await takeoverStage(STAGE_CLOUD);
  const { server } = stage.playground.aws!;
  const objects = await upstreamObjects({ ...stage, server }, nodes);
  const { calls, pools } = objects;
  return {
    stage,
    server,
    ...objects,
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
