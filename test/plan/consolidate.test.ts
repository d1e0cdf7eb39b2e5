import { describe, expect, test } from 'vitest';
import { simulate } from '../simulate/examples.ts';
import { exampleFile, plan } from './examples.ts';

const FILE = ['-f', exampleFile('half-empty')];

describe('chandler simulate --consolidate', () => {
  test('adds what disruption would do after the pods are placed', async () => {
    const { code, out, err } = await simulate([...FILE, '--consolidate', '--no-bound']);
    expect([code, err]).toEqual([0, '']);
    const planned = await plan(FILE);
    const commands = /Commands\n[\s\S]*?\n\n/.exec(planned.out)![0];
    expect(commands).toContain('Empty: delete: [aks-general-c3]');
    expect(out).toContain(commands);
    expect(out).toContain('Nodes that stay');
    const alone = await simulate([...FILE, '--no-bound']);
    expect(alone.out).not.toContain('Nodes that stay');
  });

  test('-o json has the plan of chandler plan, with the saving per month', async () => {
    const { out } = await simulate([...FILE, '--consolidate', '--no-bound', '-o', 'json']);
    const { summary, disruption } = JSON.parse(out);
    expect(summary.pods).toBeTypeOf('number');
    const planned = JSON.parse((await plan([...FILE, '-o', 'json'])).out);
    expect(disruption.summary).toEqual(planned.summary);
    expect(disruption.summary.savingPerMonth).toBeGreaterThan(0);
    expect(disruption.nodes).toEqual(planned.nodes);
  });

  test('has no HTML form', async () => {
    const { code, err } = await simulate([...FILE, '--consolidate', '-o', 'html']);
    expect(code).toBe(2);
    expect(err).toContain('--consolidate');
  });
});
