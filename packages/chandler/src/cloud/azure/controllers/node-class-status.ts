/**
 * The status of a node class: worked out by `cloud/azure/node-class`, written here, once and only if it differs. A part
 * that could not be worked out does not keep the others from being written.
 */
import {
  Controller,
  isApiError,
  itemBackoff,
  type KubeClient,
  keyOfObject,
  type Result,
  storeSource,
} from '@chandler/kube';
import type { AKSNodeClassStatus } from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';

import type { AzureNodeClassStatus } from '../node-class/status.ts';
import { CLASSES, classNamed, classReflector, type NodeClass } from './node-class-store.ts';

export function nodeClassStatus(
  context: CloudControllerContext,
  status: Pick<AzureNodeClassStatus, 'reconcile'>,
): Controller {
  const { world } = context;
  return new Controller({
    name: 'nodeclass.status',
    world,
    concurrency: 10,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [storeSource(classReflector(context), { filter: ({ type }) => type !== 'deleted' })],
    async reconcile(name, { signal }): Promise<Result> {
      const nodeClass = classNamed(context, name);
      if (nodeClass === undefined || nodeClass.metadata.deletionTimestamp !== undefined) return {};
      const found = await status.reconcile(nodeClass, signal);
      if (found.changed) await write(context.client.withSignal(signal), nodeClass, found.status);
      const [first] = found.errors;
      if (first !== undefined) throw first.error;
      return found.requeueAfterMs === undefined ? {} : { requeueAfterMs: found.requeueAfterMs };
    },
  });
}

/** A merge patch that turns `before` into `after`: a removed field is null. */
export function mergePatch(before: unknown, after: unknown): unknown {
  if (!isRecord(before) || !isRecord(after)) return after;
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) if (after[key] === undefined) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined || JSON.stringify(value) === JSON.stringify(before[key])) continue;
    patch[key] = mergePatch(before[key], value);
  }
  return patch;
}

// ---------------------------------------------------------------------------------------------------

async function write(client: KubeClient, nodeClass: NodeClass, status: AKSNodeClassStatus): Promise<void> {
  const { resourceVersion } = nodeClass.metadata;
  const patch = { metadata: { resourceVersion }, status: mergePatch(nodeClass.status ?? {}, status) };
  try {
    await client.patchStatus(CLASSES, keyOfObject(nodeClass), { type: 'merge', patch });
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
