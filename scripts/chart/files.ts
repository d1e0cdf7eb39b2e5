/** All generated files of charts/chandler, and docs/alerts.md, which has the same alerts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLOUD_NAMES } from '../../packages/chandler/src/cloud/registry.ts';
import { renderRules, withAlerts } from './alerts.ts';
import { DASHBOARDS } from './dashboards.table.ts';
import { renderDashboard } from './dashboards.ts';
import { ROLE_TEMPLATES, renderLeaseTemplate, renderRoleTemplate } from './rbac.ts';
import { renderChart, renderReadme } from './readme.ts';
import { renderSchema } from './schema.ts';
import { renderOptionsFile, renderValues } from './values-file.ts';

const CHART = 'charts/chandler';

/** Folders of it in which every file is generated. */
export const CHART_OWNED_FOLDERS = [`${CHART}/files/dashboards`];

export function chartFiles(root: string): { readonly path: string; readonly text: string }[] {
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const { version } = JSON.parse(read('packages/chandler/package.json')) as { readonly version: string };
  return [
    { path: `${CHART}/Chart.yaml`, text: renderChart(version) },
    { path: `${CHART}/README.md`, text: renderReadme() },
    { path: `${CHART}/values.yaml`, text: renderValues() },
    { path: `${CHART}/values.schema.json`, text: renderSchema() },
    { path: `${CHART}/files/options.yaml`, text: renderOptionsFile() },
    ...CLOUD_NAMES.map((cloud) => ({
      path: `${CHART}/files/alerts-${cloud}.yaml`,
      text: renderRules(cloud),
    })),
    ...DASHBOARDS.map((board) => ({
      path: `${CHART}/files/dashboards/${board.name}.json`,
      text: renderDashboard(board),
    })),
    ...ROLE_TEMPLATES.map((each) => ({
      path: `${CHART}/templates/${each.name}`,
      text: renderRoleTemplate(each, read(`deploy/${each.source}`)),
    })),
    { path: `${CHART}/templates/rbac-lease.yaml`, text: renderLeaseTemplate(read('deploy/rbac.yaml')) },
    { path: 'docs/alerts.md', text: withAlerts(read('docs/alerts.md')) },
  ];
}
