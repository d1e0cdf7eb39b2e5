/**
 * Says on every node class, as a Warning, which calls the cloud denies and what does not work for that reason: also for calls that
 * are made for no object, such as those for prices and quota. `chandler why` reads these events.
 */
import { type Controller, type KubeObject, type ResourceRef, type Stored, singleton } from '@chandler/kube';
import type { DeniedCall, DeniedCalls } from './denied-calls.ts';
import type { CloudControllerContext } from './provider.ts';

/** The event on a node class that names a permission that the controller does not have. */
export const PERMISSION_MISSING = {
  reason: 'PermissionMissing',
  /** It is repeated as long as it is so, and means nothing once it is older. */
  repeatMs: 30 * 60_000,
} as const;

export interface DenialReport<E extends Error> {
  readonly resource: ResourceRef;
  nodeClasses(): Iterable<Stored<KubeObject>>;
  readonly denied: Pick<DeniedCalls<E>, 'list'>;
  /** The action, where the cloud names it, and the text of the event. */
  describe(call: DeniedCall<E>): { readonly action: string; readonly message: string };
}

export function missingPermissions<E extends Error>(
  { world, events }: CloudControllerContext,
  { resource, nodeClasses, denied, describe }: DenialReport<E>,
): Controller {
  return singleton({
    name: 'nodeclass.permissions',
    world,
    everyMs: PERIOD_MS,
    run: async () => {
      for (const call of denied.list().slice(0, MAX_CALLS)) {
        const { action, message } = describe(call);
        for (const object of nodeClasses())
          events.publish({
            resource,
            object,
            type: 'Warning',
            reason: PERMISSION_MISSING.reason,
            message,
            // Not the message: it may name another resource each time.
            dedupeValues: [object.metadata.uid, call.call, action],
            dedupeMs: PERMISSION_MISSING.repeatMs,
          });
      }
      return { requeueAfterMs: PERIOD_MS };
    },
  });
}

// ---------------------------------------------------------------------------------------------------------------

const PERIOD_MS = 30_000;
/** An object may have twelve events in an hour. */
const MAX_CALLS = 6;
