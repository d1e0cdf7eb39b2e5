/**
 * Initialization: a registered node is initialized once it is Ready, its startup taints are removed and all requested
 * resources are registered.
 */
import { keyOfObject, NODES, type Node, parseQuantity, type Stored } from '@chandler/kube';
import { isKnownEphemeralTaint, KarpenterLabel, sameTaint } from '../../api/index.ts';
import { BY_PROVIDER_ID, conditionOf } from '../../state/index.ts';

import type { ReconcileScope } from '../context.ts';
import type { Claim, ClaimPatch } from './claim-patch.ts';
import type { LifecycleReporter } from './lifecycle-reporter.ts';

export async function initialize(
  context: ReconcileScope,
  claimPatch: ClaimPatch,
  reporter: LifecycleReporter,
): Promise<void> {
  const { conditions } = claimPatch;
  if (conditions.isTrue('Initialized') || !conditions.isTrue('Registered')) return;
  // Its Node may still look as before the reboot.
  if (conditions.isTrue('Rebooting')) return;
  const node = context.stores.nodes.store.by(BY_PROVIDER_ID, claimPatch.providerID)[0];
  const missing = node === undefined ? NOT_FOUND : whatIsMissing(node, claimPatch.claim);
  if (missing !== undefined) {
    conditions.setUnknown('Initialized', missing.reason, missing.message);
    return;
  }
  if (node!.metadata.labels?.[KarpenterLabel.initialized] !== 'true') {
    const { resourceVersion } = node!.metadata;
    const patch = { metadata: { resourceVersion, labels: { [KarpenterLabel.initialized]: 'true' } } };
    await context.client.patch(NODES, keyOfObject(node!), {
      type: 'merge',
      patch,
    });
  }
  conditions.setTrue('Initialized');
  claimPatch.onceWritten(() => reporter.initialized(context, claimPatch, node!));
}

// ---------------------------------------------------------------------------------------------------

interface Missing {
  readonly reason: string;
  readonly message: string;
}

const NOT_FOUND: Missing = { reason: 'NodeNotFound', message: 'Node not registered with cluster' };

function whatIsMissing(node: Stored<Node>, claim: Claim): Missing | undefined {
  const ready = conditionOf(node, 'Ready');
  if (ready?.status !== 'True')
    return {
      reason: 'NodeNotReady',
      message: `Node is NotReady${ready?.message ? `: ${ready.message}` : ''}`,
    };
  const taints = node.spec?.taints ?? [];
  const startup = (claim.spec.startupTaints ?? []).find((taint) =>
    taints.some((other) => sameTaint(taint, other)),
  );
  if (startup !== undefined)
    return { reason: 'StartupTaintsExist', message: `StartupTaint "${textOf(startup)}" still exists` };
  const ephemeral = taints.find(isKnownEphemeralTaint);
  if (ephemeral !== undefined)
    return {
      reason: 'KnownEphemeralTaintsExist',
      message: `KnownEphemeralTaint "${textOf(ephemeral)}" still exists`,
    };
  const resource = unregisteredResource(node, claim);
  if (resource !== undefined)
    return {
      reason: 'ResourceNotRegistered',
      message: `Resource "${resource}" was requested but not registered`,
    };
  return undefined;
}

function unregisteredResource(node: Stored<Node>, claim: Claim): string | undefined {
  const allocatable = node.status?.allocatable ?? {};
  for (const [resource, amount] of Object.entries(claim.spec.resources?.requests ?? {})) {
    if (parseQuantity(amount).isZero()) continue;
    if (parseQuantity(allocatable[resource] ?? '0').isZero()) return resource;
  }
  return undefined;
}

function textOf({
  key,
  value,
  effect,
}: {
  key: string;
  value?: string | undefined;
  effect?: string | undefined;
}): string {
  return `${key}${value ? `=${value}` : ''}:${effect ?? ''}`;
}
