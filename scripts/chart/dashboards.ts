/** Grafana's JSON of the boards in dashboards.table.ts: panels in two columns, a data source and NodePools to choose from. */
import type { BoardRow, PanelRow } from './dashboards.table.ts';

export function renderDashboard({ name, title, panels }: BoardRow): string {
  const board = {
    uid: `chandler-${name}`,
    title,
    tags: ['chandler', 'karpenter'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [DATA_SOURCE, NODE_POOL] },
    panels: layOut(panels),
  };
  return `${JSON.stringify(board, null, 2)}\n`;
}

// ---------------------------------------------------------------------------------------------------

const SOURCE = { type: 'prometheus', uid: '$datasource' };

const DATA_SOURCE = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' };

const NODE_POOL = {
  name: 'nodepool',
  label: 'NodePool',
  type: 'query',
  datasource: SOURCE,
  query: { query: 'label_values(karpenter_nodepools_usage, nodepool)', refId: 'nodepool' },
  refresh: 2,
  sort: 1,
  multi: true,
  includeAll: true,
  allValue: '.*',
  current: { text: 'All', value: '$__all' },
};

const WIDTH = 24;
const SIZES: Readonly<Record<PanelRow['kind'], { readonly w: number; readonly h: number }>> = {
  stat: { w: 6, h: 4 },
  timeseries: { w: 12, h: 8 },
  table: { w: 12, h: 8 },
};

function layOut(panels: readonly PanelRow[]): object[] {
  let [x, y, height] = [0, 0, 0];
  return panels.map((panel, index) => {
    const { w, h } = SIZES[panel.kind];
    if (x + w > WIDTH || (x > 0 && h !== height)) [x, y] = [0, y + height];
    const gridPos = { x, y, w, h };
    [x, height] = [x + w, h];
    return { id: index + 1, gridPos, ...panelOf(panel) };
  });
}

function panelOf({ title, kind, unit, queries }: PanelRow): object {
  const isTable = kind === 'table';
  return {
    title,
    type: kind,
    datasource: SOURCE,
    fieldConfig: { defaults: { ...(unit === undefined ? {} : { unit }) }, overrides: [] },
    targets: queries.map(({ expr, legend }, at) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + at),
      datasource: SOURCE,
      expr,
      ...(legend === undefined ? {} : { legendFormat: legend }),
      ...(isTable ? { format: 'table', instant: true } : {}),
    })),
  };
}
