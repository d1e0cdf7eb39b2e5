/**
 * Consistency: reports a node that has much less capacity than its instance type promises, or that was deleted
 * outside of this controller. It changes nothing else.
 */
import { Controller, parseQuantity, type Result, storeSource } from '@chandler/kube';
import { conditionsOf, NODE_CLAIMS, writeStatus } from '../../api/index.ts';
import { BY_PROVIDER_ID } from '../../state/index.ts';

import { type ControllerContext, scopeOf, workers } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';

const PERIOD_MS = 10 * 60_000;
const MIN_SHARE = 0.9;

export function consistency(context: ControllerContext): Controller {
  const { world, stores, events, settings } = context;
  return new Controller({
    name: 'nodeclaim.consistency',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: [
      storeSource(stores.claims, { filter: ({ type }) => type === 'added' }),
      storeSource(stores.nodes, {
        filter: ({ type }) => type === 'added',
        keys: ({ object }) => {
          const providerID = (object['spec'] as { providerID?: string } | undefined)?.providerID ?? '';
          return stores.claims.store.by(BY_PROVIDER_ID, providerID).map(({ metadata }) => metadata.name);
        },
      }),
    ],
    async reconcile(name, run): Promise<Result> {
      const claim = stores.claims.store.get({ name });
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return {};
      if (!stores.runs(claim.spec.nodeClassRef)) return {};
      const conditions = conditionsOf('NodeClaim', claim, world.clock.now());
      if (!conditions.isTrue('Initialized')) return { requeueAfterMs: PERIOD_MS };
      const problem = shapeProblem(context, claim);
      if (problem === undefined) conditions.setTrue('ConsistentStateFound');
      else {
        conditions.setFalse('ConsistentStateFound', 'ConsistencyCheckFailed', problem);
        events.publish({
          resource: NODE_CLAIMS,
          object: claim,
          type: 'Warning',
          reason: 'FailedConsistencyCheck',
          message: problem,
        });
      }
      await writeStatus(scopeOf(context, run).client, CLAIMS, claim, conditions);
      return { requeueAfterMs: PERIOD_MS };
    },
  });
}

// ---------------------------------------------------------------------------------------------------

/** Only requested resources are compared. */
function shapeProblem({ stores }: ControllerContext, claim: Claim): string | undefined {
  const node = stores.nodes.store.by(BY_PROVIDER_ID, claim.status?.providerID ?? '')[0];
  if (node === undefined) return `Node ${claim.status?.nodeName ?? ''} does not exist`;
  for (const resource of Object.keys(claim.spec.resources?.requests ?? {})) {
    const expected = claim.status?.capacity?.[resource];
    if (expected === undefined || parseQuantity(expected).isZero()) continue;
    const found = parseQuantity(node.status?.capacity?.[resource] ?? '0');
    const share = found.toNumber() / parseQuantity(expected).toNumber();
    if (share < MIN_SHARE)
      return `expected ${expected} of resource ${resource}, but found ${found.toString()} (${(share * 100).toFixed(1)}% of expected)`;
  }
  return undefined;
}
