/** Whether an identity has a role that allows something at a scope, as far as role assignments of a picture tell. */
import type { Evidence } from '../model/finding.ts';
import { itemsAt } from '../model/tree.ts';
import type { AzureObject } from './objects.ts';
import type { Picture } from './picture.ts';
import { BUILTIN_ROLES } from './roles.table.ts';
import { type Answer, covers, hasSymbol, symbolOf } from './symbols.ts';

export interface Grant {
  /** All of them are needed. */
  readonly actions?: readonly string[];
  readonly dataActions?: readonly string[];
  /** The ID of what it is needed on. */
  readonly on: string;
}

export interface GrantResult {
  readonly answer: Answer;
  readonly evidence: readonly Evidence[];
  /** Whether the picture has any role of the identity: without one, roles are given elsewhere. */
  readonly hasRoles: boolean;
}

/** @param isPrincipal whether a text is the principal ID of the identity. */
export function granted(picture: Picture, isPrincipal: (text: string) => Answer, grant: Grant): GrantResult {
  const own = picture.of('roleAssignment').flatMap((assignment) => {
    const principal = assignment.text('principal');
    const isOwn = principal === undefined ? 'unknown' : isPrincipal(principal);
    return isOwn === 'no' ? [] : [{ assignment, isOwn }];
  });
  const judged = own.map(({ assignment, isOwn }) => ({
    assignment,
    isOwn,
    answer: both(isOwn, both(allows(picture, assignment, grant), isAt(picture, assignment, grant.on))),
  }));
  const by = (answer: Answer) => judged.filter((each) => each.answer === answer);
  const hasRoles = own.some(({ isOwn }) => isOwn === 'yes');
  for (const answer of ['yes', 'unknown'] as const)
    if (by(answer).length > 0) return { answer, evidence: evidenceOf(by(answer).slice(0, 3)), hasRoles };
  return { answer: 'no', evidence: evidenceOf(by('no').slice(0, 5)), hasRoles };
}

// ---------------------------------------------------------------------------------------------------------------

function evidenceOf(list: readonly { readonly assignment: AzureObject }[]): readonly Evidence[] {
  return list.flatMap(({ assignment }) => [
    assignment.seen(assignment.field('role') === undefined ? 'roleId' : 'role'),
    assignment.seen('scope'),
  ]);
}

function both(left: Answer, right: Answer): Answer {
  if (left === 'no' || right === 'no') return 'no';
  return left === 'unknown' || right === 'unknown' ? 'unknown' : 'yes';
}

function isAt(picture: Picture, assignment: AzureObject, id: string): Answer {
  const scope = assignment.text('scope');
  return scope === undefined ? 'unknown' : covers(picture.expand(scope), id);
}

function allows(
  picture: Picture,
  assignment: AzureObject,
  { actions = [], dataActions = [] }: Grant,
): Answer {
  const role = roleOf(picture, assignment);
  if (role === undefined) return 'unknown';
  const has = (list: readonly string[] = [], wanted: readonly string[]) =>
    wanted.every((action) => list.some((pattern) => matches(pattern, action)));
  return has(role.actions, actions) && has(role.dataActions, dataActions) ? 'yes' : 'no';
}

/** Undefined: a role whose actions are not known. */
function roleOf(
  picture: Picture,
  assignment: AzureObject,
): { readonly actions: readonly string[]; readonly dataActions?: readonly string[] } | undefined {
  const name = assignment.field('role') === undefined ? undefined : assignment.text('role');
  const id = assignment.field('roleId') === undefined ? undefined : assignment.text('roleId');
  const builtin = BUILTIN_ROLES.find(
    (role) => role.name.toLowerCase() === name?.toLowerCase() || (id ?? '').toLowerCase().endsWith(role.guid),
  );
  if (builtin !== undefined) return builtin;
  const custom = picture.of('roleDefinition').find((definition) => {
    const own = definition.text('name');
    const named = id !== undefined && hasSymbol(id) ? picture.named(id)?.object : undefined;
    return (
      (name !== undefined && own === name) ||
      named === definition ||
      (id !== undefined && definition.text('id') === id)
    );
  });
  const actions = itemsAt(custom?.field('actions')).map(symbolOf);
  return custom === undefined || actions.some((action) => action === undefined)
    ? undefined
    : { actions: actions.filter((action) => action !== undefined) };
}

/** `*` stands for any text. */
function matches(pattern: string, action: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(action);
}
