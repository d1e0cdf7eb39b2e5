/** Who may assume the role of the controller: its trust policy as JSON, `jsonencode({ … })` or `aws_iam_policy_document`. */
import type { Resource } from '../inputs/inputs.ts';
import type { Place } from '../model/place.ts';
import { entriesAt, find, fromValue, itemsAt, type Tree, textAt, textOf } from '../model/tree.ts';

export interface TrustStatement {
  readonly actions: readonly string[];
  readonly principals: readonly { readonly type: string; readonly id: string | undefined }[];
  readonly conditions: readonly {
    /** `StringEquals`. */
    readonly test: string;
    /** `oidc.eks.eu-west-1.amazonaws.com/id/ABC:sub`. */
    readonly key: string;
    readonly values: readonly string[];
  }[];
  readonly at: Place;
}

/** Undefined: a part of it is not known. */
export function trustOf(
  policy: Tree | undefined,
  resources: readonly Resource[],
): readonly TrustStatement[] | undefined {
  if (policy?.kind === 'scalar') return ofJson(String(policy.value), policy.at);
  if (policy?.kind !== 'unknown') return undefined;
  if (policy.call?.name === 'jsonencode') return ofDocument(policy.call.args[0]);
  const document = resources.find(
    ({ address, type }) => type === 'aws_iam_policy_document' && address === policy.reference,
  );
  const list = find(document?.values, 'statement');
  return list?.kind === 'list' ? known(list.items.map(ofBlock)) : undefined;
}

// ---------------------------------------------------------------------------------------------------------------

function known(statements: readonly (TrustStatement | undefined)[]): readonly TrustStatement[] | undefined {
  return statements.every((each) => each !== undefined) ? statements : undefined;
}

function ofJson(text: string, at: Place): readonly TrustStatement[] | undefined {
  try {
    return ofDocument(fromValue(JSON.parse(text), at));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function ofDocument(document: Tree | undefined): readonly TrustStatement[] | undefined {
  const list = find(document, 'Statement');
  if (list === undefined || list.kind === 'unknown') return undefined;
  return known((list.kind === 'list' ? list.items : [list]).map(ofStatement));
}

function ofStatement(tree: Tree): TrustStatement | undefined {
  const actions = textsOf(find(tree, 'Action'));
  const principal = find(tree, 'Principal');
  const condition = find(tree, 'Condition');
  if (actions === undefined || principal?.kind === 'unknown' || condition?.kind === 'unknown')
    return undefined;
  const conditions = entriesAt(condition).flatMap(([test, keys]) =>
    keys.kind === 'map'
      ? [...keys.entries].map(([key, value]) => ({ test, key, values: textsOf(value) }))
      : [{ test, key: '', values: undefined }],
  );
  if (!conditions.every(({ values }) => values !== undefined)) return undefined;
  return {
    actions,
    principals: entriesAt(principal).flatMap(([type, ids]) =>
      (ids.kind === 'list' ? ids.items : [ids]).map((id) => ({ type, id: textOf(id) })),
    ),
    conditions: conditions.map(({ test, key, values }) => ({ test, key, values: values! })),
    at: tree.at,
  };
}

/** A block of `aws_iam_policy_document`. */
function ofBlock(tree: Tree): TrustStatement | undefined {
  const actions = textsOf(find(tree, 'actions'));
  const conditions = itemsAt(tree, 'condition').map((each) => ({
    test: textAt(each, 'test'),
    key: textAt(each, 'variable'),
    values: textsOf(find(each, 'values')),
  }));
  if (actions === undefined || find(tree, 'condition')?.kind === 'unknown') return undefined;
  if (conditions.some(({ test, key, values }) => [test, key, values].includes(undefined))) return undefined;
  return {
    actions,
    principals: itemsAt(tree, 'principals').flatMap((each) =>
      itemsAt(each, 'identifiers').map((id) => ({ type: textAt(each, 'type') ?? '', id: textOf(id) })),
    ),
    conditions: conditions.map(({ test, key, values }) => ({ test: test!, key: key!, values: values! })),
    at: tree.at,
  };
}

function textsOf(tree: Tree | undefined): readonly string[] | undefined {
  if (tree === undefined) return [];
  const texts = (tree.kind === 'list' ? tree.items : [tree]).map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
}
