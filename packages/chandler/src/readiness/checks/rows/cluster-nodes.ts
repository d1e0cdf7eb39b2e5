/** Checks of node classes, NodePools, CRDs and nodes of a live cluster, as its API server and its controller show them. */
import { parseArn, roleName } from '../../facts/arn.ts';
import { evidenceOf, knownValues } from '../../facts/facts.ts';
import { AWS_AUTH } from '../../inputs/cluster/reads.table.ts';
import type { Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { itemsAt, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, objectOf, pass, seen, skip, warn } from '../judgements.ts';
import { condition, differences, liveObject, liveObjects, none } from '../live-objects.ts';
import { mappedRoles } from '../mapped-roles.ts';

export const CLUSTER_NODE_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-26',
    title: 'Subnets and security groups were discovered',
    inputs: ['cluster'],
    reads: ['EC2NodeClass'],
    criterion:
      'Passes if the status of each EC2NodeClass has subnets and security groups, and SubnetsReady and SecurityGroupsReady are True; fails if not.',
    severity: 'critical',
    phase: 4,
    fix: 'Correct the tags of the subnets and of the security group, or the selectors of the class.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(liveObjects(inputs, 'EC2NodeClass'), (nodeClass) => {
        const object = objectOf(nodeClass);
        const conditions = ['SubnetsReady', 'SecurityGroupsReady'].map((type) => condition(nodeClass, type));
        const evidence = conditions.flatMap((each) => each?.evidence ?? []);
        const counts = ['subnets', 'securityGroups'].map(
          (list) => itemsAt(nodeClass.tree, 'status', list).length,
        );
        if (evidence.length === 0)
          return fail('The controller has written no status.', [seen(nodeClass, 'status')], { object });
        return counts.every((count) => count > 0) && conditions.every((each) => each?.status === 'True')
          ? pass(`${counts[0]} subnets and ${counts[1]} security groups.`, evidence, { object })
          : fail(`${counts[0]} subnets and ${counts[1]} security groups were discovered.`, evidence, {
              object,
            });
      }),
  },
  {
    id: 'S-27',
    title: 'Node classes exist, are Ready, and are as in the files',
    inputs: ['cluster'],
    reads: ['EC2NodeClass', 'AKSNodeClass'],
    criterion:
      'Passes if each node class is Ready and has the values of its manifest. Fails if it is not Ready, or if a manifest is not in the cluster; warns if values differ.',
    severity: 'critical',
    phase: 4,
    fix: 'Apply the manifest, and read the conditions of the class: chandler why nodepool/NAME.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) => existing(inputs, ['EC2NodeClass', 'AKSNodeClass']),
  },
  {
    id: 'S-28',
    title: 'NodePools exist, are Ready, and are as in the files',
    inputs: ['cluster'],
    reads: ['NodePool'],
    criterion:
      'Passes if each NodePool is Ready and has the values of its manifest. Fails if it is not Ready, or if a manifest is not in the cluster; warns if values differ.',
    severity: 'critical',
    phase: 4,
    fix: 'Apply the manifest, and read the conditions of the pool: chandler why nodepool/NAME.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) => existing(inputs, ['NodePool']),
  },
  {
    id: 'K-49',
    title: 'CRDs serve and store the versions that the controller uses',
    inputs: ['cluster'],
    reads: ['CustomResourceDefinition'],
    criterion:
      'Fails if a CRD of Karpenter is missing, does not serve or store v1, or converts with a webhook although the controller is 1.1 or later; warns about storedVersions that are no longer needed.',
    severity: 'high',
    phase: 3,
    fix: 'Install the CRDs of the same release as the controller: Helm does not upgrade them with the chart.',
    docs: DOCS.upgrade,
    judge: ({ inputs }) => {
      const crds = liveObjects(inputs, 'CustomResourceDefinition').filter(({ name }) => OWN_CRDS.test(name));
      if (liveObjects(inputs, 'NodePool').length > 0 || crds.length > 0) return each(crds, judgeCrd);
      return [
        fail('The CRDs of Karpenter are not installed.', [
          none('nodepools.karpenter.sh', 'GET /apis/apiextensions.k8s.io/v1/customresourcedefinitions'),
        ]),
      ];
    },
  },
  {
    id: 'K-53',
    title: 'Kubelets are not too old for the control plane',
    inputs: ['cluster'],
    reads: ['Node'],
    criterion:
      'Fails if a kubelet is more than three minor versions behind the newest of the cluster, warns if it is behind at all.',
    severity: 'high',
    phase: 4,
    fix: 'Let drift replace the nodes: the AMI of the EC2NodeClass must follow the version of the cluster.',
    docs: 'https://kubernetes.io/releases/version-skew-policy/',
    judge: ({ inputs, facts }) => {
      const nodes = liveObjects(inputs, 'Node').flatMap((node) => {
        const minor = minorOf(textAt(node.tree, 'status', 'nodeInfo', 'kubeletVersion'));
        return minor === undefined ? [] : [{ node, minor }];
      });
      const known = knownValues(facts.all('kubernetesVersion')).flatMap((value) => minorOf(value) ?? []);
      const newest = Math.max(...known, ...nodes.map(({ minor }) => minor));
      const evidence = (node: Manifest) => [seen(node, 'status', 'nodeInfo', 'kubeletVersion')];
      const old = nodes.filter(({ minor }) => minor < newest);
      if (nodes.length === 0) return [];
      if (old.length === 0)
        return [
          pass(
            `All are of 1.${newest}.`,
            nodes.slice(0, 3).flatMap(({ node }) => evidence(node)),
          ),
        ];
      return each(old, ({ node, minor }) => {
        const message = `It is of 1.${minor}, and the cluster of 1.${newest}.`;
        const extra = { object: objectOf(node) };
        return newest - minor > MAX_SKEW
          ? fail(message, evidence(node), extra)
          : warn(message, evidence(node), extra);
      });
    },
  },
  {
    id: 'K-90',
    title: 'NodeClaims become nodes',
    inputs: ['cluster'],
    reads: ['NodePool', 'NodeClaim'],
    criterion:
      'Fails if NodeRegistrationHealthy of a NodePool is False, or a NodeClaim says that it could not be launched or did not register; warns if ConsistentStateFound is False.',
    severity: 'high',
    phase: 4,
    fix: 'Ask chandler why nodeclaim/NAME.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const pools = liveObjects(inputs, 'NodePool');
      const claims = liveObjects(inputs, 'NodeClaim');
      const bad = [
        ...pools.flatMap((pool) => broken(pool, 'NodeRegistrationHealthy', fail)),
        ...claims.flatMap((claim) => [
          ...broken(claim, 'Launched', fail),
          ...broken(claim, 'Registered', fail),
          ...broken(claim, 'ConsistentStateFound', warn),
        ]),
      ];
      if (bad.length > 0 || pools.length === 0) return bad;
      const evidence = pools.map(
        (pool) => condition(pool, 'NodeRegistrationHealthy')?.evidence ?? seen(pool, 'metadata', 'name'),
      );
      return [pass(`No NodePool and none of ${claims.length} NodeClaims reports a failure.`, evidence)];
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

const OWN_CRDS = /\.(karpenter\.sh|karpenter\.k8s\.aws|karpenter\.azure\.com)$/;
const MAX_SKEW = 3;

function minorOf(version: string | undefined): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function broken(object: Manifest, type: string, say: typeof fail): readonly Judgement[] {
  const found = condition(object, type);
  if (found?.status !== 'False') return [];
  return [
    say(`${type} is False${found.message === '' ? '' : `: ${found.message}`}`, [found.evidence], {
      object: objectOf(object),
    }),
  ];
}

function existing({ cluster, ...inputs }: Inputs, kinds: readonly string[]): readonly Judgement[] {
  const declared = (cluster?.declared ?? []).filter(
    ({ kind, isUnnamed }) => kinds.includes(kind) && isUnnamed !== true,
  );
  const live = liveObjects({ ...inputs, ...(cluster === undefined ? {} : { cluster }) }, ...kinds);
  const missing = declared.filter(
    ({ kind, name }) => !live.some((each) => each.kind === kind && each.name === name),
  );
  if (live.length === 0 && declared.length === 0)
    return [
      fail(`The cluster has no ${kinds.join(' and no ')}.`, [
        none(kinds[0]!, 'GET /apis/karpenter.sh/v1/nodepools'),
      ]),
    ];
  return [
    ...each(missing, (manifest) =>
      fail('It is not in the cluster.', [seen(manifest, 'metadata', 'name')], { object: objectOf(manifest) }),
    ),
    ...each(live, (object) => {
      const ready = condition(object, 'Ready');
      const extra = { object: objectOf(object) };
      if (ready === undefined)
        return fail('The controller has written no status.', [seen(object, 'metadata', 'name')], extra);
      if (ready.status !== 'True')
        return fail(
          `It is not Ready${ready.message === '' ? '' : `: ${ready.message}`}`,
          [ready.evidence],
          extra,
        );
      const other = declared
        .filter(({ kind, name }) => kind === object.kind && name === object.name)
        .flatMap((manifest) => differences(manifest, object));
      return other.length === 0
        ? pass('It is Ready.', [ready.evidence], extra)
        : warn(
            `It differs from its manifest in ${other
              .slice(0, 3)
              .map(({ path }) => path)
              .join(', ')}${other.length > 3 ? ` and ${other.length - 3} more` : ''}.`,
            other.slice(0, 3).flatMap(({ evidence }) => evidence),
            extra,
          );
    }),
  ];
}

function judgeCrd(crd: Manifest): Judgement {
  const object = crd.name;
  const stored = itemsAt(crd.tree, 'status', 'storedVersions').map((version) => textOf(version) ?? '');
  const versions = itemsAt(crd.tree, 'spec', 'versions');
  const current = CURRENT[crd.name] ?? 'v1';
  const evidence = [
    seen(crd, 'spec', 'versions', versions.length - 1, 'name'),
    seen(crd, 'status', 'storedVersions', 0),
  ];
  const serves = versions.some(
    (each) =>
      textAt(each, 'name') === current &&
      textAt(each, 'served') === 'true' &&
      textAt(each, 'storage') === 'true',
  );
  if (!serves) return fail(`It does not serve and store ${current}.`, evidence, { object });
  if (textAt(crd.tree, 'spec', 'conversion', 'strategy') === 'Webhook')
    return fail(
      'It converts with a webhook, which the controller no longer has from 1.1 on.',
      [seen(crd, 'spec', 'conversion', 'strategy')],
      { object },
    );
  return stored.some((version) => version !== current)
    ? warn(`It may still store objects as ${stored.join(', ')}.`, evidence, { object })
    : pass(`It serves and stores ${current}.`, evidence, { object });
}

/** Kinds without a v1. */
const CURRENT: Readonly<Record<string, string>> = {
  'nodeoverlays.karpenter.sh': 'v1alpha1',
  'aksnodeclasses.karpenter.azure.com': 'v1beta1',
};

export const NODE_GROUPS = ['system:bootstrappers', 'system:nodes'] as const;

/** S-51 in a cluster: aws-auth, and access entries as far as other sources have them. */
export function joins({ inputs, facts }: CheckContext): readonly Judgement[] {
  const roles = [...facts.from('nodeRole', 'manifest'), ...facts.from('nodeRole', 'state', 'live')];
  const wanted = new Set(knownValues(roles).map(roleName));
  if (wanted.size === 0) return [];
  const map = liveObject(inputs, 'ConfigMap', AWS_AUTH.name, AWS_AUTH.namespace);
  const mapped = map === undefined ? [] : mappedRoles(textAt(map.tree, 'data', 'mapRoles'));
  const entries = inputs.resources.filter(({ type }) => type === 'aws_eks_access_entry');
  return each([...wanted], (role): Judgement => {
    const object = `role ${role}`;
    const own = roles.filter(({ value }) => value !== undefined && roleName(value) === role).map(evidenceOf);
    const source: Evidence =
      map === undefined
        ? none('ConfigMap/aws-auth', 'GET /api/v1/namespaces/kube-system/configmaps/aws-auth')
        : { source: 'live', what: 'ConfigMap/aws-auth data.mapRoles', at: map.at };
    const evidence = [...own, source];
    const entry = entries.find(({ values }) => roleName(textAt(values, 'principal_arn') ?? '') === role);
    const type = textAt(entry?.values, 'type');
    if (entry !== undefined && /^(EC2|HYBRID|FARGATE)/.test(type ?? ''))
      return pass(
        `It has an access entry of the type ${type}.`,
        [...own, { source: entry.source, what: `${entry.address}.type`, value: type!, at: entry.at }],
        { object },
      );
    const mapping = mapped.find(({ arn }) => parseArn(arn) !== undefined && roleName(arn) === role);
    if (mapping !== undefined) {
      const missing = NODE_GROUPS.filter((group) => !mapping.groups.includes(group));
      return missing.length === 0
        ? pass('aws-auth maps it.', evidence, { object })
        : fail(`aws-auth maps it without ${missing.join(' and ')}.`, evidence, { object });
    }
    // Access entries are not in the cluster; an account whose entries were read has them all.
    return entries.some((each) => each.source === 'live' || each.source === 'state')
      ? fail('Neither aws-auth nor an access entry knows it.', evidence, { object })
      : skip('aws-auth does not map it, and access entries are not known.', ['cloud', 'state'], evidence, {
          object,
        });
  });
}
