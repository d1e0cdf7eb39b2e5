/** Reads the table of EC2's shapes: which members a shape has, how they are named on the wire, and their types. */
import { EC2_SHAPES } from './ec2-shapes.table.ts';

export interface Member {
  /** As the SDKs name it. */
  readonly name: string;
  /** In answers. */
  readonly xmlName: string;
  /** In requests. */
  readonly queryName: string;
  readonly type: MemberType;
  readonly required: boolean;
}

export type MemberType =
  | { readonly kind: 'text' | 'integer' | 'number' | 'boolean' | 'time' | 'bytes' }
  | { readonly kind: 'structure'; readonly shape: string }
  | { readonly kind: 'list'; readonly element: string; readonly of: MemberType };

export function membersOf(shape: string): readonly Member[] {
  let members = READ.get(shape);
  if (members === undefined) {
    const text = EC2_SHAPES[shape];
    if (text === undefined) throw new Error(`no shape is named ${shape}`);
    members = text === '' ? [] : text.split(' ').map(readMember);
    READ.set(shape, members);
  }
  return members;
}

// ---------------------------------------------------------------------------------------------------

const READ = new Map<string, readonly Member[]>();
const MEMBER = /^(\w+)(?:=(\w+))?(?:\|([\w.]+))?:([^!]+)(!?)$/;
const KINDS = { s: 'text', i: 'integer', d: 'number', b: 'boolean', t: 'time', x: 'bytes' } as const;

function readMember(text: string): Member {
  const [, name = '', xmlName, queryName, type = '', required] = MEMBER.exec(text) ?? [];
  if (name === '') throw new Error(`'${text}' is no member of a shape`);
  return {
    name,
    xmlName: xmlName ?? name[0]!.toLowerCase() + name.slice(1),
    queryName: queryName ?? name,
    type: readType(type),
    required: required === '!',
  };
}

function readType(text: string): MemberType {
  const list = /^\[(\w+)\](.+)$/.exec(text);
  if (list !== null) return { kind: 'list', element: list[1]!, of: readType(list[2]!) };
  const structure = /^\{(\w+)\}$/.exec(text);
  if (structure !== null) return { kind: 'structure', shape: structure[1]! };
  const kind = KINDS[text as keyof typeof KINDS];
  if (kind === undefined) throw new Error(`'${text}' is no type of a shape`);
  return { kind };
}
