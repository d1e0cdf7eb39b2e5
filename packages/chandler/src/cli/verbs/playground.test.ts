import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realTimeWorld } from '../../../../../test/playground/cluster.ts';
import { run } from '../run.ts';
import { VERBS } from './index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-playground-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('chandler playground', () => {
  test('prints one JSON line when ready, writes a kubeconfig only its owner can read, and removes it at the end', async () => {
    const file = join(folder, 'kubeconfig');
    let mode = 0;
    let token = '';
    const { code, out, err } = await call(['--write-kubeconfig', file, '-o', 'json', '--nodes', '2'], () => {
      mode = statSync(file).mode & 0o777;
      const text = readFileSync(file, 'utf8');
      token = /token: "?([^"\s]+)/.exec(text)?.[1] ?? token;
      expect(text).toContain('chandler-playground');
    });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const facts = JSON.parse(out.split('\n')[0]!) as Record<string, unknown>;
    expect(facts).toMatchObject({
      ready: true,
      kubeconfig: file,
      nodes: 2,
      standins: true,
      controller: true,
    });
    expect(facts['server']).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(facts['ca']).toContain('BEGIN CERTIFICATE');
    expect(token).not.toBe('');
    expect(out).not.toContain(token);
    expect(mode).toBe(0o600);
    expect(() => statSync(file)).toThrow();
  });

  test('serves its page, where faults and the speed need the second token', async () => {
    const answers: unknown[] = [];
    const ask = async (text: string) => {
      const { page } = JSON.parse(text.split('\n')[0]!) as { page: string };
      const address = new URL(page);
      const fragment = new URLSearchParams(address.hash.slice(1));
      const headers = { authorization: `Bearer ${fragment.get('token')}` };
      const both = { ...headers, 'x-playground-token': fragment.get('playground') ?? '' };
      const body = JSON.stringify({ fault: 'throttle', on: true });
      const at = new URL('/api/v1/playground', address);
      const session = async () => {
        const answer = await fetch(new URL('/api/v1/session', address), { headers });
        return (await answer.json()) as { views: string[]; time: { speed: number } };
      };
      const { views, time } = await session();
      answers.push(views.at(-1), time.speed);
      answers.push((await fetch(at, { method: 'POST', body, headers })).status);
      const changed = (await (await fetch(at, { method: 'POST', body, headers: both })).json()) as {
        faults: { name: string; on: boolean }[];
      };
      answers.push(changed.faults.filter(({ on }) => on).map(({ name }) => name));
      const faster = { method: 'POST', body: '{"speed":2}' };
      answers.push((await fetch(at, { ...faster, headers })).status);
      const speed = await fetch(at, { ...faster, headers: both });
      answers.push(((await speed.json()) as { speed: number }).speed);
      answers.push((await session()).time.speed);
    };
    let asked: Promise<void> | undefined;
    const { code, out } = await call(
      ['--write-kubeconfig', join(folder, 'k'), '-o', 'json', '--no-controller'],
      // Called again for every further line: it ends when all is asked.
      (text) => {
        asked ??= ask(text);
        return asked;
      },
    );
    expect({ code, answers }).toEqual({ code: 0, answers: ['playground', 1, 403, ['throttle'], 403, 2, 2] });
    expect(out).not.toContain('undefined');
  });

  test('--no-page serves none', async () => {
    const { out } = await call([
      '--write-kubeconfig',
      join(folder, 'k'),
      '-o',
      'json',
      '--no-page',
      '--no-azure',
    ]);
    expect(JSON.parse(out.split('\n')[0]!)).not.toHaveProperty('page');
  });

  test('prints the addresses and commands to try, without colours when the terminal has none', async () => {
    const { out, code } = await call(['--bare'], () => undefined, { XDG_CACHE_HOME: folder });
    expect(code).toBe(0);
    expect(out).toContain(`export KUBECONFIG=${join(folder, 'chandler', 'playground', 'kubeconfig')}`);
    expect(out).toContain('Press Ctrl-C to stop.');
    expect(out).not.toContain('\u001b');
  });

  test('restores the objects of its snapshot', async () => {
    const snapshot = join(folder, 'snapshot');
    const args = ['--write-kubeconfig', join(folder, 'kubeconfig'), '--snapshot', snapshot];
    expect(await call(args)).toMatchObject({ code: 0 });
    expect(readFileSync(snapshot, 'utf8')).toContain('system-3');
    expect(await call([...args, '--nodes', '0'])).toMatchObject({ code: 0 });
    expect(readFileSync(snapshot, 'utf8')).toContain('system-3');
  });

  test('a snapshot file with other content is named in the error and left unchanged', async () => {
    const snapshot = join(folder, 'snapshot');
    writeFileSync(snapshot, 'nonsense');
    const { code, err } = await call([
      '--bare',
      '--snapshot',
      snapshot,
      '--write-kubeconfig',
      join(folder, 'k'),
    ]);
    expect(code).toBe(1);
    expect(err).toContain(`snapshot file ${snapshot}`);
    expect(err).toContain('move the file away');
    expect(readFileSync(snapshot, 'utf8')).toBe('nonsense');
  });

  test('a port that is in use is named in the error, with what to do', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { code, err } = await call([
      '--bare',
      '--port',
      String(port),
      '--write-kubeconfig',
      join(folder, 'k'),
    ]);
    other.close();
    expect({ code, err }).toEqual({
      code: 1,
      err: `chandler playground: port ${port} on 127.0.0.1 is in use; choose another port with --port, or omit --port to use a free one\n`,
    });
  });

  test('the kubeconfig of a real cluster is not overwritten', async () => {
    const file = join(folder, 'kubeconfig');
    writeFileSync(file, 'clusters: [{name: production}]\n');
    const { code, err } = await call(['--bare', '--write-kubeconfig', file]);
    expect(code).toBe(1);
    expect(err).toContain('was not written by a playground');
    expect(readFileSync(file, 'utf8')).toBe('clusters: [{name: production}]\n');
  });

  test('a kubeconfig that cannot be written is reported with the reason', async () => {
    const file = join(folder, 'a-folder');
    mkdirSync(file);
    const { code, err } = await call(['--bare', '--write-kubeconfig', file]);
    expect(code).toBe(1);
    expect(err).toContain(`${file} cannot be written (EISDIR)`);
  });

  test.skipIf(process.platform !== 'linux')(
    'a folder that cannot be created is reported, and the command ends',
    async () => {
      const { code, err } = await call(['--bare', '--write-kubeconfig', '/proc/no-such-thing/kubeconfig']);
      expect(code).toBe(1);
      expect(err).toContain('cannot be written (ENOENT)');
    },
  );

  test('warns when it listens on an address that other hosts can reach', async () => {
    const { code, err } = await call([
      '--bare',
      '--host',
      '0.0.0.0',
      '--write-kubeconfig',
      join(folder, 'k'),
      '-o',
      'json',
    ]);
    expect(code).toBe(0);
    expect(err).toContain('which other hosts can reach');
  });

  test('the kubeconfig of a running playground is not overwritten', async () => {
    const file = join(folder, 'kubeconfig');
    let second: Awaited<ReturnType<typeof call>> | undefined;
    let kept = '';
    const first = await call(['--bare', '--write-kubeconfig', file], async () => {
      const before = readFileSync(file, 'utf8');
      second = await call(['--bare', '--write-kubeconfig', file]);
      kept = readFileSync(file, 'utf8') === before ? 'kept' : 'lost';
    });
    expect(first.code).toBe(0);
    expect(second?.code).toBe(1);
    expect(second?.err).toMatch(/another playground \(https:\/\/127\.0\.0\.1:\d+\) is running/);
    expect(kept).toBe('kept');
  });

  test('a snapshot file that cannot be written is rejected at the start', async () => {
    writeFileSync(join(folder, 'plain-file'), '');
    const { code, err } = await call(['--bare', '--snapshot', join(folder, 'plain-file', 'snapshot')]);
    expect(code).toBe(1);
    expect(err).toContain('cannot be written (');
  });

  test('lists the scenarios', async () => {
    const { code, out } = await call(['--scenario', 'list']);
    expect(code).toBe(0);
    const names = out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names).toContain('zone-outage');
    expect(names).toHaveLength(10);
    expect(names).not.toContain('spot-interruption');
  });

  test.each([
    [['--scenario', 'zone-outag'], "--scenario: unknown scenario 'zone-outag'; did you mean zone-outage?"],
    [['--scenario', ''], '--scenario: requires a name'],
    [['--scenario', 'burst', '--no-controller'], '--scenario: requires a cloud and the controller'],
    [['--scenario', 'burst', '--cloud', 'none'], '--scenario: requires a cloud and the controller'],
    [['--cloud', 'gcp'], '--cloud'],
    [['--no-azure', '--cloud', 'aws'], '--no-azure: cannot be used with --cloud aws'],
    [['--imds', '--cloud', 'aws', '--no-controller'], '--imds: requires the simulated Azure: --cloud azure'],
    [
      ['--scenario', 'ice-storm'],
      '--scenario: ice-storm does not run on Azure; use --cloud aws, or one of: burst, consolidation',
    ],
    [['--once'], '--once: requires --scenario'],
    [['--view'], '--view: requires standard output to be a terminal'],
    [['--view', '-o', 'json'], '--view: requires -o text'],
    [['--speed', '1000'], '--speed'],
  ])('%j is a usage error that says what to change', async (args, message) => {
    const { code, err, out } = await call(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('without the controller or without Azure, system nodes accept all pods', async () => {
    for (const flag of ['--no-controller', '--no-azure']) {
      const file = join(folder, `kubeconfig${flag}`);
      const { code, out } = await call([flag, '--write-kubeconfig', file, '-o', 'json']);
      expect(code).toBe(0);
      expect(JSON.parse(out.split('\n')[0]!)).toMatchObject({ controller: false, nodes: 3 });
    }
  });

  test('an empty value is a usage error', async () => {
    expect(await call(['--host', ''])).toMatchObject({ code: 2, out: '' });
  });

  test('an invalid port is a usage error', async () => {
    expect(await call(['--port', '70000'])).toMatchObject({ code: 2, out: '' });
  });
});

/** Interrupts the playground when it has printed that it is ready. */
async function call(
  args: readonly string[],
  whenReady: (out: string) => void | Promise<void> = () => undefined,
  env: Record<string, string> = {},
) {
  const interrupt = new AbortController();
  let out = '';
  let err = '';
  const code = await run(VERBS, {
    args: ['playground', ...args],
    env,
    terminal: {
      out(text) {
        out += text;
        void Promise.resolve(whenReady(out)).finally(() => interrupt.abort());
      },
      err: (text) => (err += text),
      color: false,
    },
    interrupted: interrupt.signal,
    world: async () => realTimeWorld().world,
  });
  return { code, out, err: err.replace(/\nstopping.*\n/, '') };
}
