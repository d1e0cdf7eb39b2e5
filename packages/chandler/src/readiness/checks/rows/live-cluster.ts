/** Checks of the cluster as EKS shows it, and of the interruption queue. */
import { evidenceOf } from '../../facts/facts.ts';
import type { Evidence } from '../../model/finding.ts';
import { itemsAt, textAt, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  each,
  fail,
  nodePools,
  objectOf,
  ofValues,
  pass,
  requiredValues,
  seen,
  skip,
  warn,
} from '../judgements.ts';
import {
  absence,
  listOf,
  liveCluster,
  liveResources,
  type PolicyJson,
  shown,
  shownDocument,
  statementsOf,
} from '../live.ts';
import { mayLaunchSpot } from './values.ts';

const EVENTS = 'events.amazonaws.com';
const HYPERVISOR = 'karpenter.k8s.aws/instance-hypervisor';
const ZONAL_SHIFT = ['settings', 'enableZonalShift'] as const;

export const LIVE_CLUSTER_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-11',
    title: 'EventBridge may send to the interruption queue',
    inputs: ['cloud'],
    criterion: `Passes if the policy of the queue allows ${EVENTS} to send messages, fails if it does not.`,
    severity: 'high',
    phase: 1,
    fix: 'Allow events.amazonaws.com and sqs.amazonaws.com sqs:SendMessage in the policy of the queue.',
    docs: DOCS.settings,
    judge: ({ inputs }) =>
      each(liveResources(inputs, 'aws_sqs_queue'), (queue) => {
        const object = queue.name;
        const statements = statementsOf(textAt(queue.values, 'policy')) ?? [];
        const evidence = [shownDocument(queue, 'policy')];
        return statements.some((each) => allowsService(each, EVENTS, 'sqs:SendMessage'))
          ? pass('It may.', evidence, { object })
          : fail('No statement allows it.', evidence, { object });
      }),
  },
  {
    id: 'K-12',
    title: 'EventBridge may use the key of the interruption queue',
    inputs: ['cloud'],
    criterion: `For a queue with a key of your own: passes if its policy allows ${EVENTS} kms:GenerateDataKey and kms:Decrypt, fails if it does not.`,
    severity: 'medium',
    phase: 1,
    fix: 'Allow events.amazonaws.com kms:GenerateDataKey and kms:Decrypt in the policy of the key.',
    docs: DOCS.settings,
    judge: ({ inputs }) =>
      each(liveResources(inputs, 'aws_sqs_queue'), (queue) => {
        const id = textAt(queue.values, 'kms_master_key_id');
        const policy = liveResources(inputs, 'aws_kms_key_policy').find(({ name }) => name === id);
        if (policy === undefined) return undefined;
        const object = queue.name;
        const statements = statementsOf(textAt(policy.values, 'policy')) ?? [];
        const missing = ['kms:GenerateDataKey', 'kms:Decrypt'].filter(
          (action) => !statements.some((each) => allowsService(each, EVENTS, action)),
        );
        const evidence = [shown(queue, 'kms_master_key_id'), shownDocument(policy, 'policy')];
        return missing.length === 0
          ? pass('It may.', evidence, { object })
          : fail(`${missing.join(' and ')} is not allowed: events are lost.`, evidence, { object });
      }),
  },
  {
    id: 'K-69',
    title: 'One of EKS Auto Mode and Karpenter launches nodes',
    inputs: ['nodePools', 'cloud'],
    criterion: 'Warns if EKS Auto Mode is on: its NodePools and yours then serve the same pods.',
    severity: 'medium',
    phase: 4,
    fix: 'Turn Auto Mode off, or separate the NodePools with taints.',
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/automode.html',
    judge: ({ inputs }) => {
      const cluster = liveCluster(inputs);
      if (cluster === undefined || nodePools(inputs).length === 0) return [];
      const evidence = [shown(cluster, 'compute_config', 0, 'enabled')];
      return evidence[0]!.value === 'true'
        ? [warn('Auto Mode is on.', evidence)]
        : [pass('Auto Mode is off.', evidence)];
    },
  },
  {
    id: 'K-79',
    title: 'Instances of an IPv6 cluster are of the type that it needs',
    inputs: ['nodePools', 'cloud'],
    criterion: `For a cluster with IPv6: passes if each NodePool requires ${HYPERVISOR} nitro, warns if it does not: others give no address to pods.`,
    severity: 'medium',
    phase: 4,
    fix: `Add the requirement ${HYPERVISOR} In [nitro].`,
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/cni-ipv6.html',
    judge: ({ inputs }) => {
      const cluster = liveCluster(inputs);
      const family =
        cluster === undefined ? undefined : shown(cluster, 'kubernetes_network_config', 0, 'ip_family');
      if (family?.value !== 'ipv6') return [];
      return each(nodePools(inputs), (pool) => {
        const object = objectOf(pool);
        const evidence = [family, seen(pool, 'spec', 'template', 'spec', 'requirements')];
        const values = requiredValues(pool, HYPERVISOR) ?? [];
        return values.length === 1 && values[0] === 'nitro'
          ? pass('It requires nitro.', evidence, { object })
          : warn('It may launch instances without nitro.', evidence, { object });
      });
    },
  },
  {
    id: 'K-80',
    title: 'Zonal shift is enabled where the controller reads it',
    inputs: ['values', 'cloud'],
    criterion:
      'If settings.enableZonalShift is true: passes if the cluster is registered for zonal shift, fails if it is not: the controller does not start.',
    severity: 'critical',
    phase: 3,
    fix: 'Enable zonal shift of the cluster, or set settings.enableZonalShift to false.',
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/zone-shift-enable.html',
    judge: ({ inputs }) => {
      const cluster = liveCluster(inputs);
      if (cluster === undefined) return [];
      return each(inputs.releases, (release) => {
        const wanted = seen(ofValues(release), ...ZONAL_SHIFT);
        if (wanted.value !== 'true') return undefined;
        const evidence = [wanted, shown(cluster, 'zonal_shift_config', 0, 'enabled')];
        const object = release.origin;
        return evidence[1]!.value === 'true'
          ? pass('The cluster is registered.', evidence, { object })
          : fail('The cluster is not registered.', evidence, { object });
      });
    },
  },
  {
    id: 'K-87',
    title: 'Nodes reach the endpoint of the cluster',
    inputs: ['cloud'],
    criterion:
      'Passes if the endpoint is private, or public for everybody. Warns if it is public only, for some addresses: those of the nodes have to be among them, and are not read.',
    severity: 'critical',
    phase: 1,
    fix: 'Enable private access to the endpoint.',
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html',
    judge: ({ inputs }) => {
      const cluster = liveCluster(inputs);
      if (cluster === undefined) return [];
      const isPrivate = shown(cluster, 'vpc_config', 0, 'endpoint_private_access');
      if (isPrivate.value === 'true') return [pass('It is private.', [isPrivate])];
      const cidrs = itemsAt(cluster.values, 'vpc_config', 0, 'public_access_cidrs').map(textOf);
      const evidence: Evidence[] = [
        isPrivate,
        ...cidrs.map((_, index) => shown(cluster, 'vpc_config', 0, 'public_access_cidrs', index)),
      ];
      return cidrs.includes('0.0.0.0/0')
        ? [pass('It is public for everybody.', evidence)]
        : [
            warn(
              `It is public for ${cidrs.join(', ')} only, and not private: nodes must reach it from these addresses.`,
              evidence,
            ),
          ];
    },
  },
  {
    id: 'S-45',
    title: 'Interruptions of spot instances are reported',
    inputs: ['values', 'nodePools', 'cloud'],
    criterion:
      'For NodePools that may launch spot instances: passes if the account has the queue of settings.interruptionQueue, fails if it has not.',
    severity: 'high',
    phase: 1,
    fix: 'Create the queue and its rules (K-10), or correct settings.interruptionQueue.',
    docs: DOCS.settings,
    judge: ({ inputs, facts }) => {
      if (!nodePools(inputs).some(mayLaunchSpot)) return [];
      return each(facts.from('queueName', 'values'), (fact) => {
        const name = fact.value?.split(/[:/]/).at(-1);
        const own = liveResources(inputs, 'aws_sqs_queue').find((queue) => queue.name === name);
        if (own !== undefined) return pass('The queue exists.', [evidenceOf(fact), shown(own, 'url')]);
        const gone = absence(inputs, 'aws_sqs_queue', name);
        return gone.length === 0
          ? skip('Whether the queue exists is not known.', ['cloud'], [evidenceOf(fact)])
          : fail('The queue does not exist.', [evidenceOf(fact), ...gone]);
      });
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

function allowsService({ Effect, Principal, Action }: PolicyJson, service: string, action: string): boolean {
  if (Effect !== 'Allow') return false;
  const isTrusted =
    Principal === '*' ||
    (typeof Principal === 'object' &&
      listOf(Principal['Service']).some((each) => each === service || each === '*'));
  const [prefix = ''] = action.split(':');
  return (
    isTrusted &&
    listOf(Action).some(
      (each) =>
        each === action || each === '*' || each.toLowerCase() === `${prefix}:*` || each === `${action}*`,
    )
  );
}
