/**
 * Parameters of the query protocols: `Filter.1.Value.2=x` becomes `{ Filters: [{ Values: [.., 'x'] }] }`. EC2's names come from
 * its shapes and a parameter that no shape has is rejected; IAM and STS use the names of the SDKs and `.member.N`.
 */
import { type AwsError, ec2Error } from './errors.ts';
import { type Member, type MemberType, membersOf } from './shapes.ts';

export type Params = Readonly<Record<string, unknown>>;

export function decodeEc2Params(form: ReadonlyMap<string, string>, shape: string): Params {
  const tree = treeOf(form);
  return structure(tree, shape, '');
}

/** `Tags.member.1.Key=a`: lists are where the name `member` is. */
export function decodeQueryParams(form: ReadonlyMap<string, string>): Params {
  return plain(treeOf(form)) as Params;
}

// ---------------------------------------------------------------------------------------------------

interface Tree {
  value?: string;
  readonly children: Map<string, Tree>;
}

/** Not parameters of the action. */
const PROTOCOL: ReadonlySet<string> = new Set(['Action', 'Version', 'AWSAccessKeyId', 'Timestamp']);

function treeOf(form: ReadonlyMap<string, string>): Tree {
  const root: Tree = { children: new Map() };
  for (const [name, value] of form) {
    if (PROTOCOL.has(name)) continue;
    let at = root;
    for (const part of name.split('.')) {
      let next = at.children.get(part);
      if (next === undefined) {
        next = { children: new Map() };
        at.children.set(part, next);
      }
      at = next;
    }
    at.value = value;
  }
  return root;
}

function structure(tree: Tree, shape: string, path: string): Params {
  const members = new Map(membersOf(shape).map((member) => [member.queryName, member]));
  const result: Record<string, unknown> = {};
  for (const [name, child] of tree.children) {
    const member = members.get(name);
    if (member === undefined) throw unknownParameter(path + name);
    result[member.name] = decoded(child, member.type, path + name);
  }
  for (const member of members.values())
    if (member.required && result[member.name] === undefined) throw missingParameter(path, member);
  return result;
}

function decoded(tree: Tree, type: MemberType, path: string): unknown {
  if (type.kind === 'structure') return structure(tree, type.shape, `${path}.`);
  if (type.kind === 'list') return list(tree, path, (child, at) => decoded(child, type.of, at));
  return scalar(tree.value ?? '', type.kind, path);
}

function list<Element>(tree: Tree, path: string, read: (child: Tree, path: string) => Element): Element[] {
  const found: { readonly at: number; readonly element: Element }[] = [];
  for (const [name, child] of tree.children) {
    if (!/^[1-9]\d{0,5}$/.test(name)) throw unknownParameter(`${path}.${name}`);
    found.push({ at: Number(name), element: read(child, `${path}.${name}`) });
  }
  return found.sort((one, other) => one.at - other.at).map(({ element }) => element);
}

type ScalarKind = Exclude<MemberType['kind'], 'structure' | 'list'>;

function scalar(text: string, kind: ScalarKind, path: string): string | number | boolean | Date {
  switch (kind) {
    case 'integer':
    case 'number': {
      const pattern = kind === 'integer' ? /^-?\d{1,15}$/ : /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;
      if (!pattern.test(text))
        throw ec2Error('InvalidParameterValue', `Invalid value '${text}' for ${path}. It must be a number.`);
      return Number(text);
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false')
        throw ec2Error('InvalidParameterValue', `Invalid value '${text}' for boolean parameter ${path}`);
      return text === 'true';
    case 'time': {
      const ms = Date.parse(text);
      if (Number.isNaN(ms))
        throw ec2Error('InvalidParameterValue', `Invalid value '${text}' for timestamp parameter ${path}`);
      return new Date(ms);
    }
    default:
      return text;
  }
}

function plain(tree: Tree): unknown {
  if (tree.children.size === 0) return tree.value ?? '';
  const members = tree.children.get('member');
  if (members !== undefined && tree.children.size === 1)
    return list(members, 'member', (child) => plain(child));
  return Object.fromEntries([...tree.children].map(([name, child]) => [name, plain(child)]));
}

function unknownParameter(path: string): AwsError {
  return ec2Error('UnknownParameter', `The parameter ${path} is not recognized`);
}

function missingParameter(path: string, { queryName }: Member): AwsError {
  return ec2Error('MissingParameter', `The request must contain the parameter ${path}${queryName}`);
}
