import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ForeignKubeconfigError, renderKubeconfig, writeKubeconfig } from './kubeconfig.ts';

const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
afterAll(() => rm(folder, { recursive: true }));

const BASE = { server: 'https://127.0.0.1:6443', caPem: 'CA PEM' };
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('the kubeconfig of the playground', () => {
  test('points at the server with a token', () => {
    expect(parse(renderKubeconfig({ ...BASE, credential: { token: 't' }, namespace: 'team' }))).toEqual({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'chandler-playground',
          cluster: { server: 'https://127.0.0.1:6443', 'certificate-authority-data': base64('CA PEM') },
        },
      ],
      users: [{ name: 'chandler-playground', user: { token: 't' } }],
      contexts: [
        {
          name: 'chandler-playground',
          context: { cluster: 'chandler-playground', user: 'chandler-playground', namespace: 'team' },
        },
      ],
      'current-context': 'chandler-playground',
      preferences: {},
    });
  });

  test('carries a client certificate instead when given one', () => {
    const credential = { certificatePem: 'CERT', privateKeyPem: 'KEY' };
    expect(parse(renderKubeconfig({ ...BASE, credential })).users[0].user).toEqual({
      'client-certificate-data': base64('CERT'),
      'client-key-data': base64('KEY'),
    });
  });
});

describe('writing it', () => {
  const ours = renderKubeconfig({ ...BASE, credential: { token: 'one' } });

  test('makes a file that only its owner can read, and nothing beside it', async () => {
    const path = join(folder, 'new', 'config');
    await writeKubeconfig(path, ours);
    expect(await readFile(path, 'utf8')).toBe(ours);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'new'))).toEqual(['config']);
  });

  test('replaces an older one of ours, and an empty file', async () => {
    const path = join(folder, 'older');
    await writeFile(path, '');
    await writeKubeconfig(path, ours);
    const next = renderKubeconfig({ ...BASE, credential: { token: 'two' } });
    await writeKubeconfig(path, next);
    expect(await readFile(path, 'utf8')).toBe(next);
  });

  test.each([
    ['of another cluster', 'apiVersion: v1\nkind: Config\nclusters: [{name: production, cluster: {}}]\n'],
    ['of ours and another', 'clusters: [{name: chandler-playground}, {name: production}]\n'],
    ['of no cluster', 'apiVersion: v1\nkind: Config\nclusters: []\nusers: [{name: a}]\n'],
    ['that is no YAML', '{{{'],
    ['that is something else', 'just text'],
  ])('leaves a file %s alone unless forced', async (name, content) => {
    const path = join(folder, name.replaceAll(' ', '-'));
    await writeFile(path, content);
    await expect(writeKubeconfig(path, ours)).rejects.toThrow(ForeignKubeconfigError);
    expect(await readFile(path, 'utf8')).toBe(content);
    await writeKubeconfig(path, ours, { force: true });
    expect(await readFile(path, 'utf8')).toBe(ours);
  });
});
