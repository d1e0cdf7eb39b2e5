import { describe, expect, test } from 'vitest';
import { compareJudgements, goalsOf, type PassRow, passTable, type RestRow, restTable } from './report.ts';
import { checkRest, halfEmptyCluster, priceOf, REST_KINDS } from './rest-cluster.ts';

const judged = (node: string, savingPerHour: number) => ({ node, decision: 'replace', savingPerHour });
const PASS: PassRow = {
  cluster: 'large-full',
  ours: {
    nodes: 1000,
    pods: 30_000,
    candidates: 1000,
    commands: 0,
    coldMs: 9000,
    ms: 5000,
    cpuMs: 4000,
    judged: [],
  },
  upstream: {
    candidates: 1000,
    judged: [judged('a', 0), judged('b', 0)],
    ms: 1000,
    cpuMs: 800,
    manyJudged: 1,
    manyMs: 400,
  },
  same: { same: 2, oursSavesMore: 0, upstreamSavesMore: 0 },
};
const REST: RestRow = {
  kind: 'spot',
  ours: {
    pods: 10,
    startNodes: 4,
    startPrice: 20,
    boundPerHour: 10,
    passes: 2,
    commands: 1,
    podsMoved: 3,
    nodes: 2,
    pricePerHour: 10.9,
    ms: 1,
  },
  upstream: { commands: 3, podsMoved: 9, podsLeftOver: 0, pricePerHour: 10.8, ms: 1, cpuMs: 1, nodes: [] },
};

describe('decisions', () => {
  test('are compared by what they save', () => {
    const ours = [judged('a', 0), judged('b', 0.2), judged('c', 0.1)];
    const theirs = [judged('a', 0), judged('b', 0.1), judged('c', 0.3)];
    expect(compareJudgements(ours, theirs)).toEqual({ same: 1, oursSavesMore: 1, upstreamSavesMore: 1 });
  });

  test('of other nodes are not compared', () => {
    expect(() => compareJudgements([judged('a', 0)], [judged('b', 0)])).toThrow('the nodes a and b');
  });
});

test("the ratio is that to the better of upstream's settings", () => {
  // 200 candidates per second against 2 with one worker and 2.5 with five.
  expect(passTable([PASS])).toMatch(/\| +80\.0 \|/);
});

test('goals are met or missed by the figures', () => {
  expect(goalsOf([PASS], [REST])).toEqual([
    'met: large-full: a pass in 10 s (5.0 s)',
    "met: large-full: 50 times upstream's rate (80.0)",
    'missed: spot: at most 8 % above the bound (9.0 %)',
    'missed: spot: cheaper than upstream (10.9000 and 10.8000 $/h)',
  ]);
  expect(restTable([REST])).toContain('9.0 %');
});

describe('the half empty cluster', () => {
  const { pods, start } = halfEmptyCluster(400, REST_KINDS['spot']!);

  test('has about half of the pods, and costs what it did', () => {
    expect(pods.length).toBeGreaterThan(160);
    expect(pods.length).toBeLessThan(240);
    expect(checkRest(start, pods)).toHaveLength(2);
    expect(priceOf(start)).toBeGreaterThan(0);
  });

  test('is wrong when a pod is lost, runs twice or does not fit', () => {
    const [first, ...others] = start;
    const lost = { ...first!, pods: first!.pods.slice(1) };
    expect(() => checkRest([lost, ...others], pods)).toThrow('every pod that is left runs on one node');
    const twice = { ...first!, pods: [...first!.pods, others[0]!.pods[0]!] };
    expect(() => checkRest([twice, ...others], pods)).toThrow('every pod that is left runs on one node');
    const all = start.map((node, at) => ({
      ...node,
      pods: at === 0 ? start.flatMap((each) => each.pods) : [],
    }));
    expect(() => checkRest(all, pods)).toThrow('no node holds more than it has');
  });
});
