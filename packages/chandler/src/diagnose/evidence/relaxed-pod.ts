/** A pod with one thing less to ask for. Undefined: it does not ask for it, so that nothing would change. */
import type { Taint } from '@chandler/kube';
import { normalizeLabel } from '../../api/index.ts';
import type { Pod, Refusal } from '../../scheduling/index.ts';

import { claimNameOf, type PodShape } from './shapes.ts';

export function withToleration(pod: Pod, { key, effect }: Taint): Pod {
  const tolerations = [...(pod.spec.tolerations ?? []), { key, operator: 'Exists' as const, effect }];
  return { ...pod, spec: { ...pod.spec, tolerations } };
}

/** Without the label, under any of its names, in its selector and in all terms of its required node affinity. */
export function withoutLabel(pod: Pod, key: string): Pod | undefined {
  const { nodeSelector = {}, affinity = {} } = pod.spec;
  const required = affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  const isIt = (name: string) => normalizeLabel(name) === normalizeLabel(key);
  const isNamed = terms.some(({ matchExpressions = [] }) => matchExpressions.some((each) => isIt(each.key)));
  const selected = Object.fromEntries(Object.entries(nodeSelector).filter(([name]) => !isIt(name)));
  if (Object.keys(selected).length === Object.keys(nodeSelector).length && !isNamed) return undefined;
  const kept = terms.map((term) => ({
    ...term,
    matchExpressions: (term.matchExpressions ?? []).filter((each) => !isIt(each.key)),
  }));
  // A term without expressions selects nothing; one that was emptied here selects everything.
  const isOpen = kept.some(
    ({ matchExpressions, matchFields = [] }) => matchExpressions.length + matchFields.length === 0,
  );
  const nodeAffinity =
    required === undefined || isOpen
      ? {}
      : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: kept } };
  return {
    ...pod,
    spec: { ...pod.spec, nodeSelector: selected, affinity: { ...affinity, nodeAffinity } },
  } as Pod;
}

export function withoutResource(pod: Pod, resource: string): Pod | undefined {
  let found = false;
  const without = <T extends object>(amounts: T | undefined): T => {
    if (amounts === undefined || !Object.hasOwn(amounts, resource)) return amounts ?? ({} as T);
    found = true;
    return Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== resource)) as T;
  };
  const lighter = <C extends { readonly resources?: object }>(container: C): C => {
    const { requests, limits, ...rest } = (container.resources ?? {}) as Record<string, object>;
    return {
      ...container,
      resources: { ...rest, requests: without(requests), limits: without(limits) },
    };
  };
  const { containers, initContainers = [], overhead, resources, ...rest } = pod.spec as PodSpecWithAll;
  const spec = {
    ...rest,
    containers: containers.map(lighter),
    initContainers: initContainers.map(lighter),
    ...(overhead === undefined ? {} : { overhead: without(overhead) }),
    ...(resources === undefined ? {} : lighter({ resources })),
  };
  return found ? ({ ...pod, spec } as unknown as Pod) : undefined;
}

/** Of all its containers. */
export function requestedResources({ spec }: PodShape): readonly string[] {
  const all = [...spec.containers, ...(spec.initContainers ?? []), spec as { readonly resources?: object }];
  const names = all.flatMap(({ resources }) => {
    const { requests = {}, limits = {} } = (resources ?? {}) as Readonly<Record<string, object>>;
    return Object.keys({ ...limits, ...requests });
  });
  return [...new Set(names)];
}

/** Without each of these, as one of the functions here takes it away. */
export function without<P extends PodShape>(
  pod: P,
  all: readonly string[],
  take: (pod: Pod, one: string) => Pod | undefined,
): P {
  return all.reduce<Pod>((each, one) => take(each, one) ?? each, pod as unknown as Pod) as unknown as P;
}

/** @param claim `shop/data`. */
export function withoutVolumeOf<P extends PodShape>(pod: P, claim: string): P | undefined {
  const { namespace = '' } = pod.metadata;
  const volumes = (pod.spec.volumes ?? []).filter(
    (volume) => `${namespace}/${claimNameOf(pod, volume) ?? ''}` !== claim,
  );
  if (volumes.length === (pod.spec.volumes ?? []).length) return undefined;
  return { ...pod, spec: { ...pod.spec, volumes } };
}

export function withoutVolumes<P extends Pick<Pod, 'spec'>>(pod: P): P | undefined {
  if ((pod.spec.volumes ?? []).length === 0) return undefined;
  return { ...pod, spec: { ...pod.spec, volumes: [] } };
}

type TopologyKind = Extract<Refusal, { code: 'TopologyUnsatisfiable' }>['kind'];

export function withoutTopology(pod: Pod, kind: TopologyKind): Pod | undefined {
  const { topologySpreadConstraints = [], affinity = {} } = pod.spec;
  switch (kind) {
    case 'topology spread':
      if (topologySpreadConstraints.length === 0) return undefined;
      return { ...pod, spec: { ...pod.spec, topologySpreadConstraints: [] } };
    case 'pod affinity': {
      const { podAffinity, ...others } = affinity;
      return podAffinity === undefined ? undefined : { ...pod, spec: { ...pod.spec, affinity: others } };
    }
    case 'pod anti-affinity': {
      const { podAntiAffinity, ...others } = affinity;
      return podAntiAffinity === undefined ? undefined : { ...pod, spec: { ...pod.spec, affinity: others } };
    }
    default:
      return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------

type Container = { readonly resources?: object };

interface PodSpecWithAll {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly overhead?: object;
  readonly resources?: object;
}
