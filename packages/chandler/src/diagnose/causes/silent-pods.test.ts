/** Pods that are not ready, about which no event says why. */
import { describe, expect, test } from 'vitest';
import type { ContainerEvidence } from '../../causes/index.ts';
import { aContainer, aPod, condition, MINUTE_MS, NOW_MS } from '../../causes/testing.ts';

import { broken, findings } from './verdict.fixture.ts';

describe('an init container that runs', () => {
  const waits = aContainer({
    ready: false,
    started: false,
    waiting: { reason: 'PodInitializing', message: '' },
  });
  const initializing = (minutes: number, more: Partial<ContainerEvidence> = {}) => {
    const runningSinceMs = NOW_MS - minutes * MINUTE_MS;
    const init = aContainer({
      name: 'migrate',
      init: true,
      ready: false,
      probes: [],
      runningSinceMs,
      ...more,
    });
    const conditions = [condition('Initialized', 'False', 'ContainersNotInitialized')];
    return aPod({ phase: 'Pending', conditions, containers: [init, waits] });
  };

  test('for long is named, with the time since when it runs', () => {
    const [top, ...others] = findings(initializing(35));
    expect(top).toMatchObject({ id: 'pods.init-running', weight: 'broken', facts: { container: 'migrate' } });
    expect(top!.summary).toContain('since 2026-01-27T14:25:00.000Z (35 minutes)');
    expect(others).toEqual([]);
  });

  test('for minutes is no cause', () => {
    expect(findings(initializing(9))).toEqual([]);
  });

  test('between two crashes fails because of them', () => {
    const lastTerminated = { reason: 'Error', exitCode: 1, signal: undefined, message: '' };
    expect(broken(initializing(1, { restarts: 3, lastTerminated }))).toEqual(['containers.init-failed']);
  });
});
