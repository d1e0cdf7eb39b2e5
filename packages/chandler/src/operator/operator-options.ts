/** The options that the operator reads on every cloud: Karpenter's core and the guard against runaway launches. */
import {
  CORE_OPTIONS,
  type ConfigMapObject,
  LAUNCH_LIMITS,
  type OptionValues,
  type SettingsChange,
} from '../settings/index.ts';

export const OPERATOR_OPTIONS = { ...CORE_OPTIONS, ...LAUNCH_LIMITS };

export type OperatorValues = OptionValues<typeof OPERATOR_OPTIONS>;

/** A `GlobalSettings` over any table that has the operator's rows. */
export interface OperatorSettings {
  /** Read at the moment of use: some change while we run. */
  readonly values: OperatorValues;
  /** The ConfigMap as it is now. */
  update(configMap: ConfigMapObject | undefined): SettingsChange | undefined;
  /** Reads the files of secrets again. */
  reload(): SettingsChange;
  /** @returns what ends it. */
  onChange(listener: (change: SettingsChange) => void): () => void;
}
