/** The NodeClaims that a command launches, built as provisioning builds them, with the id of the command. */
import type { Pod, Stored } from '@chandler/kube';
import { ChandlerAnnotation } from '../../api/index.ts';
import type { Command, Replacement } from '../../disruption/index.ts';
import type { ControllerContext } from '../context.ts';
import { type Pool, poolNamed } from '../pools/pool-store.ts';
import type { ClaimBody } from '../provisioning/claim-body.ts';
import { plannedBody } from '../provisioning/planned-body.ts';
import { staticClaim } from '../static/static-claim.ts';

/** A text: why they cannot be built. */
export function replacementBodies(
  context: ControllerContext,
  command: Command,
  id: string,
): readonly ClaimBody[] | string {
  const bodies: ClaimBody[] = [];
  for (const [index, replacement] of command.replacements.entries()) {
    const pool = poolNamed(context, replacement.nodePool);
    if (pool === undefined || pool.metadata.deletionTimestamp !== undefined)
      return `nodepool ${replacement.nodePool} does not exist`;
    bodies.push(annotated(bodyOf(context, replacement, pool, `${id}-${index}`), id));
  }
  return bodies;
}

// ---------------------------------------------------------------------------------------------------

/** The name follows from the command, not from the pods: provisioning may have launched a node for them before. */
function bodyOf(
  context: ControllerContext,
  { claim, pods: names }: Replacement,
  nodePool: Pool,
  name: string,
): ClaimBody {
  if (claim === undefined) return staticClaim(context, nodePool, name);
  const pods = names.flatMap((key): readonly Stored<Pod>[] => {
    const [namespace = '', podName = ''] = key.split('/');
    const pod = context.stores.pods.store.get({ namespace, name: podName });
    return pod === undefined ? [] : [pod];
  });
  return plannedBody(context, { planned: { ...claim, id: name }, nodePool, pods, podUids: [], attempt: 0 });
}

function annotated(body: ClaimBody, id: string): ClaimBody {
  const annotations = { ...body.metadata.annotations, [ChandlerAnnotation.replacementFor]: id };
  return { ...body, metadata: { ...body.metadata, annotations } };
}
