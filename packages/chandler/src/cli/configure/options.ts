/** The flags that the verbs of `configure` share. */
import { OUTPUT_OPTION, UsageError } from '../verb.ts';

export const CONFIGURE_OPTIONS = {
  namespace: {
    flag: 'namespace',
    type: 'string',
    default: 'kube-system',
    placeholder: 'NAME',
    doc: 'Namespace in which the controller is installed',
  },
  serviceAccount: {
    flag: 'service-account',
    type: 'string',
    default: 'chandler',
    placeholder: 'NAME',
    doc: 'ServiceAccount of the controller',
  },
  write: {
    flag: 'write',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'DIR',
    doc: 'Write the values of the chart, and the plan as code, into this folder',
  },
  apply: {
    flag: 'apply',
    type: 'boolean',
    default: false,
    doc: 'Create what is missing, after confirmation',
  },
  undo: {
    flag: 'undo',
    type: 'boolean',
    default: false,
    doc: 'Remove what --apply has created and nobody has changed, after confirmation',
  },
  yes: {
    flag: 'yes',
    short: 'y',
    type: 'boolean',
    default: false,
    doc: 'Do not ask for confirmation; required without a terminal',
  },
  journal: {
    flag: 'journal',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'File in which --apply records what it creates. Default: chandler-configure-CLUSTER.json in the current folder',
  },
  output: OUTPUT_OPTION,
} as const;

/** @throws {UsageError} */
export function required(value: string | undefined, where: string): string {
  if (value === undefined || value === '') throw new UsageError([{ where, message: 'is required' }]);
  return value;
}
