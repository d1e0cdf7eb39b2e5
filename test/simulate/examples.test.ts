import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXAMPLES, exampleFile, FORMS, GOLDEN, simulate, simulateExample } from './examples.ts';

describe('chandler simulate on the examples', () => {
  for (const name of EXAMPLES) {
    test.each(Object.entries(FORMS))(`${name} as %s is what was recorded`, async (form, extension) => {
      const { code, out, err } = await simulateExample(name, form);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      // After a wanted change: node test/simulate/record.ts
      expect(out).toBe(await readFile(join(GOLDEN, `${name}.${extension}`), 'utf8'));
    });
  }

  test('every example says how far it is from the best possible', async () => {
    for (const name of EXAMPLES) {
      const { summary } = JSON.parse((await simulateExample(name, 'json')).out);
      expect(summary.bound.perHour).toBeGreaterThan(0);
      expect(summary.bound.perHour).toBeLessThanOrEqual(summary.pricePerHour);
    }
  });

  test('refused pods change the exit code only with --fail-on-refusal', async () => {
    const file = exampleFile('full-cluster');
    expect((await simulate(['-f', file, '--no-bound'])).code).toBe(0);
    expect((await simulate(['-f', file, '--no-bound', '--fail-on-refusal'])).code).toBe(3);
    expect((await simulate(['-f', exampleFile('web-shop'), '--fail-on-refusal'])).code).toBe(0);
  });

  test('without the bound only the price is printed', async () => {
    const { out } = await simulate(['-f', exampleFile('web-shop'), '--no-bound']);
    expect(out).toMatch(/^\$\d+\.\d+\/h$/m);
  });

  test('--catalogue replaces the generic catalogue', async () => {
    const catalogue = exampleFile('catalogue');
    const { out } = await simulate(['-f', exampleFile('web-shop'), '--catalogue', catalogue, '-o', 'json']);
    const types = JSON.parse(out).nodes.map((node: { instanceType: string }) => node.instanceType);
    expect(new Set(types)).toEqual(new Set(['standard-16', 'standard-4']));
  });

  test('nothing to read is a misunderstanding, a missing file a failure', async () => {
    expect(await simulate([])).toMatchObject({ code: 2, out: '' });
    const { code, err } = await simulate(['-f', '/no/such/file.yaml']);
    expect(code).toBe(1);
    expect(err).toContain('chandler simulate: /no/such/file.yaml: there is no such file or folder');
  });
});
