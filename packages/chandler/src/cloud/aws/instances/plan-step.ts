/** Plans a launch from fresh instance types and counts of addresses, and has its launch templates created. */
import type { Stored } from '@chandler/kube';
import type { EC2NodeClass } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import { planLaunch } from './launch-plan.ts';
import type { PlannedLaunch } from './launches.ts';
import type { StepScope } from './step-scope.ts';

/** @throws {CloudError} then nothing is held. */
export async function planAndLease(scope: StepScope): Promise<PlannedLaunch> {
  const { parts, request, trace, signal } = scope;
  const { deps, counts, templates } = parts;
  const { clock } = deps.world;
  const subnets = (request.nodeClass as Stored as Stored<EC2NodeClass>).status?.subnets ?? [];
  await parts.ensureMarket(signal);
  await counts.refresh(
    subnets.map(({ id }) => id),
    signal,
  );
  const { addresses } = counts;
  const plan = planLaunch({ ...deps, addresses, nowMs: () => clock.monotonic() }, request, trace);
  try {
    const lease = await templates.lease(plan.templates, signal);
    trace.add('launchTemplate', 'ok', { count: lease.names.length, first: lease.names[0] });
    const giveBack = (usedSubnetId?: string) => {
      addresses.settle(plan.hold, usedSubnetId);
      lease.end();
    };
    return { plan, lease, giveBack };
  } catch (error) {
    addresses.settle(plan.hold, undefined);
    if (error instanceof CloudError && error.kind !== 'Throttled')
      trace.add('launchTemplate', 'failed', { reason: error.reason, code: error.code }, error.message);
    throw error;
  }
}
