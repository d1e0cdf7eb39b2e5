/** Prints a report in the requested format. */
import { KUBE_YAML } from '@chandler/kube';
import { stringify } from 'yaml';
import { escapeStrings } from '../../causes/index.ts';
import { renderPlan } from '../plan/render-plan.ts';
import type { Output } from './outputs.ts';
import { renderHtml } from './render-html.ts';
import { renderTable } from './render-table.ts';
import type { Report } from './report.ts';

export function render(report: Report, output: Output, { color }: { readonly color: boolean }): string {
  return RENDERERS[output](report, color);
}

// ---------------------------------------------------------------------------------------------------------------

const RENDERERS: Readonly<Record<Output, (report: Report, color: boolean) => string>> = {
  table: (report, color) => {
    const { disruption } = report;
    const placed = renderTable(report, { color });
    return disruption === undefined ? placed : `${placed}\n${renderPlan(disruption, { color })}`;
  },
  json: (report) => `${JSON.stringify(report, null, 2)}\n`,
  yaml: (report) => stringify(report, { ...KUBE_YAML, aliasDuplicateObjects: false, lineWidth: 0 }),
  html: (report) => renderHtml(escapeStrings(report)),
};
