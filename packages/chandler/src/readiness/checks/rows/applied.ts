/** Checks of what Terraform has applied: the state, and what a new plan would still change. */
import { roleName } from '../../facts/arn.ts';
import { evidenceOf, knownValues } from '../../facts/facts.ts';
import type { Resource } from '../../inputs/inputs.ts';
import type { Evidence } from '../../model/finding.ts';
import { find, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, hasKarpenter, pass, skip, warn } from '../judgements.ts';
import { absence } from '../live.ts';

export const APPLIED_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-04',
    title: 'The instance profile has the node role',
    inputs: [['state', 'cloud']],
    criterion:
      'Passes if each instance profile of Karpenter has the node role, fails if it has none or another.',
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
        if (role === '') return fail('It has no role.', evidence, { object: address });
        const nodeRoles = facts
          .from('nodeRole', 'state', 'live')
          .filter((fact) => fact.value !== undefined && /karpenter/i.test(`${fact.what} ${fact.value}`));
        const names = knownValues(nodeRoles);
        return names.length === 0 || names.includes(role)
          ? pass(`Its role is ${role}.`, evidence, { object: address })
          : fail(
              `Its role is ${role}, and that of the nodes is ${names.join(', ')}.`,
              [...evidence, ...nodeRoles.map(evidenceOf)],
              { object: address },
            );
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
        ({ type, source }) => type === 'aws_iam_role' && (source === 'state' || source === 'live'),
      );
      return each(facts.from('controllerRoleArn', 'values'), (fact) => {
        if (fact.value === undefined)
          return skip('The annotation is not known.', ['plan'], [evidenceOf(fact)]);
        const gone = absence(inputs, 'aws_iam_role', roleName(fact.value));
        if (gone.length > 0) return fail(`There is no role ${fact.value}.`, [evidenceOf(fact), ...gone]);
        const own = roles.find(({ values }) => textOf(find(values, 'arn')) === fact.value);
        if (own !== undefined) return pass('It exists.', [evidenceOf(fact), resourceEvidence(own)]);
        return hasKarpenter(inputs)
          ? fail(`There is no role ${fact.value}.`, [evidenceOf(fact)])
          : skip('The state has nothing of Karpenter.', ['state'], [evidenceOf(fact)]);
      });
    },
  },
  {
    id: 'S-64',
    title: 'The plan of Karpenter is applied',
    inputs: ['state', 'plan'],
    criterion:
      'Passes if the resources of Karpenter are in the state and a new plan does not change them. Warns about pending changes, fails if the state is without them.',
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
      const there = new Set(
        inputs.resources.filter(({ source }) => source === 'state').map(({ address }) => address),
      );
      const missing = own.filter(({ address, actions }) => actions?.[0] === 'no-op' && !there.has(address));
      if (missing.length > 0)
        return [
          fail(
            `${missing.length} of ${own.length} resources are not in the state.`,
            missing.map(resourceEvidence),
          ),
        ];
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
