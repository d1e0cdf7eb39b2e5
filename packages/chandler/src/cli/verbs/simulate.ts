/** `chandler simulate`: which nodes would be launched for these pods, and why some pods are unschedulable. */
import { escapeControls } from '../../causes/index.ts';
import {
  CONSOLIDATION_THRESHOLDS,
  consolidationThresholds,
  readSchedulerConfig,
} from '../../settings/index.ts';
import { OUTPUTS, type Output } from '../simulate/outputs.ts';
import { readStandardInput } from '../standard-input.ts';
import { CLUSTER_OPTIONS, defineVerb, EXIT_OK, namedKubeconfig, UsageError } from '../verb.ts';
import { CATALOGUE_PLACEHOLDER, PLANNING_OPTIONS } from './planning-options.ts';

/** Exit code with `--fail-on-refusal` when a pod is unschedulable. */
export const EXIT_REFUSED = 3;

const OPTIONS = {
  filename: {
    flag: 'filename',
    short: 'f',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE|DIR|-',
    doc: 'Manifests to read: files, folders, or - for standard input. May be repeated',
  },
  live: {
    flag: 'live',
    type: 'boolean',
    default: false,
    doc: 'Read nodes, pods and NodePools from a cluster. Manifests replace objects of the same name',
  },
  ...CLUSTER_OPTIONS,
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
    doc: 'Use the generic catalogue with these zones. Default: the zones that the manifests name',
  },
  pool: {
    flag: 'pool',
    type: 'list',
    default: [] as readonly string[],
    doc: 'Use only these NodePools',
  },
  output: {
    flag: 'output',
    short: 'o',
    type: 'string',
    default: 'table',
    choices: OUTPUTS,
    doc: 'Output format',
  },
  bound: {
    flag: 'bound',
    type: 'boolean',
    default: true,
    doc: 'Compute the lowest price that any plan could have. --no-bound saves time',
  },
  improve: {
    flag: 'improve',
    type: 'integer',
    default: 1,
    minimum: 0,
    maximum: 100,
    doc: 'How hard to search for a cheaper plan: 0 plans as Karpenter does, 1 searches for about a second at most, higher values search longer',
  },
  consolidate: {
    flag: 'consolidate',
    type: 'boolean',
    default: false,
    doc: 'Also show what disruption would do after the pods are placed, and what it saves; for input with Nodes and NodeClaims. Not with -o html',
  },
  ...CONSOLIDATION_THRESHOLDS,
  ...PLANNING_OPTIONS,
  maxPreferenceCost: {
    flag: 'max-preference-cost',
    env: 'MAX_PREFERENCE_COST',
    type: 'number',
    default: -1,
    minimum: -1,
    placeholder: 'PERCENT',
    doc: 'How much preferred affinity and ScheduleAnyway constraints may add to the price without them. Beyond it, preferences of some pods are ignored. -1: no limit',
  },
  failOnRefusal: {
    flag: 'fail-on-refusal',
    type: 'boolean',
    default: false,
    doc: `Exit with ${EXIT_REFUSED} when a pod is unschedulable`,
  },
} as const;

export const simulate = defineVerb({
  name: 'simulate',
  summary: 'Show which nodes would be launched for pods, at what price, and why pods are unschedulable',
  description:
    'Plans nodes for the pods of manifests or of a cluster, as the controller would. It launches nothing.\n' +
    'Reads Pods, Deployments, StatefulSets, ReplicaSets, Jobs, CronJobs, DaemonSets, NodePools, NodeOverlays,\n' +
    'Nodes, PersistentVolumes, PersistentVolumeClaims, StorageClasses, CSINodes, Namespaces and PriorityClasses, and\n' +
    'Services with --scheduler-config.\n' +
    'Prints the planned nodes with their pods, the price of the plan, a lower bound for the price of any plan, and why\n' +
    'each unschedulable pod is unschedulable.\n' +
    `Exit codes: 0 planned (even if pods are unschedulable), 1 invalid input, 2 usage error, ${EXIT_REFUSED} unschedulable pods (with --fail-on-refusal).`,
  positionals: '',
  examples: [
    { command: 'chandler simulate -f examples/simulate/web-shop.yaml', does: 'plan nodes for a web shop' },
    { command: 'kubectl kustomize . | chandler simulate -f -', does: 'read manifests from standard input' },
    { command: 'chandler simulate --live -f more.yaml', does: 'plan more pods for a cluster' },
    { command: 'chandler simulate -f k8s/ -o html > plan.html', does: 'write an HTML page' },
    {
      command: 'chandler simulate -f examples/plan/half-empty.yaml --consolidate',
      does: 'also show which nodes could go',
    },
  ],
  options: OPTIONS,
  async run({ options, terminal, env, interrupted, world }) {
    if (options.filename.value.length === 0 && !options.live.value) {
      throw new UsageError([
        {
          where: '-f',
          message: 'nothing to simulate; name manifests with -f, or read a cluster with --live',
        },
      ]);
    }
    if (options.consolidate.value && options.output.value === 'html')
      throw new UsageError([
        { where: '--consolidate', message: 'has no HTML form; use -o table, json or yaml' },
      ]);
    // Loaded here because planner and parsers are large, and other verbs do not need them.
    const { runSimulation } = await import('../simulate/run-simulation.ts');
    const report = await runSimulation({
      files: options.filename.value,
      readStandardInput: () => readStandardInput(interrupted),
      live: options.live.value
        ? {
            kubeconfig: namedKubeconfig(options.kubeconfig),
            ...(options.context.value === undefined ? {} : { context: options.context.value }),
            env,
            world: await world(),
            signal: interrupted,
          }
        : undefined,
      catalogue: options.catalogue.value,
      zones: options.zones.value,
      pools: options.pool.value,
      bound: options.bound.value,
      ...(options.consolidate.value
        ? {
            consolidateAtMs: (await world()).clock.now(),
            disruption: { saving: consolidationThresholds(options) },
          }
        : {}),
      scheduling: {
        preferencePolicy: options.preferences.value as 'Respect' | 'Ignore',
        maxPreferenceCost: options.maxPreferenceCost.value,
        statePreferenceCost: true,
        minValuesPolicy: options.minValues.value as 'Strict' | 'BestEffort',
        improveEffort: options.improve.value,
      },
      ...readSchedulerConfig(options.schedulerConfig.value),
      validator: async () => {
        const { offlineValidator } = await import('../../playground/offline-validation.ts');
        return offlineValidator(await world());
      },
      complain: (line) => terminal.err(`chandler simulate: ${escapeControls(line)}\n`),
    });
    const { render } = await import('../simulate/render.ts');
    terminal.out(render(report, options.output.value as Output, terminal));
    return options.failOnRefusal.value && report.summary.refused > 0 ? EXIT_REFUSED : EXIT_OK;
  },
});
