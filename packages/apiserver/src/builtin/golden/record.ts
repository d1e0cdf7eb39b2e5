/**
 * Records the golden cases from a real server: every case of `cases/*.json` is played against it (creations as dry
 * runs, updates on an object that is removed again) and its answer is written into the case.
 *
 *   node packages/apiserver/src/builtin/golden/record.ts URL TOKEN [FILE]
 *
 * The certificate of the server is not verified. `--diff` writes nothing and prints where
 * the strategies answer otherwise.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Agent, request } from 'undici';
import type { KubeObject, Status } from '@chandler/kube';
import type { Resource } from '../../resource.ts';
import { GOLDEN_NAMESPACE, type GoldenAnswer, type GoldenCase, normalise, overlay, replay, resourceOf } from './replay.ts';

const FOLDER = new URL('./cases/', import.meta.url);

async function main(): Promise<void> {
  const [url, token, only] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
  const diff = process.argv.includes('--diff');
  if (url === undefined || token === undefined) throw new Error('usage: record.ts URL TOKEN [FILE] [--diff]');
  const server = new Server(url, token);
  await server.send('POST', '/api/v1/namespaces', { metadata: { name: GOLDEN_NAMESPACE } });
  let wrong = 0;
  let total = 0;
  for (const file of readdirSync(FOLDER).sort()) {
    if (only !== undefined && file !== only) continue;
    const cases = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as GoldenCase[];
    const played: GoldenCase[] = [];
    for (const golden of cases) {
      const expect = await server.play(golden);
      total++;
      played.push({ ...golden, expect });
      const ours = replay(golden);
      if (isDeepStrictEqual(ours, expect)) continue;
      wrong++;
      if (diff) process.stdout.write(`${report(file, golden, expect, ours)}\n`);
    }
    if (!diff) writeFileSync(new URL(file, FOLDER), `${JSON.stringify(played, undefined, 1)}\n`);
  }
  process.stdout.write(`${total} cases, ${wrong} differ from the strategies\n`);
}

interface Answer {
  readonly code: number;
  readonly body: KubeObject | Status;
  readonly warnings: readonly string[];
}

function recorded({ code, body, warnings }: Answer): GoldenAnswer {
  return { code, body: normalise(body), ...(warnings.length === 0 ? {} : { warnings }) };
}

class Server {
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ connect: { rejectUnauthorized: false } });

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async send(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'GET',
    path: string,
    body?: unknown,
  ): Promise<Answer> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await request(`${this.#url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': type },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const header = [answer.headers['warning'] ?? []].flat().join(', ');
    const warnings = [...header.matchAll(/299 - ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text!) as string);
    return { code: answer.statusCode, body: (await answer.body.json()) as KubeObject | Status, warnings };
  }

  async play(golden: GoldenCase): Promise<GoldenAnswer> {
    const resource = resourceOf(golden.resource);
    const path = pathOf(resource);
    if (golden.update === undefined) {
      const answer = await this.send('POST', `${path}?dryRun=All&fieldValidation=Strict`, golden.create);
      return recorded(answer);
    }
    const created = await this.send('POST', `${path}?fieldValidation=Strict`, golden.create);
    if (created.code !== 201) throw new Error(`${golden.name}: ${JSON.stringify(created.body)}`);
    const at = `${path}/${created.body.metadata && (created.body as KubeObject).metadata.name}`;
    const next = overlay(created.body, golden.update) as KubeObject;
    const suffix = golden.subresource === undefined ? '' : `/${golden.subresource}`;
    const answer = await this.send('PUT', `${at}${suffix}?dryRun=All&fieldValidation=Strict`, next);
    await this.remove(at);
    return recorded(answer);
  }

  async remove(at: string): Promise<void> {
    await this.send('PATCH', at, { metadata: { finalizers: null } });
    if (at.startsWith('/api/v1/namespaces/') && at.split('/').length === 5) {
      await this.send('DELETE', at);
      const namespace = (await this.send('GET', at)).body as KubeObject;
      await this.send('PUT', `${at}/finalize`, { ...namespace, spec: { finalizers: [] } });
      return;
    }
    await this.send('DELETE', `${at}?gracePeriodSeconds=0&propagationPolicy=Background`);
  }
}

function pathOf(resource: Resource): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  return resource.namespaced ? `${root}/namespaces/${GOLDEN_NAMESPACE}/${resource.plural}` : `${root}/${resource.plural}`;
}

function report(file: string, golden: GoldenCase, expect: GoldenAnswer, ours: GoldenAnswer): string {
  const lines = [`== ${file}: ${golden.name}`];
  const walk = (path: string, real: unknown, mine: unknown): void => {
    if (isDeepStrictEqual(real, mine)) return;
    const both = [real, mine].every((value) => typeof value === 'object' && value !== null);
    if (!both) {
      lines.push(`  ${path}\n    real ${JSON.stringify(real)}\n    ours ${JSON.stringify(mine)}`);
      return;
    }
    for (const key of new Set([...Object.keys(real as object), ...Object.keys(mine as object)])) {
      walk(`${path}.${key}`, (real as Record<string, unknown>)[key], (mine as Record<string, unknown>)[key]);
    }
  };
  walk('', expect, ours);
  return lines.join('\n');
}

await main();
