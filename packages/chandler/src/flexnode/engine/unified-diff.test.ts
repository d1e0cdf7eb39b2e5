import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { onPath } from '../../../../../test/cluster/control-plane/binaries.ts';
import { unifiedDiff } from './unified-diff.ts';

const names = { from: 'a', to: 'b' };
const HAS_PATCH = onPath('patch');
if (!HAS_PATCH) process.stdout.write('skipped: there is no patch here to try diffs with\n');

describe('a unified diff', () => {
  test('of the same text is empty', () => {
    expect(unifiedDiff('a\nb\n', 'a\nb\n', names)).toBe('');
  });

  test('keeps changes that are far apart in hunks of their own', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}\n`);
    const changed = lines.map((line, at) => (at === 2 || at === 25 ? `new ${at}\n` : line));
    const diff = unifiedDiff(lines.join(''), changed.join(''), names);
    expect(diff.match(/^@@ .* @@$/gm)).toEqual(['@@ -1,6 +1,6 @@', '@@ -23,7 +23,7 @@']);
  });

  test('shows a missing last line break', () => {
    expect(unifiedDiff('a\n', 'a', names)).toContain('+a\n\\ No newline at end of file');
  });

  test.skipIf(!HAS_PATCH)('is what patch needs to make one text of the other', () => {
    const folder = mkdtempSync(join(tmpdir(), 'diff-'));
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          const diff = unifiedDiff(before, after, names);
          if (diff === '') return before === after;
          writeFileSync(join(folder, 'a'), before);
          execFileSync('patch', ['-s', '-u', '--no-backup-if-mismatch', join(folder, 'a')], { input: diff });
          return readFileSync(join(folder, 'a'), 'utf8') === after;
        }),
        { numRuns: 40 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
