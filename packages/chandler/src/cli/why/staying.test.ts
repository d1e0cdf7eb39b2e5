import { expect, test } from 'vitest';
import type { Subject } from '../../diagnose/index.ts';
import type { OpenRequest } from './source.ts';
import { canPlanStaying } from './staying.ts';

const live = { source: {} } as OpenRequest;
const dump = { source: { dump: 'dump.json' } } as OpenRequest;
const can = (request: OpenRequest, kind: Subject['kind']) =>
  canPlanStaying(request, { kind, name: 'a' } as Subject);

test('a plan is made of a live cluster for what has nodes, and for nothing else', () => {
  for (const kind of ['node', 'nodeclaim', 'nodepool'] as const) {
    expect(can(live, kind)).toBe(true);
    expect(can(dump, kind)).toBe(false);
  }
  for (const kind of ['pod', 'deployment', 'statefulset', 'daemonset', 'job', 'cronjob'] as const)
    expect(can(live, kind)).toBe(false);
});
