import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromBase64 } from '../../packages/chandler/src/bootstrap/index.ts';
import { CASES, GOLDEN, renderCase, sourcesText } from './bootstrap-cases.ts';

const read = (file: string) => readFileSync(join(GOLDEN, file), 'utf8');

describe('[001-variables] the bootstrap data of a node', () => {
  test.each(Object.entries(CASES))('%s is unchanged', async (name, overrides) => {
    const rendered = await renderCase(overrides);
    expect(rendered.script).toBe(read(`${name}.sh`));
    expect(fromBase64(rendered.customData)).toBe(rendered.script);
  });

  test.each(Object.entries(CASES))('%s knows the source of every value', async (name, overrides) => {
    expect(sourcesText(await renderCase(overrides))).toBe(read(`${name}.sources.tsv`));
  });

  test('no golden file is left over', () => {
    const wanted = Object.keys(CASES).flatMap((name) => [`${name}.sh`, `${name}.sources.tsv`]);
    expect(readdirSync(GOLDEN).sort()).toEqual(wanted.sort());
  });

  test('two renders of one node are equal byte by byte', async () => {
    const overrides = CASES['ubuntu-kubelet-and-os-config']!;
    expect((await renderCase(overrides)).customData).toBe((await renderCase(overrides)).customData);
  });

  test('the order in which labels and fields were written does not matter', async () => {
    const first = await renderCase({ labels: { a: '1', b: '2' }, spec: { maxPods: 50, osDiskSizeGB: 64 } });
    const second = await renderCase({ labels: { b: '2', a: '1' }, spec: { osDiskSizeGB: 64, maxPods: 50 } });
    expect(second.script).toBe(first.script);
  });
});
