/** Options of disruption that Karpenter does not have. */
import { optionGroup } from './option-row.ts';

/** What a consolidation must save, in every NodePool that has no annotation for it. Verbs that plan have them, too. */
export const CONSOLIDATION_THRESHOLDS = {
  consolidationMinSavingPerMonth: {
    flag: 'consolidation-min-saving-per-month',
    env: 'CONSOLIDATION_MIN_SAVING_PER_MONTH',
    type: 'number',
    minimum: 0,
    default: 0,
    placeholder: 'AMOUNT',
    runtime: true,
    doc: 'A consolidation must save at least this amount per month, in the currency of the prices. The annotation chandler.sh/min-saving-per-month of a NodePool replaces it',
  },
  consolidationMinSavingPercent: {
    flag: 'consolidation-min-saving-percent',
    env: 'CONSOLIDATION_MIN_SAVING_PERCENT',
    type: 'number',
    minimum: 0,
    maximum: 100,
    default: 0,
    placeholder: 'PERCENT',
    runtime: true,
    doc: 'A consolidation must save at least this share of the price of its nodes. The annotation chandler.sh/min-saving-percent of a NodePool replaces it',
  },
  consolidationCostPerEvictedPod: {
    flag: 'consolidation-cost-per-evicted-pod',
    env: 'CONSOLIDATION_COST_PER_EVICTED_POD',
    type: 'number',
    minimum: 0,
    default: 0,
    placeholder: 'AMOUNT',
    runtime: true,
    doc: 'A consolidation must save this amount per month for each pod that it evicts. The annotation chandler.sh/cost-per-evicted-pod of a NodePool replaces it',
  },
  consolidationMinNodeAge: {
    flag: 'consolidation-min-node-age',
    env: 'CONSOLIDATION_MIN_NODE_AGE',
    type: 'duration',
    minimum: 0,
    default: 0,
    runtime: true,
    doc: 'Younger nodes are neither consolidated nor deleted because they are empty. The annotation chandler.sh/min-node-age of a NodePool replaces it',
  },
} as const;

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
    ...CONSOLIDATION_THRESHOLDS,
    disruptionSurge: {
      flag: 'disruption-surge',
      env: 'DISRUPTION_SURGE',
      type: 'boolean',
      default: false,
      doc: 'Pods with the annotation chandler.sh/disruption-surge, or of a NodePool with it, move by a rolling update of their Deployment or StatefulSet where an eviction is blocked or would end the only pod. Needs deploy/rbac-disruption-surge.yaml',
    },
  },
);
