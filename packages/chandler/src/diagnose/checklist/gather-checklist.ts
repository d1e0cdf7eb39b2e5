/**
 * The evidence for a checklist: the controller, NodePools and node classes, the newest claims and their nodes. What another
 * cloud has in the same cluster is no evidence.
 */
import { NODES } from '@chandler/kube';
import { NODE_CLAIMS, NODE_CLASS_GROUPS, NODE_POOLS } from '../../api/index.ts';
import {
  EvidenceRecorder,
  type EvidenceSet,
  isFound,
  listOr,
  type ObjectReader,
} from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';

import { urgentFirst } from '../evidence/claim-order.ts';
import { readController } from '../evidence/controller.ts';
import type { GatherContext } from '../evidence/gather-context.ts';
import { keepRead } from '../evidence/keep-read.ts';
import { readNode } from '../evidence/nodes.ts';
import { followClaims } from '../evidence/paths/follow-claims.ts';
import type { Planner } from '../evidence/planner.ts';
import { readPool } from '../evidence/pools.ts';
import type { ClaimShape, NodeShape, PoolShape } from '../evidence/shapes.ts';

export interface ChecklistRequest {
  readonly cloud: CloudDiagnosis;
  readonly reader: ObjectReader;
  readonly planner?: Planner | undefined;
}

const MAX_POOLS = 10;
const MAX_CLAIMS = 3;

export async function gatherForChecklist(name: string, request: ChecklistRequest): Promise<EvidenceSet> {
  const { cloud, reader, planner } = request;
  const recorder = new EvidenceRecorder(reader.from, reader.atMs);
  const context: GatherContext = { cloud, reader, recorder, planner, expectsCustomerKey: true };
  recorder.add({
    kind: 'question',
    reading: recorder.reading(`checklist ${name}`),
    subject: `checklist/${name}`,
    expectsCustomerKey: true,
  });
  const controller = await readController(context);
  const pools = listOr(await reader.list(NODE_POOLS), (unseen) =>
    recorder.addUnread('nodePool', 'NodePools', unseen),
  ) as readonly PoolShape[];
  const own = pools.filter(({ spec }) => !isElsewhere(cloud, spec.template.spec.nodeClassRef));
  for (const pool of own.slice(0, MAX_POOLS)) await readPool(context, pool);
  const claims = await claimsToShow(context);
  await followClaims(context, controller, claims);
  for (const claim of claims) await nodeOfClaim(context, claim);
  keepRead(context);
  return recorder.evidence();
}

// ---------------------------------------------------------------------------------------------------

/** Of another cloud that the product knows. A group that it does not know is a mistake, which the steps name. */
function isElsewhere({ nodeClasses }: CloudDiagnosis, { group }: { readonly group: string }): boolean {
  return NODE_CLASS_GROUPS.includes(group) && !nodeClasses.some((own) => own.group === group);
}

/** Those that fail, or are late; then the newest. */
async function claimsToShow({ cloud, reader, recorder }: GatherContext): Promise<readonly ClaimShape[]> {
  const claims = listOr(await reader.list(NODE_CLAIMS), (unseen) =>
    recorder.addUnread('nodeClaim', 'NodeClaims', unseen),
  ) as readonly ClaimShape[];
  const own = claims.filter(
    ({ metadata, spec }) =>
      metadata.deletionTimestamp === undefined && !isElsewhere(cloud, spec.nodeClassRef),
  );
  return urgentFirst(own, recorder.atMs).slice(0, MAX_CLAIMS);
}

async function nodeOfClaim(context: GatherContext, claim: ClaimShape): Promise<void> {
  const name = claim.status?.nodeName;
  if (!name) return;
  const looked = await context.reader.get(NODES, { name });
  if (isFound(looked)) await readNode(context, looked.found as NodeShape, claim.metadata.name);
}
