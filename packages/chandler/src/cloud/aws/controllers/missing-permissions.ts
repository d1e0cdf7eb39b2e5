/**
 * Says on every EC2NodeClass, as a Warning, which calls AWS denies and what does not work for that reason: also for calls that
 * are made for no object, such as those for prices and for the interruption queue. `chandler why` reads these events.
 */
import { type Controller, singleton } from '@chandler/kube';
import type { CloudControllerContext } from '../../index.ts';
import { asCloudError, readDenial } from '../errors/index.ts';
import { PERMISSION_MISSING, PERMISSION_USES } from '../permissions/index.ts';
import type { DeniedCall, DeniedCalls } from '../wire/index.ts';
import { CLASSES, classReflector, type NodeClass } from './node-class-store.ts';

export function missingPermissions(
  context: CloudControllerContext,
  denied: Pick<DeniedCalls, 'list'>,
): Controller {
  return singleton({
    name: 'nodeclass.permissions',
    world: context.world,
    everyMs: PERIOD_MS,
    run: async () => {
      for (const call of denied.list().slice(0, MAX_CALLS))
        for (const nodeClass of classReflector(context).store.values()) publish(context, nodeClass, call);
      return { requeueAfterMs: PERIOD_MS };
    },
  });
}

// ---------------------------------------------------------------------------------------------------------------

const PERIOD_MS = 30_000;
/** An object may have twelve events in an hour. */
const MAX_CALLS = 6;

function publish(
  { events }: CloudControllerContext,
  nodeClass: NodeClass,
  { call, error }: DeniedCall,
): void {
  const { action = call } = readDenial(error.message);
  const without = PERMISSION_USES[action]?.without;
  events.publish({
    resource: CLASSES,
    object: nodeClass,
    type: 'Warning',
    reason: PERMISSION_MISSING.reason,
    message: `${without === undefined ? '' : `Without ${action}, ${without}: `}${asCloudError(error).message}`,
    // Not the message: it may name another resource each time.
    dedupeValues: [nodeClass.metadata.uid, call, action],
    dedupeMs: PERMISSION_MISSING.repeatMs,
  });
}
