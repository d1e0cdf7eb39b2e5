import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXAMPLES, exampleFile, GOLDEN, plan, planExample, ROOT } from './examples.ts';

describe('chandler plan', () => {
  test.each(Object.keys(EXAMPLES))('prints the plan of %s', async (name) => {
    const { code, out, err } = await planExample(name);
    expect([code, err]).toEqual([0, '']);
    expect(out).toBe(await readFile(join(GOLDEN, `${name}.txt`), 'utf8'));
  });

  test('prints what docs/disruption.md shows', async () => {
    const page = await readFile(join(ROOT, 'docs/disruption.md'), 'utf8');
    const shown = /```\n(Commands\n[\s\S]*?)```/
      .exec(page)![1]!
      .split('\n')
      .filter((line) => line !== '');
    const { out } = await planExample('half-empty-at-noon');
    expect(shown.length).toBeGreaterThan(5);
    expect(shown.filter((line) => !out.split('\n').includes(line))).toEqual([]);
  });

  test('-o json has every command, every node with what keeps it, and every budget', async () => {
    const { out } = await planExample('half-empty-at-noon', 'json');
    const report = JSON.parse(out);
    expect(report.at).toBe('2026-06-02T12:00:00.000Z');
    expect(report.commands.map(({ text }: { text: string }) => text)).toEqual([
      'delete: [aks-general-c3]',
      'replace: [aks-general-a1, aks-general-d4] -> [1 replacement]',
    ]);
    const { savingPerHour, savingPerMonth, priceBefore, priceAfter } = report.commands[1];
    expect(savingPerHour).toBeCloseTo(priceBefore - priceAfter);
    expect(savingPerMonth).toBeCloseTo(savingPerHour * 730, 1);
    expect(report.nodes).toHaveLength(5);
    expect(report.nodes.find(({ name }: { name: string }) => name === 'aks-general-b2').keeps).toEqual([
      {
        block: { code: 'PodDisruptionBudget', pod: 'shop/db-0', budget: 'shop/db' },
        methods: ['single-node'],
        text: 'PodDisruptionBudget shop/db allows no eviction of pod shop/db-0 now',
        event: {
          reason: 'DisruptionBlocked',
          message: 'Pdb prevents pod evictions (PodDisruptionBudget=[shop/db])',
        },
      },
    ]);
    expect(report.budgets).toContainEqual({
      nodePool: 'general',
      reason: 'Drifted',
      nodes: 5,
      disrupting: 0,
      allowed: 0,
      available: 0,
      index: 1,
      blocking: true,
      event: 'No allowed disruptions for disruption reason Drifted due to blocking budget',
    });
    expect(report.nodes.find(({ name }: { name: string }) => name === 'aks-general-a1')).toMatchObject({
      command: report.commands[1].key,
      text: 'replace: [aks-general-a1] (part of 2-node consolidation)',
    });
  });

  test('a budget that cannot be read is named with its value, and its NodePool is left alone', async () => {
    const text = await readFile(exampleFile('half-empty'), 'utf8');
    await withFile(text.replace('CRON_TZ=Europe/Berlin', 'CRON_TZ=Mars/Base'), async (file) => {
      const { code, out } = await plan(['-f', file, '--at', '2026-06-02T12:00:00Z']);
      expect(code).toBe(0);
      expect(out).toMatch(/^Nothing to disrupt: 5 nodes/);
      expect(out).toContain(
        'NodePool general, Empty: spec.disruption.budgets[1].schedule: "CRON_TZ=Mars/Base 0 9 * * mon-fri": ' +
          '"Mars/Base" is not a time zone',
      );
    });
  });

  test('an object that the API server would reject is an error with file, line and field', async () => {
    const text = await readFile(exampleFile('half-empty'), 'utf8');
    await withFile(text.replace('nodes: 60%', 'nodes: many'), async (file) => {
      const { code, err } = await plan(['-f', file]);
      expect(code).toBe(1);
      expect(err).toContain('spec.disruption.budgets[0].nodes');
    });
  });

  test.each(['tomorrow', '12', '2026-13-01T00:00:00Z'])('--at %s is a usage error', async (at) => {
    const { code, err } = await plan(['-f', exampleFile('half-empty'), '--at', at]);
    expect(code).toBe(2);
    expect(err).toContain(`"${at}" is not a time; write it as 2026-06-02T12:00:00Z`);
  });

  test('a Balanced NodePool says why it approves', async () => {
    const text = await readFile(exampleFile('half-empty'), 'utf8');
    await withFile(
      text.replace('consolidationPolicy: WhenEmptyOrUnderutilized', 'consolidationPolicy: Balanced'),
      async (file) => {
        const { out } = await plan(['-f', file, '--at', '2026-06-02T12:00:00Z']);
        expect(out).toMatch(
          /approved {2}NodePool general: score \d+\.\d\d >= threshold 0\.50 \(k: 2, savings \d+\.\d%, disruption \d+\.\d%\)/,
        );
      },
    );
  });

  test('--max-replacements 1 holds consolidation to one new node', async () => {
    const at = ['--at', '2026-06-02T12:00:00Z', '-o', 'json'];
    const { out } = await plan(['-f', exampleFile('half-empty'), '--max-replacements', '1', ...at]);
    for (const { replacements } of JSON.parse(out).commands)
      expect(replacements.length).toBeLessThanOrEqual(1);
  });
});

async function withFile(text: string, use: (file: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plan-'));
  try {
    const file = join(folder, 'cluster.yaml');
    await writeFile(file, text);
    await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
}
