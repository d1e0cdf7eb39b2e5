/**
 * The domains of a spread in which a new node could be that takes part in it. kube-scheduler counts domains of nodes: one
 * that has no node, and can get none, does not hold the minimum at zero. minValues is not asked: a node for other pods may
 * end up there, if its claim is open to several domains.
 */
import type { Algebra, RequirementSet } from '../requirements/algebra.ts';
import { untoleratedHardTaint } from '../taints.ts';
import type { NodeFilter, TopologyGroup } from '../topology/group.ts';
import { mayHaveLabel } from './state-domains.ts';
import type { State, StateTable } from './states.ts';

export interface NewNodes {
  readonly algebra: Algebra;
  readonly states: StateTable;
  /** By pool: a new node of it; null when there can be none. */
  readonly templates: readonly (State | null)[];
  /** Whether a pod to place excludes values of a label. */
  readonly isAvoided: (key: number) => boolean;
}

/**
 * Whether a new node may have the label: from its NodePool or type, or because a pod to place excludes some of its
 * values, and the node then gets another one.
 */
export function mayGetLabel(
  { isAvoided }: Pick<NewNodes, 'isAvoided'>,
  template: State,
  key: number,
): boolean {
  return mayHaveLabel(template, key) || (template.requirements[key] === undefined && isAvoided(key));
}

/** @param value a domain of the group. */
export function canReach(newNodes: NewNodes, group: TopologyGroup, value: number): boolean {
  const { algebra, states, templates } = newNodes;
  const domain = algebra.exactly(group.spec.key, value);
  const { filter } = group.spec;
  const terms = filter === undefined || filter.terms.length === 0 ? [algebra.emptySet] : filter.terms;
  const isReached = (template: State, term: RequirementSet) => {
    const state = states.meet(template, term);
    return state !== null && states.meetOne(state, domain) !== null;
  };
  return templates.some(
    (template) =>
      template !== null &&
      mayTakePart(newNodes, template, filter) &&
      terms.some((term) => isReached(template, term)),
  );
}

// ---------------------------------------------------------------------------------------------------------------

/** Whether taints and labels allow it; the terms are another matter. */
function mayTakePart(newNodes: NewNodes, template: State, filter: NodeFilter | undefined): boolean {
  if (filter === undefined) return true;
  const { tolerations, keys } = filter;
  if (tolerations !== undefined && untoleratedHardTaint(template.pool.taints, tolerations) !== undefined)
    return false;
  return keys.every((key) => mayGetLabel(newNodes, template, key));
}
