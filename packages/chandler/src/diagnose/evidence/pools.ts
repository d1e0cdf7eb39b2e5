/** NodePools and the node classes they name: layer 1. */
import type { KubeObject, ResourceRef } from '@chandler/kube';
import { AKS_NODE_CLASSES, EC2_NODE_CLASSES } from '../../api/index.ts';
import type { NodeClassEvidence } from '../../causes/index.ts';

import { isFound } from '../reader/reader.ts';
import type { Ask } from './ask.ts';
import { type ReadEvent, readEvents } from './events.ts';
import { conditionsOf, type NodeClassShape, type PoolShape, timeMs } from './shapes.ts';

export interface ClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

const CLASS_RESOURCES: readonly ResourceRef[] = [AKS_NODE_CLASSES, EC2_NODE_CLASSES];

/** An event says so, and until when; an older controller only that it is so, about every minute. */
const HELD_UNTIL = /^Launches are held back until (\S+)/;
const HELD_BACK_MS = 2 * 60_000;

/** The pool, its events and its class. */
export async function readPool(ask: Ask, pool: PoolShape): Promise<readonly ReadEvent[]> {
  const { ledger } = ask;
  const { name = '', uid, deletionTimestamp } = pool.metadata;
  const events = await readEvents(ask, { kind: 'NodePool', name, uid });
  const reference = pool.spec.template.spec.nodeClassRef;
  const held = events.findLast(
    (event) => event.reason === 'LaunchesHeldBack' && ledger.atMs <= heldUntilMs(event),
  );
  ledger.add({
    kind: 'nodePool',
    reading: ledger.reading(`NodePool ${name}`),
    name,
    deleting: deletionTimestamp !== undefined,
    nodeClass: { kind: reference.kind, name: reference.name },
    conditions: conditionsOf(pool),
    limits: texts(pool.spec.limits),
    used: texts(pool.status?.resources),
    heldBack: held === undefined ? undefined : { reason: held.message, untilMs: heldUntilMs(held) },
  });
  await readNodeClass(ask, reference);
  return events;
}

/** The class as an object, where it is there. */
export async function readNodeClass(
  ask: Ask,
  reference: ClassRef,
  about: 'everything' | 'diskEncryption' = 'everything',
): Promise<NodeClassShape | undefined> {
  const { reader, ledger } = ask;
  const what = `${reference.kind} ${reference.name}`;
  const resource = CLASS_RESOURCES.find(
    ({ group, kind }) => group === reference.group && kind === reference.kind,
  );
  if (resource === undefined) {
    ledger.missed('nodeClass', what, {
      why: 'notFound',
      message: `${reference.kind} (${reference.group}) is no kind of node class that is known here`,
    });
    return undefined;
  }
  const looked = await reader.get(resource, { name: reference.name });
  if (!isFound(looked) && looked.why !== 'notFound') {
    ledger.missed('nodeClass', what, looked);
    return undefined;
  }
  const found = isFound(looked) ? (looked.found as NodeClassShape) : undefined;
  const evidence = classEvidence(ask, reference, found);
  const conditions = evidence.conditions.filter(({ reason = '' }) => ABOUT_KEYS.test(reason));
  ledger.add(about === 'everything' ? evidence : { ...evidence, conditions });
  return found;
}

// ---------------------------------------------------------------------------------------------------

function heldUntilMs({ message, lastMs }: ReadEvent): number {
  return timeMs(HELD_UNTIL.exec(message)?.[1]) ?? lastMs + HELD_BACK_MS;
}

/** Reasons that speak of the disk encryption set, its key or its vault. */
const ABOUT_KEYS = /^(?:DiskEncryptionSet|KeyVault|Key[A-Z])/;

function classEvidence(
  { ledger }: Ask,
  { kind, name }: ClassRef,
  found: NodeClassShape | undefined,
): NodeClassEvidence {
  return {
    kind: 'nodeClass',
    reading: ledger.reading(`${kind} ${name}`),
    objectKind: kind,
    name,
    found: found !== undefined,
    deleting: found?.metadata.deletionTimestamp !== undefined,
    generation: found?.metadata.generation,
    conditions: found === undefined ? [] : conditionsOf(found as KubeObject),
    diskEncryptionSet: found?.status?.diskEncryptionSet,
    findings: launchFindings(found),
  };
}

/** How a condition begins to tell what Azure said to a launch; everything else was found out by looking. */
const SAID_AT_LAUNCH = 'Azure refused a VM with this disk encryption set';

function launchFindings(found: NodeClassShape | undefined): NodeClassEvidence['findings'] {
  return (found === undefined ? [] : conditionsOf(found as KubeObject)).flatMap(
    ({ status, reason = '', message = '' }) =>
      status === 'False' && message.includes(SAID_AT_LAUNCH)
        ? [{ reason, witness: 'launch' as const, message }]
        : [],
  );
}

function texts(amounts: Readonly<Record<string, unknown>> | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([name, amount]) => [name, String(amount)]));
}
