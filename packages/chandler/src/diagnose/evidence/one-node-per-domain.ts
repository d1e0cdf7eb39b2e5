/**
 * A cluster as rules about other pods see it: nodes that no rule tells apart become one, with the pods of all of them. A
 * large cluster then costs no more than a small one. Rules by host name tell all nodes apart.
 */
import { KubernetesLabel, normalizeLabel } from '../../api/index.ts';
import type { ExistingNode, Pod, SchedulingInput } from '../../scheduling/index.ts';

import type { PodShape } from './shapes.ts';

export type CountedPods = Pick<SchedulingInput, 'nodes' | 'boundPods'>;

/**
 * @param rules the topology keys of the rules of the pod.
 * @param whole the nodes without capacity, and the pods on them.
 */
export function oneNodePerDomain(
  pod: PodShape,
  rules: readonly string[],
  whole: Required<CountedPods>,
): CountedPods {
  const keys = new Set([...rules, ...whole.boundPods.flatMap((each) => antiAffinityKeys(each))]);
  if (keys.has(KubernetesLabel.hostname) || hasMatchFields(pod)) return whole;
  for (const key of selectedKeys(pod)) keys.add(key);
  const names = [...keys].flatMap((key) => [key, normalizeLabel(key)]);
  const first = new Map<string, ExistingNode>();
  const standsFor = new Map<string, string>();
  for (const node of whole.nodes) {
    const alike = JSON.stringify([names.map((name) => node.labels?.[name] ?? null), node.taints]);
    const same = first.get(alike) ?? node;
    first.set(alike, same);
    standsFor.set(node.name, same.name);
  }
  return {
    nodes: [...first.values()],
    boundPods: whole.boundPods.map((each) => {
      const nodeName = standsFor.get(each.spec.nodeName ?? '');
      return nodeName === each.spec.nodeName ? each : ({ ...each, spec: { ...each.spec, nodeName } } as Pod);
    }),
  };
}

/** The labels that the pod requires of its node. */
export function selectedKeys(pod: PodShape): readonly string[] {
  const expressions = nodeTerms(pod).flatMap(({ matchExpressions = [] }) => matchExpressions);
  return [...Object.keys(pod.spec.nodeSelector ?? {}), ...expressions.map(({ key }) => key)];
}

// ---------------------------------------------------------------------------------------------------

/** Of pods that run: where they allow no other pod. By host name, only their own node, on which no pod is planned. */
function antiAffinityKeys({ spec }: Pod): readonly string[] {
  const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.map(({ topologyKey }) => topologyKey).filter((key) => key !== KubernetesLabel.hostname);
}

function nodeTerms({ spec }: PodShape) {
  return spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

function hasMatchFields(pod: PodShape): boolean {
  return nodeTerms(pod).some(({ matchFields = [] }) => matchFields.length > 0);
}
