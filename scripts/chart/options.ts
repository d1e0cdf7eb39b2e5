/** The options of the controller as the chart sees them: each once, with the clouds that have it. */
import { type OptionKey, optionKeys } from '../../packages/chandler/src/chart/index.ts';
import { CLOUD_NAMES, type CloudName, loadCloudOptions } from '../../packages/chandler/src/cloud/registry.ts';
import { OPERATOR_OPTIONS, type OptionRow } from '../../packages/chandler/src/settings/index.ts';

export interface ChartOption extends OptionKey {
  /** By cloud: rows of one name may differ in text, default and whether they are required. */
  readonly rows: Readonly<Partial<Record<CloudName, OptionRow>>>;
}

export const CLOUD_TITLES: Readonly<Record<CloudName, string>> = Object.fromEntries(
  await Promise.all(CLOUD_NAMES.map(async (name) => [name, (await loadCloudOptions(name)).title] as const)),
) as Record<CloudName, string>;

export const CHART_OPTIONS: readonly ChartOption[] = await merged();

/** Options that every cloud has, whatever their row. */
export function isShared({ rows }: ChartOption): boolean {
  return CLOUD_NAMES.every((name) => rows[name] !== undefined);
}

/** Must be set on this cloud: nothing is derived, and the default is empty. */
export function isRequired(row: OptionRow): boolean {
  return row.required === true && row.default === '';
}

// ---------------------------------------------------------------------------------------------------

async function merged(): Promise<ChartOption[]> {
  const options = new Map<string, ChartOption>();
  for (const cloud of CLOUD_NAMES) {
    const { table } = await loadCloudOptions(cloud);
    for (const key of optionKeys({ ...OPERATOR_OPTIONS, ...table })) {
      const known = options.get(key.option);
      if (known !== undefined && (known.row.type !== key.row.type || known.path !== key.path))
        throw new Error(`the option ${key.option} has another type or key on ${cloud}`);
      options.set(key.option, { ...(known ?? key), rows: { ...known?.rows, [cloud]: key.row } });
    }
  }
  return [...options.values()];
}
