/**
 * Counts and measures calls to the cloud, by controller and method. A launch takes several calls of `create`; it is
 * measured once, from its first call until the cloud has accepted or rejected the instance, as upstream measures Create.
 */
import { type Controller, type ObjectMeta, RecentMap, type Stored, type World } from '@chandler/kube';
import { KarpenterLabel, type NodeClaim } from '../../api/index.ts';
import {
  type Cloud,
  type CloudError,
  type CloudErrorKind,
  isCloudError,
  type LaunchRequest,
  type LaunchStep,
} from '../../cloud/index.ts';
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
    labels: [...labels, 'nodepool', 'error'],
  });
  const timed =
    <A extends [...unknown[], AbortSignal], R>(
      method: string,
      call: (...args: A) => Promise<R>,
      poolOf: (...args: A) => string = () => '',
    ) =>
    async (...args: A): Promise<R> => {
      const own = { controller: controller(), method, provider: cloud.name };
      const beganMs = clock.monotonic();
      try {
        return await call(...args);
      } catch (error) {
        // An aborted call is no error of the cloud.
        const aborted = (args.at(-1) as AbortSignal).aborted;
        if (!aborted) errors.add(1, { ...own, nodepool: poolOf(...args), error: errorLabel(error) });
        throw error;
      } finally {
        duration.observe((clock.monotonic() - beganMs) / 1000, own);
      }
    };
  const launches = new RecentMap<Launch>(MAX_LAUNCHES);
  const create = async (request: LaunchRequest, signal: AbortSignal): Promise<LaunchStep> => {
    const own = { controller: controller(), method: 'Create', provider: cloud.name };
    const { uid } = request.claim.metadata;
    const launch = launches.get(uid) ?? { beganMs: clock.monotonic(), errors: new Set(), measured: false };
    launches.set(uid, launch);
    const measure = () => {
      if (!launch.measured) duration.observe((clock.monotonic() - launch.beganMs) / 1000, own);
      launch.measured = true;
    };
    try {
      const step = await cloud.create(request, signal);
      if (step.state === 'launched') measure();
      return step;
    } catch (error) {
      if (signal.aborted) throw error;
      const label = errorLabel(error);
      if (!launch.errors.has(label))
        errors.add(1, { ...own, nodepool: poolOfClaim(request.claim), error: label });
      launch.errors.add(label);
      if (isCloudError(error) && endsLaunch(error)) measure();
      throw error;
    }
  };
  return {
    ...cloud,
    nodeName: (claim) => cloud.nodeName(claim),
    instanceTypes: timed(
      'GetInstanceTypes',
      (...args) => cloud.instanceTypes(...args),
      ({ nodePool }) => nodePool?.metadata.name ?? '',
    ),
    create,
    delete: timed(
      'Delete',
      (claim: Stored<NodeClaim>, signal: AbortSignal) => cloud.delete(claim, signal),
      (claim) => poolOfClaim(claim),
    ),
    reboot: timed(
      'Reboot',
      (claim: Stored<NodeClaim>, id: string, signal: AbortSignal) => cloud.reboot(claim, id, signal),
      (claim) => poolOfClaim(claim),
    ),
    get: timed('Get', (...args) => cloud.get(...args)),
    list: timed('List', (...args) => cloud.list(...args)),
    drift: timed(
      'IsDrifted',
      (...args) => cloud.drift(...args),
      ({ claim }) => poolOfClaim(claim),
    ),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Launches that are remembered: more than can be in progress. */
const MAX_LAUNCHES = 20_000;

interface Launch {
  readonly beganMs: number;
  /** Labels that were counted. */
  readonly errors: Set<string>;
  measured: boolean;
}

/** The NodeClaim is deleted after it. */
function endsLaunch(error: CloudError): boolean {
  const { kind, advice, instanceFailed } = error;
  return (
    kind === 'InsufficientCapacity' ||
    kind === 'NodeClassNotReady' ||
    advice.retry === 'never' ||
    instanceFailed
  );
}

function errorLabel(error: unknown): string {
  return isCloudError(error) ? (ERROR_LABEL[error.kind] ?? UNKNOWN) : UNKNOWN;
}

const UNKNOWN = 'unknown';

function poolOfClaim({ metadata }: { readonly metadata: ObjectMeta }): string {
  return metadata.labels?.[KarpenterLabel.nodePool] ?? '';
}

/** Upstream's names of the kinds it knows. */
const ERROR_LABEL: Partial<Record<CloudErrorKind, string>> = {
  NotFound: 'NodeClaimNotFoundError',
  NodeClassNotReady: 'NodeClassNotReadyError',
  InsufficientCapacity: 'InsufficientCapacityError',
};
