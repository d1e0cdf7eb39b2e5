/** The option that limits what preferences of pods may cost. Karpenter does not have it; it is off by default. */
import { optionGroup } from './option-row.ts';

export const PREFERENCE_LIMIT = optionGroup(
  { group: 'Price of preferences', settingsPrefix: '' },
  {
    maxPreferenceCost: {
      flag: 'max-preference-cost',
      env: 'MAX_PREFERENCE_COST',
      type: 'number',
      minimum: -1,
      default: -1,
      placeholder: 'PERCENT',
      runtime: true,
      doc: 'How much preferred affinity and ScheduleAnyway topology spread constraints may add to the price of new nodes for pending pods, in percent of the price without them. Beyond it, preferences of some pods are ignored, those of the largest pods first. Plans take up to seven times as long. -1 means no limit',
    },
  },
);
