/** Checks that compare what several sources say about the same thing. */
import { EXAMPLE_ACCOUNTS, parseArn, roleName } from '../../facts/arn.ts';
import { evidenceOf, type FactValue, INFRASTRUCTURE, knownValues } from '../../facts/facts.ts';
import { placeholderIn } from '../../facts/placeholder.ts';
import { roleNames } from '../../facts/terraform-facts.ts';
import type { Inputs } from '../../inputs/inputs.ts';
import type { Judgement } from '../../model/finding.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, pass, skip, warn } from '../judgements.ts';
import { absence } from '../live.ts';

export const ALIGNMENT_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-01',
    title: 'The cluster name is the same everywhere',
    inputs: [['terraform', 'plan', 'state', 'cloud'], 'values'],
    criterion:
      'Passes if settings.clusterName is the name of a cluster of Terraform or of the account, fails if it is another. A name that is not known is skipped.',
    severity: 'critical',
    phase: 2,
    fix: 'Set settings.clusterName to the name of the cluster in Terraform.',
    docs: DOCS.settings,
    judge: ({ facts, inputs }) => {
      const clusters = facts.from('clusterName', ...INFRASTRUCTURE);
      const names = knownValues(clusters);
      const judgements = each(facts.from('clusterName', 'values'), (fact) =>
        oneOf(fact, clusters, `The cluster is called ${names.join(' or ')}`, `Set it to ${names[0]}.`),
      );
      return [...judgements, ...disagreement(clusters), ...absentCluster(inputs)];
    },
  },
  {
    id: 'S-02',
    title: 'EC2NodeClasses name an instance profile that exists in Terraform',
    inputs: [['terraform', 'plan', 'state', 'cloud'], 'nodeClasses'],
    criterion:
      'Passes if spec.instanceProfile is the name of an instance profile of Terraform, fails if it is another. Warns if Terraform only chooses the beginning of the name (name_prefix).',
    severity: 'critical',
    phase: 4,
    fix: 'Use the output of Terraform with the name of the profile, or set name instead of name_prefix.',
    docs: DOCS.nodeClasses,
    judge: ({ facts }) => {
      const profiles = facts.from('instanceProfile', ...INFRASTRUCTURE);
      if (profiles.length === 0) return [];
      return each(facts.from('instanceProfile', 'manifest'), (fact) => {
        const object = fact.what.split(' ')[0]!;
        const own = oneOf(fact, profiles, `Terraform has the profile ${knownValues(profiles).join(', ')}`);
        const isPrefix = profiles.some(({ why }) => why?.startsWith('only begins') === true);
        return own.status === 'skip' && fact.value !== undefined && isPrefix
          ? warn('Terraform does not choose the whole name of the profile, so it may differ.', own.evidence, {
              object,
            })
          : { ...own, object };
      });
    },
  },
  {
    id: 'S-06',
    title: 'The controller role is the same in Terraform and in the Helm values',
    inputs: [['terraform', 'plan', 'state', 'cloud'], 'values'],
    criterion:
      'Passes if the role in serviceAccount.annotations is a role of Terraform, with the same ARN where that is known. Fails if it is no ARN, or another role.',
    severity: 'critical',
    phase: 2,
    fix: 'Set serviceAccount.annotations["eks.amazonaws.com/role-arn"] to the ARN of the controller role.',
    docs: DOCS.serviceAccountRoles,
    judge: controllerRole,
  },
  {
    id: 'S-10',
    title: 'Discovery tags in selectors have the name of the cluster',
    inputs: ['nodeClasses', ['terraform', 'plan', 'state', 'values', 'cloud']],
    criterion:
      'Passes if the value of karpenter.sh/discovery in each selector is the name of the cluster, fails if it is another or a placeholder.',
    severity: 'critical',
    phase: 4,
    fix: 'Write the name of the cluster into subnetSelectorTerms and securityGroupSelectorTerms.',
    docs: DOCS.nodeClasses,
    judge: ({ facts }) => {
      const clusters = facts.all('clusterName');
      return each(facts.from('discoveryTag', 'manifest'), (fact) => {
        const object = fact.what.split(' ')[0]!;
        if (fact.value === '*') return undefined;
        const waiting = placeholderIn(fact.value ?? '');
        if (waiting !== undefined && !knownValues(clusters).includes(fact.value ?? ''))
          return fail(`The tag is a placeholder (${waiting}).`, [evidenceOf(fact)], { object });
        return {
          ...oneOf(fact, clusters, `The cluster is called ${knownValues(clusters).join(' or ')}`),
          object,
        };
      });
    },
  },
  {
    id: 'S-65',
    title: 'There is one region and one account',
    inputs: [['terraform', 'plan', 'state', 'values', 'nodeClasses', 'cloud']],
    criterion:
      'Passes if all ARNs, endpoints and providers name the same region and the same account, fails if they differ. Warns about account ids of examples.',
    severity: 'high',
    phase: 2,
    fix: 'Correct the ARN or the address that names another region or account.',
    docs: DOCS.troubleshooting,
    judge: ({ facts }) =>
      (['region', 'accountId'] as const).flatMap((name) => {
        const known = facts.all(name).filter(({ value }) => value !== undefined);
        const values = knownValues(known);
        const object = name === 'region' ? 'region' : 'account';
        const example = values.find((value) => EXAMPLE_ACCOUNTS.has(value));
        if (values.length === 0) return [];
        if (values.length > 1)
          return [fail(`There are several: ${values.join(', ')}.`, known.map(evidenceOf), { object })];
        if (example !== undefined)
          return [warn(`${example} is the account of examples.`, known.map(evidenceOf), { object })];
        return [pass(`It is ${values[0]} everywhere.`, known.map(evidenceOf), { object })];
      }),
  },
  {
    id: 'K-36',
    title: 'Names of roles are not too long',
    inputs: [['terraform', 'plan', 'state', 'nodeClasses']],
    criterion: 'Fails if the name of a role has more than 64 characters.',
    severity: 'medium',
    phase: 1,
    fix: 'Choose a shorter name; IAM accepts 64 characters.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs, facts }) => {
      const names = [...roleNames(inputs), ...facts.from('nodeRole', 'manifest')].filter(
        ({ value }) => value !== undefined,
      );
      const long = names.filter(({ value }) => roleName(value!).length > 64);
      if (names.length === 0) return [];
      return long.length === 0
        ? [pass('All names have at most 64 characters.', names.map(evidenceOf))]
        : each(long, (fact) =>
            fail(`The name has ${roleName(fact.value!).length} characters.`, [evidenceOf(fact)], {
              object: fact.what,
            }),
          );
    },
  },
  {
    id: 'K-88',
    title: 'All ARNs are of one partition',
    inputs: [['terraform', 'plan', 'state', 'values', 'nodeClasses']],
    criterion: 'Fails if ARNs name different partitions, such as aws and aws-cn.',
    severity: 'high',
    phase: 2,
    fix: 'Correct the ARN of the other partition.',
    docs: DOCS.troubleshooting,
    judge: ({ facts }) => {
      const arns = (['controllerRoleArn', 'kmsKeyArn', 'nodeRole', 'instanceProfile', 'queueName'] as const)
        .flatMap((name) => facts.all(name))
        .filter(({ value }) => value !== undefined && parseArn(value) !== undefined);
      const partitions = new Set(arns.map(({ value }) => parseArn(value!)!.partition));
      if (arns.length === 0) return [];
      return partitions.size === 1
        ? [pass(`All are of the partition ${[...partitions][0]}.`, arns.map(evidenceOf))]
        : [fail(`There are several: ${[...partitions].sort().join(', ')}.`, arns.map(evidenceOf))];
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Whether a value is one of those that others give. */
function oneOf(fact: FactValue, others: readonly FactValue[], otherwise: string, fix?: string): Judgement {
  const evidence = [fact, ...others].map(evidenceOf);
  const names = knownValues(others);
  if (fact.value === undefined)
    return skip(`The value of ${fact.what} is not known.`, ['plan', 'state'], evidence);
  if (names.includes(fact.value)) {
    const agreeing = others.filter(({ value }) => value === fact.value);
    return pass(`It is ${fact.value} everywhere.`, [fact, ...agreeing].map(evidenceOf));
  }
  // One that is not known may be the same.
  if (names.length === 0 || others.some(({ value }) => value === undefined))
    return skip('What it is compared with is not known.', ['plan', 'state'], evidence);
  return fail(`${otherwise}, and here it is ${fact.value}.`, evidence, fix === undefined ? {} : { fix });
}

/** Files, plan and state that differ: what is declared was not applied. */
function disagreement(values: readonly FactValue[]): readonly Judgement[] {
  const [strongest] = values.filter(({ value }) => value !== undefined);
  const others = values.filter(({ value, source }) => value !== undefined && source !== strongest?.source);
  if (strongest === undefined || others.length === 0) return [];
  const same = values.filter(({ source, value }) => source === strongest.source && value !== undefined);
  const differing = others.filter(({ value }) => !knownValues(same).includes(value!));
  if (differing.length === 0) return [];
  return [
    fail(
      `The ${strongest.source === 'live' ? 'account' : strongest.source} says ${strongest.value}, and ${differing[0]!.source} says ${differing[0]!.value}.`,
      [...same, ...differing].map(evidenceOf),
      { object: 'Terraform' },
    ),
  ];
}

/** The account was asked for the cluster by its name. */
function absentCluster(inputs: Inputs): readonly Judgement[] {
  return (inputs.live?.absent ?? [])
    .filter(({ type }) => type === 'aws_eks_cluster')
    .map(({ type, name }) =>
      fail(`The account has no cluster ${name} in this region.`, absence(inputs, type, name), {
        object: name,
      }),
    );
}

function controllerRole({ inputs, facts }: CheckContext): readonly Judgement[] {
  const arns = facts.from('controllerRoleArn', ...INFRASTRUCTURE);
  const candidates = facts.from('controllerRoleName', ...INFRASTRUCTURE);
  const roles = [...candidates, ...roleNames(inputs)];
  return each(facts.from('controllerRoleArn', 'values'), (fact) => {
    const text = fact.value;
    if (text === undefined)
      return skip('The annotation is not known.', ['plan', 'state'], [evidenceOf(fact)]);
    const arn = parseArn(text);
    if (arn === undefined || !arn.resource.startsWith('role/'))
      return fail(`${text} is not the ARN of a role.`, [evidenceOf(fact)]);
    if (knownValues(arns).length > 0) return oneOf(fact, arns, `The role is ${knownValues(arns).join(', ')}`);
    const named = { ...fact, value: roleName(text) };
    const own = oneOf(named, roles, `The controller role is ${knownValues(candidates).join(', ')}`);
    // Without a role that is Karpenter's, another one may be made elsewhere.
    return own.status === 'fail' && candidates.length === 0
      ? skip('No role of Karpenter was found.', ['plan', 'state'], own.evidence)
      : own;
  });
}
