/** Reports of the observer: log lines when the plan changes, metrics always. */
import type { Gauge, Log, Metrics, Pod, Stored } from '@chandler/kube';
import type { PoolExclusion } from '../controllers/index.ts';
import { type Plan, podRefusalText } from '../scheduling/index.ts';
import type { ClusterNode } from '../state/index.ts';

export interface ObservedPlan {
  readonly pods: readonly Stored<Pod>[];
  readonly rejected: number;
  readonly excluded: readonly {
    readonly nodePool: { readonly metadata: { readonly name?: string } };
    readonly why: PoolExclusion;
  }[];
  readonly plan: Plan;
  /** Claims that the other controller created for these pods. */
  readonly claimsOfOthers: readonly ClusterNode[];
}

const MAX_LOGGED = 20;

export class ObserverReport {
  readonly #gauges: Readonly<Record<'pending' | 'refused' | 'onNodes' | 'price' | 'claimsOfOthers', Gauge>>;
  readonly #claims: Gauge;
  readonly #drifted: Gauge;
  readonly #driftUnknown: Gauge;
  #poolsShown = new Set<string>();
  #reasonsShown = new Set<string>();
  #lastLogged = '';

  constructor(metrics: Metrics) {
    const gauge = (name: string, help: string, labels: readonly string[] = []) =>
      metrics.gauge({ name: `chandler_observe_${name}`, help, labels });
    this.#gauges = {
      pending: gauge('pending_pods', 'Pods that the last plan was for.'),
      refused: gauge('refused_pods', 'Pods that the last plan could not place.'),
      onNodes: gauge('placed_on_nodes', 'Pods that the last plan placed on existing nodes.'),
      price: gauge('planned_price_per_hour', 'US dollars an hour of the NodeClaims we would create.'),
      claimsOfOthers: gauge(
        'nodeclaims_of_others',
        'NodeClaims that another controller created for these pods.',
      ),
    };
    this.#claims = gauge('planned_nodeclaims', 'NodeClaims that we would create, by pool.', ['nodepool']);
    this.#drifted = gauge('drifted_nodeclaims', 'NodeClaims that we would replace, by reason.', ['reason']);
    this.#driftUnknown = gauge(
      'drift_unknown_nodeclaims',
      'NodeClaims of which the cloud did not say whether they drifted.',
    );
  }

  planned(log: Log, observed: ObservedPlan): void {
    const { pods, rejected, plan, claimsOfOthers } = observed;
    const onNodes = plan.placements.reduce((sum, each) => sum + each.pods.length, 0);
    this.#gauges.pending.set(pods.length + rejected);
    this.#gauges.refused.set(plan.counts.refused + rejected);
    this.#gauges.onNodes.set(onNodes);
    this.#gauges.price.set(plan.pricePerHour);
    this.#gauges.claimsOfOthers.set(claimsOfOthers.length);
    this.#poolsShown = shownBy(
      this.#claims,
      'nodepool',
      countBy(plan.claims, ({ nodePool }) => nodePool),
      this.#poolsShown,
    );
    this.#log(log, observed, onNodes);
  }

  /** @param unknown why some claims could not be judged. */
  drifted(log: Log, reasons: ReadonlyMap<string, string>, unknown: readonly Error[]): void {
    this.#driftUnknown.set(unknown.length);
    if (unknown.length > 0)
      log.warn('observed: it is not known whether nodeclaims drifted', {
        count: unknown.length,
        error: unknown[0]!.message,
      });
    const counts = countBy([...reasons.values()], (reason) => reason);
    this.#reasonsShown = shownBy(this.#drifted, 'reason', counts, this.#reasonsShown);
    const claims = [...reasons].slice(0, MAX_LOGGED).map(([name, reason]) => `${name}: ${reason}`);
    if (reasons.size > 0) log.info('observed: would replace nodeclaims', { count: reasons.size, claims });
  }

  #log(log: Log, { pods, excluded, plan, claimsOfOthers }: ObservedPlan, onNodes: number): void {
    const logged = JSON.stringify([
      plan.claims.map(({ pods: own }) => own),
      plan.refusals.map(({ pods: own }) => own),
    ]);
    if (logged === this.#lastLogged) return;
    this.#lastLogged = logged;
    if (pods.length === 0) return;
    for (const { nodePool, why } of excluded)
      log.info('observed: nodepool excluded from scheduling', { nodepool: nodePool.metadata.name, ...why });
    log.info('observed: computed plan for pending pods', {
      pods: pods.length,
      onNodes,
      wouldCreate: plan.claims.length,
      refused: plan.counts.refused,
      pricePerHour: plan.pricePerHour,
      createdByOthers: claimsOfOthers.length,
    });
    for (const { nodePool, pods: own, requests, instanceTypes, instanceTypeCount } of plan.claims.slice(
      0,
      MAX_LOGGED,
    ))
      log.info('observed: would create a nodeclaim', {
        nodepool: nodePool,
        pods: own.slice(0, MAX_LOGGED),
        podCount: own.length,
        requests,
        instanceTypes: instanceTypes.slice(0, 5),
        instanceTypeCount,
      });
    for (const refusal of plan.refusals.slice(0, MAX_LOGGED))
      log.info('observed: pods are unschedulable', {
        pods: refusal.pods.slice(0, MAX_LOGGED),
        podCount: refusal.pods.length,
        reason: podRefusalText(refusal),
      });
  }
}

// ---------------------------------------------------------------------------------------------------

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** Sets a gauge by label and removes series that are gone. */
function shownBy(
  gauge: Gauge,
  label: string,
  counts: ReadonlyMap<string, number>,
  before: ReadonlySet<string>,
): Set<string> {
  for (const value of before) if (!counts.has(value)) gauge.remove({ [label]: value });
  for (const [value, count] of counts) gauge.set(count, { [label]: value });
  return new Set(counts.keys());
}
