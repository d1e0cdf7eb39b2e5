/** The options as controllers read them: plain, current values. */
import type { ControllerSettings, FeatureGate } from '../controllers/index.ts';
import { consolidationThresholds, readSchedulerConfig } from '../settings/index.ts';
import type { OperatorSettings } from './operator-options.ts';

export function liveSettings(settings: OperatorSettings, namespace: string): ControllerSettings {
  const { defaultConstraints } = readSchedulerConfig(settings.values.schedulerConfig.value);
  return {
    defaultConstraints,
    get batchIdleMs() {
      return settings.values.batchIdleDuration.value;
    },
    get batchMaxMs() {
      return settings.values.batchMaxDuration.value;
    },
    get preferencePolicy() {
      return settings.values.preferencePolicy.value as ControllerSettings['preferencePolicy'];
    },
    get maxPreferenceCost() {
      return settings.values.maxPreferenceCost.value;
    },
    get minValuesPolicy() {
      return settings.values.minValuesPolicy.value as ControllerSettings['minValuesPolicy'];
    },
    get gates() {
      return settings.values.featureGates.value as Readonly<Record<FeatureGate, boolean>>;
    },
    get legacyNodeRepair() {
      return settings.values.legacyNodeRepair.value;
    },
    get cpuRequests() {
      return settings.values.cpuRequests.value;
    },
    get maxLaunchesPerMinute() {
      return settings.values.maxLaunchesPerMinute.value;
    },
    get maxFailingLaunches() {
      return settings.values.maxFailingLaunches.value;
    },
    get maxReplacements() {
      return settings.values.consolidationMaxReplacements.value;
    },
    get disruptionSurge() {
      return settings.values.disruptionSurge.value;
    },
    get saving() {
      return consolidationThresholds(settings.values);
    },
    namespace,
    onChange: (listener) =>
      settings.onChange(({ changed }) => {
        if (changed.length > 0) listener(changed.map(({ name }) => name));
      }),
  };
}
