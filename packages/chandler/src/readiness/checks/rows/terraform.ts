/** Checks of what Terraform declares, plans and has applied. */
import { evidenceOf, knownValues } from '../../facts/facts.ts';
import { folderOf } from '../../inputs/terraform/read-terraform.ts';
import type { Evidence } from '../../model/finding.ts';
import { textAt, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, hasKarpenter, pass, skip, warn } from '../judgements.ts';
import { absence } from '../live.ts';

export const TERRAFORM_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-03',
    title: 'The instance profile exists',
    inputs: [['state', 'plan', 'cloud'], 'nodeClasses'],
    criterion:
      'Passes if the profile of each EC2NodeClass is in the state or the account, warns if a plan creates it, fails if it is in none of them.',
    severity: 'critical',
    phase: 1,
    fix: 'Run terraform apply.',
    docs: DOCS.gettingStarted,
    judge: ({ facts, inputs }) =>
      each(facts.from('instanceProfile', 'manifest'), (fact) => {
        const object = fact.what.split(' ')[0]!;
        const real = facts.from('instanceProfile', 'state', 'live');
        const planned = facts.from('instanceProfile', 'plan');
        const evidence = [fact, ...real, ...planned].map(evidenceOf);
        const gone = absence(inputs, 'aws_iam_instance_profile', fact.value);
        if (gone.length > 0)
          return fail(`There is no instance profile ${fact.value}.`, [...evidence, ...gone], { object });
        const isComplete = hasKarpenter(inputs);
        // What a plan does not create is there, unless the state says otherwise.
        const kept =
          !isComplete &&
          inputs.resources.some(
            ({ source, type, actions, values }) =>
              source === 'plan' &&
              type === 'aws_iam_instance_profile' &&
              actions?.includes('create') !== true &&
              textAt(values, 'name') === fact.value,
          );
        if (kept || knownValues(real).includes(fact.value ?? ''))
          return pass('It exists.', evidence, { object });
        if (knownValues(planned).includes(fact.value ?? ''))
          return warn('It is planned, and not applied yet.', evidence, { object });
        return isComplete && [...real, ...planned].every(({ value }) => value !== undefined)
          ? fail(`There is no instance profile ${fact.value}.`, evidence, { object })
          : skip('Its name is not known before apply.', ['state'], evidence, { object });
      }),
  },
  {
    id: 'S-12',
    title: 'The plan creates or keeps what Karpenter needs',
    inputs: ['plan'],
    criterion:
      'Fails if the plan deletes or replaces a policy, role or instance profile of Karpenter; warns if the plan has none.',
    severity: 'high',
    phase: 1,
    fix: 'Read the plan before it is applied: running nodes use these resources.',
    docs: DOCS.policies,
    judge: ({ inputs, facts }) => {
      const own = [...inputs.resources, ...inputs.removed].filter(
        ({ source, type, address }) => source === 'plan' && PLANNED.has(type) && /karpenter/i.test(address),
      );
      const evidence = own.map(
        ({ address, actions, at }): Evidence => ({
          source: 'plan',
          what: address,
          value: actions?.join(', ') ?? '',
          at,
        }),
      );
      const gone = own.filter(({ actions }) => actions?.includes('delete') === true);
      if (gone.length > 0)
        return each(gone, ({ address, actions }) =>
          fail(
            actions?.includes('create') === true ? 'The plan replaces it.' : 'The plan deletes it.',
            evidence.filter(({ what }) => what === address),
            { object: address },
          ),
        );
      const has = (wanted: string) => own.some(({ type }) => type === wanted);
      const missing = [
        ...(has('aws_iam_policy') || has('aws_iam_role_policy') ? [] : ['aws_iam_policy']),
        // A policy inline in the role needs none.
        ...(has('aws_iam_role_policy_attachment') || (has('aws_iam_role_policy') && !has('aws_iam_policy'))
          ? []
          : ['aws_iam_role_policy_attachment']),
        ...(has('aws_iam_role') ? [] : ['aws_iam_role']),
        ...(has('aws_iam_instance_profile') || facts.from('instanceProfile', 'manifest').length === 0
          ? []
          : ['aws_iam_instance_profile']),
      ];
      return missing.length === 0
        ? [pass('All are created or kept.', evidence)]
        : [warn(`The plan has no ${missing.join(', no ')} of Karpenter.`, evidence)];
    },
  },
  {
    id: 'S-13',
    title: 'Terraform is initialized, and its modules are there',
    inputs: ['terraform'],
    criterion:
      'Fails if a file is broken or a module of the repository does not exist; warns if there is no lock file.',
    severity: 'high',
    phase: 1,
    fix: 'Run terraform init and terraform validate, and commit .terraform.lock.hcl.',
    docs: 'https://developer.hashicorp.com/terraform/language/files/dependency-lock',
    judge: ({ inputs }) =>
      each(inputs.rootModules, ({ folder, folders, lockFile, missingModules, at }) => {
        const object = folder;
        const own = { source: 'terraform', what: '.terraform.lock.hcl', at } as const;
        const broken = inputs.problems.filter(
          (problem) =>
            problem.level === 'error' &&
            'file' in problem.at &&
            folders.has(folderOf(problem.at.file)) &&
            problem.at.file.endsWith('.tf'),
        );
        const wrong: Evidence[] = [
          ...broken.map(
            (problem): Evidence => ({
              source: 'terraform',
              what: 'syntax',
              note: problem.message,
              at: problem.at,
            }),
          ),
          ...missingModules.map(
            (module): Evidence => ({
              source: 'terraform',
              what: module.address,
              value: module.source,
              at: module.at,
            }),
          ),
        ];
        if (wrong.length > 0) return fail('Files are broken, or modules are missing.', wrong, { object });
        return lockFile
          ? pass('There is a lock file.', [own], { object })
          : warn(
              'There is no lock file, so versions of providers are not fixed.',
              [{ ...own, note: 'absent' }],
              { object },
            );
      }),
  },
  {
    id: 'S-14',
    title: 'Terraform has outputs for the next steps',
    inputs: [['terraform', 'state', 'plan']],
    criterion:
      'Passes if there are outputs for the endpoint of the cluster, the OIDC provider and the key; warns if one is missing or empty. Not judged if Terraform installs the chart itself.',
    severity: 'medium',
    phase: 1,
    fix: 'Add the outputs: Helm values and manifests need their values.',
    docs: 'https://developer.hashicorp.com/terraform/language/values/outputs',
    judge: ({ inputs }) =>
      each(inputs.releases.some(({ source }) => source !== 'values') ? [] : OUTPUTS, ({ what, names }) => {
        const found = inputs.outputs.filter(({ name }) => names.test(name));
        const evidence = found.map(
          ({ name, source, at, value }): Evidence => ({
            source,
            what: `output ${name}`,
            at,
            ...(textOf(value) === undefined ? {} : { value: textOf(value)! }),
          }),
        );
        if (found.length === 0) return warn(`No output has ${what}.`, [], { object: what });
        return found.every(({ value }) => textOf(value) === '')
          ? warn(`The output of ${what} is empty.`, evidence, { object: what })
          : pass(`There is an output for ${what}.`, evidence, { object: what });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

const PLANNED: ReadonlySet<string> = new Set([
  'aws_iam_policy',
  'aws_iam_role_policy',
  'aws_iam_role_policy_attachment',
  'aws_iam_role',
  'aws_iam_instance_profile',
]);

const OUTPUTS: readonly { readonly what: string; readonly names: RegExp }[] = [
  { what: 'the endpoint', names: /cluster_endpoint$|^endpoint$/ },
  { what: 'the OIDC provider', names: /oidc_provider/ },
  { what: 'the key', names: /kms_key/ },
];
