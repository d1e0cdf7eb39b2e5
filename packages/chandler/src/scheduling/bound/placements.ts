/**
 * Turns pods into demands, and their node requirements into numbered placements. A placement is a set of
 * tolerations with the alternatives of node selector and required node affinity, one of which must hold.
 */
import { resizedContainers } from '@chandler/kube';
import type { Pod, Toleration } from '../model.ts';
import { readSpec } from '../pods/read-spec.ts';
import { SpecReader } from '../pods/spec-reader.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import { expand, type Resources } from '../resources.ts';
import { podKey } from '../shapes/named-pods.ts';
import type { Demand } from './bound-input.ts';

export interface Placement {
  readonly tolerations: readonly Toleration[];
  readonly alternatives: readonly RequirementSet[];
}

export interface PodDemands {
  readonly placements: readonly Placement[];
  readonly demands: readonly Demand[];
}

/** Invalid pods are skipped: no plan places them. */
export function readDemands(
  algebra: Algebra,
  resources: Resources,
  pods: readonly Pod[],
  except: ReadonlySet<string>,
): PodDemands {
  const reader = new SpecReader(algebra, resources);
  const shapes = new Map<string, CountedShape | undefined>();
  const numbers = new Map<string, number>();
  const placements: Placement[] = [];
  for (const pod of pods) {
    if (except.has(podKey(pod)) || 'code' in reader.read(pod).spec) continue;
    const relevant = relevantPart(pod);
    const key = JSON.stringify(relevant);
    const known = shapes.get(key);
    if (known !== undefined) known.count++;
    if (shapes.has(key)) continue;
    const read = readPod(algebra, resources, relevant);
    if (read === undefined) {
      shapes.set(key, undefined);
      continue;
    }
    const name = placementKey(read.placement);
    const number = numbers.get(name) ?? placements.length;
    if (number === placements.length) {
      numbers.set(name, number);
      placements.push(read.placement);
    }
    shapes.set(key, { count: 1, amounts: read.amounts, placement: number });
  }
  return { placements, demands: mergeEqual([...shapes.values()].filter((shape) => shape !== undefined)) };
}

/** The requirements and requests of one pod; undefined when it is invalid. */
export function readPod(
  algebra: Algebra,
  resources: Resources,
  pod: Pick<Pod, 'spec' | 'status'>,
): { placement: Placement; amounts: readonly number[] } | undefined {
  const read = readSpec(algebra, resources, pod);
  if ('code' in read) return undefined;
  const terms: readonly (readonly Requirement[])[] =
    read.requiredTerms.length === 0 ? [[]] : read.requiredTerms;
  return {
    placement: {
      tolerations: read.tolerations,
      alternatives: terms.map((term) => algebra.set([...read.nodeSelector, ...term])),
    },
    amounts: expand(read.requests),
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface CountedShape {
  count: number;
  readonly amounts: readonly number[];
  readonly placement: number;
}

/** The parts of a pod that the bound uses; other parts would split equal pods. */
function relevantPart(pod: Pod): Pick<Pod, 'spec' | 'status'> {
  const { containers, initContainers, overhead, resources, nodeSelector, tolerations, affinity } =
    pod.spec ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const resized = resizedContainers(containers ?? [], pod.status?.containerStatuses);
  const lean = (list: typeof containers) =>
    list?.map(({ name, resources: own, restartPolicy }) => ({
      ...(resized.length === 0 ? {} : { name }),
      resources: own,
      restartPolicy,
    }));
  return {
    spec: {
      containers: lean(containers) ?? [],
      ...(initContainers === undefined ? {} : { initContainers: lean(initContainers) }),
      ...(overhead === undefined ? {} : { overhead }),
      ...(resources === undefined ? {} : { resources }),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(tolerations === undefined ? {} : { tolerations }),
      ...(required === undefined
        ? {}
        : { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
    } as Pod['spec'],
    ...(resized.length === 0 ? {} : { status: { containerStatuses: resized } }),
  };
}

function placementKey({ tolerations, alternatives }: Placement): string {
  return `${JSON.stringify(tolerations)}|${alternatives.map((set) => set.id).join()}`;
}

function mergeEqual(shapes: readonly CountedShape[]): Demand[] {
  const merged = new Map<string, CountedShape>();
  for (const shape of shapes) {
    const key = `${shape.placement}:${shape.amounts.join()}`;
    const same = merged.get(key);
    if (same === undefined) merged.set(key, { ...shape });
    else same.count += shape.count;
  }
  return [...merged.values()];
}
