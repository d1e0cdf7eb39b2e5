import { describe, expect, test } from 'vitest';
import { parseBody } from './parse.ts';

const JSON_BODY = 'application/json';
const YAML_BODY = 'application/yaml';
const UNRECOGNISED = 'the object provided is unrecognized (must be of type Pod): ';
const NO_KIND = `${UNRECOGNISED}couldn't get version/kind; json parse error: `;

describe('bodies in JSON', () => {
  test.each([
    ['{', 'unexpected end of JSON input ({)'],
    ['{"a":1,}', `invalid character '}' looking for beginning of object key string ({"a":1,})`],
    ['{"a" 1}', `invalid character '1' after object key ({"a" 1})`],
    ['{"a":1 "b"}', `invalid character '"' after object key:value pair ({"a":1 "b"})`],
    ['[1 2]', `invalid character '2' after array element (5b3120325d)`],
    ['nul', `invalid character ' ' in literal null (expecting 'l') (6e756c)`],
    ['{"a":tru}', `invalid character '}' in literal true (expecting 'e') ({"a":tru})`],
    ['{"a":"\n"}', `invalid character '\\n' in string literal ({"a":"\n"})`],
    ['{"a":"\\x"}', `invalid character 'x' in string escape code ({"a":"\\x"})`],
    ['{"a":1.}', `invalid character '}' after decimal point in numeric literal ({"a":1.})`],
    ['{} {}', `invalid character '{' after top-level value ({} {})`],
    ['', 'unexpected end of JSON input (<empty>)'],
  ])('that cannot be read are rejected in the wording of Go: %s', (text, why) => {
    expect(() => parseBody(text, JSON_BODY, 'Pod')).toThrow(`${NO_KIND}${why}`);
  });

  test('only the beginning of a long body is shown', () => {
    expect(() => parseBody(`{"a":"${'x'.repeat(50)}`, JSON_BODY, 'Pod')).toThrow(
      `({"a":"${'x'.repeat(24)} ...)`,
    );
  });

  test.each([
    ['[]', 'json: cannot unmarshal array into Go value of type struct { APIVersion string'],
    ['{"kind":5}', 'json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5})'],
  ])('that are no objects are not recognised: %s', (text, why) => {
    expect(() => parseBody(text, JSON_BODY, 'Pod')).toThrow(`${NO_KIND}${why}`);
  });

  test('an apiVersion with two slashes is no apiVersion', () => {
    expect(() => parseBody('{"apiVersion":"a/b/c"}', JSON_BODY, 'Pod')).toThrow(
      `${UNRECOGNISED}unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c"})`,
    );
  });

  test('keys that were written twice are reported with their path, each once', () => {
    const text =
      '{"metadata":{"name":"x","name":"y"},"list":[{"a":1,"a":2,"a":3},{"b":"\\"c\\":1"}],"metadata":{}}';
    const { value, duplicates } = parseBody(text, JSON_BODY);
    expect(duplicates).toEqual([
      'duplicate field "metadata.name"',
      'duplicate field "list[0].a"',
      'duplicate field "metadata"',
    ]);
    expect(value).toEqual({ metadata: {}, list: [{ a: 3 }, { b: '"c":1' }] });
  });

  test('text that looks like keys is not counted as keys', () => {
    expect(parseBody('{"a":"\\\\","b":" : ","c\\"":["x:y",{"d" : 1}]}', JSON_BODY).duplicates).toEqual([]);
  });

  test('nesting beyond the limit is rejected', () => {
    const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    expect(parseBody(nested(10_000), JSON_BODY).duplicates).toEqual([]);
    expect(() => parseBody(nested(10_001), JSON_BODY, 'Pod')).toThrow(
      `${NO_KIND}invalid character '{' exceeded max depth`,
    );
    expect(() => parseBody(nested(100_000), JSON_BODY, 'Pod')).toThrow('exceeded max depth');
    expect(parseBody(`{"a":"${'{'.repeat(30_000)}"}`, JSON_BODY).duplicates).toEqual([]);
  });
});

describe('bodies in YAML', () => {
  test('are read as Kubernetes reads them', () => {
    const text =
      'a: yes\nb: 0755\nc: 2020-01-01\nd: 1:30\ne: ~\nf: 1e3\ng: e2\nh: 0o17\ni: !!binary YWJj\n1: x\n---\nz: 1\n';
    expect(parseBody(text, YAML_BODY).value).toEqual({
      a: true,
      b: 493,
      c: '2020-01-01',
      d: '1:30',
      e: null,
      f: 1000,
      g: 'e2',
      h: 15,
      i: 'abc',
      '1': 'x',
    });
  });

  test('keys that were written twice are reported with their line', () => {
    const { duplicates } = parseBody('kind: Pod\nkind: Pod\nmetadata:\n  name: x\n  name: y\n', YAML_BODY);
    expect(duplicates).toEqual([
      'yaml: unmarshal errors:\n  line 2: key "kind" already set in map\n  line 5: key "name" already set in map',
    ]);
  });

  test.each([
    ['a: b: c', 'yaml: mapping values are not allowed in this context (613a20623a2063)'],
    ['a: [1', `yaml: line 1: did not find expected ',' or ']' (613a205b31)`],
    ['\ta: b', 'yaml: found character that cannot start any token (09613a2062)'],
    ['a: "x', 'yaml: found unexpected end of stream (613a202278)'],
    ['*x', `yaml: unknown anchor 'x' referenced (2a78)`],
    ['a: !!binary b!', 'yaml: !!binary value contains invalid base64 data (613a20212162696e617279206221)'],
    ['key: |\n  a\n b', 'yaml: line 2: did not find expected key (6b65793a207c0a2020610a2062)'],
  ])('that cannot be read are rejected: %s', (text, why) => {
    expect(() => parseBody(text, YAML_BODY, 'Pod')).toThrow(`${UNRECOGNISED}${why}`);
  });

  test('nesting beyond the limit is rejected', () => {
    const text = `a: ${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    expect(() => parseBody(text, YAML_BODY, 'Pod')).toThrow(
      `${UNRECOGNISED}yaml: exceeded max depth of 10000`,
    );
  });

  test('an empty body is an empty object', () => {
    expect(parseBody('# nothing\n', YAML_BODY).value).toBeNull();
  });
});
