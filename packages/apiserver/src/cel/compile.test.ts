import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../crd/types.ts';
import { compile } from './compile.ts';
import { declarationOf } from './declaration.ts';
import { CompileError, compileErrorText } from './syntax.ts';
import { CelError, type CelValue } from './values.ts';

describe('an expression', () => {
  test('sees whole numbers as int and others as double', () => {
    expect(evaluate('self.count / 2', { count: 5 })).toBe(2n);
    expect(evaluate('self.price / 2.0', { price: 5 })).toBe(2.5);
    expect(evaluate('self.count > 4.5', { count: 5 })).toBe(true);
  });

  test('reads names that are no identifiers in their escaped form', () => {
    expect(
      evaluate("self.a__dot__b == 'x' && self.__namespace__ == 'y'", { 'a.b': 'x', namespace: 'y' }),
    ).toBe(true);
  });

  test('treats a field that is null as absent', () => {
    expect(evaluate('has(self.maybe)', { maybe: null })).toBe(false);
    expect(evaluate("self.?maybe.orValue('none')", { maybe: null })).toBe('none');
  });

  test('compares sets and lists with keys without regard to order', () => {
    expect(evaluate("self.tags == ['b', 'a']", { tags: ['a', 'b'] })).toBe(true);
    expect(evaluate("self.list == ['b', 'a']", { list: ['a', 'b'] })).toBe(false);
    const old = compileWith('self.parts == oldSelf.parts');
    const parts = [{ name: 'a', size: 1 }, { name: 'b' }];
    expect(old({ parts }, { parts: [...parts].reverse() })).toBe(true);
    expect(old({ parts }, { parts: [{ name: 'a', size: 2 }, { name: 'b' }] })).toBe(false);
  });

  test('unites sets', () => {
    expect(evaluate("size(self.tags + ['a', 'c'])", { tags: ['a', 'b'] })).toBe(3n);
  });

  test('lets a side that decides hide an error of the other', () => {
    expect(evaluate("self.list[9] == 'x' || true", { list: [] })).toBe(true);
    expect(evaluate("self.list[9] == 'x' && false", { list: [] })).toBe(false);
    expect(() => evaluate("self.list[9] == 'x' || false", { list: [] })).toThrow(CelError);
    expect(evaluate("self.list.exists(x, x == 'a' || self.list[9] == 'b')", { list: ['b', 'a'] })).toBe(true);
  });

  test('walks lists and maps with one and with two variables', () => {
    expect(evaluate("self.labels.all(k, k != '')", { labels: { a: 'b' } })).toBe(true);
    expect(evaluate('self.labels.all(k, v, k != v)', { labels: { a: 'a' } })).toBe(false);
    expect(evaluate('self.list.transformList(i, v, i)', { list: ['x', 'y'] })).toEqual(items([0n, 1n]));
    expect(evaluate("self.list.map(x, x != 'a', x + '!')", { list: ['a', 'b'] })).toEqual(items(['b!']));
    expect(evaluate('self.list.sortBy(x, size(x))[0]', { list: ['long', 'ab'] })).toBe('ab');
  });

  test('keeps nested loop variables apart', () => {
    const rule =
      'self.list.all(x, self.list.exists(y, x == y) && self.list.exists_one(x, true) == (size(self.list) == 1))';
    expect(evaluate(rule, { list: ['a', 'b'] })).toBe(true);
  });

  test('decides by the value where a field may be a number or a text', () => {
    const rule = "type(self.either) == int ? self.either > 3 : self.either.endsWith('%')";
    expect(evaluate(rule, { either: 5 })).toBe(true);
    expect(evaluate(rule, { either: '5%' })).toBe(true);
    expect(() => evaluate('self.either > 3', { either: 'x' })).toThrow('no such overload');
  });

  test('counts characters, not code units', () => {
    expect(evaluate("'😀b'.size() == 2 && '😀b'.charAt(1) == 'b' && '😀b'.indexOf('b') == 1", {})).toBe(true);
  });

  test('computes with times and durations', () => {
    expect(evaluate("self.wait > duration('1h')", { wait: '90m' })).toBe(true);
    expect(evaluate("string(self.at + duration('1s'))", { at: '2020-01-01T02:00:00+02:00' })).toBe(
      '2020-01-01T02:00:01+02:00',
    );
    expect(evaluate('self.at.getHours()', { at: '2020-01-01T02:00:00+02:00' })).toBe(0n);
  });

  test('fails on overflow and division by zero', () => {
    expect(() => evaluate('self.count * 9223372036854775807', { count: 2 })).toThrow('integer overflow');
    expect(() => evaluate('1 / self.count', { count: 0 })).toThrow('division by zero');
  });
});

describe('the Kubernetes libraries', () => {
  test.each([
    ["quantity('1Gi').isGreaterThan(quantity('1G'))", true],
    ["quantity('500m').add(quantity('1')).compareTo(quantity('1.5'))", 0n],
    ["isQuantity('1x')", false],
    ["ip('::ffff').family()", 6n],
    ["isIP('::ffff:1.2.3.4')", false],
    ["ip.isCanonical('2001:DB8::1')", false],
    ["cidr('10.1.0.0/16').containsCIDR('10.1.2.0/24')", true],
    ["string(cidr('10.1.2.3/8').masked())", '10.0.0.0/8'],
    ["url('https://user@host:80/a%20b?x=1&x=2').getQuery()['x'].join(',')", '1,2'],
    ["url('https://[::1]:80/').getHostname()", '::1'],
    ["isURL('../x')", false],
    ["semver('1.2.3-rc.1').isLessThan(semver('1.2.3'))", true],
    ["isSemver('v1.2', true) && !isSemver('v1.2')", true],
    ["format.dns1123Label().validate('a.b').hasValue()", true],
    ["format.named('nope').hasValue()", false],
    ['[3, 1, 2].isSorted() || [1, 2].sum() == 3', true],
    ["sets.equivalent(['a', 'b'], ['b', 'a', 'a'])", true],
    ["'a,b,c'.split(',', 2).join('|')", 'a|b,c'],
    ["'%s=%d %.1f'.format(['a', 1, 1234.56])", 'a=1 1,234.6'],
    ["'%s'.format([['a', 'b']])", '["a", "b"]'],
    ["'a1b22'.findAll('[0-9]+').size()", 2n],
    ['[[1], [2, 3]].flatten().size()', 3n],
    ["optional.none().orValue('x')", 'x'],
    ['optional.of(2).optMap(x, x * 2).value()', 4n],
  ])('%s', (expression, expected) => {
    expect(evaluate(expression, {})).toEqual(expected);
  });
});

describe('an expression that does not fit is rejected where it is written', () => {
  test.each([
    ['self.nope == 1', "ERROR: <input>:1:5: undefined field 'nope'\n | self.nope == 1\n | ....^"],
    [
      "self.count == 'a'",
      "ERROR: <input>:1:12: found no matching overload for '_==_' applied to '(int, string)'\n | self.count == 'a'\n | ...........^",
    ],
    ["self.list.matches('(')", 'ERROR: <input>:1:19: invalid matches argument'],
    ['nobody == 1', "ERROR: <input>:1:1: undeclared reference to 'nobody' (in container '')"],
  ])('%s', (expression, text) => {
    expect(() => evaluate(expression, {})).toThrow(CompileError);
    try {
      evaluate(expression, {});
    } catch (error) {
      expect(compileErrorText(expression, error as CompileError)).toContain(text);
    }
  });
});

const TEXT: JsonSchema = { type: 'string' };
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    price: { type: 'number' },
    maybe: { type: 'string', nullable: true },
    list: { type: 'array', items: TEXT },
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
    parts: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: TEXT, size: { type: 'integer' } } },
    },
    labels: { type: 'object', additionalProperties: TEXT },
    either: { 'x-kubernetes-int-or-string': true },
    wait: { type: 'string', format: 'duration' },
    at: { type: 'string', format: 'date-time' },
    'a.b': TEXT,
    namespace: TEXT,
  },
};

function compileWith(expression: string): (self: unknown, old?: unknown) => CelValue {
  const declaration = declarationOf(SCHEMA)!;
  const { run } = compile(expression, [
    ['self', declaration.type],
    ['oldSelf', declaration.type],
  ]);
  return (self, old = {}) => run([declaration.read(self), declaration.read(old)]);
}

function evaluate(expression: string, self: unknown): CelValue {
  return compileWith(expression)(self);
}

function items(expected: CelValue[]) {
  return expect.toSatisfy(
    (list: { items(): CelValue[] }) =>
      list.items().length === expected.length &&
      list.items().every((item, index) => item === expected[index]),
  );
}
