import { describe, expect, test } from 'vitest';
import type { FieldValidation } from '../resource.ts';
import { enforceFieldValidation } from './strict.ts';

const FINDINGS = { duplicates: ['duplicate field "spec.a"'], unknown: ['spec.foo', 'spec.items[0].bar'] };

function enforce(fieldValidation: FieldValidation, findings = FINDINGS): string[] {
  const warnings: string[] = [];
  enforceFieldValidation(
    findings,
    { kind: 'Widget', version: 'v1' },
    { fieldValidation, warn: (text) => warnings.push(text) },
  );
  return warnings;
}

describe('unknown and repeated fields', () => {
  test('are one error when the request is strict', () => {
    expect(() => enforce('Strict')).toThrow(
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "spec.a", unknown field "spec.foo", unknown field "spec.items[0].bar"',
    );
  });

  test('are a warning each when the request asks for warnings', () => {
    expect(enforce('Warn')).toEqual([
      'duplicate field "spec.a"',
      'unknown field "spec.foo"',
      'unknown field "spec.items[0].bar"',
    ]);
  });

  test('are nothing when the request does not care', () => {
    expect(enforce('Ignore')).toEqual([]);
  });

  test('that do not exist refuse nothing', () => {
    expect(enforce('Strict', { duplicates: [], unknown: [] })).toEqual([]);
  });
});
