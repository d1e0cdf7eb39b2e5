/** Reads and changes the two Deployments of a takeover, and reads their pods. Every write carries the resourceVersion that was read. */
import {
  DEPLOYMENTS,
  type Deployment,
  isApiError,
  type KubeClient,
  type LabelSelector,
  type ObjectKey,
  PODS,
  type Pod,
  type Stored,
} from '@chandler/kube';
import { Failure } from '../verb.ts';

export const FIELD_MANAGER = 'chandler-takeover';

export function nameOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}

export function keyOfDeployment({ metadata: { namespace, name } }: Stored<Deployment>): ObjectKey {
  return { namespace, name };
}

export function replicasOf({ spec }: Deployment): number {
  return spec.replicas ?? 1;
}

/** @throws {Failure} when it does not exist. */
export async function readDeployment(
  client: KubeClient,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<Stored<Deployment>> {
  const found = await client.find(DEPLOYMENTS, key, { signal });
  if (found === undefined)
    throw new Failure(`Deployment ${nameOf(key)} does not exist; install it again, with 0 replicas`);
  return found;
}

/** What to merge into the Deployment that was just read; undefined: it is as it should be. */
export type Change = (deployment: Stored<Deployment>) => object | undefined;

/** Reads and writes until nobody else wrote in between. Gives back the Deployment as it is then. */
export async function changeDeployment(
  client: KubeClient,
  key: ObjectKey,
  change: Change,
  signal: AbortSignal,
): Promise<Stored<Deployment>> {
  for (let attempt = 1; ; attempt++) {
    const deployment = await readDeployment(client, key, signal);
    const wanted = change(deployment) as { readonly metadata?: object } | undefined;
    if (wanted === undefined) return deployment;
    const { resourceVersion } = deployment.metadata;
    const patch = { ...wanted, metadata: { ...wanted.metadata, resourceVersion } };
    try {
      return await client.patch(
        DEPLOYMENTS,
        key,
        { type: 'merge', patch },
        { signal, fieldManager: FIELD_MANAGER },
      );
    } catch (error) {
      if (!isApiError(error, 'conflict') || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** A dry run: throws where the account may not change the Deployment. Nothing is written. */
export async function tryChange(
  client: KubeClient,
  deployment: Stored<Deployment>,
  signal: AbortSignal,
): Promise<void> {
  const patch = { spec: { replicas: replicasOf(deployment) } };
  const options = { signal, fieldManager: FIELD_MANAGER, dryRun: 'All' } as const;
  await client.patch(DEPLOYMENTS, keyOfDeployment(deployment), { type: 'merge', patch }, options);
}

/** The pods of a Deployment that run or may still run. */
export async function livePods(
  client: KubeClient,
  { metadata: { namespace }, spec }: Stored<Deployment>,
  signal: AbortSignal,
): Promise<readonly Stored<Pod>[]> {
  const labelSelector = selectorText(spec.selector);
  const { items } = await client.listAll(PODS, { namespace, labelSelector, signal });
  return items.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
}

export function isReady({ status, metadata }: Pod): boolean {
  const ready = status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True');
  return ready === true && metadata.deletionTimestamp === undefined;
}

/** `pod karpenter-x is waiting (ImagePullBackOff)`: why pods do not do what is waited for. */
export function podText({ metadata: { name, deletionTimestamp }, status }: Stored<Pod>): string {
  if (deletionTimestamp !== undefined) return `pod ${name} is terminating`;
  const waiting = status?.containerStatuses?.map(({ state }) => state?.waiting?.reason).find(Boolean);
  if (waiting !== undefined) return `pod ${name} is waiting (${waiting})`;
  return `pod ${name} is ${status?.phase ?? 'Pending'}`;
}

// ---------------------------------------------------------------------------------------------------

const MAX_ATTEMPTS = 5;

function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...labels, ...others].join(',');
}
