/**
 * Which nodes take part in a spread: kube-scheduler counts a node only if it has the labels of all hard spreads of the pod,
 * and if it passes the node affinity and the taints that the spread honors. Whether a new node does may be open, as long
 * as it can become one of several types.
 */
import { andInto, type Bits, fullBits, hasBit } from '../bits.ts';
import type { Algebra } from '../requirements/algebra.ts';
import { untoleratedHardTaint } from '../taints.ts';
import type { NodeFilter, Part, TopologyGroup } from '../topology/group.ts';
import type { NodeTable } from './nodes.ts';
import { surelyHasLabel, surelyMeets, surelyMisses } from './state-domains.ts';
import type { State } from './states.ts';

export class Participation {
  readonly #algebra: Algebra;
  readonly #nodes: NodeTable;
  readonly #byGroup = new Map<TopologyGroup, Bits>();

  constructor(algebra: Algebra, nodes: NodeTable) {
    this.#algebra = algebra;
    this.#nodes = nodes;
  }

  hasNode(group: TopologyGroup, node: number): boolean {
    const takingPart = this.nodes(group);
    return takingPart === undefined || hasBit(takingPart, node);
  }

  /** Nodes that take part in the group; undefined: all. */
  nodes(group: TopologyGroup): Bits | undefined {
    const { filter } = group.spec;
    if (filter === undefined || admitsAll(filter)) return undefined;
    let bits = this.#byGroup.get(group);
    if (bits === undefined) {
      bits = this.#nodesMeeting(filter);
      this.#byGroup.set(group, bits);
    }
    return bits;
  }

  ofState(group: TopologyGroup, state: State): Part {
    const { filter } = group.spec;
    if (filter === undefined || admitsAll(filter)) return 'in';
    let part = group.statesIn[state.id];
    if (part === undefined) {
      part = this.#partOf(filter, state);
      group.statesIn[state.id] = part;
    }
    return part;
  }

  #partOf({ terms, tolerations, keys }: NodeFilter, state: State): Part {
    const algebra = this.#algebra;
    if (tolerations !== undefined && untoleratedHardTaint(state.pool.taints, tolerations) !== undefined)
      return 'out';
    if (!keys.every((key) => surelyHasLabel(algebra, state, key))) return 'out';
    if (terms.length === 0 || surelyMeets(algebra, state, terms)) return 'in';
    return surelyMisses(algebra, state, terms) ? 'out' : 'open';
  }

  #nodesMeeting({ terms, tolerations, keys }: NodeFilter): Bits {
    const nodes = this.#nodes;
    const result = fullBits(nodes.all.length);
    if (tolerations !== undefined) andInto(result, nodes.toleratingHard(tolerations));
    for (const key of keys) andInto(result, nodes.meeting(this.#algebra.exists(key)));
    if (terms.length === 0) return result;
    const sets = terms.map((set) => nodes.meetingAll(set));
    for (let word = 0; word < result.length; word++) {
      let matching = 0;
      for (const set of sets) matching |= set[word]!;
      result[word]! &= matching;
    }
    return result;
  }
}

// ---------------------------------------------------------------------------------------------------------------

function admitsAll({ terms, tolerations, keys }: NodeFilter): boolean {
  return terms.length === 0 && tolerations === undefined && keys.length === 0;
}
