import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Fetch, systemClock, systemRandom } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAzureClient } from '../../../packages/chandler/src/flexnode/index.ts';
import { sampleConfig } from '../../../packages/chandler/src/flexnode/testing.ts';

import { onPath } from '../../cluster/control-plane/binaries.ts';
import { type IdentityStandins, startIdentityStandins } from './identity.ts';

const run = promisify(execFile);
const signal = new AbortController().signal;
const world = { ...virtualWorld(), clock: systemClock, random: systemRandom };
const MACHINE =
  '/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/rg-edge/providers/Microsoft.HybridCompute/machines/edge-01';
const ABSENT = ['bash', 'base64', 'stat'].filter((program) => !onPath(program));
if (ABSENT.length > 0)
  process.stdout.write(
    `skipped: azcmagent's stand-in is a script and there is no ${ABSENT.join(', no ')} here\n`,
  );
let folder = '';
let standins: IdentityStandins;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'flexnode-standins-'));
  standins = await startIdentityStandins({
    tenantId: sampleConfig().azure.tenantId,
    tokensDir: join(folder, 'tokens'),
  });
});

afterEach(async () => {
  await standins.close();
  rmSync(folder, { recursive: true, force: true });
});

const trusting = (ca?: string): Fetch => {
  const dispatcher = new Agent({ connect: ca === undefined ? {} : { ca } });
  return async (input, init) =>
    (await undiciFetch(String(input), { ...(init as object), dispatcher })) as unknown as Response;
};

function sideWith(fetch: Fetch) {
  const { clientId, clientSecret } = standins.login;
  const plain = sampleConfig({
    azure: { resourceManagerEndpoint: standins.url, authorityHost: standins.url },
  });
  const servicePrincipal = {
    tenantId: plain.azure.tenantId,
    clientId,
    clientSecret: { from: 'file' as const, read: async () => clientSecret },
  };
  const config = { ...plain, azure: { ...plain.azure, servicePrincipal } };
  const host = { run: async () => ({ exitCode: 127, stdout: '', stderr: '' }) };
  return createAzureClient(world, { config, host, fetch, interactive: false, budgetMs: 0 });
}

describe('[004-checklist] management calls over HTTPS with certificate checks', () => {
  test('the official SDKs get a token and an answer where the authority is trusted', async () => {
    standins.arm.register(MACHINE, 'westus2');
    expect(await sideWith(trusting(standins.caPem)).machine(signal)).toMatchObject({ id: MACHINE });
  });

  test('and nothing at all where it is not', async () => {
    await expect(sideWith(trusting()).machine(signal)).rejects.toMatchObject({ facts: { class: 'network' } });
    expect(standins.login.asked).toEqual([]);
  });

  test('ARM wants a bearer token', async () => {
    const answer = await trusting(standins.caPem)(`${standins.url}${MACHINE}?api-version=2022-03-10`);
    expect(answer.status).toBe(401);
  });
});

describe('the issuer is good enough for a real API server', () => {
  test('discovery and keys are there, and its tokens are signed by them', async () => {
    const get = trusting(standins.caPem);
    const discovery = (await (await get(`${standins.issuer}/.well-known/openid-configuration`)).json()) as {
      issuer: string;
      jwks_uri: string;
    };
    expect(discovery.issuer).toBe(standins.issuer);
    const { keys } = (await (await get(discovery.jwks_uri)).json()) as { keys: Record<string, string>[] };
    const token = standins.tokens.issue({ aud: 'a', oid: 'principal' });
    const [head, payload, signature] = token.split('.') as [string, string, string];
    const key = createPublicKey({ key: keys[0]!, format: 'jwk' });
    expect(
      verify('RSA-SHA256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url')),
    ).toBe(true);
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
      iss: standins.issuer,
      aud: 'a',
      oid: 'principal',
    });
    expect(new X509Certificate(standins.caPem).ca).toBe(true);
  });
});

describe.skipIf(ABSENT.length > 0)('azcmagent as a real program', () => {
  const script = () => {
    const path = join(folder, 'azcmagent');
    writeFileSync(path, standins.azcmagentScript);
    chmodSync(path, 0o755);
    return path;
  };

  test('connects through its config file, shows it, disconnects', async () => {
    const program = script();
    const config = join(folder, 'connect.json');
    const token = standins.tokens.issue({ aud: 'https://management.azure.com', oid: 'operator' });
    const content = JSON.stringify({
      'subscription-id': '11111111-2222-3333-4444-555555555555',
      'resource-group': 'rg-edge',
      'resource-name': 'edge-01',
      location: 'westus2',
      tags: "site='plant 2'",
      'access-token': token,
    });
    writeFileSync(config, content, { mode: 0o600 });
    await run(program, ['connect', '--config', config, '--no-color']);
    expect(standins.agent.calls[0]).toEqual({
      argv: ['connect', '--config', config, '--no-color'],
      config: content,
      configMode: 0o600,
    });
    expect(standins.arm.machines.size).toBe(1);
    const { stdout } = await run(program, ['show', '-j']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'Connected', resourceName: 'edge-01' });
    await run(program, ['disconnect', '--force-local-only']);
    expect(standins.agent.connected).toBeUndefined();
  });

  test('fails with the configured code', async () => {
    standins.agent.fail({ command: 'connect', code: 'AZCM0042' });
    await expect(run(script(), ['connect'])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('AZCM0042'),
    });
  });
});

test('all of it runs as a process of its own and says where it listens', async () => {
  const child: ChildProcess = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), '--tokens-dir', join(folder, 'keys'), '--himds-port', '0'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const line = await new Promise<string>((resolve) => {
      child.stdout!.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    const told = JSON.parse(line) as { himdsEndpoint: string; issuer: string; azcmagentScript: string };
    expect(told.issuer).toContain('/v2.0');
    expect(told.azcmagentScript).toContain('#!/bin/bash');
    const answer = await fetch(`${told.himdsEndpoint}?resource=x`, { headers: { metadata: 'true' } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('/var/opt/azcmagent/tokens/');
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
});
