import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pinoLog } from './log.ts';
import { isSecretName, redact } from './redact.ts';

function aLog(level: 'debug' | 'info' | 'warn' | 'error' = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: pinoLog({ level, destination, now: () => Date.UTC(2026, 0, 1) }) };
}

describe('the log', () => {
  it('writes JSON lines with the keys Karpenter’s have', () => {
    const { lines, log } = aLog();
    log.info('launched', { nodeclaim: 'x', count: 3 });
    expect(lines).toEqual([
      {
        level: 'INFO',
        time: '2026-01-01T00:00:00.000Z',
        logger: 'controller',
        message: 'launched',
        nodeclaim: 'x',
        count: 3,
      },
    ]);
  });

  it('keeps to its level, and carries bound fields on every line', () => {
    const { lines, log } = aLog('warn');
    const bound = log.with({ controller: 'a' }).with({ name: 'b' });
    bound.debug('no');
    bound.info('no');
    bound.warn('yes');
    bound.error('yes');
    expect(lines.map(({ level, controller, name }) => [level, controller, name])).toEqual([
      ['WARN', 'a', 'b'],
      ['ERROR', 'a', 'b'],
    ]);
  });

  it('does not let a field overwrite what a line is', () => {
    const { lines, log } = aLog();
    log.info('said', { message: 'other', level: 'x', time: 'y' });
    expect(lines[0]).toMatchObject({ message: 'said', level: 'INFO', message_: 'other' });
  });

  it('writes to a file when told to', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'log-'));
    const file = join(dir, 'out.log');
    pinoLog({ destination: file, now: () => 0 }).info('hello');
    expect(await readFile(file, 'utf8')).toContain('"message":"hello"');
    await rm(dir, { recursive: true });
  });

  it('writes errors with their stack and cause', () => {
    const { lines, log } = aLog();
    log.error('failed', { error: new Error('outer', { cause: new Error('inner') }) });
    expect(lines[0]?.['error']).toMatchObject({
      message: 'outer',
      name: 'Error',
      cause: { message: 'inner' },
    });
    expect(JSON.stringify(lines)).toContain('log.test.ts');
  });
});

describe('redaction', () => {
  it.each([
    'token',
    'Authorization',
    'password',
    'clientSecret',
    'customData',
    'userData',
    'bootstrapToken',
    'client-key',
    'apiKey',
  ])('hides %s', (name) => {
    expect(redact({ deep: [{ [name]: 'value' }] })).toEqual({ deep: [{ [name]: '[redacted]' }] });
  });

  it.each(['secretName', 'tokenFile', 'serviceAccountTokenExpirationSeconds', 'name', 'keys', 'tokenCount'])(
    'shows %s',
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );

  it('hides what looks like a secret wherever it stands', () => {
    const jwt = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.sig`;
    const text = `Authorization: Bearer abcdefgh12345678 and ${jwt} and abcdef.0123456789abcdef and https://x/y?sig=zzz&a=b`;
    const { lines, log } = aLog();
    log.info(text, { note: text, error: new Error(text) });
    const written = JSON.stringify(lines);
    for (const secret of ['abcdefgh12345678', jwt, 'abcdef.0123456789abcdef', 'sig=zzz'])
      expect(written).not.toContain(secret);
    expect(written).toContain('a=b');
    const pem = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----';
    expect(redact({ note: pem })).toEqual({ note: '[redacted]' });
  });

  it('copes with everything a caller may hand over', () => {
    const loop: Record<string, unknown> = {};
    loop['self'] = loop;
    expect(JSON.stringify(redact(loop))).toContain('[too deep]');
    expect(
      redact({
        big: 5n,
        when: new Date(0),
        bytes: new Uint8Array(3),
        map: new Map([['a', 1]]),
        set: new Set([1]),
        run: () => 1,
        nothing: null,
        token: null,
        long: 'x'.repeat(20_000),
      }),
    ).toMatchObject({
      big: '5',
      when: '1970-01-01T00:00:00.000Z',
      bytes: '[3 bytes]',
      map: { a: 1 },
      set: [1],
      nothing: null,
      token: null,
      long: expect.stringMatching(/^x{16384}…$/),
    });
    expect((redact(Array.from({ length: 150 }, () => 1)) as unknown[]).at(-1)).toBe('… 50 more');
  });
});
