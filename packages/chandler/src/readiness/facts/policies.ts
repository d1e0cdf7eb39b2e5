/**
 * Policies of the controller as Terraform has them: texts of JSON, `jsonencode({ … })` and `aws_iam_policy_document`. A policy that
 * is not known is said to be so, because it may allow anything.
 */
import type { Inputs, ModuleCall, Resource } from '../inputs/inputs.ts';
import type { Source } from '../model/finding.ts';
import type { Place } from '../model/place.ts';
import { find, fromValue, type Tree, textOf } from '../model/tree.ts';

export interface PolicyStatement {
  readonly allow: boolean;
  readonly actions: readonly string[];
  /** Undefined: one of them is not known. */
  readonly resources: readonly string[] | undefined;
  /** Each resource as it is written. */
  readonly resourceTrees: readonly Tree[];
  readonly conditional: boolean;
  readonly at: Place;
}

export interface ControllerPolicy {
  readonly address: string;
  readonly source: Source;
  /** Those that are known. */
  readonly statements: readonly PolicyStatement[];
  /** False: there may be more than these, and they may allow anything. */
  readonly complete: boolean;
  readonly at: Place;
}

/** Of the strongest source that has any: the state has the policies of the files again. */
export function controllerPolicies({ resources, moduleCalls }: Inputs): readonly ControllerPolicy[] {
  const own = resources.filter(isControllerPolicy);
  const bare = resources.find(({ type, owner }) => type === 'aws_iam_role' && owner === 'controller');
  // The account has the role, and all of its policies would be here.
  if (bare !== undefined && !own.some(({ source }) => source === 'live')) {
    const { address, source, at } = bare;
    return [{ address, source, statements: [], complete: true, at }];
  }
  const source = (['live', 'state', 'plan', 'terraform'] as const).find((each) =>
    own.some((policy) => policy.source === each),
  );
  const policies = own
    .filter((policy) => policy.source === source)
    .map(({ address, values, source: from, at }) => ({
      address,
      source: from,
      ...contentOf(find(values, 'policy'), resources),
      at: find(values, 'policy')?.at ?? at,
    }));
  // In files, a module that is not here makes policies of its own; a plan and a state have them.
  const elsewhere = source === 'terraform' ? moduleCalls.filter(isKarpenterModule) : [];
  return [
    ...policies,
    ...elsewhere.map(({ address, at }) => ({
      address,
      source: 'terraform' as const,
      statements: [],
      complete: false,
      at,
    })),
  ];
}

/** The statements of a policy of the live account. */
export function policyContent({ address, values, source, at }: Resource): ControllerPolicy {
  return { address, source, ...contentOf(find(values, 'policy'), []), at };
}

/** Whether the policies allow an action on some resource. `unknown`: a policy that is not known may. */
export function allows(policies: readonly ControllerPolicy[], action: string): 'yes' | 'no' | 'unknown' {
  const matching = policies
    .flatMap(({ statements }) => statements)
    .filter(({ actions }) => actions.some((pattern) => matches(pattern, action)));
  const denied = matching.filter(({ allow, conditional }) => !allow && !conditional);
  // One that is for some resources leaves others.
  if (denied.some(({ resources }) => resources?.includes('*') === true)) return 'no';
  if (denied.some(({ resources }) => resources === undefined)) return 'unknown';
  if (matching.some(({ allow }) => allow)) return 'yes';
  return policies.every(({ complete }) => complete) ? 'no' : 'unknown';
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

function isControllerPolicy({ type, mode, address, values, owner }: Resource): boolean {
  if (owner !== undefined) return owner === 'controller' && POLICY_TYPES.has(type);
  const names = `${address} ${textOf(find(values, 'name')) ?? ''}`;
  return POLICY_TYPES.has(type) && mode === 'managed' && /karpenter/i.test(names) && !isOfNodes(names);
}

/** Names of the node role and its policies. A cluster may be called `nodejs`, too. */
export function isOfNodes(names: string): boolean {
  return /node/i.test(names) && !/controller|irsa/i.test(names);
}

function isKarpenterModule({ address, moduleSource, arguments: given }: ModuleCall): boolean {
  return (
    /karpenter/i.test(`${address} ${moduleSource}`) ||
    textOf(find(given, 'attach_karpenter_controller_policy')) === 'true'
  );
}

type Content = Pick<ControllerPolicy, 'statements' | 'complete'>;

const UNKNOWN: Content = { statements: [], complete: false };

function contentOf(policy: Tree | undefined, resources: readonly Resource[]): Content {
  if (policy === undefined) return UNKNOWN;
  if (policy.kind === 'scalar') return jsonContent(String(policy.value), policy.at);
  if (policy.kind !== 'unknown') return UNKNOWN;
  if (policy.call?.name === 'jsonencode')
    return policy.call.args[0] === undefined ? UNKNOWN : documentContent(policy.call.args[0]);
  const document = resources.find(
    ({ address, type }) => type === 'aws_iam_policy_document' && address === policy.reference,
  );
  const list = find(document?.values, 'statement');
  if (list?.kind !== 'list') return UNKNOWN;
  const content = contentOfAll(list.items.map(blockStatement));
  const isMerged = ['source_policy_documents', 'override_policy_documents', 'dynamic'].some(
    (name) => find(document?.values, name) !== undefined,
  );
  return isMerged ? { ...content, complete: false } : content;
}

function jsonContent(text: string, at: Place): Content {
  try {
    return documentContent(fromValue(JSON.parse(text), at));
  } catch (error) {
    if (error instanceof SyntaxError) return UNKNOWN;
    throw error;
  }
}

function documentContent(document: Tree): Content {
  const list = find(document, 'Statement');
  if (list === undefined || list.kind === 'unknown') return UNKNOWN;
  return contentOfAll(
    (list.kind === 'list' ? list.items : [list]).map((statement) =>
      statementOf(statement, 'Effect', 'Action', 'Resource', 'Condition'),
    ),
  );
}

/** A block of `aws_iam_policy_document`. */
function blockStatement(statement: Tree): PolicyStatement | undefined {
  return statementOf(statement, 'effect', 'actions', 'resources', 'condition');
}

function contentOfAll(statements: readonly (PolicyStatement | undefined)[]): Content {
  const known = statements.filter((each) => each !== undefined);
  return { statements: known, complete: known.length === statements.length };
}

/** @returns undefined where its actions are not known, or are all but some (`NotAction`). */
function statementOf(
  statement: Tree,
  effect: string,
  action: string,
  resource: string,
  condition: string,
): PolicyStatement | undefined {
  const actions = find(statement, action);
  const texts = actions === undefined ? undefined : textsOf(actions);
  const effects = find(statement, effect);
  if (texts === undefined || effects?.kind === 'unknown') return undefined;
  const resources = find(statement, resource);
  return {
    allow: textOf(effects) !== 'Deny',
    actions: texts,
    resources: textsOf(resources),
    resourceTrees: resources === undefined ? [] : resources.kind === 'list' ? resources.items : [resources],
    conditional: find(statement, condition) !== undefined,
    at: statement.at,
  };
}

function textsOf(tree: Tree | undefined): readonly string[] | undefined {
  if (tree === undefined) return [];
  const texts = (tree.kind === 'list' ? tree.items : [tree]).map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
