/**
 * Policies of the controller as Terraform has them: texts of JSON, `jsonencode({ … })` and `aws_iam_policy_document`. A policy that
 * is not known is said to be so, because it may allow anything.
 */
import type { Inputs, Resource } from '../inputs/inputs.ts';
import type { Source } from '../model/finding.ts';
import type { Place } from '../model/place.ts';
import { find, fromValue, type Tree, textOf } from '../model/tree.ts';

export interface PolicyStatement {
  readonly allow: boolean;
  readonly actions: readonly string[];
  /** Undefined: one of them is not known. */
  readonly resources: readonly string[] | undefined;
  readonly conditional: boolean;
  readonly at: Place;
}

export interface ControllerPolicy {
  readonly address: string;
  readonly source: Source;
  /** Undefined: it is not known. */
  readonly statements: readonly PolicyStatement[] | undefined;
  readonly at: Place;
}

/** Of the strongest source that has any: the state has the policies of the files again. */
export function controllerPolicies({ resources }: Inputs): readonly ControllerPolicy[] {
  const own = resources.filter(isControllerPolicy);
  const source = (['live', 'state', 'plan', 'terraform'] as const).find((each) =>
    own.some((policy) => policy.source === each),
  );
  return own
    .filter((policy) => policy.source === source)
    .map(({ address, values, source: from, at }) => ({
      address,
      source: from,
      statements: statementsOf(find(values, 'policy'), resources),
      at: find(values, 'policy')?.at ?? at,
    }));
}

/** Whether the policies allow an action on some resource. `unknown`: a policy that is not known may. */
export function allows(policies: readonly ControllerPolicy[], action: string): 'yes' | 'no' | 'unknown' {
  const matching = policies
    .flatMap(({ statements }) => statements ?? [])
    .filter(({ actions }) => actions.some((pattern) => matches(pattern, action)));
  if (matching.some(({ allow, conditional }) => !allow && !conditional)) return 'no';
  if (matching.some(({ allow }) => allow)) return 'yes';
  return policies.some(({ statements }) => statements === undefined) ? 'unknown' : 'no';
}

/** `ec2:Describe*` matches `ec2:DescribeSubnets`; IAM ignores case. */
export function matches(pattern: string, action: string): boolean {
  const expression = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 'i').test(action);
}

// ---------------------------------------------------------------------------------------------------------------

const POLICY_TYPES: ReadonlySet<string> = new Set(['aws_iam_policy', 'aws_iam_role_policy']);

function isControllerPolicy({ type, mode, address, values }: Resource): boolean {
  const names = `${address} ${textOf(find(values, 'name')) ?? ''}`;
  return POLICY_TYPES.has(type) && mode === 'managed' && /karpenter/i.test(names) && !/node/i.test(names);
}

function statementsOf(
  policy: Tree | undefined,
  resources: readonly Resource[],
): readonly PolicyStatement[] | undefined {
  if (policy === undefined) return undefined;
  if (policy.kind === 'scalar') return jsonStatements(String(policy.value), policy.at);
  if (policy.kind !== 'unknown') return undefined;
  if (policy.call?.name === 'jsonencode')
    return policy.call.args[0] === undefined ? undefined : documentStatements(policy.call.args[0]);
  const document = resources.find(
    ({ address, type }) => type === 'aws_iam_policy_document' && address === policy.reference,
  );
  const list = find(document?.values, 'statement');
  return list?.kind === 'list' ? list.items.map(blockStatement) : undefined;
}

function jsonStatements(text: string, at: Place): readonly PolicyStatement[] | undefined {
  try {
    return documentStatements(fromValue(JSON.parse(text), at));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function documentStatements(document: Tree): readonly PolicyStatement[] | undefined {
  const list = find(document, 'Statement');
  if (list === undefined || list.kind === 'unknown') return undefined;
  return (list.kind === 'list' ? list.items : [list]).map((statement) => ({
    allow: textOf(find(statement, 'Effect')) !== 'Deny',
    actions: textsOf(find(statement, 'Action')) ?? [],
    resources: textsOf(find(statement, 'Resource')),
    conditional: find(statement, 'Condition') !== undefined,
    at: statement.at,
  }));
}

/** A block of `aws_iam_policy_document`. */
function blockStatement(statement: Tree): PolicyStatement {
  return {
    allow: (textOf(find(statement, 'effect')) ?? 'Allow') !== 'Deny',
    actions: textsOf(find(statement, 'actions')) ?? [],
    resources: textsOf(find(statement, 'resources')),
    conditional: find(statement, 'condition') !== undefined,
    at: statement.at,
  };
}

function textsOf(tree: Tree | undefined): readonly string[] | undefined {
  if (tree === undefined) return [];
  const texts = (tree.kind === 'list' ? tree.items : [tree]).map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
