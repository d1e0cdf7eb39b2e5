/**
 * How many preferences a plan does not satisfy, by where its pods finally run: preferred terms, soft spreads and soft
 * taints, each checked as if it were required.
 */
import type { Plan, Pod, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { keepsOff, wantsNode } from '../scheduling/check-node-fit.ts';
import { finalNodes } from '../scheduling/check-plan.ts';
import { checkTopology } from '../scheduling/check-topology.ts';
import type { FinalNode } from '../scheduling/final-nodes.ts';

export function missedPreferences(input: SchedulingInput, plan: Plan): number {
  if (input.options?.preferencePolicy === 'Ignore') return 0;
  const nodes = finalNodes(input, plan);
  const placed = nodes.flatMap((node) => node.placed.map((pod) => ({ node, pod })));
  const ofNodes = placed.reduce((sum, { pod, node }) => sum + missedOnNode(pod, node), 0);
  return ofNodes + (input.pods.some(hasSoftTopology) ? missedTopology(input, nodes) : 0);
}

// ---------------------------------------------------------------------------------------------------

function missedOnNode(pod: Pod, { labels, taints }: FinalNode): number {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = preferred.filter(({ preference }) => {
    const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [preference] } };
    return !wantsNode({ ...pod, spec: { containers: [], affinity: { nodeAffinity: required } } }, labels);
  });
  const soft = taints.filter(
    (taint) =>
      taint.effect === 'PreferNoSchedule' &&
      keepsOff({ ...taint, effect: 'NoSchedule' }, pod.spec.tolerations ?? []),
  );
  return terms.length + soft.length;
}

function hasSoftTopology({ spec }: Pod): boolean {
  return (
    JSON.stringify([spec.affinity, spec.topologySpreadConstraints]).match(
      /ScheduleAnyway|podAffinityTerm/,
    ) !== null
  );
}

function missedTopology(input: SchedulingInput, nodes: readonly FinalNode[]): number {
  const hardened = new Map(input.pods.map((pod) => [pod, harden(pod)]));
  const strict = nodes.map((node) => ({ ...node, placed: node.placed.map((pod) => hardened.get(pod)!) }));
  return checkTopology(input, strict).length;
}

/** The pod with its preferences about other pods in place of its requirements. */
function harden(pod: Pod): Pod {
  const { topologySpreadConstraints = [], affinity = {}, ...spec } = pod.spec;
  const near = affinity.podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const away = affinity.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const terms = (list: typeof near) => ({
    requiredDuringSchedulingIgnoredDuringExecution: list.map(({ podAffinityTerm }) => podAffinityTerm),
  });
  return {
    ...pod,
    spec: {
      ...spec,
      affinity: {
        ...(affinity.nodeAffinity ? { nodeAffinity: affinity.nodeAffinity } : {}),
        podAffinity: terms(near),
        podAntiAffinity: terms(away),
      },
      topologySpreadConstraints: topologySpreadConstraints
        .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
        .map((constraint) => ({ ...constraint, whenUnsatisfiable: 'DoNotSchedule' })),
    },
  };
}
