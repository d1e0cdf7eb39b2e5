/** Checks of the policies of the node role. */
import { evidenceOf, type FactValue, INFRASTRUCTURE } from '../../facts/facts.ts';
import type { Inputs, Resource } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, itemsAt, type Tree, textOf } from '../../model/tree.ts';
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

export const NODE_ROLE_CHECKS: readonly CheckRow[] = [
  ...POLICIES.map(attachedRow),
  {
    id: 'K-85',
    title: 'The node role has no wide policies',
    inputs: [['terraform', 'plan', 'state', 'cloud']],
    criterion:
      'Warns if AdministratorAccess, PowerUserAccess or a policy of full access is attached to the node role.',
    severity: 'high',
    phase: 1,
    fix: 'Detach it, and give the pods that need it a role of their own.',
    docs: DOCS.policies,
    judge: privileges,
  },
  {
    id: 'K-86',
    title: 'The network plugin has its permissions',
    inputs: [['terraform', 'plan', 'state', 'cloud']],
    criterion:
      'Passes if AmazonEKS_CNI_Policy or one that is called after CNI is attached to the node role, or the add-on vpc-cni has a role of its own; fails if neither is so. Without the add-on it is not known.',
    severity: 'critical',
    phase: 1,
    fix: 'Attach AmazonEKS_CNI_Policy to the node role, or give the add-on vpc-cni a role.',
    docs: DOCS.troubleshooting,
    judge: networkPlugin,
  },
];

// ---------------------------------------------------------------------------------------------------------------

function attachedRow({ id, title, names, severity }: PolicyRow): CheckRow {
  return {
    id,
    title,
    inputs: [['terraform', 'plan', 'state', 'cloud']],
    criterion: `Passes if ${names.join(' or ')} is attached to the node role, ${severity === 'low' ? 'warns' : 'fails'} if not.`,
    severity,
    phase: 1,
    fix: `Attach ${names[0]} to the node role.`,
    docs: DOCS.policies,
    judge: (context) => attached(context, names, severity),
  };
}

interface NodeRole {
  readonly fact: FactValue;
  readonly object: string;
  readonly policies: readonly Tree[];
  readonly evidence: readonly Evidence[];
}

/** Roles of nodes with the policies that are attached to them. */
function nodeRoles({ inputs, facts }: CheckContext): readonly NodeRole[] {
  const all = facts.from('nodeRole', ...INFRASTRUCTURE);
  // The state has the roles of the files again.
  const roles = all.filter(({ source }) => source === all[0]!.source);
  const attachments = inputs.resources.filter(
    ({ type }) => type === 'aws_iam_role_policy_attachment' || type === 'aws_iam_policy_attachment',
  );
  return roles.map((fact) => {
    const address = fact.what.replace(/\.name$/, '');
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
      .flatMap(({ values }) => itemsAt(values, 'managed_policy_arns'));
    const policies = [...own.map(({ values }) => find(values, 'policy_arn')), ...inline].filter(
      (tree) => tree !== undefined,
    );
    const evidence = policies.map(
      (tree): Evidence => ({
        source: fact.source,
        what: `policy of ${address}`,
        at: tree.at,
        ...(textOf(tree) === undefined ? { note: 'not known' } : { value: textOf(tree)! }),
      }),
    );
    return { fact, object: fact.value ?? address, policies, evidence };
  });
}

/** Whether a policy is attached to a role of nodes. */
function attached(
  context: CheckContext,
  names: readonly string[],
  severity: PolicyRow['severity'],
): readonly Judgement[] {
  return each(nodeRoles(context), (role) =>
    role.policies.some((tree) => names.includes(nameOf(tree)))
      ? pass('It is attached.', role.evidence, { object: role.object })
      : missing(
          context,
          role,
          `Neither ${names.join(' nor ')} is attached.`,
          severity === 'low' ? warn : fail,
        ),
  );
}

const TOO_WIDE = /^(AdministratorAccess|PowerUserAccess|IAMFullAccess|\w*FullAccess)$/;

function privileges(context: CheckContext): readonly Judgement[] {
  return each(nodeRoles(context), ({ object, policies, evidence }) => {
    const wide = policies.map(nameOf).filter((name) => TOO_WIDE.test(name));
    if (policies.length === 0) return undefined;
    if (wide.length > 0)
      return warn(`${wide.join(', ')} is attached: every pod of the node may use it.`, evidence, { object });
    return policies.some(({ kind }) => kind === 'unknown')
      ? skip('A policy is not known.', ['plan', 'state'], evidence, { object })
      : pass('No policy is wide.', evidence, { object });
  });
}

function networkPlugin(context: CheckContext): readonly Judgement[] {
  const own = pluginRole(context.inputs);
  return each(nodeRoles(context), (role) => {
    const { object, policies, evidence } = role;
    const isAttached = policies.some((tree) => PLUGIN_POLICY.test(nameOf(tree) || referenceOf(tree)));
    if (isAttached) return pass('It is attached to the node role.', evidence, { object });
    if (own !== undefined) return pass('The plugin has a role of its own.', [...evidence, own], { object });
    // Whoever installs the plugin may give it a role.
    return context.inputs.resources.some((resource) => isPlugin(resource) && resource.source !== 'live')
      ? missing(
          context,
          role,
          'No policy of the CNI is attached, and the add-on vpc-cni has no role of its own.',
        )
      : skip('It is not known which role aws-node has.', ['cluster'], evidence, { object });
  });
}

/** The role that the add-on or its service account has, where Terraform gives it one. */
function pluginRole({ resources, moduleCalls }: Inputs): Evidence | undefined {
  const addOn = resources.find(
    (resource) =>
      (isPlugin(resource) && ROLE_FIELDS.some((field) => find(resource.values, field) !== undefined)) ||
      (resource.type === 'aws_eks_pod_identity_association' &&
        textOf(find(resource.values, 'service_account')) === 'aws-node'),
  );
  if (addOn !== undefined) return { source: addOn.source, what: addOn.address, at: addOn.at };
  for (const { address, arguments: given } of moduleCalls)
    for (const list of ['addons', 'cluster_addons']) {
      const plugin = find(given, list, 'vpc-cni');
      if (plugin?.kind === 'map' && ROLE_FIELDS.some((field) => find(plugin, field) !== undefined))
        return { source: 'terraform', what: `${address}.${list}["vpc-cni"]`, at: plugin.at };
    }
  return undefined;
}

function isPlugin({ type, values }: Resource): boolean {
  return type === 'aws_eks_addon' && textOf(find(values, 'addon_name')) === 'vpc-cni';
}

/** Of the plugin, or wide enough. */
const PLUGIN_POLICY = /cni|^(AdministratorAccess|PowerUserAccess|AmazonEC2FullAccess)$/i;

const ROLE_FIELDS = ['service_account_role_arn', 'pod_identity_association'];

function referenceOf(tree: Tree): string {
  return tree.kind === 'unknown' ? (tree.reference ?? '') : '';
}

/** What is not attached fails only where all policies are here. */
function missing(
  { inputs }: CheckContext,
  { fact, object, policies, evidence }: NodeRole,
  message: string,
  otherwise: typeof fail = fail,
): Judgement {
  if (policies.length === 0)
    return skip('It is not known which policies it has.', ['plan', 'state'], [evidenceOf(fact)], { object });
  if (policies.some(({ kind }) => kind === 'unknown'))
    return skip('A policy is not known.', ['plan', 'state'], evidence, { object });
  // A module that is not here attaches policies itself.
  if (inputs.moduleCalls.some((call) => fact.what.startsWith(`${call.address}.`)))
    return skip('The policies that the module attaches are not here.', ['plan', 'state'], evidence, {
      object,
    });
  return otherwise(message, evidence, { object });
}

function nameOf(policy: Tree): string {
  return textOf(policy)?.split('/').at(-1) ?? '';
}
