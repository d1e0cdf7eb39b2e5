import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type KrewFile, renderKrewManifest } from './krew.ts';

const TEMPLATE = readFileSync(join(import.meta.dirname, '..', 'deploy/krew/chandler.yaml'), 'utf8');
const HASH = 'a'.repeat(64);
const FILES: readonly KrewFile[] = [
  { os: 'linux', arch: 'amd64', uri: 'https://example.com/chandler-linux-amd64.tar.gz', sha256: HASH },
  { os: 'windows', arch: 'amd64', uri: 'https://example.com/chandler-windows-amd64.zip', sha256: HASH },
];
const withFile = (change: Partial<KrewFile>) => ({ version: '0.2.0', files: [{ ...FILES[0]!, ...change }] });

test('the manifest has every field that krew requires', () => {
  const text = renderKrewManifest(TEMPLATE, { version: '0.2.0', files: FILES });
  expect(text).not.toMatch(/^#/m);
  const manifest = parse(text);
  expect(manifest).toMatchObject({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'chandler' },
    spec: {
      version: 'v0.2.0',
      platforms: [
        {
          selector: { matchLabels: { os: 'linux', arch: 'amd64' } },
          uri: FILES[0]!.uri,
          sha256: HASH,
          bin: 'kubectl-chandler',
        },
        { selector: { matchLabels: { os: 'windows', arch: 'amd64' } }, bin: 'kubectl-chandler.exe' },
      ],
    },
  });
  // Rules of the index of krew: safe names, and a short description on one line without a full stop.
  expect(manifest.metadata.name).toMatch(/^[\w-]+$/);
  expect(manifest.spec.shortDescription).toMatch(/^[^\n]{1,50}[^.\n]$/);
  expect(manifest.spec.description.length).toBeGreaterThan(50);
});

describe('what krew would refuse is an error', () => {
  test.each([
    ['a version', { version: 'next', files: FILES }, '"next" is no semantic version'],
    ['no archive', { version: '0.2.0', files: [] }, 'at least one archive'],
    ['a plain file', withFile({ uri: 'https://example.com/chandler' }), '.tar.gz or .zip'],
    ['an unsafe address', withFile({ uri: 'http://example.com/c.zip' }), 'no https address'],
    ['a hash', withFile({ sha256: 'abc' }), 'no SHA-256'],
    ['a platform twice', { version: '0.2.0', files: [FILES[0]!, FILES[0]!] }, 'two archives for linux/amd64'],
  ])('%s', (_, release, message) => {
    expect(() => renderKrewManifest(TEMPLATE, release)).toThrow(message);
  });

  test('a template without platforms', () => {
    expect(() => renderKrewManifest('kind: Plugin\n', { version: '0.2.0', files: FILES })).toThrow(
      'spec.platforms',
    );
  });
});
