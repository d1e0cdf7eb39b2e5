import { describe, expect, test } from 'vitest';
import { MAX_LINE_LENGTH } from '../quoted-line.ts';
import { decisiveLine, KEPT_LINES, KEPT_LOG_BYTES, logTail } from './decisive-line.ts';
import { type CseFailure, parseCseFailure } from './parse.ts';

function failureWith(output: string, stderr = ''): CseFailure {
  const status = JSON.stringify({ ExitCode: '50', Output: output, Error: '', ExecDuration: '1' });
  return parseCseFailure(`command terminated with exit status=50\n[stdout]\n${status}\n[stderr]\n${stderr}`)!;
}

const EGRESS = { code: 50, group: 'egress' } as const;

describe('the line that decided it', () => {
  const lineOf = (output: string, stderr = '') => decisiveLine(failureWith(output, stderr), EGRESS);

  test('is what a tool printed last, not the trace of the script', () => {
    expect(
      lineOf(
        'curl: (7) Failed to connect to a\n+ curl -v https://b\ncurl: (28) Failed to connect to b\n+ exit 50',
      ),
    ).toBe('curl: (28) Failed to connect to b');
  });

  test('is never the exit, a name of a code, or the sentence of the extension', () => {
    expect(
      lineOf('+ ERR_OUTBOUND_CONN_FAIL=50\n+ exit 50', 'command terminated with exit status=50'),
    ).toBeUndefined();
  });

  test('is the last command where nothing else is known', () => {
    expect(lineOf('+ some_step 1\n+ another_step --now\n+ exit 50')).toBe('+ another_step --now');
  });

  test('of a log on one line is the part around it, with marks where it was cut', () => {
    const noise = 'x '.repeat(300);
    const line = lineOf(`${noise}curl: (28) Failed to connect to mcr: timed out ${noise}`)!;
    expect(line).toHaveLength(MAX_LINE_LENGTH);
    expect(line).toMatch(/^….*curl: \(28\) Failed to connect to mcr: timed out .*…$/);
  });

  test('may stand in standard error', () => {
    expect(lineOf('+ exit 50', 'nc: connect to 10.0.0.4 port 443 (tcp) failed: Connection refused')).toBe(
      'nc: connect to 10.0.0.4 port 443 (tcp) failed: Connection refused',
    );
  });

  test('has no control characters', () => {
    expect(lineOf('curl: (28) Failed\u0007 to connect\u009b')).toBe('curl: (28) Failed  to connect');
  });
});

describe('the kept end of the log', () => {
  test('has the last forty lines', () => {
    const lines = Array.from({ length: 60 }, (_, index) => `+ step ${index}`);
    expect(logTail(failureWith(lines.join('\n')))).toEqual(lines.slice(-KEPT_LINES));
  });

  test('has fewer where they are long, and the last ones', () => {
    const kept = logTail(
      failureWith(Array.from({ length: 60 }, (_, index) => `${index} ${'é'.repeat(400)}`).join('\n')),
    );
    expect(Buffer.byteLength(kept.join('\n'))).toBeLessThanOrEqual(KEPT_LOG_BYTES);
    expect(kept.at(-1)).toMatch(/^59 é+…$/);
    expect(kept.length).toBeGreaterThan(3);
  });

  test('has no first word where the beginning is lost: it may be the end of a secret', () => {
    const output = `hunter2 --verbose\n${'+ a step\n'.repeat(400)}`;
    expect(failureWith(output).output).toMatch(/^… --verbose\n/);
  });
});
