import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { KUBE_YAML } from './kube-yaml.ts';

test.each([
  ['0755', 493],
  ['0o755', 493],
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

/** What sigs.k8s.io/yaml makes of them. */
const NUMBERS: readonly (readonly [text: string, value: number])[] = [
  ['0o644', 420],
  ['0O644', 420],
  ['-0o644', -420],
  ['0777', 511],
  ['-0777', -511],
  ['08', 8],
  ['-08', -8],
  ['08.5', 8.5],
  ['0x1F', 31],
  ['0X1F', 31],
  ['-0x1F', -31],
  ['0x1e3', 483],
  ['0b11', 3],
  ['0B11', 3],
  ['-0b11', -3],
  ['0b-1', -1],
  ['0', 0],
  ['-0', 0],
  ['00', 0],
  ['0_', 0],
  ['0_7', 7],
  ['0o_7', 7],
  ['0x_1', 1],
  ['1_', 1],
  ['-_1', -1],
  ['1_000', 1000],
  ['1_1.2', 11.2],
  ['1.', 1],
  ['1._', 1],
  ['1.10', 1.1],
  ['.5', 0.5],
  ['-.5', -0.5],
  ['.5_0', 0.5],
  ['-._1', -0.1],
  ['.5e3', 500],
  ['1e3', 1000],
  ['1E+3', 1000],
  ['1.e2', 100],
  ['1_e3', 1000],
  ['1e1_0', 1e10],
  ['1e-400', 0],
  ['-0.0', -0],
  ['18446744073709551615', 2 ** 64],
  ['18446744073709551616', 2 ** 64],
  ['07777777777777777777777', 7.777777777777777e21],
  ['!!float 12', 12],
  ['!!float 0o17', 15],
  ['!!int 0o7', 7],
  ['!!int "12"', 12],
];

test.each(NUMBERS)('%s is a number, as for Kubernetes', (text, value) => {
  expect(parse(`a: ${text}`, KUBE_YAML)).toEqual({ a: value });
});

const TEXTS: readonly string[] = [
  ...['e2', 'E8', 'e1', '-e1', '+e1', '.e1', '-.e1', '1e', '1e+', '1e3.5'],
  ...['.', '-.', '+.', '._', '._5', '.5_', '.5__0', '.e', '1.2.3', '_1', '+-1', '1-2'],
  ...['0x', '0x_', '0xG', '0x1p3', '0o', '0o8', '0o_', '0b', '0b_', '0b2', '-0b-1'],
  ...['12e45678901', '7e12345', '1e400', '-1e400', '.1e400', '0x1ffffffffffffffff', '-0xffffffffffffffff'],
  ...[
    '190:20:30',
    '1:30',
    '2001-01-01',
    '2001-1-2 3:4:5',
    '1Gi',
    '100m',
    '12ab',
    '1f',
    '+.nan',
    'inf',
    'NaN',
  ],
  ...['yEs', 'oFF', 'nULL', '='],
];

test.each(TEXTS)('%s is a text, as for Kubernetes', (text) => {
  expect(parse(`a: ${text}`, KUBE_YAML)).toEqual({ a: text });
  expect(parse(`{${JSON.stringify(text)}: 1}`, KUBE_YAML)).toEqual({ [text]: 1 });
});

test('binary is text, and must be base64', () => {
  expect(parse('a: !!binary YWJj', KUBE_YAML)).toEqual({ a: 'abc' });
  expect(parse('a: !!binary |\n  YW\n  Jj\n', KUBE_YAML)).toEqual({ a: 'abc' });
  expect(() => parse('a: !!binary abc!', KUBE_YAML)).toThrow('invalid base64');
});

test('numbers are written so that they are read again', () => {
  const numbers = [0, 1, -1, 1.5, -0.25, 1e21, 1e-7, 493, 2 ** 53];
  expect(parse(stringify(numbers, KUBE_YAML), KUBE_YAML)).toEqual(numbers);
});

test('a mapping can be merged into another', () => {
  expect(parse('a: &a {x: 1}\nb: {<<: *a, z: 2}', KUBE_YAML)).toMatchObject({ b: { x: 1, z: 2 } });
});

test('texts that Kubernetes would take for something else are written in quotes', () => {
  const texts = [
    'yes',
    'on',
    'n',
    '0755',
    '1_000',
    '0b11',
    '0o755',
    '0X1F',
    '1.',
    '2026-01-02',
    '12:30',
    'plain',
  ];
  const written = stringify(texts, KUBE_YAML);
  expect(parse(written, KUBE_YAML)).toEqual(texts);
  expect(written).toContain('"on"');
  expect(written).toContain('"0o755"');
  expect(written).toContain('"0X1F"');
  expect(written).toContain('- plain\n');
});
