/** The options of `chandler playground`, and the validation of their combinations. */
import {
  cloudRow,
  PLAYGROUND_CLOUDS,
  type PlaygroundCloudName,
  SCENARIOS,
} from '../../playground/scenarios/index.ts';
import type { OptionProblem, OptionValues } from '../../settings/index.ts';
import { OUTPUT_OPTION } from '../verb.ts';

/** At a higher speed, milliseconds of real time become seconds of cluster time, and timeouts expire. */
export const MAX_SPEED = 100;
export const MIN_SPEED = 0.1;

export const PLAYGROUND_OPTIONS = {
  port: {
    flag: 'port',
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 65_535,
    doc: 'Port of the API server; 0 selects a free port',
  },
  host: {
    flag: 'host',
    type: 'string',
    default: '127.0.0.1',
    placeholder: 'ADDRESS',
    doc: 'Address on which the servers listen',
  },
  kubeconfig: {
    flag: 'write-kubeconfig',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Where to write the kubeconfig; defaults to chandler/playground/kubeconfig in $XDG_CACHE_HOME or ~/.cache',
  },
  nodes: {
    flag: 'nodes',
    type: 'integer',
    default: 3,
    minimum: 0,
    maximum: 1000,
    doc: 'Number of simulated system nodes (4 CPU, 16Gi each)',
  },
  snapshot: {
    flag: 'snapshot',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Read all objects from this file at start, and write them to it at the end',
  },
  cloud: {
    flag: 'cloud',
    type: 'string',
    default: 'azure',
    choices: [...PLAYGROUND_CLOUDS.map(({ name }) => name), 'both', 'none'],
    doc: 'The simulated cloud; both runs two, each with a controller. With none there is no controller, and system nodes accept all pods',
  },
  scenario: {
    flag: 'scenario',
    type: 'string',
    default: '',
    placeholder: 'NAME',
    suggestions: [...SCENARIOS.map(({ name }) => name), 'list'],
    doc: 'Run a scenario; "list" prints those of the cloud',
  },
  once: {
    flag: 'once',
    type: 'boolean',
    default: false,
    doc: 'With --scenario: stop when the scenario ends; exit code 1 if it fails',
  },
  speed: {
    flag: 'speed',
    type: 'number',
    default: undefined as number | undefined,
    minimum: MIN_SPEED,
    maximum: MAX_SPEED,
    doc: 'Speed of the cluster relative to real time, such as 20; the page can change it. Default: the speed of the scenario, or 1 without a scenario',
  },
  view: {
    flag: 'view',
    type: 'boolean',
    default: undefined as boolean | undefined,
    doc: 'Show a full-screen view of NodeClaims, pods, cost and activity; the default in a terminal. --no-view prints lines',
  },
  page: {
    flag: 'page',
    type: 'boolean',
    default: true,
    doc: 'Serve a page of the cluster on 127.0.0.1, with faults and scenarios as buttons, and print its address. --no-page serves none',
  },
  bare: {
    flag: 'bare',
    type: 'boolean',
    default: false,
    doc: 'Run only the API server: no nodes, no scheduler, no controllers',
  },
  noAzure: {
    flag: 'no-azure',
    type: 'boolean',
    default: false,
    doc: 'The same as --cloud none',
  },
  noController: {
    flag: 'no-controller',
    type: 'boolean',
    default: false,
    doc: 'Run with the cloud but without the controller; system nodes accept all pods',
  },
  bootTime: {
    flag: 'boot-time',
    type: 'duration',
    default: undefined as number | undefined,
    minimum: 0,
    doc: 'Time from the start of an instance to a Ready node. Default: 5s, or 40 s to 2 minutes with --realistic',
  },
  realistic: {
    flag: 'realistic',
    type: 'boolean',
    default: false,
    doc: 'Simulate the latencies and the throttling of the cloud',
  },
  fault: {
    flag: 'fault',
    type: 'list',
    default: [],
    placeholder: 'NAME=VALUE@…',
    doc: 'Inject a fault into the cloud, such as cse=211@zone=2,rate=0.1 on Azure or capacity@zone=us-west-2a on AWS; may be repeated',
  },
  imds: {
    flag: 'imds',
    type: 'boolean',
    default: false,
    doc: 'On Azure: serve the token endpoint of IMDS for controllers that you run with a managed identity; every user of this machine can get a token there',
  },
  output: OUTPUT_OPTION,
} as const;

export type PlaygroundValues = OptionValues<typeof PLAYGROUND_OPTIONS>;

/** The parts that run. */
export interface PlaygroundParts {
  readonly clouds: readonly PlaygroundCloudName[];
  readonly controller: boolean;
}

export function partsOf(values: PlaygroundValues): PlaygroundParts {
  const { value } = values.cloud;
  const wanted = PLAYGROUND_CLOUDS.filter(({ name }) => value === 'both' || value === name);
  const clouds = values.bare.value || values.noAzure.value ? [] : wanted.map(({ name }) => name);
  return { clouds, controller: clouds.length > 0 && !values.noController.value };
}

export function optionProblems(values: PlaygroundValues): readonly OptionProblem[] {
  const emptyValues = (['host', 'kubeconfig', 'snapshot'] as const)
    .filter((name) => values[name].value === '')
    .map((name) => ({ where: `--${PLAYGROUND_OPTIONS[name].flag}`, message: 'requires a value' }));
  const { value: scenario, source } = values.scenario;
  const { clouds, controller } = partsOf(values);
  const isBoth = clouds.length > 1;
  const unsupported = controller ? clouds.find((name) => !cloudRow(name).hasController) : undefined;
  const problems: (OptionProblem | false)[] = [
    source !== 'hardcoded' &&
      scenario === '' && {
        where: '--scenario',
        message: 'requires a name; --scenario list prints the available scenarios',
      },
    scenario !== '' &&
      scenario !== 'list' &&
      !controller && {
        where: '--scenario',
        message:
          'requires a cloud and the controller; remove --bare, --cloud none, --no-azure and --no-controller',
      },
    values.noAzure.value &&
      values.cloud.source !== 'hardcoded' &&
      values.cloud.value !== 'none' && {
        where: '--no-azure',
        message: `cannot be used with --cloud ${values.cloud.value}; remove one of them`,
      },
    scenario !== '' &&
      scenario !== 'list' &&
      isBoth && {
        where: '--scenario',
        message: 'runs on one cloud; use --cloud azure or --cloud aws',
      },
    isBoth &&
      values.fault.value.length > 0 && {
        where: '--fault',
        message: 'requires one cloud; with --cloud both, use the endpoint /playground/faults of the cloud',
      },
    unsupported !== undefined && {
      where: '--cloud',
      message: `the controller does not provision nodes on ${cloudRow(unsupported).title} yet; add --no-controller`,
    },
    values.imds.value &&
      !clouds.includes('azure') && {
        where: '--imds',
        message: 'requires the simulated Azure: --cloud azure',
      },
    values.once.value && scenario === '' && { where: '--once', message: 'requires --scenario' },
    values.view.value === true &&
      values.output.value === 'json' && { where: '--view', message: 'requires -o text' },
    values.view.value === true &&
      values.bare.value && {
        where: '--view',
        message: 'cannot be used with --bare, which has nothing to show',
      },
  ];
  return [...emptyValues, ...problems.filter((problem) => problem !== false)];
}
