import { describe, expect, test } from 'vitest';
import {
  type Cause,
  type CauseTable,
  checkTables,
  findCauses,
  findingJson,
  findingLine,
  findingText,
  LAYER_TEXTS,
  LAYERS,
  type Match,
  renderCausesDoc,
  unreadText,
} from '../../causes/index.ts';
import { aFailingPod, aPod, aWaitingPod, evidence, NOW_MS } from '../../causes/testing.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';

import { TABLES } from './verdict.fixture.ts';

const cause = (id: string, changes: Partial<Cause> = {}): Cause => ({
  id,
  layer: 'scheduling',
  specificity: 'exact',
  title: `title of ${id}`,
  symptom: 'seen',
  summary: 'it is {what}',
  fix: 'mend {what} of {unknown}',
  confirm: ['look {what}'],
  recognise: () => ({
    facts: { what: 'broken' },
    seen: [{ where: 'Pod x (kubernetes)', what: 'something', atMs: NOW_MS }],
  }),
  ...changes,
});
const table = (...causes: readonly Cause[]): CauseTable => ({ name: 'test', about: 'test', causes });
const ids = (tables: readonly CauseTable[], pod = aWaitingPod()) =>
  findCauses(tables, evidence([pod])).map(({ id }) => id);

describe('the order of findings', () => {
  test('layers in order, then the more exact, then by id; suspicions last', () => {
    const suspicious = { recognise: () => ({ weight: 'suspicious' as const, facts: {}, seen: [] }) };
    const tables = [
      table(cause('b'), cause('a'), cause('c', { specificity: 'particular' })),
      table(
        cause('late', { layer: 'readiness' }),
        cause('early', { layer: 'configuration', ...suspicious }),
        cause('mid', { layer: 'cloudApi' }),
      ),
    ];
    expect(ids(tables)).toEqual(['mid', 'a', 'b', 'c', 'late', 'early']);
    expect(ids([...tables].reverse())).toEqual(ids(tables));
  });

  test('a row that says only that a layer is broken gives way to one that says more, there or before', () => {
    const general = cause('general', { specificity: 'general' });
    expect(ids([table(general)])).toEqual(['general']);
    expect(ids([table(general, cause('exact'))])).toEqual(['exact']);
    expect(ids([table(general, cause('before', { layer: 'bootstrap' }))])).toEqual(['before']);
    expect(ids([table(general, cause('after', { layer: 'readiness' }))])).toEqual(['general', 'after']);
  });

  describe('about containers', () => {
    const of = (container: string, more: Partial<Match> = {}) => ({
      recognise: () => ({ facts: { container }, seen: [], ...more }),
    });
    const general = cause('general', { specificity: 'general', ...of('app') });

    test('a row that says little gives way to one about the same container, or about none', () => {
      expect(ids([table(general, cause('exact', of('app')))])).toEqual(['exact']);
      expect(ids([table(general, cause('exact'))])).toEqual(['exact']);
      expect(ids([table(general, cause('exact', of('proxy', { containers: ['proxy', 'app'] })))])).toEqual([
        'exact',
      ]);
      expect(ids([table(general, cause('exact', of('proxy')))])).toEqual(['exact', 'general']);
    });

    test('a row that says little names the first container that no other row explains, and only that', () => {
      const others = ['proxy', 'agent'].map((container) => ({ facts: { container }, seen: [] }));
      const row = cause('general', { specificity: 'general', ...of('app', { others }) });
      const named = (...causes: readonly Cause[]) =>
        findCauses([table(row, ...causes)], evidence([aWaitingPod()])).map(({ facts }) => facts['container']);
      expect(named()).toEqual(['app']);
      expect(named(cause('exact', of('app')))).toEqual(['app', 'proxy']);
      expect(named(cause('exact', of('proxy')))).toEqual(['proxy', 'app']);
    });

    test('a row explains another that it names, or that names it, of the same container, or if one is about none', () => {
      const named = (row: Cause, other: Cause) =>
        findCauses([table(row, other)], evidence([aWaitingPod()])).map(({ facts }) => facts['container']);
      const others = [{ facts: { container: 'proxy' }, seen: [] }];
      const both = cause('end', of('app', { others }));
      const stops = (match: Pick<Cause, 'recognise'>) => cause('stop', { explains: ['end'], ...match });
      expect(named(both, stops(of('app')))).toEqual(['proxy', 'app']);
      expect(named(both, stops(of('proxy')))).toEqual(['app', 'proxy']);
      expect(named(both, stops(of('agent')))).toEqual(['app', 'agent']);
      expect(named(both, stops(of('agent', { containers: ['agent', 'app', 'proxy'] })))).toEqual(['agent']);
      expect(named(both, stops({ recognise: () => ({ facts: {}, seen: [] }) }))).toEqual([undefined]);
      expect(named(cause('end'), stops(of('app')))).toEqual(['app']);
      const effect = cause('effect', { explainedBy: ['stop'], ...of('app', { others }) });
      expect(named(effect, cause('stop', of('app')))).toEqual(['proxy', 'app']);
    });

    test('what may be a consequence comes after all else that is broken in its layer', () => {
      const last = cause('a', of('app', { comesLast: true }));
      const late = cause('late', { layer: 'readiness' });
      const particular = cause('particular', { specificity: 'particular', ...of('proxy') });
      expect(ids([table(last, late, particular)])).toEqual(['particular', 'a', 'late']);
    });
  });

  test('a row makes those redundant that it explains, if it is broken itself', () => {
    const plain = cause('plain');
    const exact = cause('exact', { explains: ['plain'] });
    expect(ids([table(plain, exact)])).toEqual(['exact']);
    const doubt = { recognise: () => ({ weight: 'suspicious' as const, facts: {}, seen: [] }) };
    expect(ids([table(plain, { ...exact, ...doubt })])).toEqual(['plain', 'exact']);
    expect(checkTables([table(exact)])).toEqual(['exact explains plain, which does not exist']);
  });

  test('a row gives way to those it names', () => {
    const row = cause('effect', { explainedBy: ['reason'] });
    expect(ids([table(row, cause('reason', { layer: 'readiness' }))])).toEqual(['reason']);
  });

  test('a layer that the pod has passed is not the cause', () => {
    const rows = table(cause('class', { layer: 'configuration' }), cause('image', { layer: 'readiness' }));
    const onNode = findCauses([rows], evidence([aFailingPod({})]));
    expect(onNode.map(({ id, weight }) => [id, weight])).toEqual([
      ['image', 'broken'],
      ['class', 'suspicious'],
    ]);
  });

  test('for a healthy pod nothing is broken, except causes that matter nevertheless', () => {
    const rows = table(cause('any'), cause('key', { layer: 'provider', evenIfWell: true }));
    const found = findCauses([rows], evidence([aPod()]));
    expect(found.map(({ id, weight }) => [id, weight])).toEqual([
      ['key', 'broken'],
      ['any', 'suspicious'],
    ]);
  });
});

describe('how a finding is shown', () => {
  const [finding] = findCauses([table(cause('x.y', { point: 'L6.2' }))], evidence([aWaitingPod()]));

  test('as text: what, seen where and when, fix, how to confirm', () => {
    expect(findingText(finding!).split('\n')).toEqual([
      'title of x.y [x.y, layer 6 Scheduling]',
      '  it is broken',
      '  seen     Pod x (kubernetes), 2026-01-27T15:00:00Z:',
      '           something',
      '  fix      mend broken of {unknown}',
      '  confirm  look broken',
    ]);
    expect(findingLine(finding!)).toBe('title of x.y [x.y]: it is broken');
  });

  test('as data', () => {
    expect(findingJson(finding!)).toEqual({
      id: 'x.y',
      point: 'L6.2',
      layer: 'scheduling',
      layerNumber: 6,
      weight: 'broken',
      title: 'title of x.y',
      summary: 'it is broken',
      fix: 'mend broken of {unknown}',
      confirm: ['look broken'],
      facts: { what: 'broken' },
      seen: [{ where: 'Pod x (kubernetes)', what: 'something', at: '2026-01-27T15:00:00Z' }],
    });
  });

  test('without secrets, and long logs with their beginning and end', () => {
    const log = `begin ${'x'.repeat(5000)} token=verysecret end`;
    const long = { ...finding!, seen: [{ where: 'log', what: log }], facts: { log } };
    const text = `${findingText(long)}${JSON.stringify(findingJson(long))}`;
    expect(text).not.toContain('verysecret');
    expect(findingText(long)).toContain('begin');
    expect(findingText(long)).toContain('end');
    expect(findingText(long).length).toBeLessThan(2000);
  });

  test('what could not be read names the permission that is missing', () => {
    const text = unreadText({
      kind: 'vm',
      what: 'VM aks-x',
      why: 'forbidden',
      permission: 'Microsoft.Compute/virtualMachines/read',
    });
    expect(text).toBe('VM aks-x: forbidden; missing permission: Microsoft.Compute/virtualMachines/read');
  });
});

describe('the tables of causes', () => {
  const rows = TABLES.flatMap(({ causes }) => causes);

  test('have every id once, and give way only to rows that exist', () => {
    expect(checkTables(TABLES)).toEqual([]);
    expect(checkTables([table(cause('a'), cause('a', { explainedBy: ['none'] }))])).toEqual([
      'a is defined in test and test',
      'a gives way to none, which does not exist',
    ]);
  });

  test('[000] have a row for each of the 31 failure points, in its layer', () => {
    const counts = { 1: 5, 2: 3, 3: 4, 4: 5, 5: 5, 6: 4, 7: 5 };
    const points = Object.entries(counts).flatMap(([layer, count]) =>
      Array.from({ length: count }, (_, at) => `L${layer}.${at + 1}`),
    );
    expect(points).toHaveLength(31);
    for (const point of points) {
      const row = rows.find(({ id }) => id === point);
      expect(row?.layer, point).toBe(LAYERS[Number(point[1]) - 1]);
    }
  });

  test('have a meaning, a fix and a confirmation in each row, and recognise nothing without evidence', () => {
    const nothing = evidence([]);
    for (const row of rows) {
      expect(row.recognise(nothing), row.id).toBeUndefined();
      expect(
        row.title.length * row.summary.length * row.fix.length * row.symptom.length,
        row.id,
      ).toBeGreaterThan(0);
      expect(row.confirm.length, row.id).toBeGreaterThan(0);
    }
  });

  test('name only points that exist', () => {
    const known = new Set(rows.map(({ id }) => id));
    expect(
      rows.map(({ point }) => point).filter((point) => point !== undefined && !known.has(point)),
    ).toEqual([]);
  });

  test('are all on the generated page, by layer', () => {
    const page = renderCausesDoc(azureDiagnosis(), TABLES);
    for (const { id } of rows) expect(page).toMatch(new RegExp(`(?:### ${id}:|\\| ${id} \\|)`));
    for (const { number, title } of Object.values(LAYER_TEXTS))
      expect(page).toContain(`## ${number}. ${title}`);
  });
});
