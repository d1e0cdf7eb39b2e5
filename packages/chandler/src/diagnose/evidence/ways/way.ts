/** What the four ways share: the controller, and the machines, tokens and values behind claims. */
import { AKS_NODE_CLASSES, EC2_NODE_CLASSES } from '../../../api/index.ts';
import { isTrue, type NodeClaimEvidence } from '../../../causes/index.ts';

import { isFound } from '../../reader/reader.ts';
import type { Ask } from '../ask.ts';
import { type ClusterAt, machineAt } from '../azure-eye.ts';
import { claimEvidence, journeyEvidence, readClaim } from '../claims.ts';
import type { SeenController } from '../controller.ts';
import { readCluster, readMachine } from '../machines.ts';
import { type ClassRef, readNodeClass } from '../pools.ts';
import type { ClaimShape, NodeClassShape } from '../shapes.ts';
import { readToken } from '../tokens.ts';
import { type Configured, configuredSet, DES_OPTION, readValues } from '../values.ts';

export interface Way {
  readonly ask: Ask;
  /** Nodes are to have disks with a key of their own. */
  readonly byok: boolean;
  readonly cluster: ClusterAt | undefined;
}

/** Claims whose machines are looked at in Azure; more would take long. */
export const MOST_MACHINES = 3;

/** Claims with their machines, the way of their values, and while one has not joined, the token. */
export async function followClaims(
  way: Way,
  controller: SeenController | undefined,
  claims: readonly ClaimShape[],
): Promise<void> {
  const { ask } = way;
  for (const [index, claim] of claims.entries()) {
    await readClaim(ask, claim);
    const vm = index < MOST_MACHINES ? await readMachine(ask, claim) : undefined;
    const nodeClass = await lookAtClass(ask, claim.spec.nodeClassRef);
    const journey = journeyEvidence(ask, claim);
    const configured = configuredSet(claim, journey, nodeClass, deploymentOf(controller));
    readValues(ask, { claim, journey, nodeClass, configured, vm });
  }
  const joining = claims.some((claim) => isJoining(claimEvidence(ask, claim)));
  if (joining) await readToken(ask, controller);
  if (way.byok || joining) await followCluster(way, controller, claims);
}

/**
 * The class of a claim as evidence: whole while there is no machine, since then it is in the way; afterwards only its
 * key, and that only where one is in question. What broke in a class later explains nothing about the machine.
 */
export async function followClass(way: Way, claim: ClaimShape): Promise<void> {
  const evidence = claimEvidence(way.ask, claim);
  const set = evidence.recordedDiskEncryptionSet ?? 'none';
  if (!isTrue(evidence, 'Launched')) await readNodeClass(way.ask, claim.spec.nodeClassRef);
  else if (way.byok || set !== 'none')
    await readNodeClass(way.ask, claim.spec.nodeClassRef, 'diskEncryption');
}

export function isJoining(claim: NodeClaimEvidence): boolean {
  return claim.deletingSinceMs === undefined && isTrue(claim, 'Launched') && !isTrue(claim, 'Registered');
}

/** Read without being evidence: a class that broke after the machine was made explains nothing about it. */
export async function lookAtClass({ reader }: Ask, reference: ClassRef): Promise<NodeClassShape | undefined> {
  const resource = [AKS_NODE_CLASSES, EC2_NODE_CLASSES].find(
    ({ group, kind }) => group === reference.group && kind === reference.kind,
  );
  if (resource === undefined) return undefined;
  const looked = await reader.get(resource, { name: reference.name });
  return isFound(looked) ? (looked.found as NodeClassShape) : undefined;
}

// ---------------------------------------------------------------------------------------------------

function deploymentOf(controller: SeenController | undefined) {
  if (controller === undefined) return undefined;
  const value = controller.options[DES_OPTION];
  const option: Configured | undefined =
    value === undefined || value.value === ''
      ? undefined
      : { ...value, seenIn: `Deployment ${controller.namespace}/${controller.deployment.metadata.name}` };
  return { object: controller.deployment, option };
}

async function followCluster(
  { ask, cluster }: Way,
  controller: SeenController | undefined,
  claims: readonly ClaimShape[],
): Promise<void> {
  const machine = claims
    .map(({ status }) => machineAt(status?.providerID ?? ''))
    .find((at) => at !== undefined);
  const nodes =
    machine === undefined
      ? undefined
      : { subscription: machine.subscription, resourceGroup: machine.resourceGroup };
  const at = cluster ?? clusterOf(controller) ?? nodes;
  if (at !== undefined) await readCluster(ask, at);
}

function clusterOf(controller: SeenController | undefined): ClusterAt | undefined {
  const value = (name: string) => controller?.options[name]?.value ?? '';
  const at = {
    subscription: value('azureSubscriptionId'),
    resourceGroup: value('armResourceGroup'),
    name: value('clusterName'),
  };
  return at.resourceGroup === '' || at.name === '' ? undefined : at;
}
