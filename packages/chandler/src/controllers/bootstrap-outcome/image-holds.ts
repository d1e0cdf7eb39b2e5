/**
 * Holds back launches with a node class and image whose instances fail to bootstrap, longer each time: at once when
 * the failure is permanent, after several in a row otherwise. A node that joins, an edit of the class, or another
 * image in its status ends the hold.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import { KubernetesLabel, type NodePool } from '../../api/index.ts';
import type { BootstrapFailure } from '../../cloud/index.ts';
import { type ClassReference, classKey } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { BackoffKey, Holding } from '../launch-backoff.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

/** Failures in a row that cause no hold: the next instance may succeed. */
const FREE_TRIES = 3;

type Context = Pick<ControllerContext, 'stores' | 'backoff' | 'world'>;

/** Undefined when it was counted already: ten instances that were launched together and fail together are one failure. */
export function holdAfter(context: Context, claim: Claim, failure: BootstrapFailure): Holding | undefined {
  const { code, constant, deterministic, image } = failure;
  if (image === undefined) return undefined;
  const key = keyOf(context, claim.spec.nodeClassRef, image);
  if (context.backoff.failedSince(key, claim)) return undefined;
  const reason = `CSE exit code ${code ?? 'unknown'} (${constant ?? 'no name'})`;
  return context.backoff.failed(key, reason, deterministic ? 1 : FREE_TRIES);
}

/** An instance of this class and image became a node. */
export function releaseHold(context: Context, claim: Claim): void {
  const image = claim.status?.imageID;
  if (image !== undefined) context.backoff.succeeded(keyOf(context, claim.spec.nodeClassRef, image));
}

/** Why a pool may not launch: an image that its class uses now, on an architecture that the pool allows. */
export function heldByImage(
  context: Context,
  nodePool: Stored<NodePool>,
): ReturnType<ControllerContext['backoff']['holding']> {
  const reference = nodePool.spec.template.spec.nodeClassRef;
  const nodeClass = context.stores.nodeClass(reference);
  for (const image of imagesOf(nodeClass)) {
    const held = context.backoff.holding(keyOf(context, reference, image.id));
    if (held !== undefined && mayUse(nodePool, image)) return held;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

interface ClassImage {
  readonly id: string;
  readonly requirements?: readonly Requirement[];
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** Names of pools contain no spaces, so this key cannot collide with one. */
function keyOf({ stores }: Context, reference: ClassReference, image: string): BackoffKey {
  const nodeClass = stores.nodeClass(reference)?.metadata;
  return {
    nodePool: `image ${image.toLowerCase()}`,
    nodeClass: classKey(reference),
    generation: `${nodeClass?.uid}/${nodeClass?.generation}`,
  };
}

function imagesOf(nodeClass: KubeObject | undefined): readonly ClassImage[] {
  const status = nodeClass?.['status'] as { readonly images?: readonly ClassImage[] } | undefined;
  return status?.images ?? [];
}

function mayUse({ spec }: NodePool, image: ClassImage): boolean {
  const archs = image.requirements?.find(({ key }) => key === KubernetesLabel.arch)?.values;
  if (archs === undefined) return true;
  const wanted = (spec.template.spec.requirements as readonly Requirement[]).filter(
    ({ key }) => key === KubernetesLabel.arch,
  );
  return archs.some((arch) => wanted.every((requirement) => admits(requirement, arch)));
}

function admits({ operator, values = [] }: Requirement, arch: string): boolean {
  if (operator === 'In') return values.includes(arch);
  return operator !== 'NotIn' || !values.includes(arch);
}
