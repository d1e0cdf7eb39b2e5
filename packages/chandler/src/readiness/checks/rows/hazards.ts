/** Checks of combinations that work by themselves and not together. */
import { evidenceOf, INFRASTRUCTURE } from '../../facts/facts.ts';
import type { Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, itemsAt, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  each,
  fail,
  nodeClasses,
  nodePools,
  objectOf,
  ofValues,
  pass,
  requiredValues,
  seen,
  skip,
  warn,
} from '../judgements.ts';
import { defaultRoutes, eachOfSubnets, shown } from '../live.ts';

const REFERENCE = ['spec', 'template', 'spec', 'nodeClassRef', 'name'] as const;
const ISOLATED = ['settings', 'isolatedVPC'] as const;
/** What Karpenter wants to hear of. */
const EVENTS = [
  'AWS Health Event',
  'EC2 Spot Instance Interruption Warning',
  'EC2 Instance Rebalance Recommendation',
  'EC2 Instance State-change Notification',
];

export const HAZARD_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-10',
    title: 'Events reach the interruption queue',
    inputs: [['terraform', 'plan', 'state', 'cloud']],
    criterion: `For the queue of Karpenter: fails if there is no EventBridge rule for one of ${EVENTS.join(', ')}.`,
    severity: 'high',
    phase: 1,
    fix: 'Add the rules, each with the queue as its target.',
    docs: DOCS.settings,
    judge: events,
  },
  {
    id: 'K-31',
    title: 'Nodes with accelerators have images with drivers',
    inputs: ['nodePools', 'nodeClasses'],
    criterion:
      'For NodePools that require accelerators: passes if the images are chosen by an alias, whose variants have drivers; warns if they are not.',
    severity: 'medium',
    phase: 4,
    fix: 'Use a class with an alias for these NodePools, or an image that has the drivers.',
    docs: DOCS.amis,
    judge: ({ inputs }) => each(nodePools(inputs).filter(needsAccelerator), (pool) => drivers(pool, inputs)),
  },
  {
    id: 'K-38',
    title: 'The controller has one role',
    inputs: ['values', ['terraform', 'plan', 'state', 'cloud']],
    criterion:
      'Warns if serviceAccount.annotations names another role than the Pod Identity association: the annotation is then ignored, or the other way round.',
    severity: 'medium',
    phase: 2,
    fix: 'Remove the annotation, or the association.',
    docs: DOCS.serviceAccountRoles,
    judge: oneRole,
  },
  {
    id: 'K-66',
    title: 'Classes in an isolated VPC name an instance profile',
    inputs: ['values', 'nodeClasses'],
    criterion:
      'If settings.isolatedVPC is true: passes if a class has spec.instanceProfile, fails if it has spec.role, for which the controller calls IAM. Warns if it is not true, and the subnets of the account have no way out of the VPC.',
    severity: 'high',
    phase: 4,
    fix: 'Make the instance profile beforehand, and set spec.instanceProfile instead of spec.role.',
    docs: DOCS.settings,
    judge: (context) => {
      const { inputs } = context;
      const isolated = inputs.releases.filter(({ values }) => textAt(values, ...ISOLATED) === 'true');
      const judgements = isolated.flatMap((release) =>
        each(nodeClasses(inputs), (own) => {
          const evidence = [
            seen(ofValues(release), ...ISOLATED),
            seen(own, 'spec', 'instanceProfile'),
            seen(own, 'spec', 'role'),
          ];
          const object = objectOf(own);
          return find(own.tree, 'spec', 'role') === undefined
            ? pass('It names a profile.', evidence, { object })
            : fail('IAM has no endpoint in a VPC, so no profile can be made for the role.', evidence, {
                object,
              });
        }),
      );
      return [...judgements, ...unsaidIsolation(context)];
    },
  },
  {
    id: 'K-83',
    title: 'Argo CD does not delete what runs nodes',
    inputs: ['applications', ['nodePools', 'nodeClasses']],
    criterion:
      'Warns if an Application that is called after Karpenter prunes without Prune=confirm (a NodePool that is pruned takes its nodes along), or skips CRDs without an Application of karpenter-crd.',
    severity: 'medium',
    phase: 3,
    fix: 'Add the sync option Prune=confirm, or an Application of the chart karpenter-crd.',
    docs: DOCS.applications,
    judge: pruning,
  },
];

// ---------------------------------------------------------------------------------------------------------------

function events({ inputs, facts }: CheckContext): readonly Judgement[] {
  const [queue] = facts
    .from('queueName', ...INFRASTRUCTURE)
    .filter(({ what }) => what.includes('aws_sqs_queue'));
  if (queue === undefined) return [];
  const rules = inputs.resources.filter(
    ({ type, source, values }) =>
      type === 'aws_cloudwatch_event_rule' &&
      source === queue.source &&
      textAt(values, 'state') !== 'DISABLED',
  );
  const patterns = rules.map(({ values }) => find(values, 'event_pattern'));
  const evidence = [
    evidenceOf(queue),
    ...rules.map(({ address, source, at }): Evidence => ({ source, what: address, at })),
  ];
  if (patterns.some((pattern) => pattern?.kind === 'unknown'))
    return [skip('A pattern is not known.', ['plan', 'state'], evidence)];
  const known = patterns.map((pattern) => textOf(pattern) ?? '').join(' ');
  const missing = EVENTS.filter((event) => !known.includes(event));
  return missing.length === 0
    ? [pass('All events have a rule.', evidence)]
    : [fail(`No rule is for ${missing.join(', ')}.`, evidence)];
}

/** Without a way out, the controller waits for the price list at each start. */
function unsaidIsolation(context: CheckContext): readonly Judgement[] {
  const open = context.inputs.releases.filter(({ values }) => textAt(values, ...ISOLATED) !== 'true');
  return open.flatMap((release) =>
    eachOfSubnets(context, ({ object }, subnets) =>
      subnets.every((subnet) => defaultRoutes(context, subnet).length === 0)
        ? warn(
            'The subnets of the nodes have no way out of the VPC, and settings.isolatedVPC is not true.',
            [seen(ofValues(release), ...ISOLATED), ...subnets.map((subnet) => shown(subnet, 'id'))],
            { object, fix: 'Set settings.isolatedVPC to true.' },
          )
        : undefined,
    ),
  );
}

function needsAccelerator(pool: Manifest): boolean {
  const categories = requiredValues(pool, 'karpenter.k8s.aws/instance-category') ?? [];
  return (
    (categories.length > 0 && categories.every((category) => /^(g|p|inf|trn|dl)$/.test(category))) ||
    itemsAt(pool.tree, 'spec', 'template', 'spec', 'requirements').some(
      (item) =>
        /instance-(gpu|accelerator)-/.test(textAt(item, 'key') ?? '') &&
        textAt(item, 'operator') !== 'DoesNotExist',
    )
  );
}

function drivers(pool: Manifest, inputs: Inputs): Judgement | undefined {
  const own = nodeClasses(inputs).find(({ name }) => name === textAt(pool.tree, ...REFERENCE));
  if (own === undefined) return undefined;
  const object = objectOf(pool);
  const evidence = [seen(pool, ...REFERENCE), seen(own, 'spec', 'amiSelectorTerms')];
  return itemsAt(own.tree, 'spec', 'amiSelectorTerms').every((term) => find(term, 'alias') !== undefined)
    ? pass('Its images have drivers.', evidence, { object })
    : warn(`The images of ${objectOf(own)} are your own, and need the drivers.`, evidence, { object });
}

function oneRole({ inputs, facts }: CheckContext): readonly Judgement[] {
  const given = inputs.resources.filter(
    ({ type, address, values }) =>
      type === 'aws_eks_pod_identity_association' &&
      /karpenter/i.test(
        `${address} ${textAt(values, 'role_arn') ?? ''} ${textAt(values, 'service_account') ?? ''}`,
      ),
  );
  return given.flatMap(({ address, values, source, at }) =>
    each(facts.from('controllerRoleArn', 'values'), (fact) => {
      const role = textAt(values, 'role_arn');
      const evidence: Evidence[] = [
        evidenceOf(fact),
        {
          source,
          what: `${address}.role_arn`,
          at,
          ...(role === undefined ? { note: 'not known' } : { value: role }),
        },
      ];
      if (role === undefined || fact.value === undefined)
        return skip('A role is not known.', ['plan', 'state'], evidence);
      return role === fact.value
        ? pass('Both name the same role.', evidence)
        : warn('The annotation and the association name different roles.', evidence);
    }),
  );
}

function pruning({ inputs }: CheckContext): readonly Judgement[] {
  return each(inputs.applications, ({ name, tree, sources }) => {
    const read = { tree, source: 'values' } as const;
    const object = `Application/${name}`;
    if (!/karpenter|node-?(pool|class)/i.test(name)) return undefined;
    const prune = seen(read, 'spec', 'syncPolicy', 'automated', 'prune');
    const skipped = itemsAt(tree, 'spec', 'sources').concat(find(tree, 'spec', 'source') ?? []);
    const skipsCrds = skipped.some((source) => textAt(source, 'helm', 'skipCrds') === 'true');
    const hasCrds = inputs.applications.some((each) =>
      each.sources.some(({ chart }) => chart?.endsWith('karpenter-crd') === true),
    );
    if (skipsCrds && !hasCrds)
      return warn('It skips the CRDs, and no Application has them.', [prune], { object });
    const options = itemsAt(tree, 'spec', 'syncPolicy', 'syncOptions').map(textOf);
    const delivers = sources.some(({ path }) => path !== undefined);
    return prune.value === 'true' && delivers && !options.includes('Prune=confirm')
      ? warn('A NodePool that leaves the repository is deleted with its nodes.', [prune], { object })
      : pass('Nothing is pruned without a question.', [prune], { object });
  });
}
