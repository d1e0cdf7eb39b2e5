/** Launch records as annotations of claims, in an API server of this process. */
import { ADMIN, type ApiServer, startApiServer } from '@chandler/apiserver';
import { fetchTransport, KubeClient, type KubeObject, type Stored } from '@chandler/kube';
import { neverAborted, virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { builtinCrds, NODE_CLAIMS, type NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { KubeLaunchRecords, LAUNCH_RECORD_ANNOTATION } from '../../packages/chandler/src/cloud/aws/index.ts';
import { inTime } from './claims.fixture.ts';

const world = virtualWorld();
let server: ApiServer;
let client: KubeClient;
let store: Stored<NodeClaim>[];

beforeEach(async () => {
  const initialObjects = builtinCrds() as unknown as readonly KubeObject[];
  server = await startApiServer({ world, initialObjects, collector: false });
  client = new KubeClient({ transport: fetchTransport(server.fetchAs(ADMIN)) });
  store = [];
});

afterEach(() => server.close());

const process = () =>
  new KubeLaunchRecords({ client: () => client, claims: () => ({ values: () => store }) });
const timed = <T>(work: Promise<T>) => inTime(world, work);

function createClaim(name: string): Promise<Stored<NodeClaim>> {
  const claim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [],
    },
  };
  return timed(client.create(NODE_CLAIMS, claim as never));
}

const readClaim = (name: string) => timed(client.get(NODE_CLAIMS, { name }));

test('a record is on the claim before anything is launched, and the next process reads it', async () => {
  const claim = await createClaim('a');
  const records = process();
  expect(records.textOf(claim)).toBeUndefined();
  await timed(records.keep(claim, 'token-1 1 0 0', neverAborted()));
  // The claim that the caller has is the one it read before.
  await timed(records.keep(claim, 'token-2 3 1 0', neverAborted()));
  expect(records.textOf(claim)).toBe('token-2 3 1 0');
  const stored = await readClaim('a');
  expect(stored.metadata.annotations).toMatchObject({ [LAUNCH_RECORD_ANNOTATION]: 'token-2 3 1 0' });
  expect(process().textOf(stored)).toBe('token-2 3 1 0');
});

test('a claim that others have changed meanwhile gets its record at once', async () => {
  const claim = await createClaim('a');
  const patch = { metadata: { labels: { team: 'a' } } };
  await timed(client.patch(NODE_CLAIMS, { name: 'a' }, { type: 'merge', patch }));
  await timed(process().keep(claim, 'token 1 0 0', neverAborted()));
  expect(process().textOf(await readClaim('a'))).toBe('token 1 0 0');
});

test('a process that lost its lease does not replace the record of its successor', async () => {
  const claim = await createClaim('a');
  const [old, next] = [process(), process()];
  await timed(next.keep(claim, 'of-next 1 0 0', neverAborted()));
  await expect(timed(old.keep(claim, 'of-old 1 0 0', neverAborted()))).rejects.toMatchObject({
    kind: 'conflict',
  });
  const stored = await readClaim('a');
  expect(old.textOf(stored)).toBe('of-next 1 0 0');
});

test('a record that this process wrote long ago does not hide what another one wrote since', async () => {
  const claim = await createClaim('a');
  const [one, other] = [process(), process()];
  await timed(one.keep(claim, 'of-one 1 0 0', neverAborted()));
  await timed(other.keep(await readClaim('a'), 'of-other 1 0 1', neverAborted()));
  expect(one.textOf(await readClaim('a'))).toBe('of-other 1 0 1');
});

test('a claim that was created again under its name gets no record of the first one', async () => {
  const claim = await createClaim('a');
  await timed(client.delete(NODE_CLAIMS, { name: 'a' }));
  await createClaim('a');
  await expect(timed(process().keep(claim, 'token 1 0 0', neverAborted()))).rejects.toThrow();
  expect((await readClaim('a')).metadata.annotations ?? {}).toEqual({});
});

test('claims with a record and without an instance are pending, the others name theirs', async () => {
  const [a, b] = [await createClaim('a'), await createClaim('b')];
  const records = process();
  for (const claim of [a, b])
    await timed(records.keep(claim, `token-${claim.metadata.name} 1 0 0`, neverAborted()));
  store = [a, { ...b, status: { providerID: 'aws:///us-west-2a/i-1' } }, await createClaim('c')];
  expect([...records.pending()].map(({ metadata }) => metadata.name)).toEqual(['a']);
  expect(records.ownerOf('aws:///us-west-2a/i-1')?.metadata.name).toBe('b');
  expect(records.ownerOf('aws:///us-west-2a/i-2')).toBeUndefined();
});
