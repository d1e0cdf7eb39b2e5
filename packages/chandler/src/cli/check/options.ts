/** The options of `chandler check`. */
import type { Output, Severity } from '../../readiness/index.ts';
import { OUTPUT_OPTION } from '../verb.ts';
import { CHECK_CLUSTER_OPTIONS } from './cluster-options.ts';
import { LIVE_AWS_OPTIONS } from './live-aws-options.ts';
import { LIVE_AZURE_OPTIONS } from './live-azure-options.ts';

export const SEVERITIES = [
  'critical',
  'high',
  'medium',
  'low',
  'info',
] as const satisfies readonly Severity[];

export const OUTPUTS = [
  'text',
  'json',
  'yaml',
  'markdown',
  'sarif',
  'junit',
  'html',
  'github',
  'csv',
  'prometheus',
] as const satisfies readonly Output[];

export const CHECK_OPTIONS = {
  plan: {
    flag: 'plan',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE',
    doc: 'Plans in JSON (terraform show -json PLAN), wherever they are',
  },
  state: {
    flag: 'state',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE',
    doc: 'States (terraform show -json, or .tfstate), wherever they are',
  },
  varFile: {
    flag: 'var-file',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'FILE',
    doc: 'Files of Terraform variables besides terraform.tfvars and *.auto.tfvars',
  },
  config: {
    flag: 'config',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'What you expect of NodePools and node classes, and findings that you accept',
  },
  ...LIVE_AWS_OPTIONS,
  ...LIVE_AZURE_OPTIONS,
  only: {
    flag: 'only',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'ID',
    doc: 'Only these checks',
  },
  skip: {
    flag: 'skip',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'ID',
    doc: 'Not these checks',
  },
  severity: {
    flag: 'severity',
    type: 'string',
    default: 'info',
    choices: SEVERITIES,
    doc: 'Only checks of this severity and worse',
  },
  failOn: {
    flag: 'fail-on',
    type: 'string',
    default: 'high',
    choices: SEVERITIES,
    doc: 'Exit with 1 when a check of this severity or worse fails',
  },
  warnAsError: {
    flag: 'warn-as-error',
    type: 'boolean',
    default: false,
    doc: 'Warnings count for the exit code as failures do',
  },
  exitZero: {
    flag: 'exit-zero',
    type: 'boolean',
    default: false,
    doc: 'Exit with 0 whatever the checks found',
  },
  requireInputs: {
    flag: 'require-inputs',
    type: 'boolean',
    default: false,
    doc: 'Exit with 3 when a file or a live object cannot be read, or nothing can be judged',
  },
  baseline: {
    flag: 'baseline',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Findings that are in this file do not count for the exit code',
  },
  updateBaseline: {
    flag: 'update-baseline',
    type: 'boolean',
    default: false,
    doc: 'Write what is found now to the file of --baseline, and exit with 0',
  },
  fix: {
    flag: 'fix',
    type: 'boolean',
    default: false,
    doc: 'Print what can be fixed as a diff, in place of the report; nothing is written without --write',
  },
  write: {
    flag: 'write',
    type: 'boolean',
    default: false,
    doc: 'With --fix: write the changes; what a file was before is in FILE.bak, or in FILE.bak.1 and so on if that exists',
  },
  ...CHECK_CLUSTER_OPTIONS,
  strict: {
    flag: 'strict',
    type: 'boolean',
    default: false,
    doc: 'Habits that are risky in production fail instead of warning',
  },
  redact: {
    flag: 'redact',
    type: 'boolean',
    default: false,
    doc: 'Hide account ids',
  },
  noColor: {
    flag: 'no-color',
    type: 'boolean',
    default: false,
    doc: 'Print without colours, also on a terminal',
  },
  verbose: {
    flag: 'verbose',
    type: 'boolean',
    default: false,
    doc: 'Also print the evidence of checks that pass, and why others were skipped',
  },
  output: {
    ...OUTPUT_OPTION,
    choices: OUTPUTS,
    doc: 'Format of what is printed',
  },
  outputFile: {
    flag: 'output-file',
    type: 'list',
    default: [] as readonly string[],
    placeholder: '[FORMAT=]FILE',
    doc: 'Also write the report to this file, in a format of --output; without one, the ending of the file says which',
  },
} as const;
