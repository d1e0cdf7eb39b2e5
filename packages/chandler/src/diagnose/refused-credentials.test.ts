/** Credentials that are not accepted, and events that may not be read, are told as what they are. */
import { fetchTransport, KubeClient } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { EvidenceSet, findCauses, unreadText } from '../causes/index.ts';
import { azureDiagnosis } from '../cloud/azure/index.ts';
import { causesOf } from './causes/index.ts';
import { gather } from './evidence/gather.ts';
import { podEvidence } from './evidence/pods.ts';
import { liveReader } from './live-reader.ts';

test('a 401 is not told as a missing permission', async () => {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Unauthorized', code: 401 };
  const answer = async () => Response.json({ ...body, message: 'Unauthorized' }, { status: 401 });
  const client = new KubeClient({ transport: fetchTransport(answer as typeof fetch) });
  const reader = liveReader({ client, clock: virtualWorld().clock });
  const gathered = await gather({ kind: 'nodepool', name: 'default' }, { reader, cloud: azureDiagnosis() });
  expect(gathered.state).toBe('unreadable');
  const { message } = gathered as { message: string };
  expect(message).toContain('the API server does not accept these credentials');
  expect(message).not.toContain('permission');
  expect(unreadText({ kind: 'node', what: 'Node a', why: 'forbidden', message: 'Unauthorized' })).toBe(
    'Node a: credentials not accepted (Unauthorized)',
  );
  expect(unreadText({ kind: 'node', what: 'Node a', why: 'forbidden', permission: 'get nodes' })).toBe(
    'Node a: forbidden; missing permission: get nodes',
  );
});

test('events that may not be read are not told as events that say nothing', () => {
  const recorder = {
    reading: (what: string) => ({ from: 'kubernetes', what, atMs: 600_000 }),
    atMs: 600_000,
  };
  const pod = podEvidence(
    { recorder } as never,
    {
      metadata: { name: 'web', namespace: 'shop', creationTimestamp: new Date(0).toISOString() },
      spec: { containers: [] },
      status: { phase: 'Pending' },
    } as never,
  );
  const unread = [{ kind: 'events', what: 'Events of Pod/shop/web', why: 'forbidden' }] as const;
  const tables = causesOf(azureDiagnosis());
  const [cause] = findCauses(tables, new EvidenceSet({ records: [pod], unread, atMs: 600_000 }));
  expect(cause).toMatchObject({
    id: 'scheduling.unexplained',
    title: expect.stringContaining('cannot be read'),
  });
  const [known] = findCauses(tables, new EvidenceSet({ records: [pod], unread: [], atMs: 600_000 }));
  expect(known?.summary).toContain('No plan, NodeClaim or event says why');
});
