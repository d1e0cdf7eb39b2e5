/** `chandler simulate`: which nodes would be bought for these pods, and why some pods go nowhere. */
import { stdin } from 'node:process';
import { text } from 'node:stream/consumers';
import { OUTPUTS, type Output } from '../simulate/outputs.ts';
import { CLUSTER_OPTIONS, defineVerb, EXIT_OK, UsageError } from '../verb.ts';

/** Exit code with `--fail-on-refusal` when some pod goes nowhere. */
export const EXIT_REFUSED = 3;

const OPTIONS = {
  filename: {
    flag: 'filename',
    short: 'f',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE|DIR|-',
    doc: 'Manifests to read: files, folders, or - for standard input; may be repeated',
  },
  live: {
    flag: 'live',
    type: 'boolean',
    default: false,
    doc: 'Read nodes, pods and pools of a cluster; manifests of the same name replace what is there',
  },
  ...CLUSTER_OPTIONS,
  catalogue: {
    flag: 'catalogue',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Instance types to buy; without it a generic catalogue is used',
  },
  zones: {
    flag: 'zones',
    type: 'list',
    default: [] as readonly string[],
    doc: 'Zones of the generic catalogue; without it those that the manifests name',
  },
  pool: {
    flag: 'pool',
    type: 'list',
    default: [] as readonly string[],
    doc: 'Buy only from these NodePools',
  },
  output: {
    flag: 'output',
    short: 'o',
    type: 'string',
    default: 'table',
    choices: OUTPUTS,
    doc: 'How to print the result',
  },
  bound: {
    flag: 'bound',
    type: 'boolean',
    default: true,
    doc: 'Work out how cheap any plan could be at best; --no-bound saves a moment',
  },
  improve: {
    flag: 'improve',
    type: 'integer',
    default: 1,
    minimum: 0,
    maximum: 100,
    doc: 'Effort spent on a better price after the first plan; 0 plans as Karpenter does',
  },
  preferences: {
    flag: 'preference-policy',
    env: 'PREFERENCE_POLICY',
    type: 'string',
    default: 'Respect',
    choices: ['Respect', 'Ignore'],
    doc: 'Whether preferred affinity and soft spreads count',
  },
  minValues: {
    flag: 'min-values-policy',
    env: 'MIN_VALUES_POLICY',
    type: 'string',
    default: 'Strict',
    choices: ['Strict', 'BestEffort'],
    doc: 'What happens when minValues of a pool cannot be met',
  },
  failOnRefusal: {
    flag: 'fail-on-refusal',
    type: 'boolean',
    default: false,
    doc: `Exit with ${EXIT_REFUSED} when some pod goes nowhere`,
  },
} as const;

export const simulate = defineVerb({
  name: 'simulate',
  summary: 'Show which nodes would be bought for pods, at what price, and why pods go nowhere',
  description:
    'Plans nodes for the pods of manifests or of a cluster, as the controller would, and buys nothing.\n' +
    'Reads Pods, Deployments, StatefulSets, ReplicaSets, Jobs, CronJobs, DaemonSets, NodePools, NodeOverlays,\n' +
    'Nodes, volumes and their classes, Namespaces and PriorityClasses. Prints the nodes with what is packed on\n' +
    'them, the price against the least any plan could cost, and for every pod without a place the reason.\n' +
    `Exit codes: 0 planned (even if pods are refused), 1 bad input, 2 not understood, ${EXIT_REFUSED} see --fail-on-refusal.`,
  positionals: '',
  examples: [
    { command: 'chandler simulate -f examples/simulate/web-shop.yaml', does: 'what a shop would need' },
    { command: 'kubectl kustomize . | chandler simulate -f -', does: 'from standard input' },
    { command: 'chandler simulate --live -f more.yaml', does: 'a cluster, and what more would change' },
    { command: 'chandler simulate -f k8s/ -o html > plan.html', does: 'a page to look at' },
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
    // Engine and parsers take a moment to load; other verbs should not wait for them.
    const { runSimulation } = await import('../simulate/run-simulation.ts');
    const report = await runSimulation({
      files: options.filename.value,
      readStandardInput: () => text(stdin),
      live: options.live.value
        ? {
            ...(options.kubeconfig.value === undefined ? {} : { kubeconfig: options.kubeconfig.value }),
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
      scheduling: {
        preferencePolicy: options.preferences.value as 'Respect' | 'Ignore',
        minValuesPolicy: options.minValues.value as 'Strict' | 'BestEffort',
        improveEffort: options.improve.value,
      },
      complain: (line) => terminal.err(`chandler simulate: ${line}\n`),
    });
    const { render } = await import('../simulate/render.ts');
    terminal.out(render(report, options.output.value as Output, terminal));
    return options.failOnRefusal.value && report.summary.refused > 0 ? EXIT_REFUSED : EXIT_OK;
  },
});
