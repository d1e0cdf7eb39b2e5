import { describe, expect, test } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { checkFieldSelector, parseFieldSelector, selectsFields } from './field-selector.ts';
import { parseLabelSelector, selectorOf, selectsLabels } from './label-selector.ts';

const matches = (selector: string, labels: Record<string, string>) =>
  selectsLabels(parseLabelSelector(selector), labels);

const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe(400);
    return (error as ApiError).message;
  }
  throw new Error('it was accepted');
};

describe('a label selector', () => {
  test.each([
    ['a=b', { a: 'b' }, true],
    ['a==b', { a: 'c' }, false],
    ['a!=b', {}, true],
    ['a!=b', { a: 'b' }, false],
    ['a in (b,c)', { a: 'c' }, true],
    ['a in (b, c)', {}, false],
    ['a notin (b,c)', {}, true],
    ['a notin (b,c)', { a: 'c' }, false],
    ['a', { a: '' }, true],
    ['!a', { a: '' }, false],
    ['!a', {}, true],
    ['a>5', { a: '6' }, true],
    ['a<5', { a: '6' }, false],
    ['a>5', { a: 'x' }, false],
    ['a in (),b', { a: '', b: '1' }, true],
    ['in in (in),x=notin', { in: 'in', x: 'notin' }, true],
    ['a=', { a: '' }, true],
    ['', { anything: 'goes' }, true],
  ] as const)('%s on %j is %s', (selector, labels, expected) => {
    expect(matches(selector, labels)).toBe(expected);
  });

  test.each([
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a==b,,c', "found ',', expected: identifier after ','"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a=b!', "found '!', expected: ',' or 'end of string'"],
    [
      '-a',
      "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
    [
      'a=-b-',
      "unable to parse requirement: values[0][a]: Invalid value: \"-b-\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
    [
      'a>x',
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
  ])('%s is rejected in the wording of a real server', (selector, message) => {
    expect(refusal(() => parseLabelSelector(selector))).toBe(message);
  });

  test('in a spec selects nothing when absent and everything when empty', () => {
    expect(selectorOf(undefined)).toBeUndefined();
    expect(selectsLabels(selectorOf({})!, { a: 'b' })).toBe(true);
    const both = selectorOf({
      matchLabels: { a: 'b' },
      matchExpressions: [
        { key: 'c', operator: 'NotIn', values: ['d'] },
        { key: 'e', operator: 'DoesNotExist' },
      ],
    })!;
    expect(selectsLabels(both, { a: 'b' })).toBe(true);
    expect(selectsLabels(both, { a: 'b', c: 'd' })).toBe(false);
    expect(selectsLabels(both, { a: 'b', e: '' })).toBe(false);
  });
});

describe('a field selector', () => {
  const pods = {
    group: '',
    kind: 'Pod',
    structure: { type: 'object', name: 'Pod' },
    selectableFields: [
      {
        path: 'spec.nodeName',
        read: (object: { spec?: { nodeName?: string } }) => object.spec?.nodeName ?? '',
      },
    ],
  } as unknown as Resource;
  const pod = { metadata: { name: 'a', namespace: 'b' }, spec: { nodeName: 'n,1' } };

  test('compares metadata and the selectable fields of the kind', () => {
    const selects = (text: string) => selectsFields(parseFieldSelector(text), pod, pods);
    expect(selects('metadata.name=a,metadata.namespace==b')).toBe(true);
    expect(selects('metadata.name!=a')).toBe(false);
    expect(selects('spec.nodeName=n\\,1')).toBe(true);
    expect(selects('spec.nodeName=')).toBe(false);
  });

  test('is rejected in the wording of a real server', () => {
    expect(refusal(() => parseFieldSelector('a'))).toBe("invalid selector: 'a'; can't understand 'a'");
    expect(refusal(() => parseFieldSelector('a=\\x'))).toBe(
      'invalid field selector: invalid escape sequence: \\x',
    );
    expect(refusal(() => checkFieldSelector(parseFieldSelector('a=b'), pods))).toBe(
      'field label not supported: a',
    );
    const plain = { ...pods, selectableFields: [] };
    expect(refusal(() => checkFieldSelector(parseFieldSelector('a=b'), plain))).toBe(
      '"a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
  });
});
