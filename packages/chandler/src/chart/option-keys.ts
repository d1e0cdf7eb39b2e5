/**
 * Where each option of the controller stands in the values of the chart `charts/chandler`. The schema, the values file and the
 * settings of the chart are generated from it, and `chandler migrate-values` writes these keys.
 */
import type { OptionRow, OptionTable } from '../settings/index.ts';

/** `settings`: written to the ConfigMap. `secret`: a key of a Secret, mounted as a file. `pod`: derived from the pod. */
export type OptionPlace = 'settings' | 'secret' | 'pod';

export interface OptionKey {
  readonly option: string;
  readonly row: OptionRow;
  readonly place: OptionPlace;
  /** Dotted path in the values; for `pod` the path that it is derived from, or empty. */
  readonly path: string;
}

/** Options of the command line that belong to no table of options. */
export const COMMAND_KEYS = {
  cloud: 'cloud',
  observe: 'controller.observe',
  readinessCheckInterval: 'controller.readinessCheckInterval',
  page: 'page.enabled',
  pagePort: 'page.port',
  pageBindAddress: 'page.bindAddress',
  pageHosts: 'page.hosts',
} as const;

/** In the order of the table. */
export function optionKeys(table: OptionTable): OptionKey[] {
  return Object.entries(table).map(([option, row]) => ({ option, row, ...placeOf(option, row) }));
}

/** `clusterCaBundle` → `clusterCABundle`: as Karpenter's charts spell it, where they have it. */
export function settingName(option: string): string {
  return SPELLINGS[option] ?? option;
}

/** `NodeRepair` → `nodeRepair`. */
export function gateName(gate: string): string {
  return `${gate[0]!.toLowerCase()}${gate.slice(1)}`;
}

/** Integers that Karpenter's charts have as texts; both are accepted. */
export const TEXT_INTEGERS: ReadonlySet<string> = new Set(['reservedENIs']);

// ---------------------------------------------------------------------------------------------------

const SPELLINGS: Readonly<Record<string, string>> = {
  clusterCaBundle: 'clusterCABundle',
  isolatedVpc: 'isolatedVPC',
  reservedEnis: 'reservedENIs',
  ignoreDraRequests: 'ignoreDRARequests',
};

/** Not below `settings`, because Karpenter's charts have them elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  logLevel: 'logLevel',
  logOutputPaths: 'logOutputPaths',
  logErrorOutputPaths: 'logErrorOutputPaths',
};

/** Environment variables of the container, made from other values. */
const OF_THE_POD: Readonly<Record<string, string>> = {
  metricsPort: 'controller.metrics.port',
  healthProbePort: 'controller.healthProbe.port',
  memoryLimit: 'controller.resources.limits.memory',
  cpuRequests: 'controller.resources.requests.cpu',
  // The namespace of the release.
  systemNamespace: '',
};

function placeOf(option: string, row: OptionRow): Pick<OptionKey, 'place' | 'path'> {
  if (row.secret === true) return { place: 'secret', path: `secrets.${option}` };
  const ofThePod = OF_THE_POD[option];
  if (ofThePod !== undefined) return { place: 'pod', path: ofThePod };
  return { place: 'settings', path: ELSEWHERE[option] ?? `settings.${settingName(option)}` };
}
