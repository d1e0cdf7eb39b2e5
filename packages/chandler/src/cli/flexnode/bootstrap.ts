/** `flexnode bootstrap`: runs the eleven steps, or prints what they would change. */
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
  summary: 'Join this machine to the cluster as a node',
  description:
    'Runs eleven steps in order and stops at the first failure. The next run resumes at the step that failed. A step is\n' +
    'skipped if its inputs have not changed and its result is still in place. Completes when the Node is Ready.\n' +
    'Requires root.\n' +
    'Steps: arc, stop-services, directories, system, runc, containerd, kubernetes, cni, credentials, kubelet,\n' +
    'start-services. Phases: identity, installation, activation.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode bootstrap --config config.json', does: 'Join the cluster' },
    {
      command: 'sudo chandler flexnode bootstrap --dry-run',
      does: 'Show every file as a diff and every command, without changing anything',
    },
    {
      command: 'sudo chandler flexnode bootstrap --only installation',
      does: 'Only install the programs; join the cluster later',
    },
    {
      command: 'sudo chandler flexnode bootstrap -o json | tee events.jsonl',
      does: 'Print one JSON event per line',
    },
  ],
  whenOutputCloses: () => 'finish',
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
      doc: 'With --dry-run: do not read anything from Azure',
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
        const { planBootstrap, planToJson, redactedJson, renderPlan } = await import(
          '../../flexnode/index.ts'
        );
        const plan = await planBootstrap(agent.parts, {
          ...selection,
          signal,
          offline: options.offline.value,
        });
        terminal.out(json ? `${redactedJson(planToJson(plan))}\n` : renderPlan(plan));
        return plan.problem === undefined ? EXIT_OK : exitCode(plan.problem.class);
      }
      const { beforeBootstrap } = await import('./before-bootstrap.ts');
      await beforeBootstrap(agent, {
        ...selection,
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

/** An empty `--only "$STEPS"` would otherwise select every step. */
function notEmpty(flag: string, { value, source }: Sourced<readonly string[]>): void {
  if (source === 'hardcoded' || value.length > 0) return;
  throw new UsageError([{ where: flag, message: 'must name at least one step' }]);
}
