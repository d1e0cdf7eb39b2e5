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
  test('a run that changes nothing writes no log', async () => {
    const { written } = await logged([
      { type: 'run-started', run: 'r', verb: 'bootstrap', steps: [] },
      { type: 'step-skipped', reason: 'completed', ...STEP },
      { ...END, success: true, changed: false },
    ]);
    expect(written).toEqual([]);
  });

  test('[004-SEC-17] a run that changes something is logged completely, to a file that only root can read', async () => {
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

  test('[004-SEC-16] values that look like credentials are redacted', async () => {
    const { written } = await logged([
      { type: 'progress', step: 'arc', message: 'Authorization: Bearer abcdefghijklmnop' },
    ]);
    expect(written[0]?.text).toContain('Bearer <redacted>');
    expect(written[0]?.text).not.toContain('abcdefgh');
  });

  test('[004-SEC-16] a credential in quotes is redacted, and the line stays JSON', async () => {
    const message = 'az failed: secret="hunter2" in {"password":"hunter2"}';
    const { written } = await logged([{ type: 'progress', step: 'arc', message }]);
    expect(written[0]?.text).not.toContain('hunter2');
    expect(JSON.parse(written[0]?.text ?? '')).toMatchObject({
      message: 'az failed: secret="<redacted>" in {"password":"<redacted>"}',
    });
  });

  test('only events of the configured level or above are logged', async () => {
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

  test('a log that cannot be written is reported once and does not end the run', async () => {
    const { error } = await logged(
      [
        { type: 'step-started', ...STEP },
        { type: 'progress', step: 'runc', message: 'x' },
      ],
      'info',
      'disk is full',
    );
    expect(error).toBe('disk is full');
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
  return { error: await log.close(), written };
}
