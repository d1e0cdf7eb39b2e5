/**
 * The default spread of the cluster, which the controller's `--scheduler-config` repeats, in a plan for a pod without
 * constraints of its own: the pod as if it had them. Their selector is that of its Services and its controller.
 */
import {
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  type ResourceRef,
  SERVICES,
  STATEFUL_SETS,
} from '@chandler/kube';
import { isFound, type LookupFailure, listOr, wholeFailure } from '../../causes/index.ts';
import { type DefaultSpread, DefaultSpreads, type Pod } from '../../scheduling/index.ts';
import { controllerRow, serviceRow } from '../../state/index.ts';

import type { GatherContext } from './gather-context.ts';
import { defaultConstraints } from './plan-options.ts';
import type { PodShape } from './shapes.ts';

/** Undefined: what the constraints select could not be read, which is recorded. */
export async function withDefaultSpread(
  context: GatherContext,
  pod: PodShape,
): Promise<PodShape | undefined> {
  const { recorder } = context;
  // A soft one keeps no pod from a node.
  const constraints = defaultConstraints(recorder.evidence().first('options')).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway',
  );
  if (constraints.length === 0 || (pod.spec.topologySpreadConstraints ?? []).length > 0) return pod;
  const defaults = await readSelectors(context, pod);
  if (defaults === undefined) return undefined;
  const topologySpreadConstraints = new DefaultSpreads({ constraints, ...defaults }).for(
    pod as unknown as Pod,
  );
  return { ...pod, spec: { ...pod.spec, topologySpreadConstraints } } as PodShape;
}

// ---------------------------------------------------------------------------------------------------

const CONTROLLERS: readonly ResourceRef[] = [REPLICA_SETS, STATEFUL_SETS, REPLICATION_CONTROLLERS];

async function readSelectors(
  { reader, recorder }: GatherContext,
  { metadata }: PodShape,
): Promise<Omit<DefaultSpread, 'constraints'> | undefined> {
  const { namespace = '', ownerReferences = [] } = metadata;
  const unread = (what: string, failure: LookupFailure) => {
    recorder.addUnread('plan', what, failure);
    return undefined;
  };
  const services = await reader.list(SERVICES, { namespace });
  const failure = wholeFailure(services);
  if (failure !== undefined) return unread(`services in namespace ${namespace}`, failure);
  const owner = ownerReferences.find(({ controller }) => controller === true);
  const resource = CONTROLLERS.find(({ kind }) => kind === owner?.kind);
  const rows = { services: listOr(services).flatMap((service) => serviceRow(service)) };
  if (owner === undefined || resource === undefined) return rows;
  const looked = await reader.get(resource, { namespace, name: owner.name });
  if (isFound(looked)) return { ...rows, controllers: controllerRow(resource.kind, looked.found) };
  return looked.why === 'notFound' ? rows : unread(`${owner.kind} ${namespace}/${owner.name}`, looked);
}
