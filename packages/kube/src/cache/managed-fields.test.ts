import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutManagedFields } from './managed-fields.ts';

const entry = (fieldsV1: unknown, manager = 'm') => ({
  manager,
  operation: 'Update',
  fieldsType: 'FieldsV1',
  fieldsV1,
});
const cut = (text: string) => withoutManagedFields(Buffer.from(text)).toString('utf8');
const parsed = (value: unknown) => JSON.parse(cut(JSON.stringify(value)));

/** Texts that look like the end of the list from inside a string. */
const misleading = fc
  .array(fc.constantFrom('}]', '}],', '}],"', '}],"a', '}]}', '}]},"a', '"', '\\', '[', ',', 'k', ':', '}'))
  .map((parts) => parts.join(''));

describe('cutting managedFields out of a text', () => {
  test('keeps the rest of the object, at any position and with any text inside', () => {
    const fields = fc.dictionary(misleading, fc.dictionary(misleading, fc.constant({})));
    const metadata = fc.record({
      name: misleading,
      managedFields: fc.array(
        fc.tuple(fields, misleading).map(([owned, manager]) => entry(owned, manager)),
        { minLength: 1, maxLength: 3 },
      ),
      labels: fc.dictionary(misleading, misleading),
    });
    const places = fc.constantFrom('first', 'middle', 'last', 'alone');
    fc.assert(
      fc.property(metadata, places, fc.option(misleading), (given, place, spec) => {
        const { managedFields, ...rest } = given;
        const orders = {
          first: { managedFields, ...rest },
          middle: { name: rest.name, managedFields, labels: rest.labels },
          last: { ...rest, managedFields },
          alone: { managedFields },
        };
        const more = spec === null ? {} : { spec };
        const plain = { object: { metadata: place === 'alone' ? {} : rest, ...more } };
        expect(parsed({ object: { metadata: orders[place], ...more } })).toEqual(
          JSON.parse(JSON.stringify(plain)),
        );
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['a text about them', { data: { note: '"managedFields":[{"fieldsType":"FieldsV1"}]' } }],
    ['a list of that name that no server wrote', { spec: { managedFields: [{ a: ['b'] }] } }],
    ['none', { metadata: { name: 'x' } }],
  ])('leaves alone: %s', (_, object) => {
    expect(parsed(object)).toEqual(object);
  });

  test('handles many lines, and a truncated line does not affect the next', () => {
    const whole = JSON.stringify({ metadata: { name: 'a', managedFields: [entry({ 'f:a': {} })] } });
    const bare = '{"metadata":{"name":"a"}}';
    for (let end = 0; end < whole.length - 3; end++) {
      const half = whole.slice(0, end);
      expect(cut(`${whole}\n${half}\n${whole}\n`)).toBe(`${bare}\n${half}\n${bare}\n`);
    }
  });
});
