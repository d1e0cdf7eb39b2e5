import { describe, expect, test } from 'vitest';
import { artifactRequests } from '../artifacts/artifact-requests.ts';
import { createDryRunArtifacts } from '../artifacts/dry-run-artifacts.ts';
import { layoutPath } from '../artifacts/sources.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import { failure } from '../flex-error.fixture.ts';
import { CURRENT, of, pinned, preflight } from './preflight.fixture.ts';

const BUNDLE = '/srv/bundle';
const AGENT = `azcmagent/${sampleConfig().azure.arc.agentVersion}/amd64`;
const config = withBundle(pinned(sampleConfig(CURRENT)));

function withBundle(plain: FlexConfig): FlexConfig {
  return { ...plain, downloads: { ...plain.downloads, bundle: BUNDLE } };
}

function withoutAgentHash(plain: FlexConfig): FlexConfig {
  const { [AGENT]: _hash, ...sha256 } = plain.downloads.sha256;
  return { ...plain, downloads: { ...plain.downloads, sha256 } };
}

/** Of a bundle that was made from this config. */
function manifestOf(made: FlexConfig, sha256 = 'a'.repeat(64)): string {
  const files = artifactRequests(made, 'amd64').map((request) => ({
    path: layoutPath(request),
    sha256,
    bytes: 1,
  }));
  return JSON.stringify({ schemaVersion: 1, versions: { kubernetes: made.kubernetes.version }, files });
}

async function findings(names: readonly string[], manifest: string, wanted = config) {
  const { report } = await preflight({
    config: wanted,
    folders: { [BUNDLE]: {} },
    files: { [`${BUNDLE}/manifest.json`]: manifest },
  });
  return names.flatMap((name) => of(report, name));
}

describe('preflight with a bundle', () => {
  const groups = ['kubernetes-artifacts', 'cri-artifacts', 'cni-artifacts', 'arc-artifacts'];

  test('accepts one that was made from this config', async () => {
    const found = await findings([...groups, 'arc-agent'], manifestOf(config));
    expect(new Set(found.map(({ severity }) => severity))).toEqual(new Set(['ok']));
    expect(found).toHaveLength(5);
  });

  test('rejects one of another version, and names the file', async () => {
    const older = { ...config, kubernetes: { ...config.kubernetes, version: '1.31.2' } };
    const [finding] = await findings(['kubernetes-artifacts'], manifestOf(older));
    expect(finding).toMatchObject({
      severity: 'error',
      message: expect.stringContaining(`does not contain kubelet/${config.kubernetes.version}/amd64`),
      remedy: expect.stringContaining('flexnode bundle'),
    });
    expect((await findings(['cni-artifacts'], manifestOf(older)))[0]?.severity).toBe('ok');
  });

  test('rejects one with other hashes, and one whose manifest cannot be read', async () => {
    const [other] = await findings(['cri-artifacts'], manifestOf(config, 'b'.repeat(64)));
    expect(other).toMatchObject({ severity: 'error', message: expect.stringContaining('expected') });
    const [broken] = await findings(['cri-artifacts'], '{');
    expect(broken).toMatchObject({ severity: 'error', message: expect.stringContaining('is not JSON') });
  });

  test('does not promise the Arc agent without its hash, and says what puts it into the bundle', async () => {
    const plain = withoutAgentHash(config);
    const [agent] = await findings(['arc-agent'], manifestOf(plain), plain);
    expect(agent).toMatchObject({ severity: 'error', remedy: expect.stringContaining(AGENT) });
    expect(agent?.remedy).toContain('create the bundle again');
  });

  test('does not promise the Arc agent if the bundle was made before its hash was added', async () => {
    const [agent] = await findings(['arc-agent'], manifestOf(withoutAgentHash(config)));
    expect(agent).toMatchObject({
      severity: 'error',
      message: expect.stringContaining(`does not contain ${AGENT}`),
    });
  });
});

test('a dry run with a bundle reports a hash that is not known, as the run would', async () => {
  const artifacts = createDryRunArtifacts({ config: withoutAgentHash(config), say: () => undefined });
  const request = {
    kind: 'azcmagent',
    version: config.azure.arc.agentVersion,
    architecture: 'amd64',
  } as const;
  expect((await failure(artifacts.obtain(request, {} as never))).code).toBe('download.hash-unknown');
});
