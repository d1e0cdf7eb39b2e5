/** The facts of a topology refusal: the counts per domain, and the domains that pod and node allow. */
import { hasBit, members } from '../bits.ts';
import type { Refusal } from '../refusal.ts';
import { byCodeUnit, type Requirement } from '../requirements/algebra.ts';
import { requirementText } from '../requirements/text.ts';
import type { GroupKind, TopologyGroup } from '../topology/group.ts';
import type { Run } from './run.ts';

type TopologyRefusal = Extract<Refusal, { code: 'TopologyUnsatisfiable' }>;

export function topologyRefusal(
  run: Run,
  group: TopologyGroup,
  podDomains: Requirement | undefined,
  nodeDomains: Requirement | undefined,
): TopologyRefusal {
  const { algebra } = run.compiled;
  const { kind, key, maxSkew, minDomains, selector, host } = group.spec;
  const text = (requirement: Requirement | undefined) =>
    requirementText(algebra, requirement ?? algebra.exists(key));
  return {
    code: 'TopologyUnsatisfiable',
    kind: KINDS[kind],
    key: algebra.labels.keyName(key),
    maxSkew: kind === 'spread' ? maxSkew : null,
    minDomains,
    selector: selector.key,
    counts: host ? hostCounts(run, group) : domainCounts(run, group),
    podDomains: text(podDomains),
    nodeDomains: host ? algebra.labels.keyName(key) : text(nodeDomains),
  };
}

// ---------------------------------------------------------------------------------------------------------------

const KINDS: Readonly<Record<GroupKind, TopologyRefusal['kind']>> = {
  spread: 'topology spread',
  affinity: 'pod affinity',
  anti: 'pod anti-affinity',
  inverse: 'pod anti-affinity of another pod',
};

/** The same number as in upstream. */
const MAX_COUNTS = 25;

function domainCounts(run: Run, group: TopologyGroup): Record<string, number> {
  const { labels } = run.compiled.algebra;
  const entries = members(group.known).map(
    (value) =>
      [labels.valueName(group.spec.key, value), group.count(value) + group.leavingCount(value)] as const,
  );
  entries.sort(([first], [second]) => byCodeUnit(first, second));
  return Object.fromEntries(entries.slice(0, MAX_COUNTS));
}

function hostCounts(run: Run, group: TopologyGroup): Record<string, number> {
  const entries: [string, number][] = [];
  for (const node of run.compiled.nodes.all) {
    if (entries.length >= MAX_COUNTS) break;
    if (hasBit(group.hostsInUse, node.index)) entries.push([node.name, group.hostCount(node.index)]);
  }
  for (let claim = 0; claim < run.claims.count && entries.length < MAX_COUNTS; claim++) {
    const count = group.hostCount(run.hostOfClaim(claim));
    if (count > 0) entries.push([`${run.claims.states[claim]!.pool.name}-${claim + 1}`, count]);
  }
  return Object.fromEntries(entries);
}
