/** `chandler plan`: which nodes disruption would remove or replace now, what that saves, and what keeps every other node. */
import { escapeControls } from '../../causes/index.ts';
import {
  CONSOLIDATION_THRESHOLDS,
  consolidationThresholds,
  readSchedulerConfig,
} from '../../settings/index.ts';
import { readStandardInput } from '../standard-input.ts';
import { CLUSTER_OPTIONS, defineVerb, EXIT_OK, namedKubeconfig, OUTPUT_OPTION, UsageError } from '../verb.ts';
import { CATALOGUE_PLACEHOLDER, PLANNING_OPTIONS } from './planning-options.ts';

const OPTIONS = {
  filename: {
    flag: 'filename',
    short: 'f',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE|DIR|-',
    doc: 'Objects to read: files, folders, or - for standard input. May be repeated. Default: read the cluster',
  },
  live: {
    flag: 'live',
    type: 'boolean',
    default: false,
    doc: 'With -f: read the cluster, too. Objects of files replace objects of the same name',
  },
  ...CLUSTER_OPTIONS,
  at: {
    flag: 'at',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'TIME',
    doc: 'The moment of the plan, such as 2026-06-02T12:00:00Z: it decides about windows of budgets. Default: now',
  },
  catalogue: {
    flag: 'catalogue',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: CATALOGUE_PLACEHOLDER,
    doc: 'File with instance types, or the name of a built-in catalogue. Default: that of the cloud of each NodePool, otherwise generic',
  },
  zones: {
    flag: 'zones',
    type: 'list',
    default: [] as readonly string[],
    doc: 'Use the generic catalogue with these zones. Default: the zones that the objects name',
  },
  spotToSpot: {
    flag: 'spot-to-spot',
    type: 'boolean',
    default: false,
    doc: 'Replace spot nodes by cheaper spot nodes (feature gate SpotToSpotConsolidation)',
  },
  maxReplacements: {
    flag: 'max-replacements',
    type: 'integer',
    default: 0,
    minimum: 0,
    doc: 'How many nodes one consolidation may launch. 1 consolidates as Karpenter does; 0: any number, if they are cheaper',
  },
  ...CONSOLIDATION_THRESHOLDS,
  repair: {
    flag: 'repair',
    type: 'boolean',
    default: false,
    doc: 'Repair unhealthy nodes by the policies of the cloud of the NodePools (feature gate NodeRepair)',
  },
  terminateFirst: {
    flag: 'terminate-first',
    type: 'boolean',
    default: false,
    doc: 'Delete a node before its replacement exists where none can be launched first (feature gates TerminateFirstDrift and TerminateFirstRepair)',
  },
  disruptionSurge: {
    flag: 'disruption-surge',
    type: 'boolean',
    default: false,
    doc: 'Move pods that ask for it by a rolling update of their workload, as the controller with --disruption-surge does',
  },
  history: {
    flag: 'history',
    type: 'boolean',
    default: false,
    doc: 'Print the last commands that the controller executed, with their outcome, instead of a plan',
  },
  ...PLANNING_OPTIONS,
  output: OUTPUT_OPTION,
} as const;

export const plan = defineVerb({
  name: 'plan',
  summary:
    'Show which nodes could be removed or replaced now, what that saves, and what keeps every other node',
  description:
    'Plans disruption for a cluster or for objects in files: empty nodes, drifted nodes and consolidation, within the\n' +
    'budgets of the NodePools. It changes nothing; the controller executes such plans.\n' +
    'Reads Nodes, NodeClaims, Pods, NodePools and PodDisruptionBudgets, and all that `chandler simulate` reads.\n' +
    'Prints the commands with their savings per month, and for every node that stays all that keeps it.\n' +
    'Exit codes: 0 planned (even if there is nothing to do), 1 invalid input, 2 usage error.',
  positionals: '',
  examples: [
    { command: 'chandler plan', does: 'plan for the cluster of the current context' },
    { command: 'chandler plan -f examples/plan/half-empty.yaml', does: 'plan for objects of a file' },
    {
      command: 'chandler plan --at 2026-06-06T03:00:00Z -o json',
      does: 'plan for another time, as JSON',
    },
    { command: 'chandler plan --history', does: 'print the last commands that the controller executed' },
  ],
  options: OPTIONS,
  async run({ options, terminal, env, interrupted, world: openWorld }) {
    const world = await openWorld();
    const files = options.filename.value;
    const live = {
      kubeconfig: namedKubeconfig(options.kubeconfig),
      ...(options.context.value === undefined ? {} : { context: options.context.value }),
      env,
      world,
      signal: interrupted,
    };
    if (options.history.value) {
      if (files.length > 0)
        throw new UsageError([
          { where: '--history', message: 'reads the cluster; it cannot be used with -f' },
        ]);
      const { readHistory, renderHistory } = await import('../plan/history.ts');
      const commands = await readHistory({ ...live, command: 'plan' });
      const json = options.output.value === 'json';
      terminal.out(json ? `${JSON.stringify(commands, null, 2)}\n` : renderHistory(commands));
      return EXIT_OK;
    }
    const atMs = options.at.value === undefined ? world.clock.now() : timeOf(options.at.value);
    // Loaded here because planner and parsers are large, and other verbs do not need them.
    const { runPlan } = await import('../plan/run-plan.ts');
    const report = await runPlan({
      files,
      readStandardInput: () => readStandardInput(interrupted),
      live: files.length === 0 || options.live.value ? live : undefined,
      catalogue: options.catalogue.value,
      zones: options.zones.value,
      atMs,
      scheduling: {
        preferencePolicy: options.preferences.value as 'Respect' | 'Ignore',
        minValuesPolicy: options.minValues.value as 'Strict' | 'BestEffort',
      },
      disruption: {
        spotToSpot: options.spotToSpot.value,
        saving: consolidationThresholds(options),
        surge: options.disruptionSurge.value,
        terminateFirst: { drift: options.terminateFirst.value, repair: options.terminateFirst.value },
        ...(options.maxReplacements.value === 0 ? {} : { maxReplacements: options.maxReplacements.value }),
      },
      repair: options.repair.value,
      ...readSchedulerConfig(options.schedulerConfig.value),
      validator: async () => {
        const { offlineValidator } = await import('../../playground/offline-validation.ts');
        return offlineValidator(world);
      },
      complain: (line) => terminal.err(`chandler plan: ${escapeControls(line)}\n`),
    });
    if (options.output.value === 'json') terminal.out(`${JSON.stringify(report, null, 2)}\n`);
    else {
      const { renderPlan } = await import('../plan/render-plan.ts');
      terminal.out(renderPlan(report, terminal));
    }
    return EXIT_OK;
  },
});

// ---------------------------------------------------------------------------------------------------------------

function timeOf(given: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}T/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(ms))
    throw new UsageError([
      { where: '--at', message: `"${given}" is not a time; write it as 2026-06-02T12:00:00Z` },
    ]);
  return ms;
}
