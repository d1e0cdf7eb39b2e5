/**
 * Impersonation: the Impersonate-* headers. Each mode is tried in turn; the constrained ones check whether the caller may
 * perform this one action on behalf of such a user, the last one is the unconstrained permission to impersonate.
 */
import { type ApiError, badRequest } from '../../errors.ts';
import type { UserInfo } from '../../resource.ts';
import {
  type Attributes,
  AUTHENTICATED,
  type Authorizer,
  denied,
  MASTERS,
  NODES,
  UNAUTHENTICATED,
} from './attributes.ts';

/** Header names in lower case; several values of one header as a list. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The effective user: the caller, or the user in the headers. Throws 400 for invalid headers
 * and 403 where the caller may not. `attributes` is the request as the caller would make it.
 */
export function effectiveUser(
  authorizer: Authorizer,
  headers: RequestHeaders,
  attributes: Attributes,
): UserInfo {
  const wanted = wantedUser(headers);
  if (wanted === undefined) return attributes.user;
  let firstRefusal: ApiError | undefined;
  for (const mode of MODES) {
    if (!mode.applies(wanted)) continue;
    const outcome = tryMode(mode, authorizer, wanted, attributes);
    if (!('refusal' in outcome)) return outcome.user;
    firstRefusal ??= outcome.refusal;
  }
  throw firstRefusal ?? badRequest('all impersonation modes failed');
}

// ---------------------------------------------------------------------------------------------------

interface WantedUser {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

interface Mode {
  /** Empty for the unconstrained permission. */
  readonly name: string;
  readonly applies: (wanted: WantedUser) => boolean;
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;
const NODE = /^system:node:([a-z0-9]([a-z0-9.-]*[a-z0-9])?)$/;
const AUTHENTICATION = 'authentication.k8s.io';
const EXTRA_PREFIX = 'impersonate-extra-';

const MODES: readonly Mode[] = [
  { name: 'arbitrary-node', applies: (wanted) => nameOnly(wanted) && NODE.test(wanted.username) },
  { name: 'serviceaccount', applies: (wanted) => nameOnly(wanted) && SERVICE_ACCOUNT.test(wanted.username) },
  { name: 'user-info', applies: ({ username }) => !NODE.test(username) && !SERVICE_ACCOUNT.test(username) },
  { name: '', applies: () => true },
];

function nameOnly(wanted: WantedUser): boolean {
  return wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
}

function wantedUser(headers: RequestHeaders): WantedUser | undefined {
  const username = valuesOf(headers, 'impersonate-user')[0] ?? '';
  const uid = valuesOf(headers, 'impersonate-uid')[0] ?? '';
  const groups = valuesOf(headers, 'impersonate-group');
  const extra: Record<string, readonly string[]> = {};
  for (const name of Object.keys(headers)) {
    if (name.startsWith(EXTRA_PREFIX))
      extra[decoded(name.slice(EXTRA_PREFIX.length))] = valuesOf(headers, name);
  }
  const wanted = { username, uid, groups, extra };
  if (username !== '') return wanted;
  if (nameOnly(wanted)) return undefined;
  throw badRequest(`requested ${goUser(wanted)} without impersonating a user name`);
}

function valuesOf(headers: RequestHeaders, name: string): readonly string[] {
  const value = headers[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function tryMode(
  mode: Mode,
  authorizer: Authorizer,
  wanted: WantedUser,
  attributes: Attributes,
): { user: UserInfo } | { refusal: ApiError } {
  for (const check of checksOf(mode, wanted, attributes)) {
    if ('refusal' in check) return check;
    const decision = authorizer.authorize(check);
    if (!decision.allowed) return { refusal: denied(check, decision.reason) };
  }
  return { user: impersonated(mode, wanted) };
}

/** Everything that the caller must be allowed to do, in the order of the checks. */
function* checksOf(
  mode: Mode,
  wanted: WantedUser,
  attributes: Attributes,
): Generator<Attributes | { refusal: ApiError }> {
  const constrained = mode.name !== '';
  if (constrained) yield { ...attributes, verb: `impersonate-on:${mode.name}:${attributes.verb}` };
  const asked = (group: string, resource: string, name: string, namespace = '', subresource = '') => ({
    user: attributes.user,
    verb: constrained ? `impersonate:${mode.name}` : 'impersonate',
    group,
    resource,
    subresource,
    namespace,
    name,
  });
  const nameGroup = constrained ? AUTHENTICATION : '';
  const node = constrained ? NODE.exec(wanted.username) : null;
  const account = SERVICE_ACCOUNT.exec(wanted.username);
  if (account !== null) yield asked(nameGroup, 'serviceaccounts', account[2]!, account[1]!);
  else if (node !== null) yield asked(nameGroup, 'nodes', node[1]!);
  else yield asked(nameGroup, 'users', wanted.username);
  if (wanted.uid !== '') yield asked(AUTHENTICATION, 'uids', wanted.uid);
  if (constrained && wanted.groups.includes(MASTERS)) {
    const check = asked(nameGroup, 'groups', MASTERS);
    yield { refusal: denied(check, 'impersonating the system:masters group is not allowed') };
  }
  for (const group of wanted.groups) yield asked(nameGroup, 'groups', group);
  for (const [key, values] of Object.entries(wanted.extra)) {
    for (const value of values) yield asked(AUTHENTICATION, 'userextras', value, '', key);
  }
}

function impersonated(mode: Mode, wanted: WantedUser): UserInfo {
  const account = SERVICE_ACCOUNT.exec(wanted.username);
  let groups: readonly string[] = wanted.groups;
  if (mode.name === 'arbitrary-node') groups = [NODES];
  else if (account !== null && groups.length === 0) {
    groups = ['system:serviceaccounts', `system:serviceaccounts:${account[1]}`];
  }
  if (wanted.username === 'system:anonymous') groups = withGroup(groups, UNAUTHENTICATED);
  else if (!groups.includes(UNAUTHENTICATED)) groups = withGroup(groups, AUTHENTICATED);
  return {
    username: wanted.username,
    ...(wanted.uid === '' ? {} : { uid: wanted.uid }),
    groups,
    ...(Object.keys(wanted.extra).length === 0 ? {} : { extra: wanted.extra }),
  };
}

function withGroup(groups: readonly string[], group: string): readonly string[] {
  return groups.includes(group) ? groups : [...groups, group];
}

/** As Go prints the structure: this text is part of the answer. */
function goUser(wanted: WantedUser): string {
  const list = (values: readonly string[]) => `{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  const groups = wanted.groups.length === 0 ? '[]string(nil)' : `[]string${list(wanted.groups)}`;
  const pairs = Object.keys(wanted.extra)
    .sort()
    .map((key) => `${JSON.stringify(key)}:[]string${list(wanted.extra[key]!)}`);
  const extra = pairs.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${pairs.join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${JSON.stringify(wanted.uid)}, Groups:${groups}, Extra:${extra}}`;
}
