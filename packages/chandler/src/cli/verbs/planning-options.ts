/** Options of every verb that plans; the controller has options of the same names. */
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
} as const;
