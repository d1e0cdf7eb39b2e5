/** The evidence for the checklist: controller, pools and classes, the newest machines, and the set as Azure shows it. */
import { NODES } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import type { EvidenceSet } from '../../causes/index.ts';
import {
  isMalformed,
  parseDiskEncryptionSetId,
  type Evidence as SetEvidence,
} from '../../cloud/azure/index.ts';

import type { Ask } from '../evidence/ask.ts';
import type { AzureEye } from '../evidence/azure-eye.ts';
import { readController } from '../evidence/controller.ts';
import { Ledger } from '../evidence/ledger.ts';
import { readNode } from '../evidence/nodes.ts';
import type { Planner } from '../evidence/planner.ts';
import { readPool } from '../evidence/pools.ts';
import { type ClaimShape, type NodeShape, type PoolShape, timeMs } from '../evidence/shapes.ts';
import { followClaims, type Way } from '../evidence/ways/way.ts';
import { isFound, listOr, type ObjectReader } from '../reader/reader.ts';

export interface GatherByok {
  readonly reader: ObjectReader;
  readonly azure?: AzureEye | undefined;
  readonly planner?: Planner | undefined;
}

const MOST_POOLS = 10;
const MOST_CLAIMS = 3;

export async function gatherByok(
  options: GatherByok,
): Promise<{ readonly evidence: EvidenceSet; readonly set: SetEvidence | undefined }> {
  const { reader, azure, planner } = options;
  const ledger = new Ledger(reader.from, reader.atMs);
  const ask: Ask = { reader, ledger, azure, planner };
  ledger.add({
    kind: 'question',
    reading: ledger.reading('checklist byok'),
    subject: 'checklist/byok',
    expectsDiskEncryptionSet: true,
  });
  const controller = await readController(ask);
  const pools = listOr(await reader.list(NODE_POOLS), (unseen) =>
    ledger.missed('nodePool', 'NodePools', unseen),
  ) as readonly PoolShape[];
  for (const pool of pools.slice(0, MOST_POOLS)) await readPool(ask, pool);
  const way: Way = { ask, byok: true, cluster: undefined };
  const claims = await newestClaims(ask);
  await followClaims(way, controller, claims);
  for (const claim of claims) await nodeOfClaim(ask, claim);
  return { evidence: ledger.evidence(), set: await lookAtSet(ask) };
}

// ---------------------------------------------------------------------------------------------------

async function newestClaims({ reader, ledger }: Ask): Promise<readonly ClaimShape[]> {
  const claims = listOr(await reader.list(NODE_CLAIMS), (unseen) =>
    ledger.missed('nodeClaim', 'NodeClaims', unseen),
  ) as readonly ClaimShape[];
  return claims
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((one, other) => createdMs(other) - createdMs(one))
    .slice(0, MOST_CLAIMS);
}

function createdMs({ metadata }: ClaimShape): number {
  return timeMs(metadata.creationTimestamp) ?? 0;
}

async function nodeOfClaim(ask: Ask, claim: ClaimShape): Promise<void> {
  const name = claim.status?.nodeName;
  if (!name) return;
  const looked = await ask.reader.get(NODES, { name });
  if (isFound(looked)) await readNode(ask, looked.found as NodeShape, claim.metadata.name);
}

/** In the region of the nodes, which sets must be of too. */
async function lookAtSet({ azure, ledger }: Ask): Promise<SetEvidence | undefined> {
  const evidence = ledger.evidence();
  const id =
    evidence.all('nodeClass').find(({ diskEncryptionSet }) => diskEncryptionSet !== undefined)
      ?.diskEncryptionSet?.id ?? evidence.first('options')?.values['nodeOsdiskDiskencryptionsetId']?.value;
  if (azure === undefined || id === undefined || id === '') return undefined;
  if (isMalformed(parseDiskEncryptionSetId(id))) return undefined;
  return azure.set(id, locationOf(evidence));
}

function locationOf(evidence: EvidenceSet): string {
  const labels = evidence.all('node').map(({ labels: own }) => own['topology.kubernetes.io/region'] ?? '');
  return evidence.first('options')?.values['location']?.value || labels.find((label) => label !== '') || '';
}
