/** Checks of workloads: requests, disruption budgets, and what keeps nodes. */
import type { Taint, Toleration } from '@chandler/kube';
import { isDuration, NEVER, parseDurationMs } from '@chandler/kube';
import { toleratesTaint } from '../../../scheduling/index.ts';
import type { Inputs, Manifest } from '../../inputs/inputs.ts';
import { find, itemsAt, textAt, textOf, toValue } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, nodePools, objectOf, pass, seen, skip, warn } from '../judgements.ts';
import { podDisruptionBudgets, selectionOf, type Workload, workloadsOf } from '../workloads.ts';

const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';
const TEMPLATE = ['spec', 'template', 'spec'] as const;
const GRACE = [...TEMPLATE, 'terminationGracePeriod'] as const;

export const WORKLOAD_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-43',
    title: 'NodePools with taints have workloads',
    inputs: ['nodePools', 'workloads'],
    criterion: 'Passes if some workload tolerates each taint of a NodePool by its key, warns if none does.',
    severity: 'medium',
    phase: 4,
    fix: 'Add a toleration to the workloads that should run there, or remove the NodePool.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) => {
      const tolerations = workloadsOf(inputs).map(
        ({ manifest, template }) =>
          itemsAt(manifest.tree, ...template, 'spec', 'tolerations')
            // What tolerates everything is meant for every node.
            .filter((each) => each.kind === 'map' && find(each, 'key') !== undefined)
            .map(toValue) as Toleration[],
      );
      return each(nodePools(inputs), (pool) => {
        const taints = itemsAt(pool.tree, ...TEMPLATE, 'taints').filter(({ kind }) => kind === 'map');
        if (taints.length === 0) return undefined;
        const evidence = taints.map((_, index) => seen(pool, ...TEMPLATE, 'taints', index, 'key'));
        const tolerated = tolerations.some((own) =>
          taints.every((taint) =>
            own.some((toleration) => toleratesTaint(toleration, toValue(taint) as Taint)),
          ),
        );
        return tolerated
          ? pass('A workload tolerates its taints.', evidence, { object: objectOf(pool) })
          : warn('No workload tolerates its taints.', evidence, { object: objectOf(pool) });
      });
    },
  },
  {
    id: 'K-19',
    title: 'Nodes that expire have a grace period',
    inputs: ['nodePools', 'workloads'],
    criterion:
      'Warns if a NodePool expires its nodes without terminationGracePeriod while pods have karpenter.sh/do-not-disrupt or a budget never allows an eviction.',
    severity: 'high',
    phase: 4,
    fix: 'Set spec.template.spec.terminationGracePeriod, so that nodes that have expired are removed at some time.',
    docs: DOCS.disruption,
    judge: gracePeriods,
  },
  {
    id: 'K-20',
    title: 'The grace period of nodes is long enough for pods',
    inputs: ['nodePools', 'workloads'],
    criterion:
      'Warns if terminationGracePeriod of a NodePool is shorter than terminationGracePeriodSeconds of a workload.',
    severity: 'medium',
    phase: 4,
    fix: 'Raise terminationGracePeriod of the NodePool above that of its pods.',
    docs: DOCS.disruption,
    judge: ({ inputs }) => {
      const workloads = workloadsOf(inputs);
      return each(nodePools(inputs), (pool) => {
        const text = textAt(pool.tree, ...GRACE);
        if (text === undefined || !isDuration(text)) return undefined;
        const longer = workloads.filter(
          ({ manifest, template }) =>
            Number(textAt(manifest.tree, ...template, 'spec', 'terminationGracePeriodSeconds') ?? '30') *
              1000 >
            parseDurationMs(text),
        );
        const evidence = [
          seen(pool, ...GRACE),
          ...longer.map(({ manifest, template }) =>
            seen(manifest, ...template, 'spec', 'terminationGracePeriodSeconds'),
          ),
        ];
        const object = objectOf(pool);
        return longer.length === 0
          ? pass(`It is ${text}.`, evidence, { object })
          : warn(
              `${longer.map(({ manifest }) => objectOf(manifest)).join(', ')} may take longer than ${text}.`,
              evidence,
              { object },
            );
      });
    },
  },
  {
    id: 'K-21',
    title: 'PodDisruptionBudgets allow evictions',
    inputs: ['workloads'],
    criterion:
      'Warns if maxUnavailable is 0, or minAvailable 100% or, rounded up, as many as the workload has replicas (or its autoscaler keeps).',
    severity: 'high',
    phase: 4,
    fix: 'Allow at least one pod to be unavailable, or run more replicas.',
    docs: DOCS.disruption,
    judge: ({ inputs }) => {
      const workloads = workloadsOf(inputs);
      return each(podDisruptionBudgets(inputs), (budget) => {
        const evidence = ['maxUnavailable', 'minAvailable'].map((field) => seen(budget, 'spec', field));
        const object = objectOf(budget);
        const closed = isClosed(budget, workloads, inputs);
        if (closed === undefined)
          return skip('The number of its pods is not known.', ['workloads'], evidence, { object });
        return closed
          ? warn('It never allows an eviction, so that its nodes cannot be drained.', evidence, { object })
          : pass('It allows evictions.', evidence, { object });
      });
    },
  },
  {
    id: 'K-22',
    title: 'One PodDisruptionBudget selects a pod',
    inputs: ['workloads'],
    criterion:
      'Warns if several PodDisruptionBudgets select the pods of a workload: the API server then refuses their eviction.',
    severity: 'medium',
    phase: 4,
    fix: 'Merge the PodDisruptionBudgets.',
    docs: DOCS.disruption,
    judge: ({ inputs }) => {
      const budgets = podDisruptionBudgets(inputs).map((budget) => ({
        budget,
        selects: selectionOf(budget),
      }));
      return each(workloadsOf(inputs), (workload) => {
        const own = budgets.filter(({ selects }) => selects(workload)).map(({ budget }) => budget);
        if (own.length === 0) return undefined;
        const evidence = own.map((budget) => seen(budget, 'metadata', 'name'));
        const object = objectOf(workload.manifest);
        return own.length === 1
          ? pass(`It is ${own[0]!.name}.`, evidence, { object })
          : warn(`${own.length} select its pods.`, evidence, { object });
      });
    },
  },
  {
    id: 'K-23',
    title: 'No pod keeps its node for ever',
    inputs: ['workloads'],
    criterion: 'Warns if the pods of a workload, other than a Job, have karpenter.sh/do-not-disrupt: "true".',
    severity: 'low',
    phase: 4,
    fix: 'Remove the annotation, or give it a duration.',
    docs: DOCS.disruption,
    judge: ({ inputs }) =>
      each(workloadsOf(inputs), ({ manifest, template }) => {
        if (manifest.kind === 'Job' || manifest.kind === 'CronJob') return undefined;
        const evidence = [seen(manifest, ...template, 'metadata', 'annotations', DO_NOT_DISRUPT)];
        const object = objectOf(manifest);
        return evidence[0]!.value === 'true'
          ? warn('Its nodes are not disrupted while it runs.', evidence, { object })
          : pass('Its nodes can be disrupted.', evidence, { object });
      }),
  },
  {
    id: 'K-62',
    title: 'Workloads have requests',
    inputs: ['workloads'],
    criterion:
      'Warns if a container has no requests of cpu or memory and its namespace no LimitRange: nodes are then too small.',
    severity: 'medium',
    phase: 4,
    fix: 'Set resources.requests of every container.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const limited = new Set(
        inputs.manifests
          .filter(({ kind }) => kind === 'LimitRange')
          .map(({ namespace }) => namespace ?? 'default'),
      );
      return each(workloadsOf(inputs), ({ manifest, template }) => {
        const containers = itemsAt(manifest.tree, ...template, 'spec', 'containers');
        if (containers.length === 0 || limited.has(manifest.namespace ?? 'default')) return undefined;
        const paths = containers.flatMap((container, index) =>
          ['cpu', 'memory'].map((resource) => {
            const own = [...template, 'spec', 'containers', index, 'resources'];
            // Without a request, the limit is the request.
            const isLimit =
              find(container, 'resources', 'requests', resource) === undefined &&
              find(container, 'resources', 'limits', resource) !== undefined;
            return [...own, isLimit ? 'limits' : 'requests', resource];
          }),
        );
        const missing = paths.filter((path) => find(manifest.tree, ...path) === undefined);
        const object = objectOf(manifest);
        return missing.length === 0
          ? pass(
              'All containers have requests.',
              paths.map((path) => seen(manifest, ...path)),
              { object },
            )
          : warn(
              `${missing.length} of ${paths.length} requests are missing.`,
              missing.map((path) => seen(manifest, ...path)),
              { object },
            );
      });
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Whether a budget never allows an eviction; undefined where the number of pods is not known. */
function isClosed(budget: Manifest, workloads: readonly Workload[], inputs: Inputs): boolean | undefined {
  const most = textAt(budget.tree, 'spec', 'maxUnavailable');
  const least = textAt(budget.tree, 'spec', 'minAvailable');
  if (most !== undefined) return /^0%?$/.test(most);
  if (least === undefined) return false;
  if (least === '100%') return true;
  const selects = selectionOf(budget);
  const own = workloads.filter((workload) => workload.manifest.kind !== 'DaemonSet' && selects(workload));
  const numbers = own.map(({ manifest }) => replicasOf(manifest, inputs));
  if (numbers.length === 0) return false;
  if (numbers.some((replicas) => replicas === undefined)) return undefined;
  // A percentage is rounded up.
  return numbers.every((replicas) => {
    const kept = least.endsWith('%')
      ? Math.ceil((Number.parseFloat(least) / 100) * replicas!)
      : Number(least);
    return replicas! <= kept;
  });
}

/** The replicas of a workload, at least: those that an autoscaler keeps where the workload says nothing. */
function replicasOf({ kind, name, namespace, tree }: Manifest, { manifests }: Inputs): number | undefined {
  const written = find(tree, 'spec', 'replicas');
  if (written !== undefined) return written.kind === 'unknown' ? undefined : Number(textOf(written));
  if (kind === 'Pod') return 1;
  const scaler = manifests.find(
    (each) =>
      each.kind === 'HorizontalPodAutoscaler' &&
      (each.namespace ?? 'default') === (namespace ?? 'default') &&
      textAt(each.tree, 'spec', 'scaleTargetRef', 'kind') === kind &&
      textAt(each.tree, 'spec', 'scaleTargetRef', 'name') === name,
  );
  // Without an autoscaler here, one of the cluster may set it.
  return scaler === undefined ? undefined : Number(textAt(scaler.tree, 'spec', 'minReplicas') ?? '1');
}

function gracePeriods({ inputs }: CheckContext) {
  const workloads = workloadsOf(inputs);
  const keeping = [
    ...workloads
      .filter(
        ({ manifest, template }) =>
          textAt(manifest.tree, ...template, 'metadata', 'annotations', DO_NOT_DISRUPT) === 'true',
      )
      .map(({ manifest, template }) =>
        seen(manifest, ...template, 'metadata', 'annotations', DO_NOT_DISRUPT),
      ),
    ...podDisruptionBudgets(inputs)
      .filter((budget) => isClosed(budget, workloads, inputs) === true)
      .map((budget) => seen(budget, 'metadata', 'name')),
  ];
  return each(nodePools(inputs), (pool) => {
    const own = [seen(pool, ...TEMPLATE, 'expireAfter'), seen(pool, ...GRACE)];
    const object = objectOf(pool);
    if (keeping.length === 0 || textAt(pool.tree, ...TEMPLATE, 'expireAfter') === NEVER) return undefined;
    return find(pool.tree, ...GRACE) === undefined
      ? warn(
          'Nodes that have expired may stay, because pods on them are never evicted.',
          [...own, ...keeping],
          { object },
        )
      : pass('Nodes are removed after the grace period.', own, { object });
  });
}
