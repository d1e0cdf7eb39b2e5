import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { render } from './render.ts';
import { columns } from './render-table.ts';
import { aDeployment, simulateText } from './simulate.fixture.ts';
import { amountText, money, preferenceSentence, priceSentence } from './words.ts';

const PLAIN = { color: false };

describe('the page', () => {
  test('escapes whatever the input says, loads nothing and runs nothing', async () => {
    const evil = aDeployment('web', 1)
      .replace('name: web,', `name: '<script>alert("1")</script>',`)
      .replace('containers', `nodeSelector: { 'a"><img src=x onerror=1>': '</style>' }\n      containers`);
    const { report } = await simulateText(`${evil}---\n${aDeployment('good', 3)}`);
    const page = render(report, 'html', PLAIN);
    expect(page).not.toMatch(/<script|<img|<link|<iframe|https?:/i);
    expect(page.match(/<\/style>/g)).toHaveLength(1);
    expect(page).toContain('&#60;script&#62;');
    expect(page).toContain("default-src 'none'");
  });

  test('shows each workload with its share, and is the same every time', async () => {
    const { report } = await simulateText(`${aDeployment('one', 3)}---\n${aDeployment('two', 2)}`, {
      bound: true,
    });
    const page = render(report, 'html', PLAIN);
    expect(page).toContain('shop/one: 3 pods, 3Gi');
    expect(page).toMatch(/aria-label="cpu: \d+ of/);
    expect(page).toContain('No plan below');
    expect(render(report, 'html', PLAIN)).toBe(page);
  });

  test('stays small for very many nodes', async () => {
    const apart = `      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector: { matchLabels: { app: web } }
`;
    const { report } = await simulateText(aDeployment('web', 300, apart));
    expect(report.summary.nodes).toBe(300);
    const page = render(report, 'html', PLAIN);
    expect(page).toContain('300 × ');
    expect(page.length).toBeLessThan(30_000);
    expect(render(report, 'table', PLAIN).split('\n').length).toBeLessThan(12);
  });
});

describe('the other forms', () => {
  test('JSON and YAML hold the same', async () => {
    const { report } = await simulateText(aDeployment('web', 2));
    expect(JSON.parse(render(report, 'json', PLAIN))).toEqual(report);
    expect(parse(render(report, 'yaml', PLAIN))).toEqual(report);
  });

  test('a table is coloured only when colour is enabled', async () => {
    const { report } = await simulateText(aDeployment('web', 2));
    expect(render(report, 'table', PLAIN)).not.toContain('\u001b');
    expect(render(report, 'table', { color: true })).toContain('\u001b[1m');
  });

  test('a table may have more rows than a call has arguments', () => {
    const rows = Array.from({ length: 200_000 }, (_, row) => [`node-${row}`]);
    expect(columns(['NODE'], rows)).toHaveLength(rows.length + 1);
  });

  test('columns are aligned', () => {
    expect(
      columns(
        ['NAME', '>N'],
        [
          ['a', '10'],
          ['long', '1'],
        ],
      ),
    ).toEqual(['NAME   N', 'a     10', 'long   1']);
  });
});

describe('words', () => {
  const summary = {
    pods: 1,
    placed: 1,
    placedOnExisting: 0,
    refused: 0,
    nodes: 1,
    pricePerHour: 12.4,
    preferences: null,
  };

  test.each([
    [{ perHour: 12.145, gapPercent: 2.1 }, '$12.40/h, at most 2.1 % above the lowest possible price'],
    [{ perHour: 12.4, gapPercent: 0 }, '$12.40/h, the lowest possible price'],
    [{ perHour: 0, gapPercent: null }, '$12.40/h; no lower bound is known'],
    [null, '$12.40/h'],
  ])('the price says how good it is', (bound, sentence) => {
    expect(priceSentence({ ...summary, bound })).toBe(sentence);
  });

  test.each([
    [11.2, 1.2, 10.71, 0, 'cost $1.20/h of it (10.7 %): $11.20/h without them'],
    [11.2, 1.2, 10.71, 1, 'cost $1.20/h of it (10.7 %): $11.20/h without them; those of 1 pod are ignored'],
    [12.4, 0, 0, 0, 'cost nothing'],
    [12.4, 0, 0, 5, 'cost nothing; those of 5 pods are ignored'],
  ])(
    'the price of preferences is said',
    (withoutPerHour, costPerHour, costPercent, ignoredPods, sentence) => {
      const preferences = { withoutPerHour, costPerHour, costPercent, ignoredPods };
      const said = preferenceSentence({ ...summary, bound: null, preferences });
      expect(said).toBe(`Preferences of pods ${sentence}`);
    },
  );

  test('nothing is said about preferences where there are none', () => {
    expect(preferenceSentence({ ...summary, bound: null })).toBeUndefined();
  });

  test('a simulation states what preferences cost', async () => {
    const soft = `      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: { matchLabels: { app: web } }
`;
    const zones = ['zone-a', 'zone-b', 'zone-c'];
    const simulated = (limit: number) =>
      simulateText(aDeployment('web', 4, soft), {
        zones,
        scheduling: { statePreferenceCost: true, maxPreferenceCost: limit },
      });
    const { report } = await simulated(-1);
    const { preferences, pricePerHour } = report.summary;
    expect(preferences!.costPerHour).toBeGreaterThan(0);
    expect(preferences!.withoutPerHour + preferences!.costPerHour).toBeCloseTo(pricePerHour, 4);
    expect(render(report, 'table', PLAIN)).toContain('Preferences of pods cost $');
    expect(render(report, 'html', PLAIN)).toContain('Cost of preferences');
    const limited = (await simulated(0)).report;
    expect(limited.summary.pricePerHour).toBeCloseTo(preferences!.withoutPerHour, 4);
    expect(JSON.parse(render(limited, 'json', PLAIN)).summary.preferences).toMatchObject({
      costPerHour: 0,
      ignoredPods: 4,
    });
  });

  test('a report without new nodes says so', async () => {
    const { report } = await simulateText(aDeployment('web', 0), { bound: true });
    expect(render(report, 'table', PLAIN)).toMatch(/^No pending pods\nNo new nodes needed\n/);
  });

  test('amounts are short', () => {
    expect(money(0.1234)).toBe('$0.123');
    expect(amountText('memory', 13.25 * 2 ** 30)).toBe('13.3Gi');
    expect(amountText('memory', 300 * 2 ** 20)).toBe('300Mi');
    expect(amountText('cpu', 3.5)).toBe('3.5');
    expect(amountText('nvidia.com/gpu', 4)).toBe('4');
  });
});
