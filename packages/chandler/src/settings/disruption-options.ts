/** Options of disruption that Karpenter does not have. */
import { optionGroup } from './option-row.ts';

export const DISRUPTION_OPTIONS = optionGroup(
  { group: 'Disruption', settingsPrefix: '' },
  {
    consolidationMaxReplacements: {
      flag: 'consolidation-max-replacements',
      env: 'CONSOLIDATION_MAX_REPLACEMENTS',
      type: 'integer',
      minimum: 0,
      default: 0,
      runtime: true,
      doc: 'The maximum number of nodes that one consolidation may launch for the nodes that it removes. 1 consolidates as Karpenter does. 0 means any number, if they are cheaper',
    },
  },
);
