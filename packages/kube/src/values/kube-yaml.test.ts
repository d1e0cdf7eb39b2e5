import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { KUBE_YAML } from './kube-yaml.ts';

test.each([
  ['0755', 493],
  ['0o755', '0o755'],
  ['0x10', 16],
  ['yes', true],
  ['off', false],
  ['true', true],
  ['"yes"', 'yes'],
  ['2026-01-02', '2026-01-02'],
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
  ['12:30', '12:30'],
  ['1:30:05', '1:30:05'],
  ['1Gi', '1Gi'],
  ['~', null],
])('%s is read as Kubernetes reads it', (text, value) => {
  expect(parse(`a: ${text}`, KUBE_YAML)).toEqual({ a: value });
});

test('a mapping can be merged into another', () => {
  expect(parse('a: &a {x: 1}\nb: {<<: *a, z: 2}', KUBE_YAML)).toMatchObject({ b: { x: 1, z: 2 } });
});

test('texts that Kubernetes would take for something else are written in quotes', () => {
  const texts = ['yes', 'on', 'n', '0755', '1_000', '0b11', '2026-01-02', '12:30', 'plain'];
  const written = stringify(texts, KUBE_YAML);
  expect(parse(written, KUBE_YAML)).toEqual(texts);
  expect(written).toContain('"on"');
  expect(written).toContain('- plain\n');
});
