/** Checks of identities in the live account: whether nodes may join the cluster, Pod Identity, and the role of spot instances. */
import { roleName } from '../../facts/arn.ts';
import type { Resource } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodePools, objectOf, pass, seen, skip } from '../judgements.ts';
import { absence, liveCluster, liveNodeRoles, liveResources, shown } from '../live.ts';
import { liveObject, liveObjects } from '../live-objects.ts';
import { mappedRoles } from '../mapped-roles.ts';
import { agentRuns } from './cluster-agents.ts';
import { joins, NODE_GROUPS } from './cluster-nodes.ts';
import { mayLaunchSpot } from './values.ts';

const MODE = ['access_config', 0, 'authentication_mode'] as const;
const SPOT_ROLE = 'AWSServiceRoleForEC2Spot';
const AGENT = 'eks-pod-identity-agent';

export const LIVE_IDENTITY_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-51',
    title: 'The node role may join the cluster',
    inputs: [['cloud', 'cluster']],
    reads: ['ConfigMap/aws-auth'],
    criterion:
      'Passes if the node role has an access entry for nodes and the cluster honours access entries, or is in aws-auth with system:bootstrappers and system:nodes and the cluster honours that. Fails if it has neither; skipped where access entries are not known.',
    severity: 'critical',
    phase: 1,
    fix: 'Create an access entry of the type EC2_LINUX for the node role, or map it in aws-auth.',
    docs: DOCS.troubleshooting,
    judge: (context) =>
      liveNodeRoles(context.inputs).length === 0
        ? joins(context)
        : each(liveNodeRoles(context.inputs), (role) => mayJoin(context, role)),
  },
  {
    id: 'K-39',
    title: 'The Pod Identity agent runs',
    inputs: [['cloud', 'cluster']],
    reads: ['DaemonSet'],
    criterion:
      'For a controller with a Pod Identity association: passes if the add-on eks-pod-identity-agent is installed, its DaemonSet is in the cluster, or EKS Auto Mode is on; fails if not.',
    severity: 'critical',
    phase: 1,
    fix: 'Install the add-on eks-pod-identity-agent.',
    docs: 'https://docs.aws.amazon.com/eks/latest/userguide/pod-id-agent-setup.html',
    judge: (context) => (context.inputs.live === undefined ? agentRuns(context) : agentIsInstalled(context)),
  },
  {
    id: 'K-08',
    title: 'The service-linked role of spot instances exists',
    inputs: ['nodePools', 'cloud'],
    criterion: `For NodePools that may launch spot instances: passes if the account has the role ${SPOT_ROLE}, fails if it has not.`,
    severity: 'high',
    phase: 1,
    fix: 'Run aws iam create-service-linked-role --aws-service-name spot.amazonaws.com.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const pools = nodePools(inputs).filter(mayLaunchSpot);
      const role = liveResources(inputs, 'aws_iam_role').find(({ name }) => name === SPOT_ROLE);
      const gone = absence(inputs, 'aws_iam_role', SPOT_ROLE);
      return each(pools, (pool) => {
        const object = objectOf(pool);
        const own: Evidence = { source: pool.source, what: 'spec.template.spec.requirements', at: pool.at };
        if (role !== undefined) return pass('It exists.', [own, shown(role, 'arn')], { object });
        return gone.length === 0 ? undefined : fail('It does not exist.', [own, ...gone], { object });
      });
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

function agentIsInstalled({ inputs }: CheckContext): readonly Judgement[] {
  return each(liveResources(inputs, 'aws_eks_pod_identity_association'), (association) => {
    const cluster = liveCluster(inputs);
    const agent = liveResources(inputs, 'aws_eks_addon').find(({ name }) => name === AGENT);
    const proof = [shown(association, 'service_account')];
    if (agent !== undefined) return pass('It is installed.', [...proof, shown(agent, 'addon_name')]);
    if (cluster !== undefined && textAt(cluster.values, 'compute_config', 0, 'enabled') === 'true')
      return pass('EKS Auto Mode runs it.', [...proof, shown(cluster, 'compute_config', 0, 'enabled')]);
    const addons = liveResources(inputs, 'aws_eks_addon').map((each) => shown(each, 'addon_name'));
    const daemon = liveObject(inputs, 'DaemonSet', AGENT, 'kube-system');
    if (daemon !== undefined)
      return pass('It runs on the nodes.', [...proof, seen(daemon, 'status', 'numberReady')]);
    return inputs.cluster === undefined
      ? skip(
          'It is no add-on; whether it runs in another way is not known.',
          ['cluster'],
          [...proof, ...addons],
        )
      : fail('It is neither an add-on nor a DaemonSet.', [...proof, ...addons]);
  });
}

function mayJoin({ inputs }: CheckContext, role: Resource): Judgement | undefined {
  const cluster = liveCluster(inputs);
  if (cluster === undefined) return undefined;
  const object = role.name;
  const mode = shown(cluster, ...MODE);
  const entry = liveResources(inputs, 'aws_eks_access_entry').find(({ name }) => name === object);
  const usesEntries = mode.value !== 'CONFIG_MAP';
  // Its type is the finding of K-34.
  if (entry !== undefined && usesEntries)
    return pass('It has an access entry.', [mode, shown(entry, 'principal_arn')], { object });
  const proof = [mode, ...absence(inputs, 'aws_eks_access_entry', object)];
  const maps = [
    ...liveObjects(inputs, 'ConfigMap').filter(
      ({ name, namespace }) => name === 'aws-auth' && namespace === 'kube-system',
    ),
    ...inputs.manifests.filter(
      ({ kind, name, namespace, source }) =>
        source !== 'live' && kind === 'ConfigMap' && name === 'aws-auth' && namespace === 'kube-system',
    ),
  ];
  const mapped = maps.find(({ tree }) =>
    mappedRoles(textOf(find(tree, 'data', 'mapRoles'))).some(
      ({ arn, groups }) => roleName(arn) === object && NODE_GROUPS.every((group) => groups.includes(group)),
    ),
  );
  if (mode.value === 'API')
    return fail('It has no access entry, and the cluster does not read aws-auth.', proof, { object });
  if (mapped !== undefined)
    return pass(
      'It is in aws-auth.',
      [...proof, { source: mapped.source, what: 'ConfigMap/aws-auth mapRoles', at: mapped.at }],
      { object },
    );
  if (maps.length === 0 && inputs.cluster === undefined)
    return skip('Whether it is in aws-auth is not known.', ['cluster'], proof, { object });
  const all = maps.map(({ source, at }) => ({ source, what: 'ConfigMap/aws-auth mapRoles', at }));
  return fail('It has no access entry, and is not in aws-auth.', [...proof, ...all], { object });
}
