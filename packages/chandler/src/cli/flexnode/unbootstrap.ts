/** `flexnode unbootstrap`: undoes the steps in reverse order, with the config file or the config recorded in the journal. */
import { type FlexConfig, FlexError, type MachineHost, STATE_FOLDER } from '../../flexnode/index.ts';
import { defineVerb, EXIT_OK } from '../verb.ts';
import { guarded } from './guarded.ts';
import type { AgentCall } from './open-agent.ts';
import { COMMON_OPTIONS, DRY_RUN_OPTION, EVENT_OUTPUT, YES_OPTION } from './options.ts';

export const unbootstrap = defineVerb({
  name: 'unbootstrap',
  summary: 'Leave the cluster and restore the previous state of the machine',
  description:
    'Undoes every step in reverse order: deletes the Node and its role binding, restores files, services, swap and kernel\n' +
    'modules, deletes the Arc machine and its role assignments, and removes the Arc agent if bootstrap installed it.\n' +
    'Continues after a failure: leftovers are listed with the commands that remove them, and the exit code is 7.\n' +
    'Without a config file, it uses the config that bootstrap recorded. Requires root. Asks for confirmation in a\n' +
    'terminal unless --yes is set.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode unbootstrap', does: 'Leave the cluster after confirmation' },
    { command: 'sudo chandler flexnode unbootstrap --dry-run', does: 'Show what would be undone' },
    {
      command: 'sudo chandler flexnode unbootstrap --yes -o json',
      does: 'Do not ask, and print JSON events',
    },
  ],
  whenOutputCloses: () => 'finish',
  options: { ...COMMON_OPTIONS, output: EVENT_OUTPUT, dryRun: DRY_RUN_OPTION, yes: YES_OPTION },
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    const json = options.output.value === 'json';
    return guarded(call, 'unbootstrap', async () => {
      const [
        { agentWith, mustBeRoot, openHost },
        { redactedJson, runUnbootstrap },
        { confirmed, isInteractive },
      ] = await Promise.all([
        import('./open-agent.ts'),
        import('../../flexnode/index.ts'),
        import('../confirm.ts'),
      ]);
      const host = await openHost(call, await call.world());
      if (options.dryRun.value) {
        const { undoPlanText, undoPlan } = await import('./undo-plan.ts');
        const plan = await undoPlan(host);
        terminal.out(json ? `${redactedJson(plan)}\n` : undoPlanText(plan));
        return EXIT_OK;
      }
      mustBeRoot(call, 'unbootstrap');
      const config = await configOf(call, host);
      if (config === undefined) {
        await mustHaveNothing(host);
        terminal.err('flexnode unbootstrap: this machine is not bootstrapped; nothing to undo\n');
        return EXIT_OK;
      }
      if (!json && !options.yes.value && isInteractive() && !(await confirmed(question(config), signal))) {
        terminal.err('canceled; nothing was changed\n');
        return EXIT_OK;
      }
      const agent = await agentWith(call, config);
      return agent.session('unbootstrap', (on) => runUnbootstrap(agent.parts, { signal, on }));
    });
  },
});

// ---------------------------------------------------------------------------------------------------

/** A config file given by the user must be valid; the default one may be missing, because the journal has a copy. */
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
      terminal.err(`${error.facts.message}\nusing the config that bootstrap recorded instead\n`);
    return recorded;
  }
}

/** A journal that is too damaged to contain the config must not be reported as "nothing to undo". */
async function mustHaveNothing(host: MachineHost): Promise<void> {
  if ((await host.lstat(STATE_FOLDER)) === undefined) return;
  throw new FlexError({
    class: 'config',
    code: 'undo.no-config',
    where: STATE_FOLDER,
    message: `${STATE_FOLDER} exists, but there is neither a config file nor a readable config in its journal`,
    remedy: 'Pass the config file that bootstrap used: --config <file>.',
  });
}

function question({ agent, azure }: FlexConfig): string {
  return (
    `This removes node ${agent.nodeName} from cluster ${azure.targetCluster.name},` +
    ' deletes its Arc machine and stops its pods.'
  );
}
