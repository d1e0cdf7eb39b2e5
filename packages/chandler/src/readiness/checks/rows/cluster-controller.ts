/** Checks of the controller in a live cluster: whether it runs, as what, where, and what else acts on nodes. */

import { ROLE_ANNOTATION } from '../../facts/gather.ts';
import { isController } from '../../inputs/cluster/controller-deployment.ts';
import type { Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Judgement } from '../../model/finding.ts';
import { find, itemsAt, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { CALLING_KINDS, deniedCalls } from '../denied-calls.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, objectOf, ofValues, pass, seen, skip, warn } from '../judgements.ts';
import { condition, isProvisioned, isReadyNode, liveObjects, none } from '../live-objects.ts';

const DEPLOYMENTS_CALL = 'GET /apis/apps/v1/deployments';

export const CLUSTER_CONTROLLER_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-23',
    title: 'The controller runs, with the values of the files',
    inputs: ['cluster'],
    reads: ['Deployment', 'Pod'],
    criterion:
      'Passes if the Deployment of the controller is Available and all its pods are Ready; fails if it is not, or if there is none (on AKS, where it may be an add-on, this is skipped). Warns if a pod has restarted more than three times, or if the cluster name, endpoint or queue differ from the Helm values.',
    severity: 'critical',
    phase: 3,
    fix: 'Read the events and the log of its pods: kubectl describe pods, kubectl logs.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const controllers = liveObjects(inputs, 'Deployment').filter(isController);
      if (controllers.length === 0 && liveObjects(inputs, 'AKSNodeClass').length > 0)
        return [skip('It is no Deployment of this cluster: AKS may run it as an add-on.', [])];
      if (controllers.length === 0)
        return [
          fail('No Deployment has the label app.kubernetes.io/name karpenter or chandler.', [
            none('Deployment of the controller', DEPLOYMENTS_CALL),
          ]),
        ];
      return each(controllers, (deployment) => judgeController(inputs, deployment));
    },
  },
  {
    id: 'S-24',
    title: 'The controller lacks no permission',
    inputs: ['cluster'],
    reads: ['EC2NodeClass', 'AKSNodeClass', 'NodeClaim', 'Event'],
    criterion:
      'Fails if a condition of a node class or a NodeClaim, or a Warning event that the cluster still has, says that a call was denied. Of more than 5,000 events the first are read, and do not make it pass.',
    severity: 'critical',
    phase: 3,
    fix: 'Check the trust policy, the policies and iam:PassRole of the controller role; chandler why names the action.',
    docs: DOCS.policies,
    judge: ({ inputs }) => {
      const denied = deniedCalls(inputs);
      if (denied.length > 0)
        return each(denied, ({ said, evidence, object }) =>
          fail(`${said} says that a call was denied.`, [evidence], { object: objectOf(object) }),
        );
      const notRead = inputs.cluster?.cut.get('Event');
      if (notRead !== undefined)
        return [skip(`No event that was read says that a call was denied, but ${notRead}.`, [])];
      const objects = liveObjects(inputs, ...CALLING_KINDS);
      return [
        pass('No condition and no event says that a call was denied.', [
          ...objects.map((object) => seen(object, 'metadata', 'name')),
          ...(objects.length === 0 ? [none('conditions', 'GET /apis/karpenter.sh/v1/nodeclaims')] : []),
        ]),
      ];
    },
  },
  {
    id: 'S-25',
    title: 'The service account in the cluster has the role of the Helm values',
    inputs: ['cluster', 'values'],
    reads: ['Deployment', 'ServiceAccount'],
    criterion:
      'Passes if eks.amazonaws.com/role-arn of the service account is that of the Helm values, fails if it is another or missing. Not judged if the values name no role, as with Pod Identity.',
    severity: 'critical',
    phase: 3,
    fix: 'Install the chart again with these values, and restart the controller.',
    docs: DOCS.serviceAccountRoles,
    judge: ({ inputs }) => {
      const live = inputs.releases.filter(({ source }) => source === 'live');
      const wanted = inputs.releases.filter(
        ({ source, values }) =>
          source !== 'live' && textAt(values, 'serviceAccount', 'annotations', ROLE_ANNOTATION) !== undefined,
      );
      const path = ['serviceAccount', 'annotations', ROLE_ANNOTATION] as const;
      return each(wanted, (release) =>
        each(live, (running) => {
          const evidence = [seen(ofValues(release), ...path), seen(ofValues(running), ...path)];
          const role = textAt(running.values, ...path);
          const object = running.origin;
          if (role === textAt(release.values, ...path)) return pass(`It is ${role}.`, evidence, { object });
          return fail(
            role === undefined
              ? 'The service account has no role.'
              : `The service account has the role ${role}.`,
            evidence,
            { object },
          );
        }),
      );
    },
  },
  {
    id: 'K-44',
    title: 'There are nodes for the controller',
    inputs: ['cluster'],
    reads: ['Node', 'Deployment'],
    criterion:
      'Passes if there are two Ready nodes that no NodePool launched, in two zones; fails if there is none, warns about one node or one zone. Controllers on Fargate are not judged.',
    severity: 'high',
    phase: 3,
    fix: 'Run a managed node group with two nodes in two zones for the controller.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs }) => {
      const nodes = liveObjects(inputs, 'Node');
      const own = nodes.filter((node) => !isProvisioned(node) && isReadyNode(node));
      if (nodes.some(({ name }) => name.startsWith('fargate-'))) return [];
      const zones = new Set(own.flatMap(({ tree }) => textAt(tree, 'metadata', 'labels', ZONE) ?? []));
      const evidence =
        own.length === 0
          ? [none('nodes without karpenter.sh/nodepool', 'GET /api/v1/nodes')]
          : own.slice(0, 5).map((node) => seen(node, 'metadata', 'labels', ZONE));
      if (own.length === 0)
        return [fail('All nodes are of NodePools, so nothing can start the controller again.', evidence)];
      return own.length > 1 && zones.size > 1
        ? [pass(`${own.length} nodes in ${zones.size} zones.`, evidence)]
        : [warn(`There are ${own.length} nodes in ${zones.size} zones for two replicas.`, evidence)];
    },
  },
  {
    id: 'K-68',
    title: 'Nothing else scales or drains nodes',
    inputs: ['cluster'],
    reads: ['Deployment', 'DaemonSet'],
    criterion:
      'Warns if the Cluster Autoscaler has replicas, or the AWS Node Termination Handler runs beside the controller.',
    severity: 'high',
    phase: 3,
    fix: 'Scale the Cluster Autoscaler to 0, and remove the Node Termination Handler: the interruption queue of the controller does its work.',
    docs: 'https://karpenter.sh/docs/getting-started/migrating-from-cas/',
    judge: ({ inputs }) => {
      const workloads = liveObjects(inputs, 'Deployment', 'DaemonSet');
      if (workloads.length === 0) return [];
      const others = workloads.filter(
        ({ tree, name }) =>
          OTHERS.test(`${name} ${imagesOf(tree)}`) && textAt(tree, 'spec', 'replicas') !== '0',
      );
      if (others.length === 0)
        return [
          pass('Neither the Cluster Autoscaler nor the Node Termination Handler runs.', [
            none('other autoscaler', DEPLOYMENTS_CALL),
          ]),
        ];
      return each(others, (other) =>
        warn('It acts on the same nodes as the controller.', [seen(other, 'metadata', 'name')], {
          object: `${other.kind}/${other.name}`,
        }),
      );
    },
  },
  {
    id: 'S-66',
    title: 'Argo CD has synced the Applications of Karpenter',
    inputs: ['cluster', 'applications'],
    reads: ['Application'],
    criterion:
      'Passes if each Application of the files exists in the cluster, is Synced and Healthy; fails if it is missing, OutOfSync or Degraded.',
    severity: 'high',
    phase: 3,
    fix: 'Sync the Application, and read its conditions: argocd app get.',
    docs: DOCS.applications,
    judge: ({ inputs }) =>
      each(
        inputs.applications.filter(({ at }) => 'file' in at),
        ({ name, tree }) => {
          const namespace = textAt(tree, 'metadata', 'namespace');
          const live = liveObjects(inputs, 'Application').find(
            (each) => each.name === name && (namespace === undefined || each.namespace === namespace),
          );
          const object = `Application/${name}`;
          if (live === undefined)
            return fail(
              'It does not exist in the cluster.',
              [none(object, 'GET /apis/argoproj.io/v1alpha1/applications')],
              {
                object,
              },
            );
          const evidence = [seen(live, 'status', 'sync', 'status'), seen(live, 'status', 'health', 'status')];
          const sync = textAt(live.tree, 'status', 'sync', 'status') ?? 'Unknown';
          const health = textAt(live.tree, 'status', 'health', 'status') ?? 'Unknown';
          return sync === 'Synced' && health === 'Healthy'
            ? pass('It is Synced and Healthy.', evidence, { object })
            : fail(`It is ${sync} and ${health}.`, evidence, { object });
        },
      ),
  },
];

// ---------------------------------------------------------------------------------------------------------------

const ZONE = 'topology.kubernetes.io/zone';
const OTHERS = /cluster-autoscaler|aws-node-termination-handler/;
const MAX_RESTARTS = 3;

function imagesOf(tree: Manifest['tree']): string {
  return itemsAt(tree, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, 'image') ?? '')
    .join(' ');
}

function judgeController(inputs: Inputs, deployment: Manifest): readonly Judgement[] {
  const object = `Deployment/${deployment.name}`;
  const available = condition(deployment, 'Available');
  const wanted = textAt(deployment.tree, 'spec', 'replicas') ?? '1';
  const ready = textAt(deployment.tree, 'status', 'readyReplicas') ?? '0';
  const evidence = [
    ...(available === undefined ? [] : [available.evidence]),
    seen(deployment, 'status', 'readyReplicas'),
  ];
  if (wanted === '0') return [fail('It is scaled to 0.', [seen(deployment, 'spec', 'replicas')], { object })];
  if (available?.status !== 'True' || Number(ready) < Number(wanted))
    return [fail(`${ready} of ${wanted} replicas are ready.`, evidence, { object })];
  const restarted = podsOf(inputs, deployment).flatMap((pod) =>
    itemsAt(pod.tree, 'status', 'containerStatuses')
      .map((_, index) => seen(pod, 'status', 'containerStatuses', index, 'restartCount'))
      .filter(({ value }) => Number(value) > MAX_RESTARTS),
  );
  if (restarted.length > 0) return [warn('Its pods have restarted again and again.', restarted, { object })];
  const other = otherValues(inputs, deployment);
  return other ?? [pass(`All ${wanted} replicas are ready.`, evidence, { object })];
}

/** What the files set differs from what the controller runs with. */
function otherValues(
  { releases }: CheckContext['inputs'],
  { name }: Manifest,
): readonly Judgement[] | undefined {
  const object = `Deployment/${name}`;
  const live = releases.find(({ source, origin }) => source === 'live' && origin === object);
  if (live === undefined) return undefined;
  const found = releases
    .filter(({ source }) => source !== 'live')
    .flatMap((release) =>
      COMPARED.flatMap((setting): readonly Judgement[] => {
        const [wanted, own] = [release, live].map(({ values }) => textOf(find(values, 'settings', setting)));
        if (wanted === undefined || wanted === own) return [];
        const evidence = [release, live].map((each) => seen(ofValues(each), 'settings', setting));
        if (find(live.values, 'settings', setting)?.kind === 'unknown')
          return [
            skip(`settings.${setting} is not visible in the cluster.`, ['values'], evidence, { object }),
          ];
        return [
          warn(
            `It runs with ${own ?? 'no value'} for settings.${setting}, and the values say ${wanted}.`,
            evidence,
            {
              object,
            },
          ),
        ];
      }),
    );
  return found.length === 0 ? undefined : found;
}

const COMPARED = ['clusterName', 'clusterEndpoint', 'interruptionQueue'] as const;

export function podsOf(inputs: Inputs, deployment: Manifest): readonly Manifest[] {
  return liveObjects(inputs, 'Pod').filter(
    ({ namespace, tree }) =>
      namespace === deployment.namespace &&
      textAt(tree, 'metadata', 'labels', 'app.kubernetes.io/name') ===
        textAt(deployment.tree, 'metadata', 'labels', 'app.kubernetes.io/name'),
  );
}
