/**
 * Step 2: a kubelet from an earlier installation is stopped; that there is none is fine. Notes how kubelet and containerd
 * stood before us, and is therefore the one who puts them back, after every file is as it was.
 */
import { rethrowProgramError } from '@chandler/kube';
import type { Leftover, Step, StepContext } from '../step.ts';
import { forgetReturned } from './returned.ts';
import { RETURNED, systemctl, unitState } from './services.ts';

export const stopServices: Step = {
  id: 'stop-services',
  name: 'ServicesDisabled',
  title: 'Stop an existing kubelet',
  phase: 'installation',

  inputs: () => ({ units: UNITS }),

  async validate() {},

  /** A kubelet that runs after this step is the one that we started: it is not stopped again. */
  async isCompleted({ facts }) {
    if (facts.get(RETURNED) !== undefined) return false;
    return UNITS.every((unit) => facts.get(`services.${unit}.active-before`) !== undefined);
  },

  async execute(context) {
    await forgetReturned(context.facts);
    for (const unit of UNITS) await noteState(context, unit);
    const { host } = context;
    if (!(await unitState(host, 'kubelet.service')).active) return;
    context.say('stopping the existing kubelet');
    await systemctl(host, 'stop', 'kubelet.service');
  },

  async undo(context) {
    await systemctl(context.host, 'daemon-reload');
    const leftovers: Leftover[] = [];
    for (const unit of UNITS) leftovers.push(...(await putBack(context, unit)));
    await context.facts.set(RETURNED, 'yes');
    return leftovers;
  },
};

// ---------------------------------------------------------------------------------------------------

const UNITS = ['kubelet', 'containerd'] as const;

/** Once, before the first change: a repeated run would only see our own doing. */
async function noteState({ host, facts }: StepContext, unit: string): Promise<void> {
  if (facts.get(`services.${unit}.active-before`) !== undefined) return;
  const state = await unitState(host, `${unit}.service`);
  await facts.set(`services.${unit}.enabled-before`, String(state.enabled));
  await facts.set(`services.${unit}.active-before`, String(state.active));
}

async function putBack({ host, facts, say }: StepContext, unit: string): Promise<readonly Leftover[]> {
  const wasEnabled = facts.get(`services.${unit}.enabled-before`) === 'true';
  const wasActive = facts.get(`services.${unit}.active-before`) === 'true';
  if (!wasEnabled && !wasActive) {
    // A unit that is gone may still be remembered as failed.
    await host.run({ argv: ['systemctl', 'reset-failed', `${unit}.service`], changes: true });
    return [];
  }
  const requests = [...(wasEnabled ? ['enable'] : []), ...(wasActive ? ['start'] : [])];
  const leftovers: Leftover[] = [];
  for (const verb of requests) {
    try {
      await systemctl(host, verb, `${unit}.service`);
      say(`${verb === 'start' ? 'started' : 'enabled'} ${unit} again, as before bootstrap`);
    } catch (error) {
      rethrowProgramError(error);
      leftovers.push({
        what: `${unit}.service`,
        why: error instanceof Error ? error.message : 'it could not be restored',
        finish: [`systemctl ${verb} ${unit}.service`],
      });
    }
  }
  return leftovers;
}
