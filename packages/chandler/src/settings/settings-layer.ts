/**
 * The global-settings ConfigMap as a layer of options: which keys are known, and which of its keys are not.
 * global-settings.ts decides what changes while the controller runs.
 */
import { closestName } from './closest-name.ts';
import type { OptionTable, OptionWarning } from './option-row.ts';
import type { FoundText } from './sourced.ts';

/** In the namespace of the controller. */
export const GLOBAL_SETTINGS_NAME = 'karpenter-global-settings';

export type SettingsData = Readonly<Record<string, string>>;

export interface SettingsLayer {
  /** By the name of the option. */
  readonly texts: ReadonlyMap<string, FoundText>;
  readonly warnings: readonly OptionWarning[];
}

export function settingsLayer(table: OptionTable, data: SettingsData | undefined): SettingsLayer {
  const texts = new Map<string, FoundText>();
  const warnings: OptionWarning[] = [];
  const names = namesByKey(table);
  for (const [key, text] of Object.entries(data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const where = settingsPath(key);
    const name = names.get(key);
    const secret = secretOf(table, key);
    if (name !== undefined)
      texts.set(name, { source: 'settings', path: where, texts: [text], inFile: false });
    else if (secret !== undefined) {
      const message = `is a secret and is not read from a ConfigMap; use ${secret}_FILE or ${secret}, and remove it from the ConfigMap`;
      warnings.push({ code: 'SecretRefused', where, message });
    } else warnings.push({ code: 'UnknownKey', where, message: unknownKey(key, [...names.keys()]) });
  }
  return { texts, warnings };
}

/** `karpenter-global-settings/data/azure.clusterName`. */
export function settingsPath(key: string): string {
  return `${GLOBAL_SETTINGS_NAME}/data/${key}`;
}

// ---------------------------------------------------------------------------------------------------

function namesByKey(table: OptionTable): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, row] of Object.entries(table)) {
    if (row.settingsKey !== undefined) names.set(row.settingsKey, name);
  }
  return names;
}

/** The variable of the secret that this key would be, whatever its prefix. */
function secretOf(table: OptionTable, key: string): string | undefined {
  const name = key.slice(key.lastIndexOf('.') + 1);
  const row = Object.hasOwn(table, name) ? table[name] : undefined;
  if (row?.secret !== true || row.env === undefined) return undefined;
  return typeof row.env === 'string' ? row.env : row.env[0];
}

function unknownKey(key: string, known: readonly string[]): string {
  const guess =
    known.find((name) => name.toLowerCase() === key.toLowerCase() || name.endsWith(`.${key}`)) ??
    closestName(key, known);
  return `is not a known setting${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}
