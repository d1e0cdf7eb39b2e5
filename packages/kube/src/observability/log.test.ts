import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSecretName } from '../values/secret-names.ts';
import { pinoLog } from './log.ts';
import { redact, redactText } from './redact.ts';

function aLog(level: 'debug' | 'info' | 'warn' | 'error' = 'debug') {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, log: pinoLog({ level, destination, now: () => Date.UTC(2026, 0, 1) }) };
}

describe('the log', () => {
  test('writes JSON lines with the keys Karpenter’s have', () => {
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

  test('drops lines below its level, and adds bound fields to every line', () => {
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

  test('writes a bound field once, because collectors reject a line with a duplicate key', () => {
    const written: string[] = [];
    const log = pinoLog({ destination: { write: (line) => void written.push(line) }, now: () => 0 });
    log.with({ controller: 'a', name: 'x' }).with({ name: 'y' }).info('said', { name: 'z' });
    expect(written[0]?.match(/"name"/g)).toHaveLength(1);
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ controller: 'a', name: 'z' });
  });

  test('does not let a field overwrite level, time or message', () => {
    const { lines, log } = aLog();
    log.info('said', { message: 'other', level: 'x', time: 'y' });
    expect(lines[0]).toMatchObject({ message: 'said', level: 'INFO', message_: 'other' });
  });

  test('writes to a file when one is configured', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'log-'));
    const file = join(dir, 'out.log');
    pinoLog({ destination: file, now: () => 0 }).info('hello');
    expect(await readFile(file, 'utf8')).toContain('"message":"hello"');
    await rm(dir, { recursive: true });
  });

  test('writes errors with their stack and cause', () => {
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
  test.each([
    'token',
    'Authorization',
    'password',
    'clientSecret',
    'customData',
    'userData',
    'bootstrapToken',
    'client-key',
    'apiKey',
    'x-api-key',
    'private-key',
    'azurestorageaccountkey',
    'shared_access_key',
    'connection-string',
  ])('hides %s', (name) => {
    expect(redact({ deep: [{ [name]: 'value' }] })).toEqual({ deep: [{ [name]: '[redacted]' }] });
  });

  test.each([
    'secretName',
    'tokenFile',
    'serviceAccountTokenExpirationSeconds',
    'name',
    'keys',
    'tokenCount',
  ])('shows %s', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  test('hides what looks like a secret, in a field name or in a text', () => {
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

  test.each([
    ['https://me:hunter22@host/path', 'hunter22'],
    ['https://x/y?X-Amz-Security-Token=IQoJb3Jp&a=1', 'IQoJb3Jp'],
    ['https://x/y?X-Amz-Signature=99ab&a=1', '99ab'],
    ['the answer was {"access_token": "s3cr3t-value", "expires_in": 5}', 's3cr3t-value'],
    ['{\\"adminPassword\\":\\"s3cr3t-value\\"}', 's3cr3t-value'],
    ['users:\n- user:\n    client-key-data: LS0tLS1CRUdJTg==\n', 'LS0tLS1CRUdJTg'],
    ['    token: 31ada4fd-adec-460c-809a', '31ada4fd'],
  ])('hides the secret in %j', (text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(JSON.stringify(redact({ error: new Error(text), list: [text] }))).not.toContain(secret);
  });

  test.each([
    'Unexpected token } in JSON at position 5',
    'secret "default/registry" not found',
    'token: expected a string',
    '{"secretName":"registry","tokenFile":"/var/run/token"}',
  ])('leaves %j as it is', (text) => {
    expect(redact(text)).toBe(text);
  });

  test('prints URLs, and handles large objects and getters that throw', () => {
    expect(redact(new URL('https://me:pw@host/x'))).toBe('https://[redacted]@host/x');
    expect(redact(new Headers({ authorization: 'Basic eHg6eXl5eXk=', accept: 'a' }))).toEqual({
      accept: 'a',
      authorization: '[redacted]',
    });
    expect(redact({ when: new Date(Number.NaN) })).toEqual({ when: 'Invalid Date' });
    const web: Record<string, unknown>[] = Array.from({ length: 20 }, () => ({}));
    for (const each of web) for (const [index, other] of web.entries()) each[`to${index}`] = other;
    expect(JSON.stringify(redact(web)).length).toBeLessThan(1_000_000);
    const { lines, log } = aLog();
    const hostile = {
      get value(): never {
        throw new Error('no');
      },
    };
    log.info('still said', { hostile });
    expect(lines[0]?.['message']).toBe('still said');
  });

  test('accepts any value from a caller', () => {
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

test('long texts are redacted in a time that grows with their length', () => {
  // With the square of it, a hundred of either would take minutes.
  for (const text of ['a.'.repeat(8_000), '\\'.repeat(16_000)])
    for (let count = 0; count < 100; count++) expect(redactText(text).slice(0, 9)).toBe(text.slice(0, 9));
});
