/**
 * A node class from its creation to its end: finalizer first, then its status, computed by `cloud/aws/node-class` and written
 * here, once and only if it differs. A part that could not be computed does not keep the others from being written. A class
 * that is being deleted is not Ready; what happens then is in `node-class-termination.ts`.
 */
import {
  Controller,
  isApiError,
  itemBackoff,
  type KubeClient,
  keyOfObject,
  type Result,
  type StoreChange,
  storeSource,
} from '@chandler/kube';
import { ConditionSet, type EC2NodeClassStatus, Finalizer, replacing, sameJson } from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';
import type { AwsNodeClassStatus } from '../node-class/index.ts';
import { CLASSES, classNamed, classOfClaim, classReflector, type NodeClass } from './node-class-store.ts';
import { NodeClassTermination, type TerminationParts } from './node-class-termination.ts';

export interface NodeClassParts extends TerminationParts {
  readonly status: Pick<AwsNodeClassStatus, 'reconcile'>;
}

export function nodeClass(context: CloudControllerContext, parts: NodeClassParts): Controller {
  const { world, stores } = context;
  const termination = new NodeClassTermination(context, parts);
  return new Controller({
    name: 'nodeclass',
    world,
    concurrency: 10,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(classReflector(context), { filter: asksForLook }),
      storeSource(stores.claims, {
        filter: ({ type }) => type === 'deleted',
        keys: ({ object }) => classOfClaim(object),
      }),
    ],
    async reconcile(name, { signal }): Promise<Result> {
      const client = context.client.withSignal(signal);
      const found = classNamed(context, name);
      if (found === undefined) return {};
      if (found.metadata.deletionTimestamp !== undefined) {
        const terminating = await showTerminating(client, found, world.clock.now());
        return terminating === undefined ? {} : termination.reconcile(terminating, signal);
      }
      const held = await withFinalizer(client, found);
      return held === undefined ? {} : resolve(client, held, parts.status, signal);
    },
  });
}

/** What of the status differs; a field that is gone is null. */
export function statusPatch(before: object, after: object): Readonly<Record<string, unknown>> {
  const [was, is] = [before, after] as Readonly<Record<string, unknown>>[];
  const keys = [...new Set([...Object.keys(was!), ...Object.keys(is!)])];
  return Object.fromEntries(
    keys
      .filter((key) => !sameJson(was![key], is![key]))
      .map((key) => [key, is![key] === undefined ? null : replacing(is![key], was![key])]),
  );
}

// ---------------------------------------------------------------------------------------------------

/** Not for a new status, which is mostly our own: a message that is never the same twice would be written without a pause. */
function asksForLook({ type, object, before }: StoreChange<NodeClass>): boolean {
  if (type === 'deleted') return false;
  if (before === undefined) return true;
  const [is, was] = [object, before].map(({ metadata }) => [
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.finalizers,
    metadata.annotations,
  ]);
  return !sameJson(is, was);
}

async function resolve(
  client: KubeClient,
  found: NodeClass,
  status: NodeClassParts['status'],
  signal: AbortSignal,
): Promise<Result> {
  const resolved = await status.reconcile(found, signal);
  if (resolved.changed) await writeStatus(client, found, resolved.status);
  const [first] = resolved.errors;
  if (first !== undefined) throw first.error;
  return resolved.requeueAfterMs === undefined ? {} : { requeueAfterMs: resolved.requeueAfterMs };
}

/** As the server has it then; undefined when it is gone. */
async function withFinalizer(client: KubeClient, found: NodeClass): Promise<NodeClass | undefined> {
  const { finalizers = [], resourceVersion } = found.metadata;
  if (finalizers.includes(Finalizer.ec2NodeClass)) return found;
  const patch = { metadata: { resourceVersion, finalizers: [...finalizers, Finalizer.ec2NodeClass] } };
  return unlessGone(client.patch(CLASSES, keyOfObject(found), { type: 'merge', patch }));
}

/** Nothing is launched with it any more. */
async function showTerminating(
  client: KubeClient,
  found: NodeClass,
  nowMs: number,
): Promise<NodeClass | undefined> {
  // Without dependents: what they are says nothing about a class that goes away.
  const conditions = new ConditionSet({ root: 'Ready', dependents: [] }, found, nowMs);
  const message = 'the EC2NodeClass is being deleted';
  if (!conditions.setFalse('Ready', 'NodeClassTerminating', message)) return found;
  return writeStatus(client, found, { ...found.status, conditions: conditions.list() });
}

async function writeStatus(
  client: KubeClient,
  found: NodeClass,
  status: EC2NodeClassStatus,
): Promise<NodeClass | undefined> {
  const { resourceVersion } = found.metadata;
  const patch = { metadata: { resourceVersion }, status: statusPatch(found.status ?? {}, status) };
  return unlessGone(client.patchStatus(CLASSES, keyOfObject(found), { type: 'merge', patch }));
}

async function unlessGone(written: Promise<NodeClass>): Promise<NodeClass | undefined> {
  try {
    return await written;
  } catch (error) {
    if (isApiError(error, 'notFound')) return undefined;
    throw error;
  }
}
