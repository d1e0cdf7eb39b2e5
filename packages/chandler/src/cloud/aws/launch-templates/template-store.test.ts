import { neverAborted, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';

import { AwsError } from '../errors/index.ts';
import type { CreateLaunchTemplateRequest } from '../launch/index.ts';
import { TemplateStore } from './template-store.ts';

/** EC2 as far as it has launch templates. */
function someEc2(existing: readonly string[] = []) {
  const names = new Set(existing);
  const calls: string[] = [];
  const gates: (() => void)[] = [];
  const state = { slow: false, fail: undefined as AwsError | undefined };
  const gate = async () => {
    if (state.slow) await new Promise<void>((resolve) => gates.push(resolve));
    if (state.fail !== undefined) throw state.fail;
  };
  return {
    names,
    calls,
    state,
    open: () => {
      for (const go of gates.splice(0)) go();
    },
    ec2: {
      createLaunchTemplate: async ({
        LaunchTemplateName: name = '',
      }: {
        LaunchTemplateName: string | undefined;
      }) => {
        calls.push(`create ${name}`);
        await gate();
        if (names.has(name))
          throw new AwsError({ code: 'InvalidLaunchTemplateName.AlreadyExistsException', message: '' });
        names.add(name);
        return {};
      },
      deleteLaunchTemplate: async ({
        LaunchTemplateName: name = '',
      }: {
        LaunchTemplateName?: string | undefined;
      }) => {
        calls.push(`delete ${name}`);
        await gate();
        if (!names.delete(name))
          throw new AwsError({ code: 'InvalidLaunchTemplateName.NotFoundException', message: '' });
        return {};
      },
      describeLaunchTemplates: async ({ NextToken }: { NextToken?: string | undefined }) => {
        calls.push('describe');
        const all = [...names].map((LaunchTemplateName) => ({ LaunchTemplateName }));
        return NextToken === undefined
          ? { LaunchTemplates: all.slice(0, 1), NextToken: 'more' }
          : { LaunchTemplates: all.slice(1) };
      },
    },
  };
}

function someStore(existing: readonly string[] = []) {
  const aws = someEc2(existing);
  const { clock, log } = virtualWorld();
  const store = new TemplateStore({ clock, log, ec2: aws.ec2, clusterName: () => 'playground' });
  return { ...aws, clock, store, turn: () => new Promise<void>((resolve) => setImmediate(resolve)) };
}

const template = (LaunchTemplateName: string) =>
  ({
    LaunchTemplateName,
    LaunchTemplateData: { IamInstanceProfile: { Name: 'nodes' } },
  }) as CreateLaunchTemplateRequest;
const A = 'karpenter.k8s.aws/a';
const B = 'karpenter.k8s.aws/b';

test('a template is created once, however many launches need it, and kept for the next ones', async () => {
  const { store, calls, state, open, turn } = someStore();
  state.slow = true;
  const leases = Promise.all([1, 2, 3].map(() => store.lease([template(A)], neverAborted())));
  await turn();
  open();
  for (const lease of await leases) lease.end();
  state.slow = false;
  (await store.lease([template(A)], neverAborted())).end();
  expect(calls).toEqual([`create ${A}`]);
});

test('a template that exists already is as good as a new one', async () => {
  const { store, calls } = someStore([A]);
  await store.lease([template(A)], neverAborted());
  await store.lease([template(A)], neverAborted());
  expect(calls).toEqual([`create ${A}`]);
});

test('a template that no launch uses for a minute is deleted, one that a launch leases is not', async () => {
  const { store, clock, names } = someStore();
  (await store.lease([template(A)], neverAborted())).end();
  const lease = await store.lease([template(B)], neverAborted());
  await clock.advance(61_000);
  expect(await store.deleteUnused(neverAborted())).toBe(1);
  expect([...names]).toEqual([B]);
  lease.end();
  await clock.advance(61_000);
  expect(await store.deleteUnused(neverAborted())).toBe(1);
  expect([...names]).toEqual([]);
});

test('templates of an earlier process are found on all pages, used, and deleted when none uses them', async () => {
  const { store, clock, names, calls } = someStore([A, B, 'of-somebody-else']);
  await store.hydrate(neverAborted());
  const lease = await store.lease([template(A)], neverAborted());
  expect(calls).toEqual(['describe', 'describe']);
  await clock.advance(61_000);
  await store.deleteUnused(neverAborted());
  expect([...names].sort()).toEqual([A, 'of-somebody-else']);
  lease.end();
});

test('a launch that needs a template while it is deleted waits, and creates it again', async () => {
  const { store, clock, names, calls, state, open, turn } = someStore();
  (await store.lease([template(A)], neverAborted())).end();
  await clock.advance(61_000);
  state.slow = true;
  const deleted = store.deleteUnused(neverAborted());
  await turn();
  const lease = store.lease([template(A)], neverAborted());
  await turn();
  state.slow = false;
  open();
  await deleted;
  await lease;
  expect(calls).toEqual([`create ${A}`, `delete ${A}`, `create ${A}`]);
  expect([...names]).toEqual([A]);
});

test('a template that a launch leases while another one is deleted stays, and its instance profile is in use', async () => {
  const { store, clock, names, state, open, turn } = someStore();
  (await store.lease([template(A), template(B)], neverAborted())).end();
  await clock.advance(61_000);
  state.slow = true;
  const deleted = store.deleteUnused(neverAborted());
  await turn();
  state.slow = false;
  const lease = await store.lease([template(B)], neverAborted());
  open();
  expect(await deleted).toBe(1);
  expect([...names]).toEqual([B]);
  expect([...store.profiles]).toEqual(['nodes']);
  lease.end();
});

test('a launch that needs a template while its class is deleted does not get one that EC2 deletes', async () => {
  const { store, names, state, open, turn } = someStore();
  (await store.lease([template(A)], neverAborted())).end();
  state.slow = true;
  const deleted = store.deleteOfClass('default', neverAborted());
  await turn();
  const leased = store.lease([template(A)], neverAborted());
  await turn();
  state.slow = false;
  open();
  await deleted;
  (await leased).end();
  expect([...names]).toEqual([A]);
});

test('a template that EC2 does not have after all is created again', async () => {
  const { store, names, calls } = someStore();
  const lease = await store.lease([template(A)], neverAborted());
  names.clear();
  store.missing(lease.names);
  await store.lease([template(A)], neverAborted());
  expect(calls).toEqual([`create ${A}`, `create ${A}`]);
});

test('a template that cannot be deleted is tried again later, and one that was deleted already is no failure', async () => {
  const { store, clock, names, state } = someStore();
  (await store.lease([template(A), template(B)], neverAborted())).end();
  await clock.advance(61_000);
  state.fail = new AwsError({ code: 'RequestLimitExceeded', message: '' });
  expect(await store.deleteUnused(neverAborted())).toBe(0);
  state.fail = undefined;
  names.delete(B);
  await clock.advance(61_000);
  expect(await store.deleteUnused(neverAborted())).toBe(2);
  expect([...names]).toEqual([]);
});

test('a failure to create is reported to every launch that waited, and not remembered', async () => {
  const { store, state, names } = someStore();
  state.fail = new AwsError({ code: 'UnauthorizedOperation', message: 'You are not authorized' });
  const results = await Promise.allSettled([1, 2].map(() => store.lease([template(A)], neverAborted())));
  expect(results.map((each) => each.status === 'rejected' && (each.reason as { kind: string }).kind)).toEqual(
    ['Unauthorized', 'Unauthorized'],
  );
  state.fail = undefined;
  await store.lease([template(A)], neverAborted());
  expect([...names]).toEqual([A]);
});

test('a launch that is aborted while it creates a template does not abort the others', async () => {
  const { store, state, open, turn, names } = someStore();
  state.slow = true;
  const controller = new AbortController();
  const reason = new Error('stopped');
  const aborted = store.lease([template(A)], controller.signal);
  const other = store.lease([template(A)], neverAborted());
  await turn();
  controller.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  state.slow = false;
  open();
  await other;
  expect([...names]).toEqual([A]);
});
