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
    doc: 'The config file',
  },
  output: { ...OUTPUT_OPTION, doc: 'text for people, json for programs' },
  root: {
    flag: 'root',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'DIR',
    doc: 'For tests: take this folder for the whole machine and run no programs',
    group: 'Testing',
  },
} as const;

export const EVENT_OUTPUT = {
  ...OUTPUT_OPTION,
  doc: 'text shows progress by step; json prints one event per line',
} as const;

export const SELECTION_OPTIONS = {
  only: {
    flag: 'only',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'STEPS',
    doc: 'Only these steps or phases (identity, installation, activation)',
  },
  skip: {
    flag: 'skip',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'STEPS',
    doc: 'All but these steps or phases',
  },
} as const;

export const PREFLIGHT_OPTIONS = {
  ignore: {
    flag: 'ignore-preflight-errors',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'CHECKS',
    doc: 'Checks whose errors are only warnings; all for every check',
  },
  allowUnsupportedOs: {
    flag: 'allow-unsupported-os',
    type: 'boolean',
    default: false,
    doc: 'Go on where the system is not Ubuntu 22.04 or 24.04',
  },
} as const;

export const YES_OPTION = {
  flag: 'yes',
  short: 'y',
  type: 'boolean',
  default: false,
  doc: 'Do not ask',
} as const;

/** Without a terminal nobody can be asked: whoever wrote the script meant it. */
export const DRY_RUN_OPTION = {
  flag: 'dry-run',
  type: 'boolean',
  default: false,
  doc: 'Show what would be written and run, and do nothing',
} as const;
