/**
 * The story of a cluster on EKS: pending pods run on spot instances, EC2 takes one of them back and it is replaced within its
 * notice, the workload goes and takes its nodes along, and with the EC2NodeClass nothing is left in the account.
 */
import type { AwsServer } from '@chandler/cloudsim/aws';
import { DEPLOYMENTS, EVENTS, type KubeObject, NODES, PODS } from '@chandler/kube';
import { EC2_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { pool } from '../controllers/stage.ts';
import type { Phase } from './phases.ts';
import { conditionOf, type Ground, nodeNameOf, textOf, whole } from './story.ts';

export interface AwsGround extends Omit<Ground, 'arm' | 'diskEncryptionSetId'> {
  readonly aws: AwsServer;
}

/** EC2 announces an interruption so long before. */
const NOTICE_MS = 120_000;
const PODS_WANTED = 3;
const APP = 'web';

export const AWS_STORY: readonly Phase<AwsGround>[] = [
  {
    name: 'the EC2NodeClass is Ready',
    limitMs: 60_000,
    act: (ground) => ground.apply(EC2_NODE_CLASSES, ec2NodeClass('default', ground.aws)),
    waitsFor: (ground) => whole(ground, EC2_NODE_CLASSES, 'Ready'),
  },
  {
    name: 'the NodePool is Ready',
    limitMs: 30_000,
    act: (ground) => ground.apply(NODE_POOLS, spotPool('default')),
    waitsFor: (ground) => whole(ground, NODE_POOLS, 'Ready'),
  },
  {
    name: 'pending pods run on spot instances of EC2',
    limitMs: 180_000,
    act: (ground) => ground.apply(DEPLOYMENTS, DEPLOYMENT),
    waitsFor: async (ground) => {
      const spot = new Set(
        runningInstances(ground).flatMap(({ spot, nodeName }) => (spot ? [nodeName] : [])),
      );
      const elsewhere = (await runningPods(ground)).filter((pod) => !spot.has(nodeNameOf(pod) ?? ''));
      return (await notAllRun(ground)) ?? (elsewhere.length === 0 ? undefined : 'they run on other nodes');
    },
  },
  {
    name: 'every claim is Initialized, and names the instance, its image and its zone',
    limitMs: 60_000,
    waitsFor: async (ground) => {
      const claims = await ground.list(NODE_CLAIMS);
      return claims.map((claim) => claimTrouble(claim, ground.aws)).find((each) => each !== undefined);
    },
  },
  {
    name: 'EC2 announces an interruption: its pods run on a replacement before the two minutes are over',
    limitMs: NOTICE_MS,
    async act(ground) {
      const [pod] = await runningPods(ground);
      const { id } = runningInstances(ground).find(({ nodeName }) => nodeName === nodeNameOf(pod!))!;
      interrupted.set(ground, id);
      ground.aws.instances.interruptSpot(id);
    },
    waitsFor: async (ground) => {
      const { nodeName } = ground.aws.instances.get(interrupted.get(ground)!)!;
      const left = (await podsOf(ground)).filter((pod) => nodeNameOf(pod) === nodeName);
      const said = (await ground.list(EVENTS)).some((event) => event['reason'] === 'SpotInterrupted');
      if (!said) return 'no event SpotInterrupted';
      return left.length === 0 ? notAllRun(ground) : `${left.length} pods are still on ${nodeName}`;
    },
  },
  {
    name: 'the interrupted instance is terminated; its node and its claim are gone',
    limitMs: 180_000,
    waitsFor: async (ground) => {
      const instance = ground.aws.instances.get(interrupted.get(ground)!);
      const nodes = (await ground.list(NODES)).filter(({ metadata }) => metadata.name === instance?.nodeName);
      const claims = (await ground.list(NODE_CLAIMS)).filter(
        (claim) => providerIdOf(claim)?.endsWith(instance?.id ?? '') === true,
      );
      const seen = { state: instance?.state, nodes: nodes.length, claims: claims.length };
      const gone = seen.state === 'terminated' && nodes.length + claims.length === 0;
      return gone ? undefined : JSON.stringify(seen);
    },
  },
  {
    name: 'the workload is deleted: nodes, claims and instances go',
    limitMs: 300_000,
    act: (ground) => ground.remove(DEPLOYMENTS, APP, 'default'),
    waitsFor: async (ground) => {
      const left = {
        pods: (await podsOf(ground)).length,
        claims: (await ground.list(NODE_CLAIMS)).length,
        nodes: (await ground.list(NODES)).length,
        instances: runningInstances(ground).length,
      };
      return Object.values(left).every((count) => count === 0) ? undefined : JSON.stringify(left);
    },
  },
  {
    name: 'NodePool and EC2NodeClass are deleted: no launch template and no instance profile is left',
    limitMs: 60_000,
    async act(ground) {
      await ground.remove(NODE_POOLS, 'default');
      await ground.remove(EC2_NODE_CLASSES, 'default');
    },
    waitsFor: async ({ aws: { account }, list }) => {
      const left = {
        classes: (await list(EC2_NODE_CLASSES)).length,
        pools: (await list(NODE_POOLS)).length,
        templates: account.launchTemplates.size,
        profiles: account.instanceProfiles.size,
      };
      return Object.values(left).every((count) => count === 0) ? undefined : JSON.stringify(left);
    },
  },
];

export function ec2NodeClass(name: string, { settings }: AwsServer, alias = 'al2023@latest'): KubeObject {
  const found = [{ tags: { 'karpenter.sh/discovery': settings.clusterName } }];
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      role: settings.nodeRoleName,
      amiSelectorTerms: [{ alias }],
      subnetSelectorTerms: found,
      securityGroupSelectorTerms: found,
    },
  };
}

/** Its nodes go soon after their pods. */
export function spotPool(name: string): object {
  const among = (key: string, ...values: readonly string[]) => ({ key, operator: 'In', values });
  const requirements = [
    among('kubernetes.io/arch', 'amd64'),
    among('karpenter.sh/capacity-type', 'spot'),
    among('karpenter.k8s.aws/instance-category', 'c', 'm', 'r'),
  ];
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name };
  return pool(name, {
    template: { spec: { nodeClassRef, requirements } },
    disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: '5s' },
  });
}

// ---------------------------------------------------------------------------------------------------

/** The instance of each run of the story. */
const interrupted = new WeakMap<AwsGround, string>();

const DEPLOYMENT: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: APP, namespace: 'default' },
  spec: {
    replicas: PODS_WANTED,
    selector: { matchLabels: { app: APP } },
    template: {
      metadata: { labels: { app: APP } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'main',
            image: 'registry.k8s.io/pause:3.10',
            resources: { requests: { cpu: '1', memory: '1Gi' } },
          },
        ],
      },
    },
  },
};

async function podsOf({ list }: AwsGround): Promise<readonly KubeObject[]> {
  return (await list(PODS)).filter(({ metadata }) => metadata.labels?.['app'] === APP);
}

async function runningPods(ground: AwsGround): Promise<readonly KubeObject[]> {
  const isRunning = (pod: KubeObject) =>
    (pod['status'] as { phase?: string } | undefined)?.phase === 'Running';
  return (await podsOf(ground)).filter(
    (pod) => isRunning(pod) && pod.metadata.deletionTimestamp === undefined,
  );
}

async function notAllRun(ground: AwsGround): Promise<string | undefined> {
  const running = await runningPods(ground);
  if (running.length === PODS_WANTED) return undefined;
  const claims = await ground.list(NODE_CLAIMS);
  return `${running.length} pods run; ${claims.map(textOf).join('; ') || 'there is no claim'}`;
}

function runningInstances({ aws }: AwsGround) {
  return aws.instances.list().filter(({ state }) => state !== 'terminated');
}

function providerIdOf(claim: KubeObject): string | undefined {
  return (claim['status'] as { providerID?: string } | undefined)?.providerID;
}

/** Undefined: it is as it should be. */
function claimTrouble(claim: KubeObject, { instances }: AwsServer): string | undefined {
  if (conditionOf(claim, 'Initialized')?.status !== 'True') return textOf(claim);
  const { imageID } = claim['status'] as { imageID?: string };
  const [zone, id = ''] = providerIdOf(claim)?.split('/').slice(-2) ?? [];
  const instance = instances.get(id);
  const same =
    instance !== undefined &&
    instance.imageId === imageID &&
    instance.zone === zone &&
    claim.metadata.labels?.['topology.kubernetes.io/zone'] === zone;
  return same ? undefined : `${claim.metadata.name} is not the instance ${id}`;
}
