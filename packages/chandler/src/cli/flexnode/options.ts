/** The flags that verbs of `flexnode` share. */
import { DEFAULT_CONFIG_PATH } from '../../flexnode/index.ts';
import { OUTPUT_OPTION } from '../verb.ts';

export const COMMON_OPTIONS = {
  config: {
    flag: 'config',
    short: 'c',
    type: 'string',
    default: DEFAULT_CONFIG_PATH,
    placeholder: 'FILE',
    doc: 'Path to the config file',
  },
  output: { ...OUTPUT_OPTION, doc: 'Output format' },
  root: {
    flag: 'root',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'DIR',
    doc: 'For tests: use this directory as the root file system and run no commands',
    group: 'Testing',
  },
} as const;

export const EVENT_OUTPUT = {
  ...OUTPUT_OPTION,
  doc: 'Output format; json prints one event per line',
} as const;

export const SELECTION_OPTIONS = {
  only: {
    flag: 'only',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'STEPS',
    doc: 'Run only these steps or phases (identity, installation, activation)',
  },
  skip: {
    flag: 'skip',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'STEPS',
    doc: 'Skip these steps or phases',
  },
} as const;

export const PREFLIGHT_OPTIONS = {
  ignore: {
    flag: 'ignore-preflight-errors',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'CHECKS',
    doc: 'Checks whose errors are reported as warnings; "all" for every check',
  },
  allowUnsupportedOs: {
    flag: 'allow-unsupported-os',
    type: 'boolean',
    default: false,
    doc: 'Continue on an operating system other than Ubuntu 22.04 or 24.04',
  },
} as const;

export const YES_OPTION = {
  flag: 'yes',
  short: 'y',
  type: 'boolean',
  default: false,
  doc: 'Do not ask for confirmation',
} as const;

export const DRY_RUN_OPTION = {
  flag: 'dry-run',
  type: 'boolean',
  default: false,
  doc: 'Print the files and commands without changing anything',
} as const;
