import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  choice,
  described,
  flag,
  integer,
  intOrString,
  list,
  map,
  object,
  openObject,
  optional,
  type Static,
  text,
} from './schema.ts';

const RULE = { message: 'must differ', rule: 'self.a != self.b' };

describe('a schema becomes OpenAPI', () => {
  test('text carries its limits and rules', () => {
    const schema = text('A name.', {
      minLength: 1,
      maxLength: 9,
      pattern: '^a',
      default: 'ab',
      rules: [RULE],
    });
    expect(schema.json).toEqual({
      description: 'A name.',
      type: 'string',
      minLength: 1,
      maxLength: 9,
      pattern: '^a',
      default: 'ab',
      'x-kubernetes-validations': [RULE],
    });
  });

  test('a choice lists its values', () => {
    expect(choice('A size.', ['S', 'M'], { default: 'M' }).json).toEqual({
      description: 'A size.',
      type: 'string',
      enum: ['S', 'M'],
      default: 'M',
    });
  });

  test('integers are 32 bits wide by default', () => {
    expect(integer('A count.', { minimum: 0 }).json).toMatchObject({
      type: 'integer',
      format: 'int32',
      minimum: 0,
    });
    expect(integer('A count.', { format: 'int64' }).json).toMatchObject({ format: 'int64' });
    expect(integer('A count.', { format: 'none' }).json).toEqual({
      description: 'A count.',
      type: 'integer',
    });
  });

  test('a number or string has no type of its own', () => {
    expect(intOrString('An amount.', { pattern: '^1' }).json).toEqual({
      description: 'An amount.',
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: '^1',
      'x-kubernetes-int-or-string': true,
    });
  });

  test('a list says how it merges', () => {
    const item = object('An item.', { key: text('Its key.') });
    const schema = list('Items.', item, {
      listType: 'map',
      keys: ['key'],
      maxItems: 3,
      default: [{ key: 'a' }],
    });
    expect(schema.json).toMatchObject({
      type: 'array',
      maxItems: 3,
      default: [{ key: 'a' }],
      items: item.json,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
    });
  });

  test('a map says what its values are', () => {
    const schema = map('Labels.', text('A value.'), { mapType: 'atomic', maxProperties: 2, rules: [RULE] });
    expect(schema.json).toEqual({
      description: 'Labels.',
      type: 'object',
      maxProperties: 2,
      additionalProperties: { description: 'A value.', type: 'string' },
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [RULE],
    });
  });

  test('an object demands what is not optional, in a fixed order', () => {
    const schema = object('A thing.', {
      b: flag('B.'),
      a: flag('A.', { default: true }),
      c: optional(flag('C.')),
    });
    expect(schema.json.required).toEqual(['a', 'b']);
    expect(Object.keys(schema.json.properties ?? {})).toEqual(['b', 'a', 'c']);
    expect(object('Nothing.', { a: optional(flag('A.')) }).json).not.toHaveProperty('required');
  });

  test('an open object keeps what it does not know', () => {
    const schema = openObject(
      'Settings.',
      { a: optional(text('A.')) },
      { rules: [RULE], default: { a: 'x' } },
    );
    expect(schema.json).toMatchObject({
      default: { a: 'x' },
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': [RULE],
    });
  });

  test('a shape can be described again without changing the first', () => {
    const first = text('One.');
    expect(described('Two.', first).json.description).toBe('Two.');
    expect(first.json.description).toBe('One.');
  });
});

test('the type follows from the schema', () => {
  const schema = object('A thing.', {
    name: text('Its name.'),
    size: optional(choice('Its size.', ['S', 'M'])),
    amounts: map('Amounts.', intOrString('An amount.')),
    parts: optional(list('Parts.', object('A part.', { count: integer('How many.') }))),
    more: optional(openObject('More.', { known: optional(flag('Known.')) })),
  });
  expect(schema.json.required).toEqual(['amounts', 'name']);
  expectTypeOf<Static<typeof schema>>().toEqualTypeOf<{
    name: string;
    amounts: Record<string, number | string>;
    size?: 'S' | 'M';
    parts?: { count: number }[];
    more?: { known?: boolean } & Record<string, unknown>;
  }>();
});
