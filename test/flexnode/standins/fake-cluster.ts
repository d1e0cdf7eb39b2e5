/** A cluster side that is only a few maps: for steps, which do not care how a binding travels. */
import { FlexError } from '../../../packages/chandler/src/flexnode/index.ts';
import type {
  ClusterClient,
  ClusterCredential,
  NodeFacts,
} from '../../../packages/chandler/src/flexnode/testing.ts';

export class FakeCluster implements ClusterClient {
  version = 'v1.32.7';
  clientAuthority: string | undefined = 'PEM of the client authority';
  /** What an operation is refused for: `bindUser`, `deleteBinding`, … */
  readonly forbidden = new Set<string>();
  /** The API server cannot be used at all. */
  failing: FlexError | undefined;
  readonly bindings = new Map<string, { readonly clusterRole: string; readonly user: string }>();
  readonly nodes = new Map<string, NodeFacts>();
  readonly credentials: ClusterCredential[] = [];

  async serverVersion() {
    if (this.failing !== undefined) throw this.failing;
    this.#check('serverVersion');
    return this.version;
  }
  async whoAmI(...[, credential]: Parameters<ClusterClient['whoAmI']>) {
    this.credentials.push(credential);
    return { username: 'somebody', groups: [] };
  }
  async mayBind() {
    return this.forbidden.has('bindUser') ? ('no' as const) : ('yes' as const);
  }
  async bindUser(...[, credential, binding]: Parameters<ClusterClient['bindUser']>) {
    this.credentials.push(credential);
    this.#check('bindUser');
    this.bindings.set(binding.name, { clusterRole: binding.clusterRole, user: binding.user });
  }
  async binding(...[, , name]: Parameters<ClusterClient['binding']>) {
    this.#check('binding');
    return this.bindings.get(name);
  }
  async deleteBinding(...[, credential, name]: Parameters<ClusterClient['deleteBinding']>) {
    this.credentials.push(credential);
    this.#check('deleteBinding');
    return this.bindings.delete(name);
  }
  async clientCa() {
    this.#check('clientCa');
    return this.clientAuthority;
  }
  async node(...[, , name]: Parameters<ClusterClient['node']>) {
    this.#check('node');
    return this.nodes.get(name);
  }
  async labelNode() {
    this.#check('labelNode');
  }
  async deleteNode(...[, , name]: Parameters<ClusterClient['deleteNode']>) {
    this.#check('deleteNode');
    return this.nodes.delete(name);
  }

  #check(operation: string): void {
    if (!this.forbidden.has(operation)) return;
    const message = `the cluster refused to ${operation}: forbidden (HTTP 403)`;
    throw new FlexError({ class: 'auth', code: 'cluster.forbidden', message });
  }
}
