/**
 * The status of a node class: computed by `cloud/azure/node-class`, written here, once and only if it differs. A part
 * that could not be computed does not keep the others from being written. It follows at once what Azure says about a
 * disk encryption set at a launch, and options that change at runtime. A class that is being deleted is not Ready.
 */
import {
  Controller,
  isApiError,
  itemBackoff,
  type KubeClient,
  keyOfObject,
  type Result,
  type Source,
  storeSource,
} from '@chandler/kube';
import { type AKSNodeClassStatus, ConditionSet } from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';

import { sameResourceId } from '../disk-encryption/disk-encryption-set-id.ts';
import type { LaunchEvidence } from '../disk-encryption/index.ts';
import type { AzureNodeClassStatus } from '../node-class/status.ts';
import { CLASSES, classNamed, classReflector, type NodeClass } from './node-class-store.ts';

export function nodeClassStatus(
  context: CloudControllerContext,
  status: Pick<AzureNodeClassStatus, 'reconcile'>,
  launchEvidence: Pick<LaunchEvidence, 'onChange'>,
): Controller {
  const { world } = context;
  return new Controller({
    name: 'nodeclass.status',
    world,
    concurrency: 10,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(classReflector(context), { filter: ({ type }) => type !== 'deleted' }),
      launchSource(context, launchEvidence),
      optionsSource(context),
    ],
    async reconcile(name, { signal }): Promise<Result> {
      const nodeClass = classNamed(context, name);
      if (nodeClass === undefined) return {};
      if (nodeClass.metadata.deletionTimestamp !== undefined) {
        const terminating = terminatingStatus(nodeClass, world.clock.now());
        if (terminating !== undefined) await write(context.client.withSignal(signal), nodeClass, terminating);
        return {};
      }
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

/** The options that the status depends on and that may change at runtime. */
const READ_OPTIONS = ['nodeOsdiskDiskencryptionsetId', 'kubernetesVersion'];

/** The classes that use a set about which Azure has just said something. */
function launchSource(context: CloudControllerContext, evidence: Pick<LaunchEvidence, 'onChange'>): Source {
  return {
    synced: Promise.resolve(),
    start: (queue) =>
      evidence.onChange((id) => {
        for (const { metadata, status } of classReflector(context).store.values())
          if (sameResourceId(status?.diskEncryptionSet?.id, id)) queue.add(metadata.name);
      }),
  };
}

/** All classes, when an option of the status changes. */
function optionsSource(context: CloudControllerContext): Source {
  return {
    synced: Promise.resolve(),
    start: (queue) =>
      context.onOptionsChange((names) => {
        if (!names.some((name) => READ_OPTIONS.includes(name))) return;
        for (const { metadata } of classReflector(context).store.values()) queue.add(metadata.name);
      }),
  };
}

/** Nothing is launched with it any more; undefined when its status says so already. */
function terminatingStatus(nodeClass: NodeClass, nowMs: number): AKSNodeClassStatus | undefined {
  const conditions = ConditionSet.of('AKSNodeClass', nodeClass, nowMs);
  const changed = conditions.setFalse('Ready', 'NodeClassTerminating', 'the AKSNodeClass is being deleted');
  return changed ? { ...nodeClass.status, conditions: conditions.list() } : undefined;
}

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
