/**
 * Whether the Arc machine of the config, found in Azure by its name, is the one that this machine created. Another machine may
 * have been registered under the same name.
 */
import { type AgentState, isRegisteredAs } from '../azure/azcmagent.ts';
import type { ArcMachine } from '../azure/azure-client.ts';
import type { StepContext } from '../step.ts';
import { ARC_MADE_ON, madeElsewhere } from './made-on.ts';

export const PRINCIPAL = 'arc.principalId';
/** `begun` before the agent connects, `yes` after it. */
export const CONNECTED_BY_US = 'arc.connectedByUs';

/** Why it is not ours; `undefined` if it is. @param agent reads the state of the agent on this machine. */
export async function whyForeign(
  context: StepContext,
  machine: ArcMachine,
  agent: () => Promise<AgentState>,
): Promise<string | undefined> {
  const elsewhere = await madeElsewhere(context, ARC_MADE_ON);
  if (elsewhere !== undefined) return elsewhere;
  const recorded = context.facts.get(PRINCIPAL);
  if (recorded !== undefined && machine.principalId !== undefined) {
    return recorded.toLowerCase() === machine.principalId.toLowerCase()
      ? undefined
      : `another machine was registered under this name: its principal is ${machine.principalId}, that of this machine was ${recorded}`;
  }
  // No principal was recorded: the run ended while the agent was connecting. Such a machine has no agent that reports to Azure.
  if (machine.status !== 'Connected' || isRegisteredAs(await agent(), context.config.azure)) return undefined;
  return 'Azure has it as Connected, but the Arc agent of this machine is not registered as it';
}
