import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fromBase64 } from '../../packages/chandler/src/bootstrap/index.ts';
import { CASES, GOLDEN, renderCase, sourcesText } from './user-data-cases.ts';

const read = (file: string) => readFileSync(join(GOLDEN, file), 'utf8');

describe('the user data of a node of EKS', () => {
  test.each(Object.entries(CASES))('%s is unchanged', (name, overrides) => {
    const rendered = renderCase(overrides);
    expect(rendered.text).toBe(read(`${name}.txt`));
    expect(fromBase64(rendered.base64)).toBe(rendered.text);
    expect(rendered.bytes).toBe(Buffer.byteLength(rendered.text));
  });

  test.each(Object.entries(CASES))('%s knows the source of every value', (name, overrides) => {
    expect(sourcesText(renderCase(overrides))).toBe(read(`${name}.sources.tsv`));
  });

  test('no golden file is left over', () => {
    const wanted = Object.keys(CASES).flatMap((name) => [`${name}.txt`, `${name}.sources.tsv`]);
    expect(readdirSync(GOLDEN).sort()).toEqual(wanted.sort());
  });

  test('the order in which labels and reservations were written does not matter', () => {
    for (const family of ['AL2', 'AL2023', 'Bottlerocket', 'Windows2022'] as const) {
      const first = renderCase({
        family,
        labels: { a: '1', b: '2' },
        spec: { kubelet: { kubeReserved: { cpu: '1', memory: '1Gi' } } },
      });
      const second = renderCase({
        family,
        labels: { b: '2', a: '1' },
        spec: { kubelet: { kubeReserved: { memory: '1Gi', cpu: '1' } } },
      });
      expect(second.text).toBe(first.text);
    }
  });
});
