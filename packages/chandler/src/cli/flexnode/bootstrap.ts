/** `flexnode bootstrap`: the eleven steps, or what they would do. */
import type { Sourced } from '../../settings/index.ts';
import { defineVerb, EXIT_OK, UsageError } from '../verb.ts';
import { exitCode, guarded } from './guarded.ts';
import {
  COMMON_OPTIONS,
  DRY_RUN_OPTION,
  EVENT_OUTPUT,
  PREFLIGHT_OPTIONS,
  SELECTION_OPTIONS,
} from './options.ts';

export const bootstrap = defineVerb({
  name: 'bootstrap',
  summary: 'Make this machine a node of the cluster',
  description:
    'Runs the eleven steps in order and stops at the first failure; run again, it goes on where it stopped. A step whose\n' +
    'inputs are the same and whose outcome is there is skipped: with nothing to do, nothing is written. Ends when the\n' +
    'Node is Ready. Needs root.\n' +
    'Steps: arc, stop-services, directories, system, runc, containerd, kubernetes, cni, credentials, kubelet,\n' +
    'start-services. Phases: identity, installation, activation.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode bootstrap --config config.json', does: 'join the cluster' },
    {
      command: 'sudo chandler flexnode bootstrap --dry-run',
      does: 'every file as a diff and every command; nothing is done',
    },
    {
      command: 'sudo chandler flexnode bootstrap --only installation',
      does: 'install, and join another day',
    },
    { command: 'sudo chandler flexnode bootstrap -o json | tee events.jsonl', does: 'for programs' },
  ],
  options: {
    ...COMMON_OPTIONS,
    output: EVENT_OUTPUT,
    dryRun: DRY_RUN_OPTION,
    ...SELECTION_OPTIONS,
    ...PREFLIGHT_OPTIONS,
    offline: {
      flag: 'offline',
      type: 'boolean',
      default: false,
      doc: 'With --dry-run: do not even look at Azure',
    },
  },
  async run(call) {
    const { options, terminal, interrupted: signal } = call;
    const json = options.output.value === 'json';
    const selection = { only: options.only.value, skip: options.skip.value };
    return guarded(call, 'bootstrap', async () => {
      const [{ openAgent }, { checkSelection, mustSelect }] = await Promise.all([
        import('./open-agent.ts'),
        import('../../flexnode/index.ts'),
      ]);
      notEmpty('--only', options.only);
      notEmpty('--skip', options.skip);
      checkSelection(selection);
      const agent = await openAgent(call);
      mustSelect(agent.parts.steps, selection);
      if (options.dryRun.value) {
        const { planBootstrap, planToJson, renderPlan } = await import('../../flexnode/index.ts');
        const plan = await planBootstrap(agent.parts, {
          ...selection,
          signal,
          offline: options.offline.value,
        });
        terminal.out(json ? `${JSON.stringify(planToJson(plan))}\n` : renderPlan(plan));
        return plan.problem === undefined ? EXIT_OK : exitCode(plan.problem.class);
      }
      const { beforeBootstrap } = await import('./before-bootstrap.ts');
      await beforeBootstrap(agent, {
        ignore: options.ignore.value,
        allowUnsupportedOs: options.allowUnsupportedOs.value,
        signal,
        terminal,
        json,
      });
      const { runBootstrap } = await import('../../flexnode/index.ts');
      return agent.session('bootstrap', (on) => runBootstrap(agent.parts, { ...selection, signal, on }));
    });
  },
});

// ---------------------------------------------------------------------------------------------------

/** `--only "$STEPS"` with nothing in it would otherwise mean all of them. */
function notEmpty(flag: string, { value, source }: Sourced<readonly string[]>): void {
  if (source === 'hardcoded' || value.length > 0) return;
  throw new UsageError([{ where: flag, message: 'names no step' }]);
}
