import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { TEMPLATE_TTL_MS, TemplateUses } from './template-uses.ts';

describe('a launch template', () => {
  test('is created for the first launch that needs it, and used by the next', () => {
    const uses = new TemplateUses();
    expect(uses.begin(['a', 'b', 'a'], 0)).toEqual(['a', 'b']);
    expect(uses.begin(['a', 'c'], 1)).toEqual(['c']);
  });

  test('that is there at the start is not created again', () => {
    const uses = new TemplateUses();
    uses.hydrate(['a'], 0);
    expect(uses.begin(['a'], 1)).toEqual([]);
  });

  test('is deleted a minute after its last use, and then created again', () => {
    const uses = new TemplateUses();
    uses.begin(['a'], 0);
    uses.end(['a'], 10);
    uses.hydrate(['b'], 5);
    expect(uses.takeUnused(TEMPLATE_TTL_MS + 4)).toEqual([]);
    expect(uses.takeUnused(TEMPLATE_TTL_MS + 5)).toEqual(['b']);
    expect(uses.takeUnused(TEMPLATE_TTL_MS + 10)).toEqual(['a']);
    expect(uses.takeUnused(TEMPLATE_TTL_MS + 10)).toEqual([]);
    expect(uses.begin(['a'], TEMPLATE_TTL_MS + 11)).toEqual(['a']);
  });

  test('that EC2 does not have is created again', () => {
    const uses = new TemplateUses();
    uses.begin(['a'], 0);
    uses.forget('a');
    uses.end(['a'], 1);
    expect(uses.has('a')).toBe(false);
    expect(uses.begin(['a'], 2)).toEqual(['a']);
  });

  test('of a request in flight is never deleted, whatever happens in whatever order', () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const step = fc.record({ begin: fc.boolean(), name: names, waitMs: fc.integer({ min: 0, max: 90_000 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const uses = new TemplateUses();
        const open: string[] = [];
        let nowMs = 0;
        for (const { begin, name, waitMs } of steps) {
          nowMs += waitMs;
          if (begin) {
            uses.begin([name], nowMs);
            open.push(name);
          } else if (open.includes(name)) {
            uses.end([name], nowMs);
            open.splice(open.indexOf(name), 1);
          }
          const deleted = uses.takeUnused(nowMs);
          expect(deleted.filter((each) => open.includes(each))).toEqual([]);
          expect(open.every((each) => uses.has(each))).toBe(true);
        }
      }),
    );
  });
});
