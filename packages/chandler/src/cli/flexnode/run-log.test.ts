import { describe, expect, test } from 'vitest';
import type { FlexEventBody } from '../../flexnode/testing.ts';
import { openRunLog } from './run-log.ts';

const END = { type: 'run-completed', verb: 'bootstrap', durationMs: 1, leftovers: 0 } as const;
const STEP = {
  step: 'runc',
  name: 'R',
  title: 'Install runc',
  phase: 'installation',
  index: 1,
  count: 1,
} as const;

describe('the log file of a run', () => {
  test('a run with nothing to do leaves no trace', async () => {
    const { written } = await logged([
      { type: 'run-started', run: 'r', verb: 'bootstrap', steps: [] },
      { type: 'step-skipped', reason: 'completed', ...STEP },
      { ...END, success: true, changed: false },
    ]);
    expect(written).toEqual([]);
  });

  test('[004-SEC-17] a run that does something is written whole, to a file for root alone', async () => {
    const { written } = await logged([
      { type: 'run-started', run: 'r', verb: 'bootstrap', steps: [] },
      { type: 'step-started', ...STEP },
      { ...END, success: true, changed: true },
    ]);
    expect(written.map(({ path, mode }) => [path, mode])).toEqual([
      ['/var/log/x/aks-flex-node.log', 0o600],
      ['/var/log/x/aks-flex-node.log', 0o600],
    ]);
    const lines = written.flatMap(({ text }) => text.trimEnd().split('\n'));
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'run-started',
      'step-started',
      'run-completed',
    ]);
  });

  test('[004-SEC-16] what has the shape of a credential is blotted out', async () => {
    const { written } = await logged([
      { type: 'progress', step: 'arc', message: 'Authorization: Bearer abcdefghijklmnop' },
    ]);
    expect(written[0]?.text).toContain('Bearer <redacted>');
    expect(written[0]?.text).not.toContain('abcdefgh');
  });

  test('only what is of the level or above it', async () => {
    const { written } = await logged(
      [
        { type: 'progress', step: 'arc', message: 'small talk' },
        { type: 'kept', path: '/a', copy: '/b' },
      ],
      'warning',
    );
    expect(written).toHaveLength(1);
    expect(written[0]?.text).toContain('"kept"');
  });

  test('a disk that takes nothing is told once, and ends nothing', async () => {
    const { trouble } = await logged(
      [
        { type: 'step-started', ...STEP },
        { type: 'progress', step: 'runc', message: 'x' },
      ],
      'info',
      'disk is full',
    );
    expect(trouble).toBe('disk is full');
  });
});

async function logged(
  events: readonly FlexEventBody[],
  logLevel: 'info' | 'warning' = 'info',
  failure?: string,
) {
  const written: { path: string; text: string; mode: number }[] = [];
  const append = async (path: string, text: string, { mode }: { mode: number }) => {
    if (failure !== undefined) throw new Error(failure);
    written.push({ path, text, mode });
  };
  const log = openRunLog({ append }, { logDir: '/var/log/x', logLevel });
  for (const event of events) log.write({ at: '2026-01-01T00:00:00.000Z', ...event });
  return { trouble: await log.close(), written };
}
