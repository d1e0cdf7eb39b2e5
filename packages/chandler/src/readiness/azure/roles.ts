/** Whether an identity has a role that allows something at a scope, as far as role assignments of a picture tell. */
import { BUILTIN_ROLES } from '../../arm/index.ts';
import type { Evidence } from '../model/finding.ts';
import { find, itemsAt, type Tree } from '../model/tree.ts';
import type { AzureObject } from './objects.ts';
import type { Picture } from './picture.ts';
import { ANY, type Answer, covers, hasSymbol, symbolOf } from './symbols.ts';

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
  /** The subscription of what it is needed on, where its roles were not read. */
  readonly unread?: string;
}

/**
 * Roles add up: one may allow what another does not.
 * @param isPrincipal whether a text is the principal ID of the identity.
 */
export function granted(picture: Picture, isPrincipal: (text: string) => Answer, grant: Grant): GrantResult {
  const wanted = [
    ...(grant.actions ?? []).map((action): Wanted => ({ action, isData: false })),
    ...(grant.dataActions ?? []).map((action): Wanted => ({ action, isData: true })),
  ];
  const judged = picture.of('roleAssignment').flatMap((assignment) => {
    const principal = assignment.text('principal');
    const isOwn = principal === undefined ? 'unknown' : isPrincipal(principal);
    if (isOwn === 'no') return [];
    const counts = both(isOwn, isAt(picture, assignment, grant.on));
    const role = roleOf(picture, assignment);
    return [{ assignment, isOwn, answers: wanted.map((each) => both(counts, allows(role, each))) }];
  });
  const answer = wanted
    .map((_, index) => any(judged.map(({ answers }) => answers[index]!)))
    .reduce(both, 'yes');
  const hasRoles = judged.some(({ isOwn }) => isOwn === 'yes');
  if (answer === 'no') {
    const unread = unreadSubscription(picture, grant.on);
    const evidence = evidenceOf(judged.slice(0, 5));
    return unread === undefined
      ? { answer, evidence, hasRoles }
      : { answer: 'unknown', evidence, hasRoles, unread };
  }
  const alone = judged.filter(({ answers }) => answers.reduce(both, 'yes') === answer);
  const inPart = judged.filter(({ answers }) => answers.includes(answer));
  return { answer, evidence: evidenceOf((alone.length > 0 ? alone : inPart).slice(0, 3)), hasRoles };
}

// ---------------------------------------------------------------------------------------------------------------

interface Wanted {
  readonly action: string;
  readonly isData: boolean;
}

/** What a role allows: patterns of actions without those that are excluded. Undefined in a list: not known. */
interface Permission {
  readonly actions?: Patterns;
  readonly notActions?: Patterns;
  readonly dataActions?: Patterns;
  readonly notDataActions?: Patterns;
}

type Patterns = readonly (string | undefined)[];

/** Of a live picture: only roles of the subscription of the cluster, and those above it, are read. */
function unreadSubscription(picture: Picture, id: string): string | undefined {
  if (picture.source !== 'live') return undefined;
  const own = subscriptionOf(id);
  if (own === undefined || own === ANY) return undefined;
  const read = picture.of('cluster').map((cluster) => subscriptionOf(picture.idOf(cluster)));
  return read.includes(own) ? undefined : own;
}

function subscriptionOf(id: string): string | undefined {
  return /^\/subscriptions\/([^/]+)/i.exec(id)?.[1]?.toLowerCase();
}

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

function any(answers: readonly Answer[]): Answer {
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

function isAt(picture: Picture, assignment: AzureObject, id: string): Answer {
  const scope = assignment.text('scope');
  return scope === undefined ? 'unknown' : covers(picture.expand(scope), id);
}

function allows(role: readonly Permission[] | undefined, { action, isData }: Wanted): Answer {
  if (role === undefined) return 'unknown';
  return any(
    role.map(({ actions, notActions, dataActions, notDataActions }) => {
      const [own, excluded] = isData ? [dataActions, notDataActions] : [actions, notActions];
      return both(has(own, action), not(has(excluded, action)));
    }),
  );
}

function has(patterns: Patterns = [], action: string): Answer {
  return any(
    patterns.map((pattern) =>
      pattern === undefined
        ? 'unknown'
        : matches(pattern, action)
          ? 'yes'
          : hasSymbol(pattern)
            ? 'unknown'
            : 'no',
    ),
  );
}

function not(answer: Answer): Answer {
  if (answer === 'unknown') return answer;
  return answer === 'yes' ? 'no' : 'yes';
}

/** Undefined: a role whose permissions are not known. */
function roleOf(picture: Picture, assignment: AzureObject): readonly Permission[] | undefined {
  const name = assignment.field('role') === undefined ? undefined : assignment.text('role');
  const id = assignment.field('roleId') === undefined ? undefined : assignment.text('roleId');
  const builtin = BUILTIN_ROLES.find(
    (role) => role.name.toLowerCase() === name?.toLowerCase() || (id ?? '').toLowerCase().endsWith(role.guid),
  );
  if (builtin !== undefined) return [builtin];
  const custom = picture.of('roleDefinition').find((definition) => {
    const own = definition.text('name');
    const named = id !== undefined && hasSymbol(id) ? picture.named(id)?.object : undefined;
    return (
      (name !== undefined && own === name) ||
      named === definition ||
      (id !== undefined && definition.text('id') === id)
    );
  });
  const permissions = custom?.field('permissions');
  if (custom === undefined || permissions?.kind === 'unknown') return undefined;
  return itemsAt(permissions).map((permission) => ({
    actions: patternsOf(permission, 'actions', 'actions'),
    notActions: patternsOf(permission, 'notActions', 'not_actions'),
    dataActions: patternsOf(permission, 'dataActions', 'data_actions'),
    notDataActions: patternsOf(permission, 'notDataActions', 'not_data_actions'),
  }));
}

/** By the name in ARM, or that in azurerm. */
function patternsOf(permission: Tree, arm: string, azurerm: string): Patterns {
  const list = find(permission, arm) ?? find(permission, azurerm);
  return list?.kind === 'unknown' ? [undefined] : itemsAt(list).map(symbolOf);
}

/** `*` stands for any text. */
function matches(pattern: string, action: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.\\+?^${}()|[\]]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'i').test(action);
}
