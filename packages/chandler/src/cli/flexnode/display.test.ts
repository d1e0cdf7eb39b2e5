import { describe, expect, test } from 'vitest';
import type { FlexEventBody } from '../../flexnode/testing.ts';
import { createDisplay, durationText } from './display.ts';

const RUNC = {
  step: 'runc',
  name: 'Runc_Installer',
  title: 'Install runc',
  phase: 'installation',
  index: 5,
  count: 11,
} as const;

describe('the progress of a run', () => {
  test('is printed as plain lines if the output is not a terminal', () => {
    expect(
      shown([
        { type: 'run-started', run: 'r', verb: 'bootstrap', steps: ['runc'] },
        { type: 'step-skipped', reason: 'completed', ...RUNC, index: 4, title: 'Set up the kernel' },
        { type: 'step-started', ...RUNC },
        { type: 'progress', step: 'runc', message: 'fetching', fields: { bytes: 10 } },
        { type: 'step-completed', durationMs: 1234, ...RUNC },
        {
          type: 'run-completed',
          verb: 'bootstrap',
          success: true,
          changed: true,
          durationMs: 65_000,
          leftovers: 0,
        },
      ]),
    ).toBe(
      [
        'bootstrap: 1 steps',
        '   4/11 Set up the kernel: unchanged',
        'Installation:',
        '   5/11 Install runc …',
        '        fetching (bytes=10)',
        '   5/11 Install runc: done (1.2 s)',
        'bootstrap: done in 1 min 05 s',
        '',
      ].join('\n'),
    );
  });

  test('is one updated line in a terminal, never wider than the terminal', () => {
    const text = shown(
      [
        { type: 'step-started', ...RUNC },
        {
          type: 'progress',
          step: 'runc',
          message: 'a message much longer than the terminal is wide\nand more',
        },
        { type: 'step-completed', durationMs: 1000, ...RUNC },
      ],
      40,
    );
    const visible = text.split('\r\u001b[K');
    expect(visible.every((line) => line.split('\n')[0]!.length < 60)).toBe(true);
    expect(visible[2]).toBe('   5/11 Install runc: a message much l…');
    expect(text.endsWith('\r\u001b[K   5/11 Install runc: done (1.0 s)\n')).toBe(true);
  });

  test.each([0, Number.NaN])('is shown in a terminal that reports %s columns as its width', (columns) => {
    const text = shown([{ type: 'step-started', ...RUNC }], columns);
    expect(text).toContain('   5/11 Install runc …');
  });

  test('lists leftovers with the commands that remove them', () => {
    const leftover = { what: 'Node edge-01', why: 'not allowed', finish: ['kubectl delete node edge-01'] };
    expect(shown([{ type: 'leftover', leftover }])).toBe(
      '  left over: Node edge-01: not allowed\n      kubectl delete node edge-01\n',
    );
  });

  test('leaves the error itself to the end of the run, where it is printed in full', () => {
    const error = { class: 'step', code: 'x', message: 'broken' } as const;
    expect(
      shown([
        { type: 'step-failed', durationMs: 5, error, ...RUNC },
        {
          type: 'run-completed',
          verb: 'bootstrap',
          success: false,
          changed: true,
          durationMs: 5,
          leftovers: 0,
          error,
        },
      ]),
    ).toBe('   5/11 Install runc: FAILED (0.0 s)\n');
  });

  test('formats durations with units', () => {
    expect([durationText(49), durationText(59_900), durationText(60_000), durationText(3_599_000)]).toEqual([
      '0.0 s',
      '59.9 s',
      '1 min 00 s',
      '59 min 59 s',
    ]);
  });
});

function shown(events: readonly FlexEventBody[], columns?: number): string {
  let text = '';
  const display = createDisplay({
    write: (more) => {
      text += more;
    },
    ...(columns === undefined ? {} : { columns: () => columns }),
  });
  for (const event of events) display.show({ at: '2026-01-01T00:00:00.000Z', ...event });
  display.close();
  return text;
}
