/** Options of every verb that plans; the controller has options of the same names. */
import { CATALOGUES } from '../../cloud/registry.ts';
import { schedulerConfigProblem } from '../../settings/index.ts';

/** What `--catalogue` takes. */
export const CATALOGUE_PLACEHOLDER: string = ['FILE', 'generic', ...CATALOGUES.map(({ name }) => name)].join(
  '|',
);

/** For verbs that show prices. */
export const PRICES_OPTION = {
  flag: 'catalogue',
  type: 'string',
  default: undefined as string | undefined,
  placeholder: CATALOGUE_PLACEHOLDER,
  doc: 'File with instance types and prices, or the name of a built-in catalogue. Default: that of the cloud of each NodePool',
} as const;

export const PLANNING_OPTIONS = {
  preferences: {
    flag: 'preference-policy',
    env: 'PREFERENCE_POLICY',
    type: 'string',
    default: 'Respect',
    choices: ['Respect', 'Ignore'],
    doc: 'Whether to respect preferred affinity and ScheduleAnyway topology spread constraints',
  },
  minValues: {
    flag: 'min-values-policy',
    env: 'MIN_VALUES_POLICY',
    type: 'string',
    default: 'Strict',
    choices: ['Strict', 'BestEffort'],
    doc: 'What happens when minValues of a NodePool cannot be met',
  },
  schedulerConfig: {
    flag: 'scheduler-config',
    env: 'SCHEDULER_CONFIG',
    type: 'string',
    default: '',
    placeholder: 'YAML',
    check: schedulerConfigProblem,
    doc: 'The default topology spread constraints of kube-scheduler, for pods without constraints of their own: podTopologySpread.defaultConstraints as YAML or JSON',
  },
} as const;
