/**
 * Whether the Node with the name of the config is that of this machine. The kubelet reports the machine ID and the UUID of the
 * machine on which it runs, so a Node tells which machine has the name now.
 */
import type { NodeFacts } from '../azure/cluster-client.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { compareMachines, describeMachine, readMachineIds } from '../host/machine-ids.ts';
import type { Facts, StepContext } from '../step.ts';
import { isCopy } from './made-on.ts';
import { BINDING } from './operator-access.ts';

interface Around {
  readonly host: Pick<Host, 'readFile'>;
  readonly config: StepContext['config'];
}

/** `unknown`: the Node or this machine has no ID. */
export async function nodeOwner(around: Around, node: NodeFacts): Promise<'ours' | 'other' | 'unknown'> {
  const compared = compareMachines(await readMachineIds(around.host), node);
  return compared === 'different' ? 'other' : compared === 'same' ? 'ours' : 'unknown';
}

/** Whether a live machine that is not this one has the name. A Node that is not Ready gives it up. */
export async function isNameInUse(
  around: Around & { readonly facts: Pick<Facts, 'get'> },
  node: NodeFacts,
): Promise<boolean> {
  if (!node.ready) return false;
  const owner = await nodeOwner(around, node);
  if (owner !== 'unknown') return owner === 'other';
  // After the bindings were created, a Node with this name is our own, unless the original of this disk created them.
  return around.facts.get(BINDING) === undefined || (await isCopy(around));
}

export async function nameInUse(around: Around, node: NodeFacts): Promise<FlexError> {
  const { nodeName } = around.config.agent;
  const here = describeMachine(await readMachineIds(around.host));
  return new FlexError({
    class: 'config',
    code: 'credentials.node-in-use',
    message: `the cluster has a Ready Node ${nodeName} of another machine (${describeMachine(node)}); this machine has ${here}`,
    remedy: `Set agent.nodeName to another name. If that Node is to be replaced, stop its machine or delete it first: kubectl delete node ${nodeName}. If it is this machine with an earlier machine ID, restart the kubelet.`,
    where: 'agent.nodeName',
  });
}
