/** `chandler top`: nodes with what their pods request, what they cost, and why they stay. */
import { CLUSTER_OPTIONS, defineVerb, namedKubeconfig, OUTPUT_OPTION, UsageError } from '../verb.ts';
import { PRICES_OPTION } from './planning-options.ts';

/** As `SORT_KEYS`, which a test compares: that module loads the planner. */
export const TOP_SORTS = [
  'name',
  'nodepool',
  'type',
  'zone',
  'phase',
  'cpu',
  'memory',
  'pods',
  'price',
  'age',
];

const OPTIONS = {
  watch: {
    flag: 'watch',
    short: 'w',
    type: 'boolean',
    default: false,
    doc: 'Keep it up to date: in a terminal in place, with keys; otherwise a frame whenever something has changed',
  },
  sort: {
    flag: 'sort',
    type: 'string',
    default: 'name',
    choices: TOP_SORTS,
    doc: 'Order of the nodes. cpu, memory, pods and price: the largest first; age: the oldest first',
  },
  reverse: { flag: 'reverse', type: 'boolean', default: false, doc: 'The other way round' },
  nodepool: {
    flag: 'nodepool',
    type: 'list',
    default: [] as readonly string[],
    doc: 'Only nodes of these NodePools',
  },
  zone: { flag: 'zone', type: 'list', default: [] as readonly string[], doc: 'Only nodes in these zones' },
  selector: {
    flag: 'selector',
    short: 'l',
    type: 'string',
    default: '',
    placeholder: 'SELECTOR',
    doc: 'Only nodes whose labels match, as for kubectl: key=value, key!=value, key in (a,b), key, !key',
  },
  filter: {
    flag: 'filter',
    type: 'string',
    default: '',
    doc: 'Only nodes with this text in their name, NodeClaim, NodePool, instance type, zone, phase or reason',
  },
  plan: {
    flag: 'plan',
    type: 'boolean',
    default: false,
    doc: 'Take the reasons for staying from a plan, as `chandler plan` makes it: complete, but it reads and plans the whole cluster',
  },
  catalogue: PRICES_OPTION,
  ...CLUSTER_OPTIONS,
  output: { ...OUTPUT_OPTION, choices: ['text', 'wide', 'json', 'name'] },
} as const;

export const top = defineVerb({
  name: 'top',
  summary: 'Show nodes with what their pods request, what they cost, and why they stay',
  description:
    'Shows every node and every NodeClaim without a node: instance type, zone, capacity type, requests of its pods, price,\n' +
    'age, phase, and why it is not disrupted; with totals by NodePool and per month. It changes nothing.\n' +
    'Requests are those of pods, not their use. Prices are list prices; what is not known is "-", and not in the totals.\n' +
    'Reads Nodes, Pods, NodeClaims, NodePools, node classes and events; without permission for one of them it says what is missing.\n' +
    'Exit codes: 0 shown (also when a watch is ended), 1 the cluster cannot be read, 2 usage error.',
  positionals: '',
  examples: [
    { command: 'chandler top', does: 'all nodes, once' },
    { command: 'chandler top --watch --sort cpu', does: 'keep it up to date, the fullest nodes first' },
    {
      command: 'chandler top --nodepool default --zone eastus-1 --sort price',
      does: 'the most expensive nodes of a NodePool in a zone',
    },
    { command: 'chandler top -l karpenter.sh/capacity-type=spot -o json', does: 'spot nodes, for scripts' },
    { command: 'chandler top --filter NotReady -o name', does: 'names of the nodes that are not Ready' },
  ],
  options: OPTIONS,
  async run({ options, terminal, env, interrupted, world: openWorld }) {
    const { watch, plan, output, selector } = options;
    const refuse = (where: string, message: string): never => {
      throw new UsageError([{ where, message }]);
    };
    if (watch.value && output.value === 'name') refuse('--watch', 'works with -o text, wide and json');
    if (watch.value && plan.value)
      refuse('--plan', 'reads and plans the whole cluster; it cannot be used with --watch');
    // Loaded here because planner and catalogues are large, and other verbs do not need them.
    const { parseSelector } = await import('../top/choose-nodes.ts');
    const matches = parseSelector(selector.value);
    if (typeof matches !== 'function') return refuse('--selector', matches.problem);
    const { runTop } = await import('../top/run-top.ts');
    const { plannedReasons } = await import('../top/planned-reasons.ts');
    const { terminalOutput } = await import('../terminal/screen.ts');
    const { terminalKeys } = await import('../terminal/keys.ts');
    const world = await openWorld();
    const live = {
      kubeconfig: namedKubeconfig(options.kubeconfig),
      ...(options.context.value === undefined ? {} : { context: options.context.value }),
      env,
      world,
      signal: interrupted,
    };
    const catalogue = options.catalogue.value;
    return runTop({
      live,
      terminal,
      output: output.value as 'text' | 'wide' | 'json' | 'name',
      choice: {
        nodePools: options.nodepool.value,
        zones: options.zone.value,
        selector: matches,
        text: options.filter.value,
      },
      sort: options.sort.value as 'name',
      reverse: options.reverse.value,
      catalogue,
      watch: watch.value,
      plan: plan.value ? () => plannedReasons(live, catalogue) : undefined,
      screen: terminalOutput(),
      keys: terminalKeys(),
    });
  },
});
