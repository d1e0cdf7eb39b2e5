/** The settings that an operator is given. */
import type { ConfigMapObject, OPERATOR_OPTIONS, OptionValues, SettingsChange } from '../settings/index.ts';

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
