/**
 * Finds the route of a path. Literal parts match in any case, as in ARM; a literal wins over a name. If there is no route,
 * the error says why: unknown namespace, unknown type, wrong method.
 */
import type { ArmRoute, Method } from './arm-request.ts';
import {
  type ArmError,
  invalidResourceNamespace,
  invalidResourceType,
  methodNotAllowed,
  notFound,
} from './errors.ts';

export interface Match {
  readonly route: ArmRoute;
  readonly params: Readonly<Record<string, string>>;
  /** The implied action: `Microsoft.Compute/virtualMachines/write`. */
  readonly action: string;
  /** The type that the path addresses: `Microsoft.Compute/virtualMachines`; empty outside of providers. */
  readonly type: string;
}

interface Entry {
  readonly route: ArmRoute;
  readonly names: readonly string[];
  readonly action: string;
  readonly type: string;
}

interface Branch {
  readonly literals: Map<string, Branch>;
  any?: Branch;
  readonly entries: Map<Method, Entry>;
}

export class Router {
  readonly #root = newBranch();
  readonly #namespaces = new Set<string>();

  register(routes: readonly ArmRoute[]): void {
    for (const route of routes) this.#add(route);
  }

  /** Throws `ArmError` when nothing matches. */
  match(method: Method, path: string): Match {
    const parts = path.split('/').filter((part) => part !== '');
    const values: string[] = [];
    const branch = find(this.#root, parts, 0, values);
    if (branch === undefined) throw this.#unknown(parts);
    const entry = branch.entries.get(method) ?? (method === 'HEAD' ? branch.entries.get('GET') : undefined);
    if (entry === undefined) throw methodNotAllowed(method);
    const params: Record<string, string> = {};
    entry.names.forEach((name, at) => {
      params[name] = values[at]!;
    });
    return { route: entry.route, params, action: entry.route.action ?? entry.action, type: entry.type };
  }

  #add(route: ArmRoute): void {
    const parts = route.pattern.split('/').filter((part) => part !== '');
    const names: string[] = [];
    let branch = this.#root;
    for (const part of parts) {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) {
        const literal = part.toLowerCase();
        let next = branch.literals.get(literal);
        if (next === undefined) {
          next = newBranch();
          branch.literals.set(literal, next);
        }
        branch = next;
      } else {
        names.push(name);
        branch.any ??= newBranch();
        branch = branch.any;
      }
    }
    if (branch.entries.has(route.method)) throw new Error(`two routes for ${route.method} ${route.pattern}`);
    const { action, type } = actionOf(route.method, parts);
    branch.entries.set(route.method, { route, names, action, type });
    const namespace = type.split('/')[0];
    if (namespace?.includes('.')) this.#namespaces.add(namespace.toLowerCase());
  }

  #unknown(parts: readonly string[]): ArmError {
    const at = parts.findLastIndex((part) => part.toLowerCase() === 'providers');
    const namespace = parts[at + 1];
    if (at < 0 || namespace === undefined) return notFound();
    if (!this.#namespaces.has(namespace.toLowerCase())) return invalidResourceNamespace(namespace);
    const types = parts.slice(at + 2).filter((_, index) => index % 2 === 0);
    return invalidResourceType(types.join('/'), namespace, '');
  }
}

// ---------------------------------------------------------------------------------------------------

const VERBS: Readonly<Record<Method, string>> = {
  GET: 'read',
  HEAD: 'read',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'delete',
  POST: 'action',
};

function newBranch(): Branch {
  return { literals: new Map(), entries: new Map() };
}

/** Depth first, so that a literal without a match does not hide a name with one. */
function find(branch: Branch, parts: readonly string[], at: number, values: string[]): Branch | undefined {
  if (at === parts.length) return branch.entries.size > 0 ? branch : undefined;
  const part = parts[at]!;
  const literal = branch.literals.get(part.toLowerCase());
  const found = literal && find(literal, parts, at + 1, values);
  if (found !== undefined) return found;
  if (branch.any === undefined) return undefined;
  values.push(part);
  const named = find(branch.any, parts, at + 1, values);
  if (named === undefined) values.pop();
  return named;
}

/** `…/providers/Microsoft.Compute/virtualMachines/{n}/start` with POST is `Microsoft.Compute/virtualMachines/start/action`. */
function actionOf(method: Method, parts: readonly string[]): { action: string; type: string } {
  const at = parts.findLastIndex((part) => part.toLowerCase() === 'providers');
  const rest = at < 0 ? parts : parts.slice(at + 1);
  const literals = rest.filter((part) => !part.startsWith('{'));
  const path = at < 0 ? groupPath(parts) : literals.join('/');
  const type = method === 'POST' ? literals.slice(0, -1).join('/') : literals.join('/');
  return { action: `${path}/${VERBS[method]}`, type: at < 0 ? '' : type };
}

function groupPath(parts: readonly string[]): string {
  const isGroup = parts.some((part) => part.toLowerCase() === 'resourcegroups');
  return isGroup ? 'Microsoft.Resources/subscriptions/resourceGroups' : 'Microsoft.Resources/subscriptions';
}
