/**
 * IAM actions that the controller of a real cluster lacks, one at a time: what is done in the cluster, and about what `why` is
 * asked then. A part of the table of test/aws, which takes away every action in virtual time.
 */
import { type KubeObject, NODES, PODS } from '@chandler/kube';
import { EC2_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { pod } from '../controllers/stage.ts';
import { type AwsGround, ec2NodeClass, spotPool } from '../e2e/aws-story.ts';
import type { Phase } from '../e2e/phases.ts';
import { conditionOf, textOf } from '../e2e/story.ts';

export interface MissingAction {
  readonly sid: string;
  readonly action: string;
  /** Before it is taken away. */
  readonly before: readonly Phase<AwsGround>[];
  /** After that. @returns what `why` is asked about. */
  act(ground: AwsGround): Promise<string>;
}

/** The class, the pool and the pod of a row. */
const NAME = 'denied';

export const MISSING_ACTIONS: readonly MissingAction[] = [
  {
    sid: 'AllowScopedEC2InstanceActionsWithTags',
    action: 'ec2:CreateFleet',
    before: [],
    act: (ground) => pendingPod(ground),
  },
  {
    sid: 'AllowSSMReadActions',
    action: 'ssm:GetParameter',
    before: [],
    // Of another alias than before: parameters are kept for a day.
    act: (ground) => pendingPod(ground, 'bottlerocket@latest'),
  },
  {
    sid: 'AllowInterruptionQueueActions',
    action: 'sqs:ReceiveMessage',
    before: [running()],
    act: async () => `nodepool/${NAME}`,
  },
  {
    sid: 'AllowScopedDeletion',
    action: 'ec2:TerminateInstances',
    before: [running()],
    async act({ list, remove }) {
      const [claim] = await list(NODE_CLAIMS);
      const { name = '' } = claim!.metadata;
      await remove(PODS, NAME, 'default');
      await remove(NODE_CLAIMS, name);
      return `nodeclaim/${name}`;
    },
  },
];

/** Allowed again: everything of the row goes, also in EC2. */
export const LEAVES_NOTHING: Phase<AwsGround> = {
  name: 'with the action, everything is deleted',
  limitMs: 180_000,
  async act({ list, remove }) {
    for (const { metadata } of await ownPods(list)) await remove(PODS, metadata.name!, 'default');
    for (const resource of [NODE_POOLS, EC2_NODE_CLASSES])
      for (const { metadata } of await list(resource)) await remove(resource, metadata.name!);
  },
  async waitsFor({ list, aws: { account, instances } }) {
    const kinds = [NODES, NODE_CLAIMS, NODE_POOLS, EC2_NODE_CLASSES];
    const objects = await Promise.all([ownPods(list), ...kinds.map(list)]);
    const left = {
      objects: objects.flat().map(textOf),
      instances: instances.list().filter(({ state }) => state !== 'terminated').length,
      templates: account.launchTemplates.size,
      profiles: account.instanceProfiles.size,
    };
    const isEmpty = left.objects.length + left.instances + left.templates + left.profiles === 0;
    return isEmpty ? undefined : JSON.stringify(left);
  },
};

// ---------------------------------------------------------------------------------------------------

async function pendingPod({ aws, apply }: AwsGround, alias?: string): Promise<string> {
  await apply(EC2_NODE_CLASSES, ec2NodeClass(NAME, aws, alias));
  await apply(NODE_POOLS, spotPool(NAME));
  await apply(PODS, pod(NAME));
  return `pod/${NAME}`;
}

function running(): Phase<AwsGround> {
  return {
    name: 'a pod runs on a node',
    limitMs: 120_000,
    act: (ground) => pendingPod(ground),
    async waitsFor({ list }) {
      const [found] = await ownPods(list);
      const [claim] = await list(NODE_CLAIMS);
      const phase = (found?.['status'] as { phase?: string } | undefined)?.phase;
      const isInitialized = conditionOf(claim, 'Initialized')?.status === 'True';
      return phase === 'Running' && isInitialized ? undefined : textOf(claim ?? found);
    },
  };
}

/** Without those of DaemonSets. */
async function ownPods(list: AwsGround['list']): Promise<readonly KubeObject[]> {
  return (await list(PODS)).filter(({ metadata }) => metadata.namespace === 'default');
}
