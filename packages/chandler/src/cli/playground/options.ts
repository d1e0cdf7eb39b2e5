/** The options of `chandler playground`, and what is wrong with them together. */
import type { OptionProblem, OptionValues } from '../../settings/index.ts';
import { OUTPUT_OPTION } from '../verb.ts';

/** Beyond that, what takes milliseconds on this machine takes seconds of the cluster, and time-outs strike. */
export const FASTEST = 100;

export const PLAYGROUND_OPTIONS = {
  port: {
    flag: 'port',
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 65_535,
    doc: 'Port of the API server; 0 takes any free one',
  },
  host: {
    flag: 'host',
    type: 'string',
    default: '127.0.0.1',
    placeholder: 'ADDRESS',
    doc: 'Address to listen on',
  },
  kubeconfig: {
    flag: 'write-kubeconfig',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Where to write the kubeconfig; default is chandler/playground/kubeconfig in your cache folder',
  },
  nodes: {
    flag: 'nodes',
    type: 'integer',
    default: 3,
    minimum: 0,
    maximum: 1000,
    doc: 'How many stand-in system nodes to start with (4 CPU, 16Gi each)',
  },
  snapshot: {
    flag: 'snapshot',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Keep all objects in this file: read at the start, written at the end',
  },
  scenario: {
    flag: 'scenario',
    type: 'string',
    default: '',
    placeholder: 'NAME',
    doc: 'Play a story; "list" shows which there are',
  },
  once: {
    flag: 'once',
    type: 'boolean',
    default: false,
    doc: 'With --scenario: stop when the story is over; exit code 1 if it did not end as told',
  },
  speed: {
    flag: 'speed',
    type: 'number',
    default: undefined as number | undefined,
    minimum: 0.1,
    maximum: FASTEST,
    doc: 'Time runs so many times as fast, for everything alike; default is 1, or what the story wants',
  },
  view: {
    flag: 'view',
    type: 'boolean',
    default: undefined as boolean | undefined,
    doc: 'Nodes, pods, price and news on the whole terminal; default where there is one. --no-view prints lines',
  },
  bare: {
    flag: 'bare',
    type: 'boolean',
    default: false,
    doc: 'Only the API server: no nodes, no scheduler, no controllers',
  },
  noAzure: {
    flag: 'no-azure',
    type: 'boolean',
    default: false,
    doc: 'Only the cluster: no Azure beside it, and no controller; system nodes take all pods',
  },
  noController: {
    flag: 'no-controller',
    type: 'boolean',
    default: false,
    doc: 'Azure, but nobody who buys machines there; system nodes take all pods',
  },
  bootTime: {
    flag: 'boot-time',
    type: 'duration',
    default: undefined as number | undefined,
    minimum: 0,
    doc: 'From the start of a VM to a Ready node; default is 5s, or one to two minutes with --realistic',
  },
  realistic: {
    flag: 'realistic',
    type: 'boolean',
    default: false,
    doc: 'Latencies and throttling of Azure as seen in the field',
  },
  fault: {
    flag: 'fault',
    type: 'list',
    default: [],
    placeholder: 'NAME=VALUE@…',
    doc: 'Something of Azure goes wrong, such as cse=211@zone=2,rate=0.1; may be repeated',
  },
  output: OUTPUT_OPTION,
} as const;

export type PlaygroundValues = OptionValues<typeof PLAYGROUND_OPTIONS>;

/** Which parts run. */
export function partsOf(values: PlaygroundValues): { readonly azure: boolean; readonly controller: boolean } {
  const azure = !values.bare.value && !values.noAzure.value;
  return { azure, controller: azure && !values.noController.value };
}

export function optionProblems(values: PlaygroundValues): readonly OptionProblem[] {
  const needsValue = (['host', 'kubeconfig', 'snapshot'] as const)
    .filter((name) => values[name].value === '')
    .map((name) => ({ where: `--${PLAYGROUND_OPTIONS[name].flag}`, message: 'needs a value' }));
  const { value: scenario, source } = values.scenario;
  const problems: (OptionProblem | false)[] = [
    source !== 'hardcoded' &&
      scenario === '' && {
        where: '--scenario',
        message: 'needs a name; --scenario list shows which there are',
      },
    scenario !== '' &&
      scenario !== 'list' &&
      !partsOf(values).controller && {
        where: '--scenario',
        message: 'needs Azure and a controller: leave out --bare, --no-azure and --no-controller',
      },
    values.once.value && scenario === '' && { where: '--once', message: 'needs a --scenario' },
    values.view.value === true &&
      values.output.value === 'json' && { where: '--view', message: 'goes with -o text only' },
    values.view.value === true &&
      values.bare.value && { where: '--view', message: 'has nothing to show with --bare' },
  ];
  return [...needsValue, ...problems.filter((problem) => problem !== false)];
}
