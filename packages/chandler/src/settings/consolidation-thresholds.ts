/** What a consolidation must save in NodePools without annotations for it, from the options. */
import type { CONSOLIDATION_THRESHOLDS } from './disruption-options.ts';
import type { OptionValues } from './option-row.ts';

export interface ConsolidationThresholds {
  readonly minSavingPerMonth: number;
  readonly minSavingPercent: number;
  readonly costPerEvictedPod: number;
  readonly minNodeAgeMs: number;
}

/** As disruption reads them. */
export function consolidationThresholds(
  values: OptionValues<typeof CONSOLIDATION_THRESHOLDS>,
): ConsolidationThresholds {
  return {
    minSavingPerMonth: values.consolidationMinSavingPerMonth.value,
    minSavingPercent: values.consolidationMinSavingPercent.value,
    costPerEvictedPod: values.consolidationCostPerEvictedPod.value,
    minNodeAgeMs: values.consolidationMinNodeAge.value,
  };
}
