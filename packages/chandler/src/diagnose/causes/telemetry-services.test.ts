/** A Service to which programs only send their telemetry is never why they are not well, but is named beside the cause. */
import { describe, expect, test } from 'vitest';
import type { ContainerEvidence, Evidence, EvidenceOf } from '../../causes/index.ts';
import { aFailingPod, events, MINUTE_MS, NOW_MS } from '../../causes/testing.ts';

import { aService, aLog as log } from './services.fixture.ts';
import { findings } from './verdict.fixture.ts';

const EXPORT = 'traces export: Post "http://10.2.0.8/v1/traces": dial tcp 10.2.0.8:80: connection refused';
const DB = 'waiting for db: dial tcp 10.2.0.9:5432: connect: connection refused';

const service = (name: string, port: number, ip = '10.2.0.8') => aService(name, { port, ip });

const collector = service('collector', 4317);
const db = service('db', 5432, '10.2.0.9');

const ended = (exitCode: number): Partial<ContainerEvidence> => ({
  probes: ['liveness'],
  started: false,
  restarts: 5,
  waiting: { reason: 'CrashLoopBackOff', message: '' },
  lastTerminated: {
    reason: 'Error',
    exitCode,
    signal: undefined,
    message: '',
    startedAtMs: NOW_MS - 3 * MINUTE_MS,
    endedAtMs: NOW_MS - MINUTE_MS,
  },
});

const unhealthy = (probe: string, said: string) => ({
  reason: 'Unhealthy',
  message: `${probe} probe failed: ${said}`,
  count: 15,
});
const status = (code: number) => `HTTP probe failed with statuscode: ${code}`;

/** What is found, with its weight, and the Service that is named. */
const told = (...records: readonly Evidence[]) =>
  findings(...records).map(({ id, weight, facts }) => [id, weight, facts['service']]);

function stopped(answer: string, lines: readonly string[], ...services: readonly EvidenceOf<'service'>[]) {
  const killed = { reason: 'Killing', message: 'Container web failed liveness probe, will be restarted' };
  const facts = events(unhealthy('Liveness', answer), killed);
  return told(aFailingPod(ended(143)), log(lines, true), ...services, facts);
}

function unready(answer: string, lines: readonly string[], ...services: readonly EvidenceOf<'service'>[]) {
  const facts = events(unhealthy('Readiness', answer));
  return told(aFailingPod({ running: true }), log(lines, false), ...services, facts);
}

function crashed(lines: readonly string[], ...services: readonly EvidenceOf<'service'>[]) {
  return told(aFailingPod(ended(1)), log(lines, true), ...services);
}

const beside = (id: string, name = 'collector') => [
  [id, 'broken', undefined],
  ['L7.5', 'suspicious', `shop/${name}`],
];

describe('a program cannot send its telemetry', () => {
  test.each([
    ['collector', 4317],
    ['collector', 4318],
    ['tracing', 9411],
    ['tracing', 14_268],
    ['datadog', 8125],
    ['otel-agent', 80],
    ['shop-opentelemetry-collector', 80],
    ['jaeger', 80],
    ['statsd-exporter', 9102],
  ])('to a Service that is known by its name or port: %s, port %i', (name, port) => {
    expect(stopped(status(500), [EXPORT], service(name, port))).toEqual(beside('L7.4', name));
  });

  test.each([
    status(404),
    status(500),
    status(503),
    'dial tcp 10.1.0.7:8080: connect: connection refused',
    'context deadline exceeded',
  ])('and its probe fails: that is the headline: %s', (answer) => {
    expect(stopped(answer, [EXPORT, EXPORT], collector)).toEqual(beside('L7.4'));
    expect(unready(answer, [EXPORT, EXPORT], collector)).toEqual(beside('L7.3'));
    const requests = Array.from({ length: 50 }, () => 'GET /ready');
    expect(unready(answer, [EXPORT, ...requests], collector)).toEqual(beside('L7.3'));
  });

  test('and crashes for an error of its own, before what it still had to send: that is the headline', () => {
    const error = 'listen tcp :80: bind: permission denied';
    expect(crashed([error, EXPORT], collector)).toEqual(beside('L7.2'));
    expect(crashed([EXPORT], collector)).toEqual(beside('L7.2'));
  });

  test('nor reach a Service that it needs: that one is the headline', () => {
    const ids = (all: ReturnType<typeof told>) => all.map(([id, weight, name]) => `${id} ${weight} ${name}`);
    const needed = 'L7.5 broken shop/db';
    expect(ids(unready(status(503), [DB, EXPORT, EXPORT], collector, db))[0]).toBe(needed);
    expect(ids(stopped(status(503), [DB, EXPORT], collector, db))[0]).toBe(needed);
    expect(ids(crashed([DB, EXPORT], collector, db))).toEqual([needed]);
    expect(ids(crashed([EXPORT, DB], collector, db))).toEqual([needed]);
  });
});
