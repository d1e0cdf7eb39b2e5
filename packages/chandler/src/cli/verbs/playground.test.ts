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
    const { code, out, err } = await call(['--write-kubeconfig', file, '-o', 'json', '--nodes', '2'], () => {
      mode = statSync(file).mode & 0o777;
      expect(readFileSync(file, 'utf8')).toContain('chandler-playground');
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
    expect(out).not.toContain('token');
    expect(mode).toBe(0o600);
    expect(() => statSync(file)).toThrow();
  });

  test('tells people where it is and what to try, without colours when there are none', async () => {
    const { out, code } = await call(['--bare'], () => undefined, { XDG_CACHE_HOME: folder });
    expect(code).toBe(0);
    expect(out).toContain(`export KUBECONFIG=${join(folder, 'chandler', 'playground', 'kubeconfig')}`);
    expect(out).toContain('Ctrl-C stops it.');
    expect(out).not.toContain('\u001b');
  });

  test('goes on from its snapshot', async () => {
    const snapshot = join(folder, 'snapshot');
    const args = ['--write-kubeconfig', join(folder, 'kubeconfig'), '--snapshot', snapshot];
    expect(await call(args)).toMatchObject({ code: 0 });
    expect(readFileSync(snapshot, 'utf8')).toContain('system-3');
    expect(await call([...args, '--nodes', '0'])).toMatchObject({ code: 0 });
    expect(readFileSync(snapshot, 'utf8')).toContain('system-3');
  });

  test('a snapshot that is no snapshot is named, and left alone', async () => {
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
    expect(err).toContain('move it away');
    expect(readFileSync(snapshot, 'utf8')).toBe('nonsense');
  });

  test('a port that is in use is named, with the way out', async () => {
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
      err: `chandler playground: port ${port} on 127.0.0.1 is in use; choose another with --port, or leave it out to get a free one\n`,
    });
  });

  test('the kubeconfig of a real cluster is left alone', async () => {
    const file = join(folder, 'kubeconfig');
    writeFileSync(file, 'clusters: [{name: production}]\n');
    const { code, err } = await call(['--bare', '--write-kubeconfig', file]);
    expect(code).toBe(1);
    expect(err).toContain('was not written by a playground');
    expect(readFileSync(file, 'utf8')).toBe('clusters: [{name: production}]\n');
  });

  test('a kubeconfig that cannot be written is a failure with a reason', async () => {
    const file = join(folder, 'a-folder');
    mkdirSync(file);
    const { code, err } = await call(['--bare', '--write-kubeconfig', file]);
    expect(code).toBe(1);
    expect(err).toContain(`${file} cannot be written (EISDIR)`);
  });

  test.skipIf(process.platform !== 'linux')(
    'a place where nothing can be made is no reason to hang',
    async () => {
      const { code, err } = await call(['--bare', '--write-kubeconfig', '/proc/no-such-thing/kubeconfig']);
      expect(code).toBe(1);
      expect(err).toContain('cannot be written (ENOENT)');
    },
  );

  test('listening for others is allowed, with a warning', async () => {
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
    expect(err).toContain('others on the network can reach it');
  });

  test('the kubeconfig of a playground that still runs is not taken from it', async () => {
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

  test('a snapshot that could not be written at the end is refused at the start', async () => {
    writeFileSync(join(folder, 'plain-file'), '');
    const { code, err } = await call(['--bare', '--snapshot', join(folder, 'plain-file', 'snapshot')]);
    expect(code).toBe(1);
    expect(err).toContain('cannot be written (');
  });

  test('lists its stories', async () => {
    const { code, out } = await call(['--scenario', 'list']);
    expect(code).toBe(0);
    const names = out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names).toContain('zone-outage');
    expect(names).toHaveLength(6);
  });

  test.each([
    [['--scenario', 'zone-outag'], "--scenario: there is no story 'zone-outag'; did you mean zone-outage?"],
    [['--scenario', ''], '--scenario: needs a name'],
    [['--scenario', 'burst', '--no-controller'], '--scenario: needs Azure and a controller'],
    [['--once'], '--once: needs a --scenario'],
    [['--view'], '--view: standard output is no terminal'],
    [['--view', '-o', 'json'], '--view: goes with -o text only'],
    [['--speed', '1000'], '--speed'],
  ])('%j is a usage error that says what would be right', async (args, message) => {
    const { code, err, out } = await call(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
  });

  test('without a controller, or without Azure, system nodes take all pods as they did', async () => {
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

  test('a port that is none is a usage error', async () => {
    expect(await call(['--port', '70000'])).toMatchObject({ code: 2, out: '' });
  });
});

/** Interrupts it as soon as it has said that it is ready. */
async function call(
  args: readonly string[],
  whenReady: () => void | Promise<void> = () => undefined,
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
        void Promise.resolve(whenReady()).finally(() => interrupt.abort());
      },
      err: (text) => (err += text),
      color: false,
    },
    interrupted: interrupt.signal,
    world: async () => realTimeWorld().world,
  });
  return { code, out, err: err.replace(/\nstopping.*\n/, '') };
}
