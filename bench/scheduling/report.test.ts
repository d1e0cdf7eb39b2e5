import { expect, test } from 'vitest';
import { documentOf, goalsOf, type OwnRun, type Row, tableOf, type UpstreamRun } from './report.ts';

const ours: OwnRun = {
  pods: 10_000,
  ms: 200,
  podsPerSecond: 50_000,
  placed: 10_000,
  nodes: 2_000,
  pricePerHour: 3_400.123456,
  boundPerHour: 2_000,
  cpuMs: 250,
  peakMiB: 120,
  coldMs: 900,
};
const five: UpstreamRun = {
  ms: 19_900,
  setupMs: 100,
  cpuMs: 35_000,
  podsPerSecond: 500,
  placed: 10_000,
  nodes: 2_000,
  pricePerHour: 3_400,
  timedOut: false,
};
const upstream = { one: { ...five, ms: 39_900, podsPerSecond: 250 }, five };
const row: Row = { workload: 'diverse', pods: 10_000, ours, upstream };

test('the document has a row per workload and size, and the ratio to the better run of upstream', () => {
  const theirs = {
    ms: 20_000,
    podsPerSecond: 500,
    placed: 10_000,
    nodes: 2_000,
    pricePerHour: 3_400,
    boundPerHour: 2_000,
  };
  expect(documentOf([row])).toEqual({
    rows: [
      {
        workload: 'diverse',
        pods: 10_000,
        ours: {
          ms: 200,
          podsPerSecond: 50_000,
          placed: 10_000,
          nodes: 2_000,
          pricePerHour: 3_400.1235,
          boundPerHour: 2_000,
        },
        upstream: theirs,
        upstreamOneWorker: { ...theirs, ms: 40_000, podsPerSecond: 250 },
        upstreamFiveWorkers: theirs,
        ratio: 100,
      },
    ],
  });
});

test('without upstream its part and the ratio are null', () => {
  const [only] = documentOf([{ ...row, upstream: null }]).rows;
  expect(only).toMatchObject({ upstream: null, upstreamOneWorker: null, ratio: null });
});

test('goals are reported as met or missed, and omitted when nothing was measured', () => {
  const slow = { ...row, ours: { ...ours, podsPerSecond: 25_000 } };
  expect(goalsOf([row])[0]).toMatch(/^met .*100, goal at least 100/);
  expect(goalsOf([slow])[0]).toMatch(/^MISSED .*50, goal at least 100/);
  expect(goalsOf([{ ...row, upstream: null }])).toEqual([]);
});

test('the field workload has goals for time, memory and growth', () => {
  const field = (pods: number, ms: number): Row => ({
    workload: 'field',
    pods,
    ours: { ...ours, pods, ms, peakMiB: 300 },
    upstream: null,
  });
  expect(goalsOf([field(4_200, 100), field(42_000, 1_500)])).toEqual([
    'MISSED field 40000: ms 1500, goal at most 1000 (0.667)',
    'met    field 40000: peak MiB 300, goal at most 400 (1.33)',
    'MISSED field 40000: times the time of a tenth of the pods 15, goal at most 12 (0.8)',
  ]);
});

test('the table marks a run that was stopped', () => {
  const stopped = { ...five, timedOut: true, placed: 363 };
  const cut = { ...row, upstream: { one: stopped, five: stopped } };
  expect(tableOf([cut])).toContain('cut at 20,000');
  expect(tableOf([cut])).toContain('363');
});
