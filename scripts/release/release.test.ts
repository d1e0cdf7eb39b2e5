import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readTar } from '../image/tar.ts';
import { archiveName, PLATFORMS } from './archives.ts';
import { packCharts } from './charts.ts';
import { krewManifest } from './krew-manifest.ts';
import { assertTag, platformNotes, releaseNotes } from './notes.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/chandler/package.json'), 'utf8'));
const FACTS = { version, commit: '0123456789ab' };
const folder = mkdtempSync(join(tmpdir(), 'chandler-release-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the notes', () => {
  const CHANGELOG =
    '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.2.0] - 2026-01-02\n\n### Added\n- this\n\n## [1.1.0]\n\n- that\n';

  test('of a release are its section of the changelog', () => {
    expect(releaseNotes(CHANGELOG, '1.2.0', true)).toBe('# chandler 1.2.0\n\n### Added\n- this\n');
    expect(releaseNotes(CHANGELOG, '1.1.0', true)).toBe('# chandler 1.1.0\n\n- that\n');
  });

  test('of a build between releases are what is not released yet', () => {
    expect(releaseNotes(CHANGELOG, '1.3.0', false)).toBe('# chandler 1.3.0\n\n- new\n');
  });

  test('are missing: there is no release', () => {
    expect(() => releaseNotes(CHANGELOG, '1.3.0', true)).toThrow('CHANGELOG.md has no section [1.3.0]');
  });

  test('say which archives were run, and of which commit they are', () => {
    const row = { os: 'linux', architecture: 'arm64', file: 'a.tar.gz', nodeVersion: '24.1.0' } as const;
    const text = platformNotes(
      [
        { ...row, run: { ran: 'emulated' } },
        { ...row, os: 'darwin', file: 'b.tar.gz', run: { notRun: 'there is no darwin here' } },
      ],
      '0123456789ab',
    );
    expect(text).toContain('| linux/arm64 | `a.tar.gz` | 24.1.0 | yes, in QEMU |');
    expect(text).toContain('| darwin/arm64 | `b.tar.gz` | 24.1.0 | not run: there is no darwin here |');
    expect(text).toMatch(/^Commit: 0123456789ab$/m);
  });

  test('of this version can be made', () => {
    const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
    expect(releaseNotes(changelog, version, false)).toMatch(/^# chandler \d+\.\d+\.\d+\n\n### /);
  });
});

test('a tag of another version is refused', () => {
  expect(() => assertTag('v1.2.3', '1.2.3')).not.toThrow();
  expect(() => assertTag('v1.2.4', '1.2.3')).toThrow('the tag must be v1.2.3');
});

test('every package of the repository, and the lockfile, has the version of the product', () => {
  const json = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  const { packages } = json('package-lock.json');
  const folders = ['', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)];
  for (const folder of folders) {
    const { version: own, dependencies = {} } = json(join(folder, 'package.json'));
    expect([own, packages[folder].version], folder).toEqual([version, version]);
    for (const [name, wanted] of Object.entries(dependencies))
      if (name.startsWith('@chandler/')) expect(wanted, `${name} in ${folder}`).toBe(version);
  }
});

describe('charts', () => {
  test('are all packed, with the version of the product, and the same each time', () => {
    const charts = packCharts(join(ROOT, 'charts'), FACTS);
    expect(charts.map(({ file }) => file)).toContain(`chandler-crd-${version}.tgz`);
    const again = packCharts(join(ROOT, 'charts'), FACTS);
    for (const [at, { content }] of charts.entries()) expect(again[at]!.content.equals(content)).toBe(true);
    const [crds] = charts.filter(({ file }) => file.startsWith('chandler-crd'));
    const names = readTar(gunzipSync(crds!.content)).map(({ name }) => name);
    expect(names).toContain('chandler-crd/Chart.yaml');
    const file = readTar(gunzipSync(crds!.content)).find(({ name }) => name === 'chandler-crd/Chart.yaml');
    expect(parse((file as { content: Buffer }).content.toString())).toMatchObject({
      version,
      annotations: { 'org.opencontainers.image.revision': '0123456789ab' },
    });
    expect(names.filter((name) => !/^chandler-crd(\/|$)/.test(name))).toEqual([]);
  });

  test('leave out what .helmignore names', () => {
    const chart = join(folder, 'chandler-crd');
    cpSync(join(ROOT, 'charts', 'chandler-crd'), chart, { recursive: true });
    writeFileSync(join(chart, '.helmignore'), '# editors\n*.swp\nREADME.md\ntemplates/\n');
    writeFileSync(join(chart, 'a.swp'), '');
    const [packed] = packCharts(folder, FACTS);
    const names = readTar(gunzipSync(packed!.content)).map(({ name }) => name);
    expect(names).toEqual(['chandler-crd', 'chandler-crd/.helmignore', 'chandler-crd/Chart.yaml']);
    writeFileSync(join(chart, '.helmignore'), '!README.md\n');
    expect(() => packCharts(folder, FACTS)).toThrow('!README.md is a pattern that the release does not');
  });

  test('of another version are refused', () => {
    expect(() => packCharts(join(ROOT, 'charts'), { ...FACTS, version: '99.0.0' })).toThrow(
      /Chart\.yaml: version is .*99\.0\.0/,
    );
  });
});

test('the krew manifest names every archive with its hash, and the program in it, except for Windows', () => {
  const template = readFileSync(join(ROOT, 'deploy/krew/chandler.yaml'), 'utf8');
  const hashes = new Map(PLATFORMS.map((each, at) => [archiveName(each, '1.2.3'), `${at}`.repeat(64)]));
  const text = krewManifest(
    template,
    { version: '1.2.3', commit: 'abc' },
    'https://example.org/v1.2.3/',
    hashes,
  );
  expect(text).toMatch(/^# chandler 1\.2\.3, commit abc$/m);
  const { spec } = parse(text);
  expect(spec.version).toBe('v1.2.3');
  const systems = spec.platforms.map(
    ({ selector }: { selector: { matchLabels: { os: string } } }) => selector.matchLabels.os,
  );
  expect(systems).toEqual(PLATFORMS.map(({ os }) => os).filter((os) => os !== 'windows'));
  expect(spec.platforms[0]).toMatchObject({
    uri: 'https://example.org/v1.2.3/chandler-1.2.3-linux-amd64.tar.gz',
    sha256: '0'.repeat(64),
    bin: 'chandler/chandler',
  });
  expect(() =>
    krewManifest(template, { version: '1.2.4', commit: 'abc' }, 'https://example.org', hashes),
  ).toThrow('is no SHA-256');
});

test('the workflow releases on a tag, with the check of the tag, and signs', () => {
  const workflow = parse(readFileSync(join(ROOT, '.github/workflows/release.yaml'), 'utf8'));
  expect(workflow.on).toEqual({ push: { tags: ['v*'] } });
  expect(workflow.permissions).toEqual({ contents: 'read' });
  const commands = workflow.jobs.release.steps.map(({ run }: { run?: string }) => run ?? '').join('\n');
  expect(commands).toContain('npm run release -- --tag "$GITHUB_REF_NAME"');
  for (const signed of ['cosign sign-blob', 'cosign sign ', 'cosign attest ', '--provenance'])
    expect(commands).toContain(signed);
});

test('every platform has a Node.js in the lockfile', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  for (const { node, os, architecture } of PLATFORMS)
    expect(packages[`node_modules/${node}`], `${os}/${architecture}`).toHaveProperty('integrity');
});
