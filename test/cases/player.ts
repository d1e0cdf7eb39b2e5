/** Runs a case against any API server and returns the normalized answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fetch } from '@chandler/kube';
import type { Answer, Case, Step } from './api-case.ts';
import { Normaliser } from './normalise.ts';

export interface Server {
  readonly fetch: Fetch;
  readonly url: string;
  readonly tokens: Readonly<Record<'admin' | 'alice', string>>;
}

const TIMEOUT_MS = 20_000;

/** Creates a namespace for the case, runs it, and deletes the namespace. */
export async function playCase(server: Server, testCase: Case, namespace: string): Promise<Answer[]> {
  await mustSucceed(server, {
    request: 'POST /api/v1/namespaces',
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
  });
  const saved: Record<string, string> = { ns: namespace };
  const normaliser = new Normaliser(namespace);
  const answers: Answer[] = [];
  try {
    for (const step of testCase.steps) {
      const answer = await playStep(server, step, saved);
      if (step.quiet !== true) answers.push(normalised(answer, step, normaliser));
      else if (!succeeded(answer, step)) throw new Error(`${step.request}: ${JSON.stringify(answer)}`);
    }
  } finally {
    await playStep(server, { request: `DELETE /api/v1/namespaces/${namespace}` }, saved);
  }
  return answers;
}

/** For setup: existing objects are kept. */
export async function mustSucceed(server: Server, step: Step): Promise<void> {
  const answer = await playStep(server, step, {});
  if (answer.status >= 400 && answer.status !== 409) {
    throw new Error(`set-up failed: ${step.request}: ${JSON.stringify(answer)}`);
  }
}

// ---------------------------------------------------------------------------------------------------

async function playStep(server: Server, step: Step, saved: Record<string, string>): Promise<Answer> {
  const deadline = Date.now() + TIMEOUT_MS;
  for (;;) {
    const answer = await send(server, step, saved);
    if (reached(answer, step.until) || Date.now() > deadline) {
      for (const [name, path] of Object.entries(step.save ?? {})) {
        saved[name] = String(valueAt(answer.body, path) ?? '');
      }
      return answer;
    }
    await sleep(50);
  }
}

/** A quiet step with `until` may wait for a refusal: admission on a real server reads from caches. */
function succeeded(answer: Answer, step: Step): boolean {
  return step.until === undefined ? answer.status < 400 : reached(answer, step.until);
}

function reached(answer: Answer, until: Step['until']): boolean {
  if (until === undefined) return true;
  if (until.status !== undefined && answer.status !== until.status) return false;
  if (until.path === undefined) return true;
  return JSON.stringify(valueAt(answer.body, until.path)) === JSON.stringify(until.equals);
}

async function send(server: Server, step: Step, saved: Readonly<Record<string, string>>): Promise<Answer> {
  const [method, path] = filled(step.request, saved).split(' ') as [string, string];
  const body = step.raw === undefined ? step.body && JSON.stringify(step.body) : step.raw;
  const stop = new AbortController();
  const response = await server.fetch(server.url + path, {
    method,
    headers: headersOf(step, server),
    signal: stop.signal,
    ...(body === undefined ? {} : { body: filled(body as string, saved) }),
  });
  const warnings = response.headers.get('warning');
  const withWarnings = warnings === null ? {} : { warnings: warnings.split(/, (?=299 )/) };
  if (step.events !== undefined && response.status === 200) {
    const events = await readEvents(response, step.events, stop);
    return { status: 200, ...withWarnings, events };
  }
  const text = await response.text();
  return { status: response.status, ...withWarnings, ...(text === '' ? {} : { body: parsed(text) }) };
}

function headersOf(step: Step, server: Server): Record<string, string> {
  const { as = 'admin' } = step;
  return {
    ...(as === 'nobody' ? {} : { authorization: `Bearer ${server.tokens[as]}` }),
    ...(step.body === undefined && step.raw === undefined
      ? {}
      : { 'content-type': step.contentType ?? 'application/json' }),
    accept: step.accept ?? 'application/json',
    'user-agent': 'cases',
    ...step.headers,
  };
}

async function readEvents(response: Response, count: number, stop: AbortController): Promise<unknown[]> {
  const events: unknown[] = [];
  const decoder = new TextDecoder();
  const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  let rest = '';
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      rest += decoder.decode(chunk, { stream: true });
      const lines = rest.split('\n');
      rest = lines.pop()!;
      events.push(...lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown));
      if (events.length >= count) break;
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
  return events.slice(0, count);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function filled(text: string, saved: Readonly<Record<string, string>>): string {
  return text.replace(/\$(\w+)/g, (whole, name: string) => saved[name] ?? whole);
}

function valueAt(value: unknown, path: string): unknown {
  let current = value;
  for (const part of path.split('.')) current = (current as Record<string, unknown> | undefined)?.[part];
  return current;
}

function normalised(answer: Answer, step: Step, normaliser: Normaliser): Answer {
  const keep = step.managedFields === true;
  const chosen = (body: unknown) =>
    step.only === undefined
      ? body
      : Object.fromEntries(step.only.map((path) => [path, valueAt(body, path) ?? null]));
  return {
    status: answer.status,
    ...(answer.warnings === undefined
      ? {}
      : { warnings: normaliser.apply(answer.warnings, keep) as string[] }),
    ...(answer.body === undefined ? {} : { body: normaliser.apply(chosen(answer.body), keep) }),
    ...(answer.events === undefined
      ? {}
      : { events: answer.events.map((event) => normaliser.apply(chosen(event), keep)) }),
  };
}
