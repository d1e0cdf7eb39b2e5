import { describe, expect, test } from 'vitest';
import { virtualWorld } from '../testing/virtual-world.ts';
import { type ExecEntry, ExecPlugin } from './exec-plugin.ts';

const CLUSTER = { server: 'https://10.0.0.1:6443', 'certificate-authority-data': 'Q0E=' };

const answer = (status: object) =>
  `echo '${JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status })}'`;

function aPlugin(script: string, entry: Partial<ExecEntry> = {}, timeoutMs = 5000) {
  const { clock } = virtualWorld();
  const exec = { command: 'sh', args: ['-c', script], ...entry };
  return {
    clock,
    plugin: new ExecPlugin(exec, {
      cluster: async () => CLUSTER,
      env: { FROM: 'outside' },
      clock,
      timeoutMs,
    }),
  };
}

describe('a credential plugin', () => {
  test('returns a token, or a certificate with its key', async () => {
    const { plugin } = aPlugin(answer({ token: 't', clientCertificateData: 'CERT', clientKeyData: 'KEY' }));
    expect(await plugin.credential({ fresh: false })).toEqual({ token: 't', cert: 'CERT', key: 'KEY' });
  });

  test('gets the environment, its own variables, and the exec info', async () => {
    const { plugin } = aPlugin(
      `case "$KUBERNETES_EXEC_INFO" in *10.0.0.1*Q0E=*) i=info;; esac; echo "{\\"status\\":{\\"token\\":\\"$FROM-$MINE-$i\\"}}"`,
      { env: [{ name: 'MINE', value: 'inside' }], provideClusterInfo: true },
    );
    expect((await plugin.credential({ fresh: false })).token).toBe('outside-inside-info');
  });

  test('is not run again before its credential expires', async () => {
    const { plugin, clock } = aPlugin(
      `echo "{\\"status\\":{\\"token\\":\\"$(date +%s%N)\\",\\"expirationTimestamp\\":\\"2026-01-01T01:00:00Z\\"}}"`,
    );
    const first = await plugin.credential({ fresh: false });
    await clock.advance(3_590_000);
    expect(await plugin.credential({ fresh: false })).toEqual(first);
    await clock.advance(20_000);
    const second = await plugin.credential({ fresh: false });
    expect(second).not.toEqual(first);
    await clock.advance(20_000);
    expect(await plugin.credential({ fresh: true })).not.toEqual(second);
  });

  test('is not run repeatedly for a server that rejects every credential', async () => {
    const { plugin, clock } = aPlugin(`echo "{\\"status\\":{\\"token\\":\\"$(date +%s%N)\\"}}"`);
    const [one, two] = await Promise.all([
      plugin.credential({ fresh: true }),
      plugin.credential({ fresh: true }),
    ]);
    expect(two).toEqual(one);
    await clock.advance(1000);
    expect(await plugin.credential({ fresh: true })).toEqual(one);
    await clock.advance(10_000);
    expect(await plugin.credential({ fresh: true })).not.toEqual(one);
  });

  test('that fails is reported with what it wrote, without secrets', async () => {
    const { plugin } = aPlugin(
      'echo "refresh failed: client_secret=abcd1234efgh5678" >&2; exit 1',
      {},
      5_000,
    );
    const error = (await plugin.credential({ fresh: false }).catch((caught: unknown) => caught)) as Error;
    expect(error.message).toContain('refresh failed');
    expect(error.message).not.toContain('abcd1234efgh5678');
  });

  test('is killed when it hangs, and reported', async () => {
    const { plugin } = aPlugin('exec sleep 60', {}, 200);
    await expect(plugin.credential({ fresh: false })).rejects.toThrow('did not answer within 0.2 s');
  });

  test('that is killed while it waits for a login: the error says what it wrote, without secrets', async () => {
    const { plugin } = aPlugin(
      'printf "first\\n\\033[1mlog in\\033[0m at https://microsoft.com/devicelogin with code ABC, Bearer abcdefghijkl\\n" >&2; exec sleep 60',
      {},
      500,
    );
    await expect(plugin.credential({ fresh: false })).rejects.toThrow(
      /within 0\.5 s; it wrote: log in {1,2}at https:\/\/microsoft\.com\/devicelogin with code ABC, Bearer \[redacted\]$/,
    );
  });

  test('asks the user to log in where there is a terminal', async () => {
    const shown: string[] = [];
    const script = `echo "log in with code ABC" >&2; ${answer({ token: 't' })}`;
    const plugin = new ExecPlugin(
      { command: 'sh', args: ['-c', script] },
      {
        cluster: async () => CLUSTER,
        env: {},
        clock: virtualWorld().clock,
        terminal: { write: (text) => shown.push(text) },
      },
    );
    expect(await plugin.credential({ fresh: false })).toEqual({ token: 't' });
    expect(shown.join('')).toBe('log in with code ABC\n');
  });

  test.each([
    ['fails with a word', 'echo not logged in >&2; exit 1', {}, 'not logged in'],
    ['fails without a word', 'exit 3', {}, 'ended with code 3'],
    [
      'is not there',
      '',
      { command: 'no-such-plugin', installHint: 'brew install it' },
      /not found.*brew install it/,
    ],
    ['answers nonsense', 'echo nonsense', {}, 'is not an ExecCredential'],
    ['answers nothing', 'echo "{}"', {}, 'neither token nor certificate'],
  ])('that %s is reported by name', async (_, script, entry, message) => {
    const { plugin } = aPlugin(script, entry);
    await expect(plugin.credential({ fresh: false })).rejects.toThrow(message);
  });
});
