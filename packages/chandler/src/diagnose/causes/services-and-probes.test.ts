/** A Service without endpoints and a failed probe of the same container: which of them is repaired first. */
import { describe, expect, test } from 'vitest';
import type { ContainerEvidence, EvidenceOf } from '../../causes/index.ts';
import { aFailingPod, events, MINUTE_MS, NOW_MS } from '../../causes/testing.ts';

import { aLog as log, aService as service } from './services.fixture.ts';
import { broken, findings } from './verdict.fixture.ts';

const REFUSED = 'waiting for db: dial tcp 10.2.0.9:5432: connect: connection refused';

const stopped: Partial<ContainerEvidence> = {
  probes: ['liveness'],
  started: false,
  restarts: 5,
  waiting: { reason: 'CrashLoopBackOff', message: '' },
  lastTerminated: {
    reason: 'Error',
    exitCode: 143,
    signal: undefined,
    message: '',
    startedAtMs: NOW_MS - 3 * MINUTE_MS,
    endedAtMs: NOW_MS - MINUTE_MS,
  },
};

function stoppedFor(answer: string, of: EvidenceOf<'service'>, line = REFUSED): readonly string[] {
  return broken(
    aFailingPod(stopped),
    log([line, line]),
    of,
    events(
      { reason: 'Unhealthy', message: `Liveness probe failed: ${answer}`, count: 15 },
      { reason: 'Killing', message: 'Container web failed liveness probe, will be restarted' },
    ),
  );
}

const status = (code: number) => `HTTP probe failed with statuscode: ${code}`;

describe('a program that its liveness probe stops while a Service has no endpoints', () => {
  test.each([500, 502, 503, 504, 404])(
    'may answer %i for want of the Service, or a proxy answers for it: the Service comes first',
    (code) => {
      expect(stoppedFor(status(code), service('db'))).toEqual(['L7.5', 'L7.4']);
    },
  );

  test.each([
    'dial tcp 10.1.0.7:8080: connect: connection refused',
    'context deadline exceeded',
    'command "check" timed out',
  ])('waits for the Service if nothing answers the probe: %s', (answer) => {
    expect(stoppedFor(answer, service('db'))).toEqual(['L7.5', 'L7.4']);
  });

  test.each([400, 401, 403, 405, 429])(
    'does not wait for it if it answers %i: the probe is wrong',
    (code) => {
      expect(stoppedFor(status(code), service('db'))).toEqual(['L7.4', 'L7.5']);
    },
  );

  test.each([
    ['tax-collector', 8080],
    ['hotels', 8080],
    ['telemetry', 8080],
    ['jaeger-cassandra', 9042],
    ['opentelemetry-demo-checkout', 8080],
    ['db', 43_170],
  ])(
    'waits for a Service with a name or port that is only like those of telemetry: %s, port %i',
    (name, port) => {
      expect(stoppedFor(status(500), service(name, { port }))).toEqual(['L7.5', 'L7.4']);
    },
  );
});

describe('a line about a slow answer of a Service with endpoints, after one about a Service', () => {
  const SLOW =
    'Post "http://search:9200/_bulk": context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  const search = service('search', { port: 9200, ip: '10.2.0.8', readyEndpoints: 1 });
  const down = service('db');
  const up = service('db', { readyEndpoints: 1 });
  const failed = events({ reason: 'Unhealthy', message: 'Readiness probe failed: statuscode: 503' });
  const work = Array.from({ length: 6 }, (_, index) => `handled request ${index}`);
  const inRunning = (lines: readonly string[], db: EvidenceOf<'service'>) =>
    findings(aFailingPod({ running: true }), failed, log(lines, false), search, db)
      .filter(({ id }) => id === 'L7.5')
      .map(({ weight, facts }) => [weight, facts['service']]);
  const inCrashed = (lines: readonly string[], db: EvidenceOf<'service'>) =>
    findings(
      aFailingPod({ ...stopped, lastTerminated: { ...stopped.lastTerminated!, exitCode: 1 } }),
      log(lines),
      search,
      db,
    ).map(({ id, weight, facts }) => [id, weight, facts['service']]);

  test('does not hide that the other one is down, which the program waits for', () => {
    expect(inRunning([REFUSED, SLOW], down)).toEqual([['broken', 'shop/db']]);
    expect(inRunning([REFUSED, SLOW, SLOW], down)).toEqual([['broken', 'shop/db']]);
    expect(inRunning([REFUSED, ...work, SLOW], down)).toEqual([['broken', 'shop/db']]);
    expect(inCrashed([...work, REFUSED, SLOW], down)).toEqual([['L7.5', 'broken', 'shop/db']]);
  });

  test('does not hide that the other one cannot be reached either, at the end of the log', () => {
    expect(inRunning([...work, REFUSED, SLOW], up)).toEqual([['broken', 'shop/db']]);
    expect(inCrashed([...work, REFUSED, SLOW], up)).toEqual([['L7.5', 'broken', 'shop/db']]);
  });

  test('is what remains if the program went on after the other one', () => {
    expect(inRunning([REFUSED, ...work, SLOW], up)).toEqual([['suspicious', 'shop/search']]);
    expect(inCrashed([REFUSED, ...work, SLOW], down)).toEqual([
      ['L7.2', 'broken', undefined],
      ['L7.5', 'suspicious', 'shop/search'],
    ]);
  });

  test('remains if what could not be reached before it is no Service, or nothing', () => {
    const elsewhere = 'dial tcp 203.0.113.7:8443: connect: connection refused';
    for (const lines of [[SLOW], [elsewhere, SLOW], [REFUSED, elsewhere, SLOW]])
      expect(inRunning(lines, up)).toEqual([['suspicious', 'shop/search']]);
  });

  test('is not looked at if another connection failed after it', () => {
    expect(inRunning([SLOW, REFUSED], down)).toEqual([['broken', 'shop/db']]);
    expect(inRunning([SLOW, 'dial tcp 203.0.113.7:8443: connect: connection refused'], down)).toEqual([]);
  });
});

describe('a Service without ready endpoints', () => {
  const refusedBy = (host: string) => `dial tcp: ${host}:5432: connect: connection refused`;
  const found = (line: string, db: EvidenceOf<'service'>) =>
    findings(aFailingPod(stopped), log([line]), db).find(({ id }) => id === 'L7.5');

  test('and without a selector has EndpointSlices of somebody else', () => {
    expect(found(REFUSED, service('db'))!.fix).toContain('fix the pods of shop/db, or its selector');
    const { fix } = found(REFUSED, { ...service('db'), hasSelector: false })!;
    expect(fix).toContain('no selector');
    expect(fix).not.toContain('fix the pods');
  });

  test.each(['db-0.db', 'db-0.db.shop', 'db-0.db.shop.svc', 'db-12.db.shop.svc.cluster.local'])(
    'is known by the name of a pod of its StatefulSet: %s',
    (host) => {
      expect(found(refusedBy(host), service('db'))?.facts).toMatchObject({ service: 'shop/db' });
    },
  );

  test.each([
    'example.db',
    'db-0.mydb',
    'db-0.db.other',
    'db-0.db.example.com',
    'db.example.com',
    'a.db-0.db',
  ])('is not another host: %s', (host) => {
    expect(found(refusedBy(host), service('db'))).toBeUndefined();
  });
});

describe('a pod that logs the names of members of a StatefulSet', () => {
  const refusedBy = (host: string) => `lookup ${host} on 10.0.0.10:53: no such host`;
  const PEER = refusedBy('web-2.web-headless.shop.svc.cluster.local');
  const headless = { ...service('web-headless'), clusterIPs: [] };
  const unhealthy = (probe: string) => ({
    reason: 'Unhealthy',
    message: `${probe} probe failed: ${status(503)}`,
  });
  const unready = (line: string, of: EvidenceOf<'service'>, name = 'shop/web-1') =>
    findings(
      aFailingPod({ running: true }, { name }),
      { ...log([line, line], false), pod: name },
      of,
      events({ ...unhealthy('Readiness'), object: `Pod/${name}` }),
    )
      .filter(({ weight }) => weight === 'broken')
      .map(({ id, facts }) => [id, facts['service']]);

  test('is a member that is not Ready, and does not find the next: it needs no Service', () => {
    expect(unready(PEER, headless)).toEqual([['L7.3', undefined]]);
    expect(unready(refusedBy('web-2.web-headless'), headless)).toEqual([['L7.3', undefined]]);
  });

  test.each([2, 1, undefined])(
    'may need that member, of which %s ready endpoints say nothing',
    (readyEndpoints) => {
      const line = 'connect ECONNREFUSED mongo-0.mongo:27017';
      const mongo = { ...service('mongo'), readyEndpoints };
      expect(unready(line, mongo)).toEqual([['L7.3', undefined]]);
      const crashed = { ...stopped, lastTerminated: { ...stopped.lastTerminated!, exitCode: 1 } };
      expect(broken(aFailingPod(crashed), log([line]), mongo)).toEqual(['L7.2']);
    },
  );

  test('is a member that its liveness probe stops, or that crashes: that is the headline', () => {
    expect(stoppedFor(status(503), headless, PEER)).toEqual(['L7.4']);
    const crashed = { ...stopped, lastTerminated: { ...stopped.lastTerminated!, exitCode: 1 } };
    expect(
      broken(aFailingPod(crashed), log([PEER, PEER, 'fatal: member count is unequal']), headless),
    ).toEqual(['L7.2']);
  });

  test.each([
    ['of another one', 'db-0.db', service('db'), 'shop/web-1'],
    [
      'of one of its name in another namespace',
      'web-0.web.other',
      { ...service('web'), name: 'other/web' },
      'shop/web-1',
    ],
    ['and no member', 'web-2.web-headless', headless, 'shop/web-7d4b9'],
    ['of a Service by its own name', 'db', service('db'), 'shop/web-1'],
  ])('is a client, and needs the Service: %s', (_, host, of, name) => {
    const line = `dial tcp: ${host}:5432: connect: connection refused`;
    expect(unready(line, of, name)).toEqual([
      ['L7.5', of.name],
      ['L7.3', undefined],
    ]);
  });
});
