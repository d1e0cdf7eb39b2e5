/**
 * Who may do what: grants of actions on scopes, as role assignments give them. Where assignments come from (options,
 * the authorization provider) is not known here.
 */
import { WithheldActions } from '../../withheld-actions.ts';
import type { ArmRequest, Principal } from './arm-request.ts';
import { authorizationFailed, linkedAuthorizationFailed } from './errors.ts';

export interface Grant {
  /** The role assignment's id, or any other unique text. */
  readonly id: string;
  /** Object id. */
  readonly principalId: string;
  /** `/subscriptions/…`, a deeper id or a management group; it holds for everything below. `/` is everything. */
  readonly scope: string;
  /** With `*` for any run of characters, in any case. */
  readonly actions: readonly string[];
  readonly notActions?: readonly string[];
  readonly dataActions?: readonly string[];
  readonly notDataActions?: readonly string[];
}

export class Access {
  readonly #grants = new Map<string, Grant>();
  /** By object id in lower case: actions that no grant of this principal gives. */
  readonly #withheld = new WithheldActions();
  /** Lists of a subscription that ARM returns to every caller with a role anywhere in it. */
  openLists: readonly string[] = [];
  /** What was asked before, until a grant changes: the same few questions come again and again. */
  readonly #known = new Map<string, boolean>();

  grant(grant: Grant): void {
    this.#grants.set(grant.id.toLowerCase(), grant);
    this.#known.clear();
  }

  revoke(id: string): boolean {
    this.#known.clear();
    return this.#grants.delete(id.toLowerCase());
  }

  grants(): readonly Grant[] {
    return [...this.#grants.values()];
  }

  /** As if no role of the principal had this action (`*` is any run of characters); the returned function ends it. */
  withhold(principalId: string, action: string): () => void {
    return this.#withheld.add(principalId.toLowerCase(), action);
  }

  allowed(principalId: string, action: string, scope: string): boolean {
    return this.#decide('action', principalId, action, scope);
  }

  /** Data actions, such as `Microsoft.KeyVault/vaults/keys/wrap/action`. */
  allowedData(principalId: string, action: string, scope: string): boolean {
    return this.#decide('data', principalId, action, scope);
  }

  /** Throws `AuthorizationFailed`. */
  require(principal: Principal, action: string, scope: string): void {
    if (this.allowed(principal.objectId, action, scope)) return;
    throw authorizationFailed(principal.clientId, principal.objectId, action, scope);
  }

  /** Throws `LinkedAuthorizationFailed`: a call on one resource that uses another. */
  requireLinked(request: ArmRequest, action: string, linkedAction: string, linkedScope: string): void {
    const { principal } = request;
    if (principal === undefined || this.allowed(principal.objectId, linkedAction, linkedScope)) return;
    throw linkedAuthorizationFailed(principal, action, request.path, linkedAction, linkedScope);
  }

  #decide(kind: 'action' | 'data', principalId: string, action: string, scope: string): boolean {
    const id = principalId.toLowerCase();
    if (matchesAny(this.#withheld.of(id), action)) return false;
    const own = [...this.#grants.values()].filter((grant) => grant.principalId.toLowerCase() === id);
    const grants = own.filter((grant) => covers(grant.scope, scope));
    if (kind === 'action' && own.length > grants.length && this.#isOpenList(own, action, scope)) return true;
    const key = `${kind} ${action.toLowerCase()} ${grants.map((grant) => grant.id).join(' ')}`;
    let answer = this.#known.get(key);
    if (answer === undefined) {
      answer = grants.some((grant) =>
        kind === 'action'
          ? matchesAny(grant.actions, action) && !matchesAny(grant.notActions, action)
          : matchesAny(grant.dataActions, action) && !matchesAny(grant.notDataActions, action),
      );
      if (this.#known.size >= KNOWN_LIMIT) this.#known.clear();
      this.#known.set(key, answer);
    }
    return answer;
  }

  #isOpenList(own: readonly Grant[], action: string, scope: string): boolean {
    const subscription = /^\/subscriptions\/[^/]+/i.exec(scope)?.[0];
    if (subscription === undefined || !matchesAny(this.openLists, action)) return false;
    return own.some((grant) => covers(subscription, grant.scope));
  }
}

/** At the scope or above it. Every subscription of the tenant is in every management group. */
export function covers(granted: string, scope: string): boolean {
  const above = granted.toLowerCase().replace(/\/+$/, '');
  const below = scope.toLowerCase();
  if (above === '' || below === above || below.startsWith(`${above}/`)) return true;
  return MANAGEMENT_GROUP.test(above) && below.startsWith('/subscriptions/');
}

// ---------------------------------------------------------------------------------------------------

const KNOWN_LIMIT = 5000;
const MANAGEMENT_GROUP = /^\/providers\/microsoft\.management\/managementgroups\/[^/]+$/;

function matchesAny(patterns: readonly string[] | undefined, action: string): boolean {
  return patterns?.some((pattern) => pattern === '*' || wildcard(pattern).test(action)) ?? false;
}

function wildcard(pattern: string): RegExp {
  const escaped = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${escaped.join('.*')}$`, 'i');
}
