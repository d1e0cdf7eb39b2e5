/** `flexnode unbootstrap`: the steps backwards. With the config file, or without it from what the journal remembers. */
import { stderr, stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';
import { type FlexConfig, FlexError, type MachineHost, STATE_FOLDER } from '../../flexnode/index.ts';
import { defineVerb, EXIT_OK } from '../verb.ts';
import { guarded } from './guarded.ts';
import type { AgentCall } from './open-agent.ts';
import { COMMON_OPTIONS, DRY_RUN_OPTION, EVENT_OUTPUT, YES_OPTION } from './options.ts';

export const unbootstrap = defineVerb({
  name: 'unbootstrap',
  summary: 'Leave the cluster and put the machine back as it was',
  description:
    'Takes back every step, last first: the Node and its binding, files (each as it was before), services, swap, modules,\n' +
    'the Arc machine and role assignments, the Arc agent if bootstrap installed it. Goes on after a failure; what is left\n' +
    'is listed with the commands that finish it, and the exit code is 7. Without a config file it uses what bootstrap\n' +
    'wrote down. Needs root. Asks in a terminal unless --yes.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode unbootstrap', does: 'leave, after a question' },
    { command: 'sudo chandler flexnode unbootstrap --dry-run', does: 'what would be taken back' },
    { command: 'sudo chandler flexnode unbootstrap --yes -o json', does: 'for programs' },
  ],
  options: { ...COMMON_OPTIONS, output: EVENT_OUTPUT, dryRun: DRY_RUN_OPTION, yes: YES_OPTION },
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    const json = options.output.value === 'json';
    return guarded(call, 'unbootstrap', async () => {
      const [{ agentWith, mustBeRoot, openHost }, { runUnbootstrap }, { isInteractive }] = await Promise.all([
        import('./open-agent.ts'),
        import('../../flexnode/index.ts'),
        import('./session.ts'),
      ]);
      const host = await openHost(call, await call.world());
      if (options.dryRun.value) {
        const { undoPlanText, undoPlan } = await import('./undo-plan.ts');
        const plan = await undoPlan(host);
        terminal.out(json ? `${JSON.stringify(plan)}\n` : undoPlanText(plan));
        return EXIT_OK;
      }
      mustBeRoot(call, 'unbootstrap');
      const config = await configOf(call, host);
      if (config === undefined) {
        await mustHaveNothing(host);
        terminal.err('flexnode unbootstrap: nothing of ours is on this machine\n');
        return EXIT_OK;
      }
      if (!json && !options.yes.value && isInteractive() && !(await agreed(config, signal))) {
        terminal.err('nothing was done\n');
        return EXIT_OK;
      }
      const agent = await agentWith(call, config);
      return agent.session('unbootstrap', (on) => runUnbootstrap(agent.parts, { signal, on }));
    });
  },
});

// ---------------------------------------------------------------------------------------------------

/** A file that was named must be right; the default one may be gone, since the journal knows what was done. */
async function configOf(call: AgentCall, host: MachineHost): Promise<FlexConfig | undefined> {
  const { options, terminal, env } = call;
  const [{ loadConfig }, { readJournal }, { recordedConfig }] = await Promise.all([
    import('./load-config.ts'),
    import('../../flexnode/index.ts'),
    import('../../flexnode/index.ts'),
  ]);
  const root = options.root.value;
  const place = { path: options.config.value, env, ...(root === undefined ? {} : { root }) };
  const recorded = recordedConfig(await readJournal(host));
  try {
    return (await loadConfig(place)).config;
  } catch (error) {
    if (!(error instanceof FlexError) || options.config.source === 'flag') throw error;
    if (recorded !== undefined)
      terminal.err(`${error.facts.message}\nusing what bootstrap wrote down instead\n`);
    return recorded;
  }
}

/** A journal too damaged to hold the configuration is no reason to say that all is well. */
async function mustHaveNothing(host: MachineHost): Promise<void> {
  if ((await host.lstat(STATE_FOLDER)) === undefined) return;
  throw new FlexError({
    class: 'config',
    code: 'undo.no-config',
    where: STATE_FOLDER,
    message: `${STATE_FOLDER} is there, but neither a config file nor a readable configuration in its journal`,
    remedy: 'Give the config file that bootstrap was run with: --config <file>.',
  });
}

async function agreed(config: FlexConfig, signal: AbortSignal): Promise<boolean> {
  const asked = createInterface({ input: stdin, output: stderr });
  try {
    const question =
      `This takes the node ${config.agent.nodeName} out of cluster ${config.azure.targetCluster.name},` +
      ' deletes its Arc machine and stops its pods. Type yes to go on: ';
    // Ctrl-D closes it, and the question would wait for ever.
    const closed = new Promise<string>((resolve) => void asked.once('close', () => resolve('')));
    return (await Promise.race([asked.question(question, { signal }), closed])).trim() === 'yes';
  } finally {
    asked.close();
  }
}
