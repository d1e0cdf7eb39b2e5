/**
 * Deletes the Node and the bindings of this machine from the cluster. They are found by their names, so an object that another
 * machine uses now is kept and reported.
 */
import { FlexError } from '../flex-error.ts';
import { describeMachine, readMachineIds } from '../host/machine-ids.ts';
import type { Leftover, StepContext } from '../step.ts';
import { PRINCIPAL } from './arc-owner.ts';
import { CLUSTER_MADE_ON, madeElsewhere } from './made-on.ts';
import { nodeOwner } from './node-owner.ts';
import { type Operator, operatorAccess } from './operator-access.ts';

export interface ClusterObject {
  readonly kind: 'node' | 'clusterrolebinding';
  readonly name: string;
}

export interface DeletedObjects {
  /** Could not be deleted. */
  readonly left: readonly Leftover[];
  /** Objects of another machine. */
  readonly kept: readonly Leftover[];
}

export async function deleteObjects(
  context: StepContext,
  objects: readonly ClusterObject[],
): Promise<DeletedObjects> {
  if (objects.length === 0) return { left: [], kept: [] };
  const all = (why: string) => objects.map((each) => leftover(context, each, why));
  const elsewhere = await madeElsewhere(context, CLUSTER_MADE_ON);
  if (elsewhere !== undefined) return { left: [], kept: all(elsewhere) };
  let operator: Operator;
  let owner: NodeOwner;
  try {
    operator = await operatorAccess(context, await context.azure.cluster(context.signal));
    owner = await readOwner(context, operator);
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    // With the cluster everything in it is gone.
    const left = error.facts.code === 'azure.not-found' ? [] : all(error.facts.message);
    return { left, kept: [] };
  }
  const left: Leftover[] = [];
  const kept: Leftover[] = [];
  for (const each of objects) {
    try {
      const why = await deleteObject(context, operator, each, owner);
      if (why !== undefined) kept.push(leftover(context, each, why));
    } catch (error) {
      if (!(error instanceof FlexError)) throw error;
      left.push(leftover(context, each, error.facts.message));
    }
  }
  return { left, kept };
}

export function leftover({ config }: StepContext, { kind, name }: ClusterObject, why: string): Leftover {
  const { name: cluster, resourceGroup, subscriptionId } = config.azure.targetCluster;
  return {
    what: `${kind === 'node' ? 'Node' : 'ClusterRoleBinding'} ${name}`,
    why,
    finish: [
      `az aks get-credentials --admin --subscription ${subscriptionId} --resource-group ${resourceGroup} --name ${cluster}`,
      `kubectl --context ${cluster}-admin delete ${kind} ${name}`,
    ],
  };
}

// ---------------------------------------------------------------------------------------------------

interface NodeOwner {
  /** Why the Node is not that of this machine. */
  readonly other?: string;
  /** The operator may not read the Node, so that its owner is not known. */
  readonly forbidden?: FlexError;
}

async function readOwner(context: StepContext, operator: Operator): Promise<NodeOwner> {
  const { cluster, config, host, signal } = context;
  const { nodeName } = config.agent;
  try {
    const node = await cluster.node(operator.address, operator.credential, nodeName, signal);
    if (node === undefined || (await nodeOwner(context, node)) !== 'other') return {};
    const here = describeMachine(await readMachineIds(host));
    return {
      other: `the Node is that of another machine now (${describeMachine(node)}); this machine has ${here}`,
    };
  } catch (error) {
    if (!(error instanceof FlexError) || error.facts.code !== 'cluster.forbidden') throw error;
    const message = `it is not known whether the Node ${nodeName} is that of this machine: ${error.facts.message}`;
    return { forbidden: new FlexError({ ...error.facts, message }) };
  }
}

/** Returns why it was kept. Bindings to the identity of this machine do not depend on the owner of the Node. */
async function deleteObject(
  context: StepContext,
  { address, credential }: Operator,
  { kind, name }: ClusterObject,
  { other, forbidden }: NodeOwner,
): Promise<string | undefined> {
  const { cluster, config, facts, signal } = context;
  if (kind === 'node') {
    if (forbidden !== undefined) throw forbidden;
    if (other === undefined) await cluster.deleteNode(address, credential, name, signal);
    return other;
  }
  const found = await cluster.binding(address, credential, name, signal);
  if (found === undefined) return undefined;
  const principal = facts.get(PRINCIPAL);
  if (found.user !== principal) {
    if (other !== undefined) return other;
    if (principal !== undefined && found.user !== `system:node:${config.agent.nodeName}`)
      return `it is bound to ${found.user} now, not to the identity of this machine (${principal})`;
    if (forbidden !== undefined) throw forbidden;
  }
  await cluster.deleteBinding(address, credential, name, signal);
  return undefined;
}
