/** Counts and measures calls to the cloud, by controller and method. */
import type { Controller, World } from '@chandler/kube';
import { type Cloud, type CloudErrorKind, isCloudError } from '../../cloud/index.ts';
import type { ControllerContext, MakeController } from '../context.ts';

/** Creates the controller with a cloud whose calls are measured under the controller's name. */
export function meteredController(context: ControllerContext, make: MakeController): Controller {
  let name = '';
  const cloud = withCloudMetrics(context.cloud, context.world, () => name);
  const controller = make({ ...context, cloud });
  name = controller.name;
  return controller;
}

export function withCloudMetrics(
  cloud: Cloud,
  { clock, metrics }: Pick<World, 'clock' | 'metrics'>,
  controller: () => string = () => '',
): Cloud {
  const labels = ['controller', 'method', 'provider'];
  const duration = metrics.histogram({
    name: 'karpenter_cloudprovider_duration_seconds',
    help: 'How long calls of the cloud took.',
    labels,
  });
  const errors = metrics.counter({
    name: 'karpenter_cloudprovider_errors_total',
    help: 'Calls of the cloud that failed, by kind of failure.',
    labels: [...labels, 'error'],
  });
  const timed =
    <A extends [...unknown[], AbortSignal], R>(method: string, call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      const own = { controller: controller(), method, provider: cloud.name };
      const beganMs = clock.monotonic();
      try {
        return await call(...args);
      } catch (error) {
        // An aborted call is no error of the cloud.
        const aborted = (args.at(-1) as AbortSignal).aborted;
        if (!aborted)
          errors.add(1, { ...own, error: isCloudError(error) ? (ERROR_LABEL[error.kind] ?? '') : '' });
        throw error;
      } finally {
        duration.observe((clock.monotonic() - beganMs) / 1000, own);
      }
    };
  return {
    ...cloud,
    nodeName: (claim) => cloud.nodeName(claim),
    instanceTypes: timed('GetInstanceTypes', (...args) => cloud.instanceTypes(...args)),
    create: timed('Create', (...args) => cloud.create(...args)),
    delete: timed('Delete', (...args) => cloud.delete(...args)),
    reboot: timed('Reboot', (...args) => cloud.reboot(...args)),
    get: timed('Get', (...args) => cloud.get(...args)),
    list: timed('List', (...args) => cloud.list(...args)),
    drift: timed('IsDrifted', (...args) => cloud.drift(...args)),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Upstream's names of the kinds it knows; all others are ''. */
const ERROR_LABEL: Partial<Record<CloudErrorKind, string>> = {
  NotFound: 'NodeClaimNotFoundError',
  NodeClassNotReady: 'NodeClassNotReadyError',
  InsufficientCapacity: 'InsufficientCapacityError',
};
