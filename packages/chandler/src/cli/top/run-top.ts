/** Runs `chandler top`: reads the cluster, once or by watches, and prints it or draws it in place. */
import type { World } from '@chandler/kube';
import { topNodes } from '../../dashboard/index.ts';
import { activityLog } from '../playground/activity-log.ts';
import { throughCluster } from '../simulate/live.ts';
import { EXIT_OK } from '../verb.ts';
import { frameOf, type TopView } from './frame.ts';
import { readPrices } from './prices.ts';
import { withProgress } from './progress.ts';
import { renderTop } from './render-top.ts';
import { topJson, topNames } from './top-json.ts';
import { TopObjects } from './top-objects.ts';
import type { TopRequest } from './top-request.ts';
import { watchTop } from './watch-top.ts';

/** @throws {Failure} when the cluster cannot be read. */
export async function runTop(request: TopRequest): Promise<number> {
  const { live } = request;
  const { signal } = live;
  try {
    return await throughCluster({ ...live, command: 'top' }, async (transport) => {
      const world = quiet(live.world);
      const objects = new TopObjects({ transport, world, signal });
      try {
        return await (request.watch ? watchTop : once)(request, objects, world);
      } finally {
        await objects.stop();
      }
    });
  } catch (error) {
    // Ctrl-C ends requests, which fail in their own words.
    throw signal.aborted ? signal.reason : error;
  }
}

// ---------------------------------------------------------------------------------------------------

/** Problems of watches are part of the view; lines of a log would break it. */
function quiet(world: World): World {
  return {
    ...world,
    log: activityLog({ minLevel: 'error', clock: world.clock, report: () => undefined }),
  };
}

async function once(request: TopRequest, objects: TopObjects, { clock }: World): Promise<number> {
  const { terminal, output, screen, plan } = request;
  const progress = () => `reading the cluster: ${objects.podsRead} pods …`;
  await withProgress(
    request,
    clock,
    progress,
    () => objects.read(),
    () => objects.unanswered(),
  );
  const prices = await readPrices(objects, request.catalogue);
  const planned =
    plan === undefined
      ? undefined
      : await withProgress(request, clock, () => 'planning disruption of the whole cluster …', plan);
  const nowMs = clock.now();
  const view: TopView = {
    nodes: topNodes(objects, prices, nowMs, planned?.byNode),
    pendingPods: objects.pods?.pending,
    notes: [...objects.notes, ...prices.notes, ...(planned?.notes ?? [])],
  };
  const frame = frameOf(view, request, nowMs);
  if (output === 'json') terminal.out(`${JSON.stringify(topJson(frame), null, 2)}\n`);
  else if (output === 'name') terminal.out(topNames(frame));
  else {
    const wide = output === 'wide';
    const columns = wide ? undefined : screen?.columns;
    terminal.out(`${renderTop(frame, { columns, color: terminal.color, wide }).lines.join('\n')}\n`);
  }
  return EXIT_OK;
}
