import { describe, expect, test } from 'vitest';
import { find, hasUnknown, leaves, textAt, toValue } from '../../model/tree.ts';
import { readYaml } from './yaml-trees.ts';

const lineAt = (text: string, ...path: readonly (string | number)[]) =>
  find(readYaml(text, 'a.yaml').trees[0], ...path)?.at;

describe('YAML', () => {
  test('every value has its line', () => {
    const text = '# comment\na:\n  b:\n    - c: 1\n    - d\n';
    expect(lineAt(text, 'a', 'b', 0, 'c')).toEqual({ file: 'a.yaml', line: 4 });
    expect(lineAt(text, 'a', 'b', 1)).toEqual({ file: 'a.yaml', line: 5 });
  });

  test('a text inside of a file has the lines of the file', () => {
    const { trees } = readYaml('a: 1\nb: 2\n', 'a.yaml', (line) => line + 9);
    expect(find(trees[0], 'b')?.at).toEqual({ file: 'a.yaml', line: 11 });
  });

  test('anchors, aliases and merge keys are resolved; own keys win', () => {
    const { trees } = readYaml('base: &b\n  x: 1\n  k: 2\nuse:\n  <<: *b\n  k: 3\nlist: [*b]\n', 'a.yaml');
    expect(toValue(trees[0]!)).toEqual({ base: { x: 1, k: 2 }, use: { x: 1, k: 3 }, list: [{ x: 1, k: 2 }] });
    expect(find(trees[0], 'use', 'x')?.at).toMatchObject({ line: 2 });
  });

  test('an alias of itself and a million aliases end', () => {
    const { trees } = readYaml('a: &a\n  b: *a\n', 'a.yaml');
    expect(hasUnknown(trees[0])).toBe(true);
    const levels = Array.from(
      { length: 20 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(10).fill(`*l${at}`).join(', ')}]`,
    );
    const bomb = readYaml(`l0: &l0 [x]\n${levels.join('\n')}\n`, 'a.yaml');
    expect([...leaves(bomb.trees[0])].length).toBeLessThan(1000);
  });

  test('several documents, and an empty one', () => {
    const { trees } = readYaml('a: 1\n---\n---\nb: 2\n', 'a.yaml');
    expect(trees.map((tree) => toValue(tree))).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('a broken document is a problem with its line, and the others are read', () => {
    const { trees, problems } = readYaml('a: 1\n---\nb: [1\n---\nc: 3\n', 'a.yaml');
    expect(trees.map((tree) => textAt(tree, 'a') ?? textAt(tree, 'c'))).toEqual(['1', '3']);
    expect(problems).toMatchObject([{ at: { file: 'a.yaml', line: 4 }, level: 'error' }]);
  });

  test('templates of Helm are a note', () => {
    const { trees, problems } = readYaml('a: 1\n{{- if .Values.x }}\nb: 2\n{{- end }}\n', 'a.yaml');
    expect(trees).toEqual([]);
    expect(problems).toMatchObject([{ level: 'note', message: expect.stringContaining('helm template') }]);
  });

  test('a text that is nested without end is a problem', () => {
    const { problems } = readYaml(`${'['.repeat(20_000)}`, 'a.yaml');
    expect(problems.length).toBeGreaterThan(0);
  });
});
