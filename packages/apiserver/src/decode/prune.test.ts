import { describe, expect, test } from 'vitest';
import type { Structure } from '../structure.ts';
import { prune } from './prune.ts';

const STRUCTURE: Structure = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        items: { type: 'array', items: { type: 'object', properties: { a: { type: 'string' } } } },
        labels: { type: 'object', additional: { type: 'string' } },
        free: { type: 'object', preserveUnknown: true, properties: { known: { type: 'object' } } },
        whole: { type: 'object', embedded: true, properties: { spec: { type: 'object' } } },
      },
    },
  },
};

describe('pruning', () => {
  test('takes out what the structure does not know and says where it was', () => {
    const value = { spec: { name: 'x', foo: 1, items: [{ a: 'b' }, { a: 'c', bar: 2 }] }, top: true };
    expect(prune(value, STRUCTURE)).toEqual(['spec.foo', 'spec.items[1].bar', 'top']);
    expect(value).toEqual({ spec: { name: 'x', items: [{ a: 'b' }, { a: 'c' }] } });
  });

  test('keeps the keys of maps', () => {
    const value = { spec: { labels: { anything: 'goes' } } };
    expect(prune(value, STRUCTURE)).toEqual([]);
    expect(value.spec.labels).toEqual({ anything: 'goes' });
  });

  test('keeps everything below a node that preserves, but prunes its known children', () => {
    const value = { spec: { free: { x: { y: 1 }, known: { z: 2 } } } };
    expect(prune(value, STRUCTURE)).toEqual(['spec.free.known.z']);
    expect(value.spec.free).toEqual({ x: { y: 1 }, known: {} });
  });

  test('keeps what makes a whole object of an embedded one', () => {
    const value = {
      spec: { whole: { apiVersion: 'v1', kind: 'A', metadata: { name: 'x' }, spec: {}, rest: 1 } },
    };
    expect(prune(value, STRUCTURE)).toEqual(['spec.whole.rest']);
  });

  test('does not take a member of every object for a known field', () => {
    const value = JSON.parse('{"constructor":{},"__proto__":{"a":1},"spec":{}}') as object;
    expect(prune(value, STRUCTURE)).toEqual(['constructor', '__proto__']);
  });

  test('leaves values of a wrong type to others', () => {
    expect(prune({ spec: 'text' }, STRUCTURE)).toEqual([]);
  });
});
