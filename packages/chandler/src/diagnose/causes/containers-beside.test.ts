/** A container that crashes beside another one of its pod that is not ready: both are named, and the crash comes first. */
import { describe, expect, test } from 'vitest';
import type { ContainerEnd, ContainerEvidence, EventFact, EvidenceOf } from '../../causes/index.ts';
import { aContainer, aPod, condition, events, MINUTE_MS, NOW_MS, reading } from '../../causes/testing.ts';

import { findings } from './verdict.fixture.ts';

const REFUSED = 'dial tcp 10.2.0.9:5432: connect: connection refused';

function crashed(exitCode: number, more: Partial<ContainerEvidence> = {}, end: Partial<ContainerEnd> = {}) {
  return aContainer({
    ready: false,
    started: false,
    restarts: 6,
    probes: [],
    waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' },
    lastTerminated: {
      reason: exitCode === 0 ? 'Completed' : 'Error',
      exitCode,
      signal: undefined,
      message: '',
      startedAtMs: NOW_MS - 3 * MINUTE_MS,
      endedAtMs: NOW_MS - MINUTE_MS,
      ...end,
    },
    ...more,
  });
}

function unready(more: Partial<ContainerEvidence> = {}): ContainerEvidence {
  const runningSinceMs = NOW_MS - 28 * MINUTE_MS;
  return aContainer({ name: 'nginx', ready: false, probes: ['readiness'], runningSinceMs, ...more });
}

const failed = (container: string, probe: string, more: Partial<EventFact> = {}): Partial<EventFact> => ({
  container,
  reason: 'Unhealthy',
  message: `${probe} probe failed: HTTP probe failed with statuscode: 502`,
  count: 300,
  ...more,
});
const killed = (container: string): Partial<EventFact> => ({
  container,
  reason: 'Killing',
  message: `Container ${container} failed liveness probe, will be restarted`,
});

function log(container: string, text: string, previous = true): EvidenceOf<'containerLog'> {
  const read = reading(`log of ${container}`);
  return { kind: 'containerLog', reading: read, pod: 'shop/web-1', container, previous, text: `${text}\n` };
}

const db: EvidenceOf<'service'> = {
  kind: 'service',
  reading: reading('Service shop/db'),
  name: 'shop/db',
  clusterIPs: ['10.2.0.9'],
  ports: [5432],
  hasSelector: true,
  readyEndpoints: 0,
};

type Record = EvidenceOf<'containerLog'> | EvidenceOf<'service'>;

/** What is broken, each with its container. */
function found(
  containers: readonly ContainerEvidence[],
  facts: readonly Partial<EventFact>[],
  ...records: readonly Record[]
): readonly (readonly [string, string | undefined])[] {
  const ready = condition('Ready', 'False', 'ContainersNotReady');
  const pod = aPod({ conditions: [ready], createdAtMs: NOW_MS - 30 * MINUTE_MS, containers });
  return findings(pod, events(...facts), ...records)
    .filter(({ weight }) => weight === 'broken')
    .map(({ id, facts: { container } }) => [id, container] as const);
}

const app = crashed(1, { name: 'app' });
const proxy = crashed(1, { name: 'proxy' });
const stopped = (name: string, exitCode = 143) => crashed(exitCode, { name, probes: ['liveness'] });

describe('a container that crashes by itself', () => {
  test.each([
    ['before', [app, unready()]],
    ['after', [unready(), app]],
  ])('is the headline %s a proxy whose readiness probe fails for want of it', (_, containers) => {
    expect(found(containers, [failed('nginx', 'Readiness')])).toEqual([
      ['L7.2', 'app'],
      ['L7.3', 'nginx'],
    ]);
  });

  test('is the headline if it is the proxy that the program needs, whatever its probe', () => {
    const running = (probe: 'readiness' | 'startup') =>
      unready({ name: 'app', probes: [probe], started: probe === 'readiness', running: true });
    expect(found([running('readiness'), proxy], [failed('app', 'Readiness')])).toEqual([
      ['L7.2', 'proxy'],
      ['L7.3', 'app'],
    ]);
    expect(found([running('startup'), proxy], [failed('app', 'Startup')])).toEqual([
      ['L7.2', 'proxy'],
      ['probes.startup', 'app'],
    ]);
    expect(found([stopped('app'), proxy], [failed('app', 'Liveness'), killed('app')])).toEqual([
      ['L7.2', 'proxy'],
      ['L7.4', 'app'],
    ]);
  });

  test('is the headline beside an agent that runs and cannot reach its Service', () => {
    const agent = unready({ name: 'agent' });
    const records = [log('agent', REFUSED, false), log('app', 'ValueError: bad config'), db];
    const facts = [failed('agent', 'Readiness')];
    expect(found([app, agent], facts, ...records)).toEqual([
      ['L7.2', 'app'],
      ['L7.5', 'agent'],
      ['L7.3', 'agent'],
    ]);
  });

  test('is the headline with a row of its own, too: a signal, memory, an image', () => {
    const readiness = [failed('nginx', 'Readiness')];
    const first = (container: ContainerEvidence) => found([container, unready()], readiness);
    expect(first(crashed(143, { name: 'app' }))).toEqual([
      ['containers.shut-down', 'app'],
      ['L7.3', 'nginx'],
    ]);
    expect(first(crashed(137, { name: 'app' }, { reason: 'OOMKilled' }))).toEqual([
      ['containers.out-of-memory', 'app'],
      ['L7.3', 'nginx'],
    ]);
    expect(first(crashed(0, { name: 'app' }))).toEqual([
      ['containers.ends-at-once', 'app'],
      ['L7.3', 'nginx'],
    ]);
    const waiting = { reason: 'ImagePullBackOff', message: 'the registry has a problem' };
    expect(first(unready({ name: 'app', started: false, waiting }))).toEqual([
      ['L7.1', 'app'],
      ['L7.3', 'nginx'],
    ]);
  });

  test('is the headline beside one that a probe may have stopped, or that ends by SIGTERM', () => {
    const nginx = (exitCode: number, probes: ContainerEvidence['probes']) =>
      crashed(exitCode, { name: 'nginx', probes });
    for (const probes of [[], ['liveness']] as const) {
      expect(found([nginx(0, probes), app], [])).toEqual([
        ['L7.2', 'app'],
        ['containers.ends-at-once', 'nginx'],
      ]);
      expect(found([nginx(143, probes), app], [])).toEqual([
        ['L7.2', 'app'],
        ['containers.shut-down', 'nginx'],
      ]);
    }
    const oom = crashed(137, { name: 'app' }, { reason: 'OOMKilled' });
    expect(found([nginx(0, ['liveness']), oom], [])).toEqual([
      ['containers.out-of-memory', 'app'],
      ['containers.ends-at-once', 'nginx'],
    ]);
  });

  test('is named if the first one that crashes has a row of its own', () => {
    const oom = crashed(137, { name: 'app' }, { reason: 'OOMKilled' });
    expect(found([oom, proxy], [])).toEqual([
      ['containers.out-of-memory', 'app'],
      ['L7.2', 'proxy'],
    ]);
    const records = [log('app', REFUSED), log('proxy', 'ValueError: bad config'), db];
    expect(found([app, proxy], [], ...records)).toEqual([
      ['L7.5', 'app'],
      ['L7.2', 'proxy'],
    ]);
  });
});

describe('a container that ends without an error or by SIGTERM, and has no probe', () => {
  const nginx = (exitCode: number, probe: 'liveness' | 'startup' = 'liveness') =>
    crashed(exitCode, { name: 'nginx', probes: [probe] });
  const liveness = [failed('nginx', 'Liveness'), killed('nginx')];

  test.each([
    [0, 'containers.ends-at-once'],
    [143, 'containers.shut-down'],
  ])('is the headline beside a proxy that its probe stops for want of it: code %i', (exitCode, id) => {
    const own = crashed(exitCode, { name: 'app' });
    const named = [
      [id, 'app'],
      ['L7.4', 'nginx'],
    ];
    for (const code of [0, 143]) {
      expect(found([own, nginx(code)], liveness)).toEqual(named);
      expect(found([nginx(code), own], liveness)).toEqual(named);
    }
    const message = 'Container nginx failed startup probe, will be restarted';
    const startup = [failed('nginx', 'Startup'), { ...killed('nginx'), message }];
    expect(found([own, nginx(0, 'startup')], startup)).toEqual([
      [id, 'app'],
      ['probes.startup', 'nginx'],
    ]);
  });

  test('is named beside one whose postStart hook fails', () => {
    const waiting = { reason: 'PostStartHookError', message: 'hook failed' };
    const hooked = unready({ name: 'nginx', probes: [], started: false, waiting });
    expect(found([crashed(143, { name: 'app' }), hooked], [])).toEqual([
      ['containers.post-start-hook', 'nginx'],
      ['containers.shut-down', 'app'],
    ]);
  });

  test('is named with a fix for it: no probe stops it', () => {
    const pod = aPod({
      conditions: [condition('Ready', 'False', 'ContainersNotReady')],
      createdAtMs: NOW_MS - 30 * MINUTE_MS,
      containers: [nginx(143), crashed(143, { name: 'app' })],
    });
    const [top] = findings(pod, events(...liveness));
    expect(top!.summary).toContain('container app of');
    expect(top!.fix).toContain('No probe stops this container');
  });
});

test('a program that ends while its postStart hook runs is named beside one whose hook fails', () => {
  const hook = (container: string) => ({
    container,
    reason: 'FailedPostStartHook',
    message: 'PostStartHook failed',
    lastMs: NOW_MS - 2 * MINUTE_MS,
  });
  for (const containers of [
    [stopped('app'), proxy],
    [proxy, stopped('app')],
  ])
    expect(found(containers, [hook('app'), hook('proxy')])).toEqual([
      ['containers.post-start-hook', 'app'],
      ['L7.2', 'proxy'],
    ]);
});

describe('what stays as it is', () => {
  test('two containers that crash for one reason: it explains both', () => {
    const records = [log('app', REFUSED), log('proxy', REFUSED), db];
    expect(found([app, proxy], [], ...records)).toEqual([['L7.5', 'app']]);
    expect(found([app, proxy], [])).toEqual([['L7.2', 'app']]);
    const oom = (name: string) => crashed(137, { name }, { reason: 'OOMKilled' });
    expect(found([oom('app'), oom('proxy')], [])).toEqual([['containers.out-of-memory', 'app']]);
  });

  test('one that runs and one that crashes for want of the same Service', () => {
    const agent = unready({ name: 'agent' });
    const records = [log('agent', REFUSED, false), log('app', REFUSED), db];
    expect(found([agent, app], [failed('agent', 'Readiness')], ...records)).toEqual([
      ['L7.5', 'agent'],
      ['L7.3', 'agent'],
    ]);
  });

  test('two containers that their liveness probes stop, also if the kubelet reports little of the second', () => {
    const both = [stopped('app'), stopped('proxy', 137)];
    const ofApp = [failed('app', 'Liveness'), killed('app')];
    expect(found(both, [...ofApp, failed('proxy', 'Liveness'), killed('proxy')])).toEqual([['L7.4', 'app']]);
    // That of the second is no longer taken for explained by the probe of the first.
    expect(found(both, ofApp)).toEqual([
      ['L7.4', 'app'],
      ['containers.shut-down', 'proxy'],
    ]);
  });

  test('of two that their probes stop, or that end without one: how they end is explained, or said once', () => {
    const both = [failed('app', 'Liveness'), killed('app'), failed('proxy', 'Liveness'), killed('proxy')];
    expect(found([stopped('app', 0), stopped('proxy', 143)], both)).toEqual([['L7.4', 'app']]);
    expect(found([crashed(0, { name: 'app' }), crashed(0, { name: 'proxy' })], [])).toEqual([
      ['containers.ends-at-once', 'app'],
    ]);
    expect(found([crashed(143, { name: 'app' }), crashed(143, { name: 'proxy' })], [])).toEqual([
      ['containers.shut-down', 'app'],
    ]);
  });

  test('a container that its liveness probe stops, beside one that is not ready', () => {
    const facts = [failed('app', 'Liveness'), killed('app'), failed('nginx', 'Readiness')];
    expect(found([stopped('app'), unready()], facts)).toEqual([
      ['L7.4', 'app'],
      ['L7.3', 'nginx'],
    ]);
  });

  test('a container that is not ready beside one that failed before and is ready now, or was lost', () => {
    const readiness = [failed('nginx', 'Readiness')];
    const runs = { running: true, started: true, ready: true, waiting: undefined };
    const before = crashed(1, { name: 'app', ...runs, runningSinceMs: NOW_MS - MINUTE_MS });
    expect(found([before, unready()], readiness)).toEqual([['L7.3', 'nginx']]);
    const lost = crashed(255, { name: 'app', ...runs, ready: false }, { reason: 'Unknown' });
    expect(found([lost, unready()], readiness)).toEqual([['L7.3', 'nginx']]);
  });

  test('a container that crashes while its own probe fails', () => {
    const own = crashed(1, { name: 'app', probes: ['readiness', 'liveness'] });
    expect(found([own], [failed('app', 'Readiness', { count: 3 })])).toEqual([['L7.2', 'app']]);
  });
});
