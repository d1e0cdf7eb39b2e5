import { describe, expect, test } from 'vitest';
import { sampleConfig } from '../config/config.fixture.ts';
import { STEP_IDS } from '../step.ts';
import { artifactRequests, stepArtifactRequests } from './artifact-requests.ts';
import type { ArtifactRequest } from './artifacts.ts';
import { PINNED_SHA256 } from './hashes.table.ts';
import { knownHash, unknownHash } from './known-hash.ts';
import { hashIn } from './published-checksum.ts';
import { fill, kubernetesForm, layoutPath, sourcesOf, vendorUrl } from './sources.ts';

const RUNC: ArtifactRequest = { kind: 'runc', version: '1.1.12', architecture: 'amd64' };

describe('[004-SEC-6] the built-in table', () => {
  test('contains only valid hashes, each of one file', () => {
    const all = Object.values(PINNED_SHA256).flatMap(({ amd64, arm64 }) => [amd64, arm64]);
    expect(all.every((hash) => hash !== undefined && /^[0-9a-f]{64}$/.test(hash))).toBe(true);
    expect(new Set(all).size).toBe(all.length);
  });

  test.each(['1.1.12', '1.3.0', '1.4.3'])('knows runc %s', (version) => {
    expect(PINNED_SHA256[`runc/${version}`]).toBeDefined();
  });

  test('contains every default version and every version of the document, for both architectures', () => {
    for (const architecture of ['amd64', 'arm64'] as const) {
      for (const kubernetes of ['1.32.7', '1.29.2']) {
        for (const containerd of ['2.3.4', '1.7.20', '1.7.13', '2.0.4']) {
          const config = sampleConfig({
            kubernetes: { version: kubernetes },
            containerd: { version: containerd },
          });
          const unknown = artifactRequests(config, architecture).filter(
            (request) => knownHash(request, config.downloads) === undefined,
          );
          expect(unknown).toEqual([]);
        }
      }
    }
  });

  test('contains the hash that the vendor of runc 1.1.12 publishes', () => {
    expect(knownHash(RUNC, sampleConfig().downloads)).toEqual({
      sha256: 'aadeef400b8f05645768c1476d1023f7875b78f52c7ff1967a6dbce236b8cbd8',
      by: 'built-in',
    });
  });
});

describe('the hash of a file', () => {
  test('in the config takes precedence over the table', () => {
    const config = sampleConfig({ downloads: { sha256: { 'runc/1.1.12/amd64': 'AB'.repeat(32) } } });
    expect(knownHash(RUNC, config.downloads)).toEqual({ sha256: 'ab'.repeat(32), by: 'config' });
  });

  test('that is unknown results in an error with the exact line to add', () => {
    const request: ArtifactRequest = { kind: 'containerd', version: '1.7.99', architecture: 'arm64' };
    expect(knownHash(request, sampleConfig().downloads)).toBeUndefined();
    const { facts } = unknownHash(request, 'https://example/x');
    expect(facts).toMatchObject({ class: 'config', where: 'downloads.sha256' });
    expect(facts.remedy).toContain('curl -fsSL https://example/x | sha256sum');
    expect(facts.remedy).toContain('"downloads": {"sha256": {"containerd/1.7.99/arm64": "<hash>"}}');
    expect(facts.remedy).toContain('allowPublishedChecksums');
  });

  test('of the Arc agent comes only from the config', () => {
    const request: ArtifactRequest = { kind: 'azcmagent', version: '1.59.03320.759', architecture: 'amd64' };
    expect(unknownHash(request, 'https://example/x').facts.remedy).not.toContain('allowPublishedChecksums');
    expect(artifactRequests(sampleConfig(), 'amd64').map(({ kind }) => kind)).not.toContain('azcmagent');
    const sha256 = { 'azcmagent/1.59.03320.759/amd64': '0'.repeat(64) };
    expect(artifactRequests(sampleConfig({ downloads: { sha256 } }), 'amd64')[0]).toEqual(request);
  });

  test.each([
    ['a bare hash', `${'a'.repeat(64)}\n`, 'runc.amd64', 'a'.repeat(64)],
    [
      'a list',
      `${'a'.repeat(64)}  runc.amd64\n${'b'.repeat(64)} *runc.arm64\n`,
      'runc.arm64',
      'b'.repeat(64),
    ],
    ['a list without it', `${'a'.repeat(64)}  runc.amd64\n`, 'runc.arm64', undefined],
    ['a page', '<html>', 'runc.arm64', undefined],
  ])('is found in a published file that is %s', (_, text, name, expected) => {
    expect(hashIn(text, name)).toBe(expected);
  });
});

test('[004-SEC-6] every vendor URL is https and names a version, never a branch or latest', () => {
  const sha256 = { 'azcmagent/1.59.03320.759/amd64': '0'.repeat(64) };
  const config = sampleConfig({ downloads: { sha256 } });
  const node: ArtifactRequest = { kind: 'kubernetes-node', version: '1.32.7', architecture: 'amd64' };
  for (const request of [...artifactRequests(config, 'amd64'), node]) {
    const address = vendorUrl(request);
    expect(address).toMatch(/^https:\/\//);
    expect(address).toContain(request.version);
    // `pool/main` is where a Debian archive keeps its packages, not a branch.
    expect(address.replace('/pool/main/', '/')).not.toMatch(/\b(?:main|master|latest|HEAD|stable)\b/);
  }
});

describe('the sources of a file', () => {
  test('are mirrors first, then the URLs of the config, then the vendor', () => {
    const config = sampleConfig({
      downloads: { mirrors: ['https://mirror.example/base/'] },
      runc: { urlTemplates: ['https://own.example/v{version}/runc.{arch}'] },
    });
    expect(sourcesOf(RUNC, config)).toEqual([
      'https://mirror.example/base/runc/v1.1.12/runc.amd64',
      'https://own.example/v1.1.12/runc.amd64',
      'https://github.com/opencontainers/runc/releases/download/v1.1.12/runc.amd64',
    ]);
  });

  test("[004-checklist] Step 7: the document's form of urlTemplate gets the name of the program appended", () => {
    const urlTemplates = ['https://dl.k8s.io/release/v{version}/bin/linux/amd64'];
    const config = sampleConfig({ kubernetes: { version: '1.29.2', urlTemplates } });
    const request: ArtifactRequest = { kind: 'kubectl', version: '1.29.2', architecture: 'amd64' };
    expect(sourcesOf(request, config)).toEqual(['https://dl.k8s.io/release/v1.29.2/bin/linux/amd64/kubectl']);
    expect(kubernetesForm(config)).toBe('programs');
  });

  test('a urlTemplate with %s names one archive', () => {
    const template = 'https://acs-mirror.example/kubernetes/v%s/binaries/kubernetes-node-linux-%s.tar.gz';
    const config = sampleConfig({ kubernetes: { urlTemplates: [template] } });
    expect(kubernetesForm(config)).toBe('node-archive');
    const [request] = stepArtifactRequests('kubernetes', config, 'arm64');
    expect(sourcesOf(request!, config)[0]).toBe(
      'https://acs-mirror.example/kubernetes/v1.32.7/binaries/kubernetes-node-linux-arm64.tar.gz',
    );
  });

  test('prefer single programs over an archive, because they have pinned hashes', () => {
    const urlTemplates = ['https://a.example/node.tar.gz', 'https://b.example/v{version}'];
    const config = sampleConfig({ kubernetes: { urlTemplates } });
    expect(stepArtifactRequests('kubernetes', config, 'amd64').map(({ kind }) => kind)).toEqual([
      'kubelet',
      'kubectl',
      'kubeadm',
    ]);
    expect(sourcesOf({ kind: 'kubelet', version: '1.32.7', architecture: 'amd64' }, config)[0]).toBe(
      'https://b.example/v1.32.7/kubelet',
    );
  });

  test('layout and templates differ by architecture', () => {
    expect(layoutPath({ kind: 'cni-plugins', version: '1.5.1', architecture: 'arm64' })).toBe(
      'cni/v1.5.1/cni-plugins-linux-arm64-v1.5.1.tgz',
    );
    expect(fill('%s-%s', RUNC)).toBe('1.1.12-amd64');
  });

  test('only five steps need a file at all', () => {
    const sha256 = { 'azcmagent/1.59.03320.759/amd64': '0'.repeat(64) };
    const config = sampleConfig({ downloads: { sha256 } });
    expect(STEP_IDS.filter((step) => stepArtifactRequests(step, config, 'amd64').length > 0)).toEqual([
      'arc',
      'runc',
      'containerd',
      'kubernetes',
      'cni',
    ]);
  });
});
