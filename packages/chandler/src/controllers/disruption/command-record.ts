/**
 * A command in execution, as it is kept in an annotation of each NodeClaim that it removes. It has all that a new leader
 * needs to continue the command: the nodes, and the NodeClaims to launch. `execution.ts` writes and follows it.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { ChandlerAnnotation, DISRUPTION_REASONS } from '../../api/index.ts';
import {
  type Command,
  type Decision,
  type DisruptionReason,
  METHODS,
  type MethodName,
  type SurgeOwner,
  type TerminateFirstReason,
} from '../../disruption/index.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import type { ClaimBody } from '../provisioning/claim-body.ts';

export interface CommandRecord {
  /** Of this execution: the same command may be given again later. */
  readonly id: string;
  readonly method: MethodName;
  readonly reason: DisruptionReason;
  readonly decision: Decision;
  readonly startedAtMs: number;
  readonly candidates: readonly CandidateRecord[];
  readonly replacements: readonly ClaimBody[];
  /** Per hour. */
  readonly priceBefore: number;
  readonly priceAfter: number;
  readonly podsMoved: number;
  /** How long the drain may take. Absent: as the claim says. */
  readonly drainBoundMs?: number;
  /** Of a repair: the type of the unhealthy condition. */
  readonly condition?: string;
  readonly terminateFirst?: TerminateFirstReason;
  /** Workloads that are rolled before the nodes are deleted, and when: each once. */
  readonly surges?: readonly SurgeOwner[];
  readonly rolledAtMs?: number;
}

export interface CandidateRecord {
  readonly node: string;
  readonly claim: string;
  readonly uid: string;
  readonly nodePool: string;
}

export function recordOf(
  command: Command,
  parts: Pick<CommandRecord, 'id' | 'startedAtMs' | 'candidates' | 'replacements'>,
): CommandRecord {
  const { method, reason, decision, priceBefore, priceAfter, podsMoved } = command;
  const { drainBoundMs, repair, terminateFirst, surges } = command;
  return {
    ...parts,
    method,
    reason,
    decision,
    priceBefore,
    priceAfter,
    podsMoved,
    ...(drainBoundMs === undefined ? {} : { drainBoundMs }),
    ...(repair === undefined ? {} : { condition: repair.conditionType }),
    ...(terminateFirst === undefined ? {} : { terminateFirst }),
    ...(surges === undefined ? {} : { surges }),
  };
}

/** Bodies and workloads are compressed: a NodeClaim may list hundreds of instance types, and many nodes hundreds of workloads. */
export function recordText(record: CommandRecord): string {
  const { replacements, startedAtMs, candidates, surges, ...rest } = record;
  return JSON.stringify({
    ...rest,
    startedAt: new Date(startedAtMs).toISOString(),
    nodes: candidates.map(({ node, claim, uid, nodePool }) => [node, claim, uid, nodePool]),
    launches: replacements.map(({ metadata }) => metadata.name),
    ...(replacements.length === 0 ? {} : { bodies: compressed(replacements) }),
    ...(surges === undefined ? {} : { surges: compressed(surges) }),
  });
}

/** Undefined for a claim without a command, and for a text that is not one of ours. */
export function readRecord(claim: Claim): CommandRecord | undefined {
  const text = claim.metadata.annotations?.[ChandlerAnnotation.disruptionCommand];
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(text) as Record<string, unknown>;
    const startedAtMs = Date.parse(String(read['startedAt']));
    const method = METHODS.find(({ name }) => name === read['method'])?.name;
    const reason = DISRUPTION_REASONS.find((each) => each === read['reason']);
    const nodes = read['nodes'] as readonly (readonly string[])[];
    if (typeof read['id'] !== 'string' || method === undefined || reason === undefined) return undefined;
    if (Number.isNaN(startedAtMs) || !nodes.every((node) => node.length === 4)) return undefined;
    const bodies = read['bodies'];
    const replacements = typeof bodies === 'string' ? readBodies(bodies) : [];
    return {
      id: read['id'],
      method,
      reason,
      decision: read['decision'] as Decision,
      startedAtMs,
      candidates: nodes.map(([node, name, uid, nodePool]) => ({
        node: node!,
        claim: name!,
        uid: uid!,
        nodePool: nodePool!,
      })),
      replacements,
      priceBefore: Number(read['priceBefore']) || 0,
      priceAfter: Number(read['priceAfter']) || 0,
      podsMoved: Number(read['podsMoved']) || 0,
      ...optional(read, 'drainBoundMs', 'number'),
      ...optional(read, 'condition', 'string'),
      ...optional(read, 'terminateFirst', 'string'),
      ...optional(read, 'rolledAtMs', 'number'),
      ...readSurges(read['surges']),
    };
  } catch {
    return undefined;
  }
}

/** The ID alone, without what is compressed; undefined as for `readRecord`, but for texts that only that cannot read. */
export function commandIdOf({ metadata }: Claim): string | undefined {
  const text = metadata.annotations?.[ChandlerAnnotation.disruptionCommand];
  if (text === undefined) return undefined;
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** How long the drain of this claim may take, by the command that removes it; undefined: the command has no bound. */
export function drainBoundOf({ metadata }: Claim): number | undefined {
  const text = metadata.annotations?.[ChandlerAnnotation.disruptionCommand];
  if (text === undefined) return undefined;
  try {
    const { nodes, drainBoundMs } = JSON.parse(text) as {
      readonly nodes: readonly (readonly string[])[];
      readonly drainBoundMs?: unknown;
    };
    // A copy of the annotation on another claim is no command.
    const own = nodes.some(([, , uid]) => uid === metadata.uid);
    return own && typeof drainBoundMs === 'number' && drainBoundMs >= 0 ? drainBoundMs : undefined;
  } catch {
    return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------

function compressed(value: unknown): string {
  return gzipSync(JSON.stringify(value)).toString('base64');
}

/** @throws for a text that is not compressed JSON. */
function decompressed(text: string): unknown {
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString());
}

type OptionalField = 'drainBoundMs' | 'condition' | 'terminateFirst' | 'rolledAtMs';

function optional(
  read: Readonly<Record<string, unknown>>,
  name: OptionalField,
  type: 'number' | 'string',
): Partial<Pick<CommandRecord, OptionalField>> {
  return typeof read[name] === type ? { [name]: read[name] } : {};
}

/** @throws for a list that is not one of ours. */
function readBodies(text: string): readonly ClaimBody[] {
  const list = decompressed(text) as readonly Partial<ClaimBody>[];
  return list.map((body) => {
    const { metadata, spec } = body;
    if (typeof metadata?.name !== 'string' || !Array.isArray(spec?.requirements))
      throw new Error('no NodeClaim');
    return body as ClaimBody;
  });
}

function readSurges(read: unknown): Pick<CommandRecord, 'surges'> {
  if (read === undefined) return {};
  const list = decompressed(String(read)) as readonly SurgeOwner[];
  const surges = list.map(({ kind, namespace, name, uid }) => {
    if (![namespace, name, uid].every((text) => typeof text === 'string')) throw new Error('no workload');
    if (kind !== 'Deployment' && kind !== 'StatefulSet') throw new Error('no workload');
    return { kind, namespace, name, uid };
  });
  return { surges };
}
