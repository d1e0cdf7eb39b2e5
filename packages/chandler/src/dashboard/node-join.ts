/**
 * Which Node and NodeClaim belong together, kept up to date one object at a time: a change of one object makes the rows of
 * its machine anew, and no others. The same as `joinNodes` of `state/`, which joins all at once.
 */
import type { Node, Store, StoreChange, Stored } from '@chandler/kube';
import type { NodeClaim } from '../api/index.ts';
import { type ClusterNode, joinNode } from '../state/index.ts';

export class NodeJoin {
  readonly #nodes: Pick<Store<Node>, 'get'>;
  readonly #claims: Pick<Store<NodeClaim>, 'get'>;
  readonly #nodeById = new Map<string, string>();
  readonly #claimById = new Map<string, string>();
  readonly #claimByNode = new Map<string, string>();

  constructor(nodes: Pick<Store<Node>, 'get'>, claims: Pick<Store<NodeClaim>, 'get'>) {
    this.#nodes = nodes;
    this.#claims = claims;
  }

  /** @returns the names of the rows that it may have changed. */
  nodeChanged({ type, object, before }: StoreChange<Node>): readonly string[] {
    const names = [object.metadata.name];
    const note = (node: Stored<Node>) => {
      const claim = this.#claimOf(node);
      if (claim !== undefined) names.push(claim.metadata.name);
    };
    if (before !== undefined) {
      note(before);
      forget(this.#nodeById, before.spec?.providerID, before.metadata.name);
    }
    if (type !== 'deleted') {
      keep(this.#nodeById, object.spec?.providerID, object.metadata.name);
      note(object);
    }
    return names;
  }

  /** @returns the names of the rows that it may have changed. */
  claimChanged({ type, object, before }: StoreChange<NodeClaim>): readonly string[] {
    const names = [object.metadata.name];
    const note = (claim: Stored<NodeClaim>) => {
      const node = this.#nodeOf(claim);
      if (node !== undefined) names.push(node.metadata.name);
    };
    if (before !== undefined) {
      note(before);
      forget(this.#claimById, before.status?.providerID, before.metadata.name);
      forget(this.#claimByNode, before.status?.nodeName, before.metadata.name);
    }
    if (type !== 'deleted') {
      keep(this.#claimById, object.status?.providerID, object.metadata.name);
      keep(this.#claimByNode, object.status?.nodeName, object.metadata.name);
      note(object);
    }
    return names;
  }

  /** The names that the row of a claim may have. */
  namesOf(claim: Stored<NodeClaim>): readonly string[] {
    const node = this.#nodeOf(claim);
    return node === undefined ? [claim.metadata.name] : [node.metadata.name];
  }

  /** The machine with this name of a row: a Node, or a claim without one. Undefined: there is none. */
  named(name: string): ClusterNode | undefined {
    const node = this.#nodes.get({ name });
    if (node !== undefined) return joinNode(node, this.#claimOf(node));
    const claim = this.#claims.get({ name });
    if (claim === undefined) return undefined;
    const own = this.#nodeOf(claim);
    return own !== undefined && this.#claimOf(own) === claim ? undefined : joinNode(undefined, claim);
  }

  #claimOf(node: Stored<Node>): Stored<NodeClaim> | undefined {
    const name =
      this.#claimById.get(node.spec?.providerID ?? '') ?? this.#claimByNode.get(node.metadata.name);
    const claim = name === undefined ? undefined : this.#claims.get({ name });
    // A claim has one Node.
    return claim === undefined || (this.#nodeOf(claim) ?? node).metadata.name !== node.metadata.name
      ? undefined
      : claim;
  }

  #nodeOf(claim: Stored<NodeClaim>): Stored<Node> | undefined {
    const name = this.#nodeById.get(claim.status?.providerID ?? '') ?? claim.status?.nodeName ?? '';
    return name === '' ? undefined : this.#nodes.get({ name });
  }
}

// ---------------------------------------------------------------------------------------------------

function keep(index: Map<string, string>, key: string | undefined, name: string): void {
  if (key !== undefined && key !== '') index.set(key, name);
}

function forget(index: Map<string, string>, key: string | undefined, name: string): void {
  if (key !== undefined && index.get(key) === name) index.delete(key);
}
