/** The map of symptoms that a live cluster shows to their causes, each with the command of `chandler why` that explains it. */
import { isController } from '../../inputs/cluster/controller-deployment.ts';
import type { Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Evidence } from '../../model/finding.ts';
import { find, itemsAt, textAt } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { deniedCalls, isDenied } from '../denied-calls.ts';
import { DOCS } from '../docs.table.ts';
import { each, objectOf, pass, seen, skip, warn } from '../judgements.ts';
import { condition, liveObjects } from '../live-objects.ts';
import { podsOf } from './cluster-controller.ts';

const NODE_CLASSES = ['EC2NodeClass', 'AKSNodeClass'] as const;

export const TROUBLESHOOTING_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-62',
    title: 'The cluster shows no symptom of a known cause',
    inputs: ['cluster'],
    reads: ['Deployment', 'Pod', ...NODE_CLASSES, 'NodePool', 'NodeClaim', 'Event'],
    criterion:
      'Warns about each symptom with its cause and the command that explains it: the controller does not start, a call is denied, there are no nodes, there is no AMI. Passes if the cluster shows none of them. Of more than 5,000 events the first are read, and do not make it pass.',
    severity: 'info',
    phase: 4,
    fix: 'Run the command of the finding.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const found = SYMPTOMS.flatMap(({ title, causesIn }) =>
        causesIn(inputs).map((cause) => ({ title, ...cause })),
      );
      if (found.length > 0)
        return each(found, ({ title, cause, command, evidence, object }) =>
          warn(`${title}: ${cause.replace(/\.$/, '')}.`, evidence, { object, fix: `Run ${command}.` }),
        );
      const notRead = inputs.cluster?.cut.get('Event');
      if (notRead !== undefined) return [skip(`What was read shows none, but ${notRead}.`, [])];
      const looked = [
        ...liveObjects(inputs, 'Deployment').filter(isController),
        ...liveObjects(inputs, ...NODE_CLASSES, 'NodePool'),
      ];
      return looked.length === 0
        ? []
        : [
            pass(
              'The cluster shows none.',
              looked.map((object) => seen(object, 'metadata', 'name')),
            ),
          ];
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

interface Cause {
  readonly object: string;
  /** Completes "No nodes: …". */
  readonly cause: string;
  readonly command: string;
  readonly evidence: readonly Evidence[];
}

const SYMPTOMS: readonly {
  readonly title: string;
  readonly causesIn: (inputs: Inputs) => readonly Cause[];
}[] = [
  { title: 'The controller does not start', causesIn: notStarting },
  { title: 'A call is denied', causesIn: denied },
  { title: 'No nodes', causesIn: noNodes },
  { title: 'No AMI', causesIn: noImages },
];

/** Pods that are not Ready say more than their Deployment. */
function notStarting(inputs: Inputs): readonly Cause[] {
  return liveObjects(inputs, 'Deployment')
    .filter(isController)
    .flatMap((deployment): readonly Cause[] => {
      const { name, namespace = 'default', tree } = deployment;
      const wanted = textAt(tree, 'spec', 'replicas') ?? '1';
      const ready = textAt(tree, 'status', 'readyReplicas') ?? '0';
      if (wanted !== '0' && Number(ready) >= Number(wanted)) return [];
      const object = objectOf(deployment);
      const pods = podsOf(inputs, deployment).filter((pod) => condition(pod, 'Ready')?.status !== 'True');
      if (wanted !== '0' && pods.length > 0)
        return pods.map((pod) => ({
          object: objectOf(pod),
          ...causeOfPod(inputs, pod),
          command: `chandler why pod/${pod.name} -n ${namespace}`,
        }));
      const [cause, ...path] =
        wanted === '0'
          ? (['it is scaled to 0', 'spec', 'replicas'] as const)
          : ([`${ready} of ${wanted} replicas are ready`, 'status', 'readyReplicas'] as const);
      const command = `kubectl -n ${namespace} describe deployment ${name}`;
      return [{ object, cause, command, evidence: [seen(deployment, ...path)] }];
    });
}

/** By the reason for which a container waits. */
const WAITING: readonly (readonly [RegExp, string])[] = [
  [/CrashLoopBackOff/, 'its container ends again and again, and its log says why'],
  [/ImagePull|InvalidImageName/, 'its image cannot be pulled'],
  [/CreateContainer(Config)?Error/, 'a Secret, a ConfigMap or a command of its container is missing'],
];

function causeOfPod(inputs: Inputs, pod: Manifest): Pick<Cause, 'cause' | 'evidence'> {
  for (const [index, status] of itemsAt(pod.tree, 'status', 'containerStatuses').entries()) {
    const reason = textAt(status, 'state', 'waiting', 'reason') ?? '';
    const cause = WAITING.find(([pattern]) => pattern.test(reason))?.[1];
    const path = ['status', 'containerStatuses', index, 'state', 'waiting', 'reason'] as const;
    if (cause !== undefined) return { cause, evidence: [seen(pod, ...path)] };
  }
  const scheduled = condition(pod, 'PodScheduled');
  if (scheduled?.status === 'False')
    return { cause: `no node takes its pod: ${scheduled.message}`, evidence: [scheduled.evidence] };
  const event = liveObjects(inputs, 'Event').findLast(
    ({ tree }) =>
      textAt(tree, 'involvedObject', 'kind') === 'Pod' &&
      textAt(tree, 'involvedObject', 'name') === pod.name &&
      textAt(tree, 'involvedObject', 'namespace') === pod.namespace,
  );
  return event === undefined
    ? { cause: 'its pod is not Ready', evidence: [seen(pod, 'status', 'phase')] }
    : { cause: textAt(event.tree, 'message') ?? '', evidence: [seen(event, 'message')] };
}

/** By what the cloud said. */
const DENIALS: readonly (readonly [RegExp, string])[] = [
  [/PassRole/, 'the role of the controller lacks iam:PassRole for the node role'],
  [
    /AssumeRoleWithWebIdentity|WebIdentityErr|InvalidIdentityToken/,
    'the role of the controller is missing, its trust policy does not name the service account, or the ARN on the service account is wrong',
  ],
];

function denied(inputs: Inputs): readonly Cause[] {
  return deniedCalls(inputs).map(({ object, message, evidence }) => {
    const action = /not authorized to perform:? ([\w-]+:\w+)/.exec(message)?.[1];
    const cause =
      DENIALS.find(([pattern]) => pattern.test(message))?.[1] ??
      `the role of the controller lacks ${action ?? 'a permission'}`;
    return { object: objectOf(object), cause, command: whyCommand(inputs, object), evidence: [evidence] };
  });
}

/** Conditions that keep nodes from being launched or from joining, and what that means. */
const NODE_CONDITIONS: readonly {
  readonly kinds: readonly string[];
  readonly type: string;
  readonly cause: string;
}[] = [
  { kinds: ['EC2NodeClass'], type: 'SubnetsReady', cause: 'its selectors discover no subnet' },
  { kinds: ['EC2NodeClass'], type: 'SecurityGroupsReady', cause: 'its selectors discover no security group' },
  { kinds: ['EC2NodeClass'], type: 'InstanceProfileReady', cause: 'its instance profile is not ready' },
  { kinds: ['AKSNodeClass'], type: 'SubnetsReady', cause: 'its subnet is not ready' },
  { kinds: ['NodePool'], type: 'Ready', cause: 'the NodePool is not Ready' },
  { kinds: ['NodeClaim'], type: 'Launched', cause: 'the launch failed' },
  { kinds: ['NodeClaim'], type: 'Registered', cause: 'the instance does not join the cluster' },
];

function noNodes(inputs: Inputs): readonly Cause[] {
  return NODE_CONDITIONS.flatMap(({ kinds, type, cause }) =>
    liveObjects(inputs, ...kinds).flatMap((object) => falseCondition(inputs, object, type, cause)),
  );
}

function noImages(inputs: Inputs): readonly Cause[] {
  const cause = 'the alias, id, name or tags of its selectors have no image in this region';
  return [
    ...liveObjects(inputs, 'EC2NodeClass').flatMap((own) => falseCondition(inputs, own, 'AMIsReady', cause)),
    ...liveObjects(inputs, 'AKSNodeClass').flatMap((own) =>
      falseCondition(inputs, own, 'ImagesReady', 'its image is not ready'),
    ),
  ];
}

/** What was denied is a symptom of its own. */
function falseCondition(inputs: Inputs, object: Manifest, type: string, cause: string): readonly Cause[] {
  const found = condition(object, type);
  if (found?.status !== 'False' || isDenied(found.message)) return [];
  const said = [found.reason === type ? '' : found.reason, found.message].filter((text) => text !== '');
  return [
    {
      object: objectOf(object),
      cause: said.length === 0 ? cause : `${cause} (${said.join(': ').replace(/\.$/, '')})`,
      command: whyCommand(inputs, object),
      evidence: [found.evidence],
    },
  ];
}

/** `why` explains pods, NodeClaims, nodes and NodePools: of a node class, a NodePool that uses it. */
function whyCommand(inputs: Inputs, { kind, name }: Pick<Manifest, 'kind' | 'name'>): string {
  if (kind === 'NodePool' || kind === 'NodeClaim') return `chandler why ${kind.toLowerCase()}/${name}`;
  const user = liveObjects(inputs, 'NodePool').find(({ tree }) => {
    const reference = find(tree, 'spec', 'template', 'spec', 'nodeClassRef');
    return textAt(reference, 'name') === name && (textAt(reference, 'kind') ?? kind) === kind;
  });
  return user === undefined
    ? `kubectl describe ${kind.toLowerCase()} ${name}, because no NodePool uses it`
    : `chandler why nodepool/${user.name}`;
}
