/**
 * Whether images may be renewed now. AKS writes the next window for node image upgrades into a ConfigMap; where it wrote
 * none, any time is good. A window that cannot be understood is not taken for an open one.
 */

export const MAINTENANCE_CONFIG_MAP = 'upcoming-maintenance-window';
export const WINDOW_START = 'aksManagedNodeOSUpgradeSchedule-start';
export const WINDOW_END = 'aksManagedNodeOSUpgradeSchedule-end';

export type MaintenanceWindow =
  | { readonly state: 'open'; readonly why: 'noWindow' | 'inWindow' }
  | { readonly state: 'closed'; readonly startMs: number; readonly endMs: number }
  /** Nothing is renewed until someone mends it. */
  | { readonly state: 'malformed'; readonly message: string };

/** `data` of the ConfigMap; undefined when there is no ConfigMap or no namespace to look in. */
export function maintenanceWindow(
  data: Readonly<Record<string, string>> | undefined,
  nowMs: number,
): MaintenanceWindow {
  const start = data?.[WINDOW_START] ?? '';
  const end = data?.[WINDOW_END] ?? '';
  if (start === '' && end === '') return { state: 'open', why: 'noWindow' };
  if (start === '' || end === '') {
    return malformed(`has no ${start === '' ? WINDOW_START : WINDOW_END}; set both or neither`);
  }
  const startMs = timeOf(start);
  const endMs = timeOf(end);
  if (startMs === undefined)
    return malformed(`${WINDOW_START}: "${start}" is not a time such as 2026-01-31T22:00:00Z`);
  if (endMs === undefined)
    return malformed(`${WINDOW_END}: "${end}" is not a time such as 2026-01-31T22:00:00Z`);
  return startMs < nowMs && nowMs < endMs
    ? { state: 'open', why: 'inWindow' }
    : { state: 'closed', startMs, endMs };
}

// ---------------------------------------------------------------------------------------------------

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i;

function timeOf(text: string): number | undefined {
  const ms = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function malformed(problem: string): MaintenanceWindow {
  return { state: 'malformed', message: `ConfigMap ${MAINTENANCE_CONFIG_MAP} ${problem}` };
}
