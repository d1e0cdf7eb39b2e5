/**
 * What keeps a pod from a node in every region and with every node class, for where these could not be read: the pod and the
 * NodePools are planned without what depends on them. What is refused then is refused; a node that would take it says nothing.
 */
import { KarpenterLabel, KubernetesLabel, normalizeLabel } from '../../api/index.ts';

import type { GatherContext } from './gather-context.ts';
import type { PoolTypes, PoolWithClass } from './plan-input.ts';
import { planOptions } from './plan-options.ts';
import type { Asked } from './plan-pod.ts';
import { requestedResources, without, withoutLabel, withoutResource } from './relaxed-pod.ts';
import type { PodShape, PoolShape } from './shapes.ts';

/** Undefined: nothing is certain. */
export async function refusedAnywhere(
  context: GatherContext,
  ofPod: PodShape,
  pools: readonly PoolWithClass[],
): Promise<Asked | undefined> {
  const { planner } = context;
  if (planner?.anywhere === undefined || pools.length === 0) return undefined;
  const { wellKnown } = planner.labelRules;
  const depends = (key: string) => wellKnown.has(normalizeLabel(key)) && !KEPT.has(normalizeLabel(key));
  const typed: PoolTypes[] = [];
  const originals = new Map<string, PoolShape>();
  for (const { pool } of pools) {
    const types = await planner.anywhere(pool);
    if (types === undefined) return undefined;
    typed.push({ pool: withoutPlaces(pool, depends), types });
    originals.set(pool.metadata.name, pool);
  }
  const { PodPlans } = await import('./plan-pod.ts');
  const { AroundReader } = await import('./plan-input.ts');
  const pod = relaxed(ofPod, depends);
  const around = await new AroundReader(context).read(pod);
  if (around === undefined) return undefined;
  const options = planOptions(context.recorder.evidence().first('options'));
  // Without reservations, of which the places would be asked.
  const asked = await new PodPlans({ ...planner, unknownPlaces: new Map() }, options).plan(
    pod,
    around,
    typed,
  );
  if (asked.outcome !== 'refused') return undefined;
  const original = (all: readonly PoolShape[]) =>
    all.map((each) => originals.get(each.metadata.name) ?? each);
  return {
    ...asked,
    pools: original(asked.pools),
    fitting: original(asked.fitting),
    couldTake: original(asked.couldTake),
    impossible: original(asked.impossible),
    unready: original(asked.unready),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Labels of every node that differ neither by region nor by node class. */
const KEPT: ReadonlySet<string> = new Set([KarpenterLabel.nodePool, KubernetesLabel.arch]);

/** The largest sizes have as much of them in every region; the rest depends on size, disk and overlays. */
const AMOUNTS: ReadonlySet<string> = new Set(['cpu', 'memory']);

/** Volumes, spreads and affinities are about zones. */
function relaxed(pod: PodShape, depends: (key: string) => boolean): PodShape {
  const { nodeSelector = {}, affinity = {} } = pod.spec;
  const terms =
    affinity.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key));
  const keys = [...Object.keys(nodeSelector), ...named].filter(depends);
  const resources = requestedResources(pod).filter((name) => !AMOUNTS.has(name));
  const open = without(without(pod, keys, withoutLabel), resources, withoutResource);
  const { nodeAffinity } = open.spec.affinity ?? {};
  return {
    ...open,
    spec: {
      ...open.spec,
      volumes: [],
      topologySpreadConstraints: [],
      affinity: nodeAffinity === undefined ? {} : { nodeAffinity },
    },
  } as PodShape;
}

function withoutPlaces(pool: PoolShape, depends: (key: string) => boolean): PoolShape {
  const { template } = pool.spec;
  const labels = Object.entries(template.metadata?.labels ?? {}).filter(([key]) => !depends(key));
  const requirements = (template.spec.requirements ?? []).filter(({ key }) => !depends(key));
  return {
    ...pool,
    spec: {
      ...pool.spec,
      template: {
        ...template,
        metadata: { ...template.metadata, labels: Object.fromEntries(labels) },
        spec: { ...template.spec, requirements },
      },
    },
  } as PoolShape;
}
