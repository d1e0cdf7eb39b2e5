/** Checks of what Terraform has applied: the state, and what a new plan would still change. */
import { evidenceOf, knownValues } from '../../facts/facts.ts';
import type { Resource } from '../../inputs/inputs.ts';
import type { Evidence } from '../../model/finding.ts';
import { find, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, pass, skip, warn } from '../judgements.ts';

export const APPLIED_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-04',
    title: 'The instance profile has the node role',
    inputs: [['state', 'cloud']],
    criterion: 'Passes if each instance profile of Karpenter has a role, fails if it has none.',
    severity: 'critical',
    phase: 1,
    fix: 'Put the node role into the profile: aws iam add-role-to-instance-profile.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs, facts }) => {
      const used = knownValues(facts.from('instanceProfile', 'manifest'));
      const profiles = inputs.resources.filter(
        ({ type, source, values, address }) =>
          type === 'aws_iam_instance_profile' &&
          (source === 'state' || source === 'live') &&
          (used.includes(textOf(find(values, 'name')) ?? '') || /karpenter/i.test(address)),
      );
      return each(profiles, ({ values, address, source, at }) => {
        const role = textOf(find(values, 'role')) ?? '';
        const evidence: Evidence[] = [
          { source, what: `${address}.role`, at, ...(role === '' ? { note: 'absent' } : { value: role }) },
        ];
        return role === ''
          ? fail('It has no role.', evidence, { object: address })
          : pass(`Its role is ${role}.`, evidence, { object: address });
      });
    },
  },
  {
    id: 'S-05',
    title: 'The controller role exists',
    inputs: [['state', 'cloud'], 'values'],
    criterion:
      'Passes if the role of serviceAccount.annotations is in the state or the account, fails if it is not.',
    severity: 'critical',
    phase: 1,
    fix: 'Run terraform apply.',
    docs: DOCS.serviceAccountRoles,
    judge: ({ facts, inputs }) => {
      const roles = inputs.resources.filter(
        ({ type, source, mode }) =>
          type === 'aws_iam_role' && mode === 'managed' && (source === 'state' || source === 'live'),
      );
      return each(facts.from('controllerRoleArn', 'values'), (fact) => {
        if (fact.value === undefined)
          return skip('The annotation is not known.', ['plan'], [evidenceOf(fact)]);
        const own = roles.find(({ values }) => textOf(find(values, 'arn')) === fact.value);
        return own === undefined
          ? fail(`There is no role ${fact.value}.`, [evidenceOf(fact)])
          : pass('It exists.', [evidenceOf(fact), resourceEvidence(own)]);
      });
    },
  },
  {
    id: 'S-64',
    title: 'The plan of Karpenter is applied',
    inputs: ['state', 'plan'],
    criterion:
      'Passes if the resources of Karpenter are in the state and a new plan does not change them. Warns about pending changes.',
    severity: 'high',
    phase: 1,
    fix: 'Run terraform apply.',
    docs: DOCS.policies,
    judge: ({ inputs }) => {
      const own = [...inputs.resources, ...inputs.removed].filter(
        ({ source, address, mode }) => source === 'plan' && mode === 'managed' && /karpenter/i.test(address),
      );
      const pending = own.filter(
        ({ actions }) => actions?.some((action) => action !== 'no-op' && action !== 'read') === true,
      );
      if (own.length === 0) return [];
      return pending.length === 0
        ? [pass('Nothing is pending.', own.map(resourceEvidence))]
        : [
            warn(
              `${pending.length} of ${own.length} resources have pending changes.`,
              pending.map(resourceEvidence),
            ),
          ];
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

function resourceEvidence({ source, address, actions, at }: Resource): Evidence {
  return { source, what: address, at, ...(actions === undefined ? {} : { value: actions.join(', ') }) };
}
