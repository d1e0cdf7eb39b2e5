/** The settings of an operator. */
import type { ConfigMapObject, OPERATOR_OPTIONS, OptionValues, SettingsChange } from '../settings/index.ts';

export type OperatorValues = OptionValues<typeof OPERATOR_OPTIONS>;

/** A `GlobalSettings` over any table that has the operator's rows. */
export interface OperatorSettings {
  /** Read them when used: some change at run time. */
  readonly values: OperatorValues;
  /** Applies the current ConfigMap. */
  update(configMap: ConfigMapObject | undefined): SettingsChange | undefined;
  /** Reloads the secret files. */
  reload(): SettingsChange;
  /** @returns a function that unsubscribes. */
  onChange(listener: (change: SettingsChange) => void): () => void;
}
