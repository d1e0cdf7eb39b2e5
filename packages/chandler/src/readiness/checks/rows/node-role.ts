/** Checks of the policies of the node role. */
import { evidenceOf, INFRASTRUCTURE } from '../../facts/facts.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, itemsAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, pass, skip, warn } from '../judgements.ts';

interface PolicyRow {
  readonly id: string;
  readonly title: string;
  readonly names: readonly string[];
  readonly severity: 'critical' | 'low';
}

const POLICIES: readonly PolicyRow[] = [
  {
    id: 'S-46',
    title: 'The node role may join the cluster',
    names: ['AmazonEKSWorkerNodePolicy', 'AmazonEKSWorkerNodeMinimalPolicy'],
    severity: 'critical',
  },
  {
    id: 'S-47',
    title: 'The node role may pull images',
    names: ['AmazonEC2ContainerRegistryPullOnly', 'AmazonEC2ContainerRegistryReadOnly'],
    severity: 'critical',
  },
  {
    id: 'S-48',
    title: 'Systems Manager reaches the nodes',
    names: ['AmazonSSMManagedInstanceCore'],
    severity: 'low',
  },
];

export const NODE_ROLE_CHECKS: readonly CheckRow[] = POLICIES.map(({ id, title, names, severity }) => ({
  id,
  title,
  inputs: [['terraform', 'plan', 'state', 'cloud']],
  criterion: `Passes if ${names.join(' or ')} is attached to the node role, ${severity === 'low' ? 'warns' : 'fails'} if not.`,
  severity,
  phase: 1,
  fix: `Attach ${names[0]} to the node role.`,
  docs: DOCS.policies,
  judge: (context) => attached(context, names, severity),
}));

/** Whether a policy is attached to a role of nodes. */
function attached(
  { inputs, facts }: CheckContext,
  names: readonly string[],
  severity: PolicyRow['severity'],
): readonly Judgement[] {
  const all = facts.from('nodeRole', ...INFRASTRUCTURE);
  // The state has the roles of the files again.
  const roles = all.filter(({ source }) => source === all[0]!.source);
  const attachments = inputs.resources.filter(
    ({ type }) => type === 'aws_iam_role_policy_attachment' || type === 'aws_iam_policy_attachment',
  );
  return each(roles, (fact) => {
    const address = fact.what.replace(/\.name$/, '');
    const object = fact.value ?? address;
    const own = attachments.filter(
      ({ values, source }) =>
        source === fact.source &&
        [find(values, 'role'), ...itemsAt(values, 'roles')].some((role) => {
          const name = role?.kind === 'unknown' ? role.reference : textOf(role);
          return name !== undefined && (name === address || name === fact.value);
        }),
    );
    const inline = inputs.resources
      .filter((role) => role.address === address)
      .flatMap(({ values }) => {
        const list = find(values, 'managed_policy_arns');
        return list?.kind === 'list' ? list.items : [];
      });
    const policies = [...own.map(({ values }) => find(values, 'policy_arn')), ...inline].filter(
      (tree) => tree !== undefined,
    );
    if (policies.length === 0)
      return skip('It is not known which policies it has.', ['plan', 'state'], [evidenceOf(fact)], {
        object,
      });
    const evidence = policies.map(
      (tree): Evidence => ({
        source: fact.source,
        what: `policy of ${address}`,
        at: tree.at,
        ...(textOf(tree) === undefined ? { note: 'not known' } : { value: textOf(tree)! }),
      }),
    );
    if (policies.some((tree) => names.includes(textOf(tree)?.split('/').at(-1) ?? '')))
      return pass('It is attached.', evidence, { object });
    if (policies.some(({ kind }) => kind === 'unknown'))
      return skip('A policy is not known.', ['plan', 'state'], evidence, { object });
    // A module that is not here attaches policies itself.
    if (inputs.moduleCalls.some((call) => fact.what.startsWith(`${call.address}.`)))
      return skip('The policies that the module attaches are not here.', ['plan', 'state'], evidence, {
        object,
      });
    const message = `Neither ${names.join(' nor ')} is attached.`;
    return severity === 'low' ? warn(message, evidence, { object }) : fail(message, evidence, { object });
  });
}
