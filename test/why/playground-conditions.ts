/** What the objects of a run say about themselves, and when it is time to ask. */
import {
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  type KubeObject,
  LEASES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceRef,
  SERVICES,
  STORAGE_CLASSES,
} from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { WhyStage } from './why-stage.ts';

export interface Shown {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** By the name of the kind, in lower case. */
export const KINDS: Readonly<Record<string, ResourceRef>> = {
  nodeclaim: NODE_CLAIMS,
  node: NODES,
  pod: PODS,
  nodepool: NODE_POOLS,
  nodeclass: AKS_NODE_CLASSES,
  deployment: DEPLOYMENTS,
  service: SERVICES,
  endpointslice: ENDPOINT_SLICES,
  poddisruptionbudget: POD_DISRUPTION_BUDGETS,
  persistentvolumeclaim: PERSISTENT_VOLUME_CLAIMS,
  storageclass: STORAGE_CLASSES,
  lease: LEASES,
};

/** `nodeclaim Launched=Unknown SubnetFull`, `pod Ready=True`: some object of the kind has such a condition. */
export async function holds(stage: WhyStage, text: string): Promise<boolean> {
  const [kind = '', condition = '', reason] = text.split(' ');
  const [type, status] = condition.split('=');
  const objects = await stage.list(KINDS[kind]!);
  return objects.some((object) =>
    conditionsOf(object).some(
      (each) =>
        each.type === type && each.status === status && (reason === undefined || each.reason === reason),
    ),
  );
}

export function conditionsOf(object: KubeObject): readonly Shown[] {
  return (object['status'] as { conditions?: readonly Shown[] } | undefined)?.conditions ?? [];
}
