import { describe, expect, test } from 'vitest';
import type { ClusterView, InstanceRow } from '../../playground/index.ts';
import { shortAge } from '../terminal/paint.ts';
import { CONTINUED } from '../terminal/screen.ts';
import { renderView } from './view.ts';

const NOW_MS = Date.UTC(2026, 0, 1, 12, 0, 5);

const anInstance = (name: string, change: Partial<InstanceRow> = {}): InstanceRow => ({
  name,
  pool: 'default',
  size: 'D4s_v5',
  zone: 'eastus-1',
  capacity: 'on-demand',
  pods: 7,
  cpu: 0.42,
  pricePerHour: 0.192,
  ageMs: 65_000,
  state: 'Ready',
  warning: false,
  ...change,
});

const aView = (change: Partial<ClusterView> = {}): ClusterView => ({
  nowMs: NOW_MS,
  speed: 1,
  controller: 'leading',
  scenario: undefined,
  instances: [anInstance('default-aaaaa'), anInstance('default-bbbbb', { state: 'booting', pods: 0 })],
  systemNodes: 3,
  workloads: [{ name: 'web', running: 7, pending: 3, other: 0 }],
  pods: { running: 7, pending: 3, other: 0 },
  cost: { instances: 2, noun: 'VM', perHour: 0.384 },
  activities: [{ atMs: NOW_MS, topic: 'claim', text: 'default-bbbbb is created' }],
  kubeconfig: '/home/me/kubeconfig',
  ...change,
});

const WIDE = { columns: 100, rows: 24, color: false };
const manyInstances = Array.from({ length: 80 }, (_, at) =>
  anInstance(`default-${String(at).padStart(5, '0')}`),
);
const manyActivities = Array.from({ length: 90 }, (_, at) => ({
  atMs: NOW_MS,
  topic: 'node' as const,
  text: `activity ${at} ${'long '.repeat(40)}`,
}));

describe('the view', () => {
  test('shows NodeClaims, pods, cost and activity', () => {
    expect(renderView(aView(), WIDE)).toEqual([
      'chandler playground  12:00:05  controller leading',
      '2 VMs, $0.384 per hour; pods: 7 running, 3 pending',
      '',
      'NODECLAIM      SIZE    ZONE      CAPACITY   PODS  CPU    $/H  AGE  STATE',
      'default-aaaaa  D4s_v5  eastus-1  on-demand     7  42%  0.192  65s  Ready',
      'default-bbbbb  D4s_v5  eastus-1  on-demand        42%  0.192  65s  booting',
      '',
      'web  ██████████████░░░░░░  7/10 running',
      '',
      '12:00:05  claim       default-bbbbb is created',
      '',
      'export KUBECONFIG=/home/me/kubeconfig   press Ctrl-C to stop',
    ]);
  });

  test('shows the address of the page, whole', () => {
    const rows = renderView(aView({ page: 'http://127.0.0.1:8420/#token=0123456789' }), {
      ...WIDE,
      columns: 30,
    });
    const text = rows.map((row) => (row.endsWith(CONTINUED) ? row.slice(0, -1) : `${row}\n`)).join('');
    expect(text).toContain('page: http://127.0.0.1:8420/#token=0123456789\n');
  });

  test('shows the scenario and the speed of the clock', () => {
    const lines = renderView(aView({ scenario: 'burst: 2/5 VMs are launched', speed: 20 }), WIDE);
    expect(lines[0]).toContain('time ×20');
    expect(lines[2]).toBe('burst: 2/5 VMs are launched');
  });

  test.each([
    [20, 5],
    [40, 10],
    [60, 14],
    [80, 24],
    [200, 60],
    [1, 1],
  ])('fits %i columns and %i rows', (columns, rows) => {
    const view = aView({
      instances: manyInstances,
      activities: manyActivities,
      scenario: 'scenario '.repeat(30),
    });
    const lines = renderView(view, { columns, rows, color: false });
    expect(lines.length).toBeLessThanOrEqual(rows);
    const widths = lines.map((line) => [...line.replace(CONTINUED, '')].length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns);
  });

  test('keeps the name and the state of a NodeClaim in a narrow terminal', () => {
    const rows = renderView(aView(), { columns: 26, rows: 24, color: false });
    const at = rows.findIndex((row) => row.startsWith('NODECLAIM'));
    const [head, first] = rows.slice(at);
    expect([head, first]).toEqual(['NODECLAIM      STATE', 'default-aaaaa  Ready']);
  });

  test('at 40 columns shows the whole command to copy, the whole reason of a warning and the whole step', () => {
    const reason =
      'default-aaaaa: not launched, InsufficientCapacity: no size has capacity in any zone of eastus';
    const view = aView({
      kubeconfig: '/home/me/my clusters/.cache/chandler/playground/kubeconfig',
      scenario: 'quota-cut: 3/5 the region has no quota left, and pending pods say so',
      activities: [{ atMs: NOW_MS, topic: 'claim', text: reason, warning: true }],
    });
    const text = renderView(view, { columns: 40, rows: 30, color: false })
      .map((row) => (row.endsWith(CONTINUED) ? row.slice(0, -1) : `${row}\n`))
      .join('');
    const lines = text.split('\n');
    expect(lines).toContain("export KUBECONFIG='/home/me/my clusters/.cache/chandler/playground/kubeconfig'");
    expect(lines).toContain(`12:00:05  claim       ${reason}`);
    expect(lines).toContain('quota-cut: 3/5 the region has no quota left, and pending pods say so');
    expect(lines).toContain('chandler playground  12:00:05  controller leading');
  });

  test('says how many NodeClaims are not shown', () => {
    const lines = renderView(aView({ instances: manyInstances }), WIDE);
    const more = lines.find((line) => line.startsWith('and '))!;
    const shown = lines.filter((line) => line.startsWith('default-')).length;
    expect(more).toBe(`and ${80 - shown} more, and 3 system nodes`);
  });

  test('uses colour only when colour is enabled', () => {
    const warned = aView({ instances: [anInstance('default-aaaaa', { state: 'NotReady', warning: true })] });
    expect(renderView(warned, WIDE).join('')).not.toContain('\u001b');
    const coloured = renderView(warned, { ...WIDE, color: true }).join('\n');
    expect(coloured).toContain('\u001b[33mdefault-aaaaa');
  });

  test('removes control characters that would move the cursor', () => {
    const activities = [
      { atMs: NOW_MS, topic: 'event' as const, text: 'bad\u001b[2Jtext\nnext\u0007\u202e' },
    ];
    const lines = renderView(aView({ activities }), WIDE);
    for (const control of ['\u001b', '\u202e']) expect(lines.join('')).not.toContain(control);
    expect(lines.find((line) => line.includes('bad'))).toContain('bad [2Jtext next');
  });

  test.each([
    [0, '0s'],
    [119_000, '119s'],
    [120_000, '2m'],
    [3 * 3600_000, '3h'],
    [3 * 3600_000 + 300_000, '3h5m'],
    [72 * 3600_000, '3d'],
  ])('%i ms are %s', (ms, text) => {
    expect(shortAge(ms)).toBe(text);
  });
});
