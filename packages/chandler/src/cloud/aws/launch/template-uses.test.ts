import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { TEMPLATE_TTL_MS, TemplateUses } from './template-uses.ts';

/** Takes all that may be deleted now. */
function takeUnused(uses: TemplateUses, nowMs: number): readonly string[] {
  return uses.unused(nowMs).filter((name) => uses.take(name, nowMs));
}

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
    expect(takeUnused(uses, TEMPLATE_TTL_MS + 4)).toEqual([]);
    expect(takeUnused(uses, TEMPLATE_TTL_MS + 5)).toEqual(['b']);
    expect(takeUnused(uses, TEMPLATE_TTL_MS + 10)).toEqual(['a']);
    expect(takeUnused(uses, TEMPLATE_TTL_MS + 10)).toEqual([]);
    expect(uses.begin(['a'], TEMPLATE_TTL_MS + 11)).toEqual(['a']);
  });

  test('that a launch needs between the list of unused ones and its deletion is not deleted', () => {
    const uses = new TemplateUses();
    uses.hydrate(['a', 'b'], 0);
    expect(uses.unused(TEMPLATE_TTL_MS)).toEqual(['a', 'b']);
    uses.begin(['b'], TEMPLATE_TTL_MS);
    expect(uses.take('a', TEMPLATE_TTL_MS)).toBe(true);
    expect(uses.take('b', TEMPLATE_TTL_MS)).toBe(false);
    expect([uses.has('a'), uses.has('b')]).toEqual([false, true]);
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
          const deleted = takeUnused(uses, nowMs);
          expect(deleted.filter((each) => open.includes(each))).toEqual([]);
          expect(open.every((each) => uses.has(each))).toBe(true);
        }
      }),
    );
  });
});
