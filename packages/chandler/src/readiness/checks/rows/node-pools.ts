/** Checks of NodePools. */
import { isDuration, NEVER, parseDurationMs } from '@chandler/kube';
import type { Manifest } from '../../inputs/inputs.ts';
import { find, itemsAt, type Path, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  asDeclared,
  each,
  fail,
  folderOfManifest,
  nodeClasses,
  nodePools,
  objectOf,
  pass,
  requiredValues,
  requirementOf,
  seen,
  skip,
  unreadManifest,
  warn,
} from '../judgements.ts';

const TEMPLATE = ['spec', 'template', 'spec'] as const;
const REFERENCE = [...TEMPLATE, 'nodeClassRef'] as const;
const EXPIRE = [...TEMPLATE, 'expireAfter'] as const;
const DISRUPTION = ['spec', 'disruption'] as const;
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

export const NODE_POOL_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-29',
    title: 'NodePools refer to an EC2NodeClass that exists',
    inputs: ['nodePools', 'nodeClasses'],
    criterion:
      'Passes if nodeClassRef has the group karpenter.k8s.aws, the kind EC2NodeClass and the name of a class; fails otherwise.',
    severity: 'critical',
    phase: 4,
    fix: 'Correct spec.template.spec.nodeClassRef, or add the EC2NodeClass.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) => {
      const classes = nodeClasses(inputs);
      return each(nodePools(inputs), (pool) => {
        const reference = (field: string) => textAt(pool.tree, ...REFERENCE, field);
        const evidence = ['group', 'kind', 'name'].map((field) => seen(pool, ...REFERENCE, field));
        const object = objectOf(pool);
        // A pool of another cloud has another kind of class.
        if (
          reference('kind') !== 'EC2NodeClass' &&
          reference('group') !== 'karpenter.k8s.aws' &&
          reference('kind') !== undefined
        )
          return undefined;
        if (
          ['group', 'kind', 'name'].some((field) => find(pool.tree, ...REFERENCE, field)?.kind === 'unknown')
        )
          return skip('The reference is not known.', ['plan', 'state'], evidence, { object });
        if (reference('group') !== 'karpenter.k8s.aws' || reference('kind') !== 'EC2NodeClass')
          return fail('It does not refer to an EC2NodeClass of karpenter.k8s.aws.', evidence, { object });
        const found = classes.find(({ name }) => name === reference('name'));
        const unread = unreadManifest(inputs, 'EC2NodeClass');
        if (found === undefined && unread !== undefined)
          return skip(`There may be more classes: ${unread}.`, ['plan', 'state'], evidence, { object });
        return found === undefined
          ? fail(`There is no EC2NodeClass ${reference('name')}.`, evidence, { object })
          : pass(`EC2NodeClass ${found.name} exists.`, [...evidence, seen(found, 'metadata', 'name')], {
              object,
            });
      });
    },
  },
  {
    id: 'S-30',
    title: 'NodePools and EC2NodeClasses have no namespace',
    inputs: [['nodePools', 'nodeClasses']],
    criterion: 'Warns if metadata.namespace is set: both kinds belong to the whole cluster.',
    severity: 'low',
    phase: 4,
    fix: 'Remove metadata.namespace.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) =>
      each(
        [nodeClasses, nodePools].flatMap((of) => of(asDeclared(inputs))),
        (own) => {
          const evidence = [seen(own, 'metadata', 'namespace')];
          const object = objectOf(own);
          return find(own.tree, 'metadata', 'namespace') === undefined
            ? pass('It has none.', evidence, { object })
            : warn('The namespace has no meaning, and GitOps tools show it as a difference.', evidence, {
                object,
              });
        },
      ),
  },
  {
    id: 'S-41',
    title: 'The lifetime of nodes is known',
    inputs: ['nodePools'],
    criterion: 'Shows expireAfter of every NodePool (720h where it is absent). Fails if it is no duration.',
    severity: 'info',
    phase: 4,
    fix: 'Write a duration such as 720h, or Never.',
    docs: DOCS.disruption,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const text = textAt(pool.tree, ...EXPIRE);
        const evidence = [seen(pool, ...EXPIRE)];
        const object = objectOf(pool);
        return text === undefined || text === NEVER || isDuration(text)
          ? pass(`Nodes live for ${text ?? '720h (the default)'}.`, evidence, { object })
          : fail(`${text} is no duration.`, evidence, { object });
      }),
  },
  {
    id: 'S-42',
    title: 'Nodes live long enough',
    inputs: ['nodePools'],
    criterion:
      'Fails if expireAfter is less than an hour or no duration, warns if it is less than a day: expiry ignores budgets.',
    severity: 'high',
    phase: 4,
    fix: 'Raise expireAfter; consolidation removes idle nodes.',
    docs: DOCS.disruption,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const text = textAt(pool.tree, ...EXPIRE) ?? '720h';
        const evidence = [seen(pool, ...EXPIRE)];
        const object = objectOf(pool);
        if (text === NEVER) return pass('Nodes do not expire.', evidence, { object });
        if (!isDuration(text))
          return fail(`${text} is no duration; the API server rejects it.`, evidence, { object });
        const ms = parseDurationMs(text);
        const registration =
          ms === 15 * MINUTE_MS ? ' That is also the time in which a node must register.' : '';
        if (ms < HOUR_MS) return fail(`Nodes live for ${text}.${registration}`, evidence, { object });
        return ms < 24 * HOUR_MS
          ? warn(`Nodes live for ${text}.`, evidence, { object })
          : pass(`Nodes live for ${text}.`, evidence, { object });
      }),
  },
  {
    id: 'S-44',
    title: 'Names of NodePools agree with their capacity type',
    inputs: ['nodePools'],
    criterion: 'Warns if a NodePool whose name says spot or on-demand requires another capacity type.',
    severity: 'medium',
    phase: 4,
    fix: 'Correct the requirement karpenter.sh/capacity-type, or rename the NodePool.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const named = /spot/i.test(pool.name)
          ? 'spot'
          : /on-?demand/i.test(pool.name)
            ? 'on-demand'
            : undefined;
        if (named === undefined) return undefined;
        const values = requiredValues(pool, CAPACITY_TYPE);
        const object = objectOf(pool);
        const requirement = requirementOf(pool, CAPACITY_TYPE);
        const evidence = [
          {
            source: pool.source,
            what: `requirement ${CAPACITY_TYPE}`,
            at: requirement?.at ?? pool.at,
            ...capacityShown(requirement, values),
          },
        ];
        const others = CAPACITY_TYPES.filter(
          (type) => type !== named && !(named === 'on-demand' && type === 'reserved'),
        );
        const excluded = excludedValues(pool, CAPACITY_TYPE);
        const isRight =
          values === undefined
            ? others.every((type) => excluded?.includes(type))
            : values.includes(named) && (named === 'spot' || !values.includes('spot'));
        return isRight
          ? pass(`It launches ${values?.join(' and ') ?? named} instances.`, evidence, { object })
          : warn(
              `Its name says ${named}, and it may launch ${values?.join(' and ') ?? 'any'} instances.`,
              evidence,
              { object },
            );
      }),
  },
  {
    id: 'S-70',
    title: 'Consolidation is on',
    inputs: ['nodePools'],
    criterion:
      'Passes if consolidationPolicy is WhenEmptyOrUnderutilized (the default) or Balanced and consolidateAfter is not Never; warns otherwise.',
    severity: 'medium',
    phase: 4,
    fix: 'Set disruption.consolidationPolicy to WhenEmptyOrUnderutilized and consolidateAfter to a duration such as 5m.',
    docs: DOCS.disruption,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const policy = textAt(pool.tree, ...DISRUPTION, 'consolidationPolicy') ?? 'WhenEmptyOrUnderutilized';
        const after = textAt(pool.tree, ...DISRUPTION, 'consolidateAfter');
        const evidence = ['consolidationPolicy', 'consolidateAfter'].map((field) =>
          seen(pool, ...DISRUPTION, field),
        );
        const object = objectOf(pool);
        if (after === NEVER) return warn('Nodes are never consolidated.', evidence, { object });
        if (policy === 'WhenEmpty') return warn('Only empty nodes are removed.', evidence, { object });
        return CONSOLIDATING.has(policy)
          ? pass('Underutilized nodes are consolidated.', evidence, { object })
          : warn(`The API server rejects the policy ${policy}.`, evidence, { object });
      }),
  },
  {
    id: 'K-13',
    title: 'NodePools have limits',
    inputs: ['nodePools'],
    criterion: 'Warns if a NodePool limits neither cpu nor memory.',
    severity: 'high',
    phase: 4,
    fix: 'Set spec.limits.cpu and spec.limits.memory.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const evidence = ['cpu', 'memory'].map((resource) => seen(pool, 'spec', 'limits', resource));
        const object = objectOf(pool);
        if (find(pool.tree, 'spec', 'replicas') !== undefined) return undefined;
        return evidence.some(({ note }) => note === undefined)
          ? pass('It is limited.', evidence, { object })
          : warn('Nothing limits how many nodes it launches.', evidence, { object });
      }),
  },
  {
    id: 'K-14',
    title: 'Limits do not rely on the number of nodes',
    inputs: ['nodePools'],
    criterion:
      'Warns if spec.limits.nodes is the only limit of a NodePool without replicas: it is not strictly enforced.',
    severity: 'medium',
    phase: 4,
    fix: 'Limit cpu or memory, too.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const limits = find(pool.tree, 'spec', 'limits');
        if (limits?.kind !== 'map' || limits.entries.size === 0) return undefined;
        if (find(pool.tree, 'spec', 'replicas') !== undefined) return undefined;
        const evidence = [seen(pool, 'spec', 'limits', 'nodes')];
        const object = objectOf(pool);
        return limits.entries.has('nodes') && limits.entries.size === 1
          ? warn('It is limited by the number of nodes alone.', evidence, { object })
          : pass(
              'Resources limit it.',
              [...limits.entries.keys()].map((key) => seen(pool, 'spec', 'limits', key)),
              { object },
            );
      }),
  },
  {
    id: 'K-16',
    title: 'Consolidation does not happen at once',
    inputs: ['nodePools'],
    criterion:
      'Warns if underutilized nodes are consolidated after less than a minute (0s without a disruption block).',
    severity: 'medium',
    phase: 4,
    fix: 'Set disruption.consolidateAfter to 5m or more, or the policy Balanced.',
    docs: DOCS.disruption,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const policy = textAt(pool.tree, ...DISRUPTION, 'consolidationPolicy') ?? 'WhenEmptyOrUnderutilized';
        const after = textAt(pool.tree, ...DISRUPTION, 'consolidateAfter') ?? '0s';
        const evidence = [seen(pool, ...DISRUPTION, 'consolidateAfter')];
        const object = objectOf(pool);
        if (policy !== 'WhenEmptyOrUnderutilized' || after === NEVER || !isDuration(after)) return undefined;
        return parseDurationMs(after) < MINUTE_MS
          ? warn(`Nodes are consolidated after ${after}, so that pods may move again and again.`, evidence, {
              object,
            })
          : pass(`It waits for ${after}.`, evidence, { object });
      }),
  },
  {
    id: 'K-17',
    title: 'Nodes are replaced at some time',
    inputs: ['nodePools'],
    criterion: 'Warns if a NodePool neither consolidates nor expires its nodes (Never for both).',
    severity: 'medium',
    phase: 4,
    fix: 'Set consolidateAfter or expireAfter to a duration.',
    docs: DOCS.disruption,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const paths: readonly Path[] = [[...DISRUPTION, 'consolidateAfter'], EXPIRE];
        const evidence = paths.map((path) => seen(pool, ...path));
        const object = objectOf(pool);
        return paths.every((path) => textAt(pool.tree, ...path) === NEVER)
          ? warn('Nodes stay until somebody deletes them.', evidence, { object })
          : pass('Nodes are consolidated or expire.', evidence, { object });
      }),
  },
  {
    id: 'K-18',
    title: 'Budgets allow some disruption',
    inputs: ['nodePools'],
    criterion:
      'Warns if a budget without schedule and reasons allows 0 nodes: nothing is ever disrupted voluntarily.',
    severity: 'medium',
    phase: 4,
    fix: 'Give the budget a schedule, or allow some nodes.',
    docs: DOCS.disruption,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const budgets = itemsAt(pool.tree, ...DISRUPTION, 'budgets');
        const object = objectOf(pool);
        if (budgets.length === 0) return undefined;
        const closed = budgets.flatMap((budget, index) =>
          /^0%?$/.test(textOf(find(budget, 'nodes')) ?? '') &&
          find(budget, 'schedule') === undefined &&
          find(budget, 'reasons') === undefined
            ? [seen(pool, ...DISRUPTION, 'budgets', index, 'nodes')]
            : [],
        );
        return closed.length > 0
          ? warn('A budget allows nothing, at any time.', closed, { object })
          : pass(
              'No budget blocks everything.',
              budgets.map((_, index) => seen(pool, ...DISRUPTION, 'budgets', index, 'nodes')),
              { object },
            );
      }),
  },
  {
    id: 'K-89',
    title: 'Names of NodePools and EC2NodeClasses are unique',
    inputs: [['nodePools', 'nodeClasses']],
    criterion:
      'Fails if two objects of the same kind and name are in the same folder: the one that is applied last wins.',
    severity: 'medium',
    phase: 4,
    fix: 'Rename or remove one of them.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) => {
      const files = asDeclared(inputs);
      const own = [...nodeClasses(files), ...nodePools(files)].filter((each) => each.isUnnamed !== true);
      const groups = Map.groupBy(own, (each) => `${folderOfManifest(each)} ${objectOf(each)}`);
      const twice = [...groups.values()].filter(({ length }) => length > 1);
      if (own.length === 0) return [];
      return twice.length === 0
        ? [
            pass(
              'Every name is used once.',
              own.map((each) => seen(each, 'metadata', 'name')),
            ),
          ]
        : twice.map((same) =>
            fail(
              `It is defined ${same.length} times.`,
              same.map((each) => seen(each, 'metadata', 'name')),
              {
                object: objectOf(same[0]!),
              },
            ),
          );
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

const CONSOLIDATING: ReadonlySet<string> = new Set(['WhenEmptyOrUnderutilized', 'Balanced']);

/** Reserved capacity is on-demand capacity that was bought before. */
const CAPACITY_TYPES = ['spot', 'on-demand', 'reserved'];

function excludedValues(pool: Manifest, key: string): readonly string[] | undefined {
  const found = requirementOf(pool, key);
  return textAt(found, 'operator') === 'NotIn'
    ? itemsAt(found, 'values').flatMap((item) => textOf(item) ?? [])
    : undefined;
}

function capacityShown(requirement: Tree | undefined, values: readonly string[] | undefined) {
  if (values !== undefined) return { value: values.join(', ') };
  if (requirement === undefined) return { note: 'absent' };
  const excluded = itemsAt(requirement, 'values').flatMap((item) => textOf(item) ?? []);
  return { value: `${textAt(requirement, 'operator')} ${excluded.join(', ')}` };
}
