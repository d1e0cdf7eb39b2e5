/** The options of `chandler takeover`. */
import { CLOUD_FLAG, CLOUD_NAMES } from '../../cloud/registry.ts';
import { closestName, type OptionProblem } from '../../settings/index.ts';
import { isInteractive } from '../confirm.ts';
import { CLUSTER_OPTIONS, OUTPUT_OPTION, UsageError } from '../verb.ts';
import { ACCEPTABLE } from './findings.table.ts';

export const SHARED_OPTIONS = {
  karpenter: {
    flag: 'karpenter',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAMESPACE/NAME',
    doc: 'The Deployment of Karpenter. Default: the only one with its label or its image',
  },
  chandler: {
    flag: 'chandler',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAMESPACE/NAME',
    doc: 'The Deployment of Chandler. Default: the only one with its label or its image',
  },
  cloud: {
    flag: CLOUD_FLAG,
    type: 'string',
    choices: CLOUD_NAMES,
    default: undefined as string | undefined,
    doc: 'The cloud of the cluster. Default: that of the node classes of the NodePools',
  },
  ...CLUSTER_OPTIONS,
  output: OUTPUT_OPTION,
} as const;

export const ACCEPT_OPTION = {
  accept: {
    flag: 'accept',
    type: 'list',
    default: [] as readonly string[],
    placeholder: 'CODES',
    suggestions: ACCEPTABLE,
    doc: 'Warnings of the plan that do not keep the takeover from starting, such as SettingDiffers,NotObserved',
  },
} as const;

export const RUN_OPTIONS = {
  yes: { flag: 'yes', short: 'y', type: 'boolean', default: false, doc: 'Do not ask for confirmation' },
  timeout: {
    flag: 'timeout',
    type: 'duration',
    default: 5 * 60_000,
    minimum: 1_000,
    doc: 'How long each step may wait; then everything is put back',
  },
} as const;

/** @throws {UsageError} for codes that are none, and for blockers, which cannot be accepted. */
export function checkAccepted(codes: readonly string[]): void {
  const problems = codes
    .filter((code) => !(ACCEPTABLE as readonly string[]).includes(code))
    .map((code): OptionProblem => {
      const guess = closestName(code, ACCEPTABLE);
      const hint = guess === undefined ? `use one of ${ACCEPTABLE.join(', ')}` : `did you mean ${guess}?`;
      return { where: '--accept', message: `${JSON.stringify(code)} is not a warning of the plan; ${hint}` };
    });
  if (problems.length > 0) throw new UsageError(problems);
}

/** @throws {UsageError} where nobody can be asked. */
export function checkConfirmable(yes: boolean): void {
  if (!yes && !isInteractive())
    throw new UsageError([
      { where: '--yes', message: 'this changes the cluster, and nobody can be asked; confirm with --yes' },
    ]);
}
