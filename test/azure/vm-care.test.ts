import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject, NodeClaim } from '../../src/api/index.ts';
import type { Fetch } from '../../src/world.ts';
import {
  aClaim,
  inventory,
  NOTHING,
  removeMachine,
  settleMachine,
  setVmTags,
  type VmCloud,
  type VmCloudOptions,
  vmCloud,
} from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

async function azure(options: VmCloudOptions = {}): Promise<VmCloud> {
  open = await vmCloud(options);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function launched(fixture: VmCloud, name: string, changes: object = {}): Promise<NodeClaim> {
  const claim = aClaim(name, changes);
  const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
  const { providerID, annotations } = last.instance;
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...annotations } },
    status: { providerID },
  };
}

const reference = (claim: NodeClaim) => ({
  name: claim.metadata.name!,
  uid: claim.metadata.uid!,
  ...(claim.status?.providerID === undefined ? {} : { providerID: claim.status.providerID }),
});

describe('garbage', () => {
  test('machines, interfaces and disks without a claim are found and taken away, those with one stay', async () => {
    const fixture = await azure();
    const kept = await launched(fixture, 'kept');
    const alone = await launched(fixture, 'alone', { labels: {} });
    await launched(fixture, 'lost');
    await fixture.clock.advance(10 * 60_000);
    const { cloud } = fixture.startProcess();
    const orphans = await cloud.garbage.find([reference(kept), reference(alone)]);
    expect(orphans.map((orphan) => `${orphan.part} ${orphan.name}`)).toEqual(['vm aks-lost']);
    for (let steps = 0; steps < 20; steps++) {
      const step = await cloud.garbage.remove(orphans[0]!);
      if (step.state === 'gone') break;
      await fixture.clock.advance(step.retryAfterMs);
    }
    expect(inventory(fixture)).toMatchObject({
      vms: ['aks-alone', 'aks-kept'],
      nics: ['aks-alone', 'aks-kept'],
      disks: ['aks-alone', 'aks-kept'],
    });
  });

  test('a claim that people made and deleted by force leaves its machine to be found by its UID', async () => {
    const fixture = await azure();
    await launched(fixture, 'alone', { labels: {} });
    await fixture.clock.advance(10 * 60_000);
    const orphans = await fixture.startProcess().cloud.garbage.find([]);
    expect(orphans.map((orphan) => orphan.part)).toEqual(['vm']);
  });

  test('a NIC whose machine was never made is found', async () => {
    const fixture = await azure();
    const claim = aClaim('a');
    await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass() as KubeObject });
    await fixture.clock.advance(10 * 60_000);
    expect(inventory(fixture).nics).toEqual(['aks-a']);
    const { garbage } = fixture.startProcess().cloud;
    expect(await garbage.find([reference(claim)])).toEqual([]);
    const [orphan] = await garbage.find([]);
    expect(orphan).toMatchObject({ part: 'nic', name: 'aks-a' });
    await garbage.remove(orphan!);
    await fixture.clock.advance(10_000);
    expect(await garbage.remove(orphan!)).toEqual({ state: 'gone' });
    expect(inventory(fixture)).toEqual(NOTHING);
  });
});

describe('the list', () => {
  /** Changes what Resource Graph answers. */
  const graphWith =
    (inner: Fetch, change: (rows: object[]) => unknown): Fetch =>
    async (input, init) => {
      const answer = await inner(input, init);
      if (!String(input).includes('Microsoft.ResourceGraph')) return answer;
      const body = (await answer.json()) as { data: object[] };
      const text = JSON.stringify({ ...body, data: change(body.data) });
      return new Response(text, { status: answer.status, headers: { 'content-type': 'application/json' } });
    };

  test('leaves out a row that cannot be read, says so, and shows the others', async () => {
    const fixture = await azure();
    await launched(fixture, 'a');
    await fixture.clock.advance(10 * 60_000);
    const broken = [{ name: 'no-id', tags: {} }, { id: '/x', name: 'no-tags' }, null, 'text'];
    const { cloud } = fixture.startProcess(graphWith(fixture.fetch, (rows) => [...broken, ...rows]));
    expect((await cloud.list()).map((instance) => instance.name)).toEqual(['aks-a']);
    expect(fixture.lines.filter((line) => line.message.includes('cannot be read'))).toHaveLength(
      broken.length,
    );
  });

  test('that is no list is an answer that makes no sense, and not an empty fleet', async () => {
    const fixture = await azure();
    const { cloud } = fixture.startProcess(graphWith(fixture.fetch, () => ({})));
    await expect(cloud.list()).rejects.toMatchObject({ kind: 'Unreachable' });
  });

  test('follows the pages', async () => {
    const fixture = await azure();
    for (const name of ['a', 'b', 'c']) await launched(fixture, name);
    await fixture.clock.advance(10 * 60_000);
    const bodies: { options?: { skipToken?: string } }[] = [];
    const { cloud } = fixture.startProcess(async (input, init) => {
      if (!String(input).includes('Microsoft.ResourceGraph')) return fixture.fetch(input, init);
      const body = JSON.parse(String(init?.body)) as (typeof bodies)[number];
      bodies.push(body);
      const smaller = JSON.stringify({ ...body, options: { ...body.options, $top: 2 } });
      return fixture.fetch(input, { ...init, body: smaller });
    });
    expect((await cloud.list()).map((instance) => instance.name).sort()).toEqual(['aks-a', 'aks-b', 'aks-c']);
    expect(bodies.length).toBeGreaterThan(1);
  });

  test('never shows machines that AKS made, and never deletes one', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    await setVmTags(fixture, (tags) => ({ ...tags, 'karpenter.azure.com_aksmachine_nodeclaim': 'x' }));
    await fixture.clock.advance(10 * 60_000);
    const { cloud } = fixture.startProcess();
    expect(await cloud.list()).toEqual([]);
    await expect(cloud.get(claim.status!.providerID!)).rejects.toMatchObject({ reason: 'ManagedByAKS' });
    expect(await removeMachine(fixture, cloud, claim)).toBe(1);
    expect(inventory(fixture).vms).toEqual(['aks-a']);
    const ofAks = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'karpenter.azure.com/aks-machine-resource-id': '/m' } },
    };
    await expect(cloud.delete(ofAks)).rejects.toMatchObject({ reason: 'ManagedByAKS' });
  });
});

describe('an update in place', () => {
  const tagsOf = (fixture: VmCloud) =>
    [
      ...fixture.server.resources.vms(),
      ...fixture.server.resources.nics(),
      ...fixture.server.resources.extensions(),
    ].map((resource) => (resource.tags as Record<string, string>)['team']);
  const request = (fixture: VmCloud, claim: NodeClaim, tags: Record<string, string>) => ({
    claim,
    nodeClass: fixture.nodeClass({ tags }) as KubeObject,
  });

  test('of a machine that is as it should be costs nothing', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    const before = fixture.server.resources.totalCalls;
    expect(await fixture.cloud.updateInPlace(request(fixture, claim, {}))).toMatchObject({ state: 'same' });
    expect(fixture.server.resources.totalCalls).toBe(before);
  });

  test('brings new tags onto machine, interface and extension, and is done when Azure shows them', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    const wish = request(fixture, claim, { team: 'payments' });
    expect(await fixture.cloud.updateInPlace(wish)).toMatchObject({ state: 'patched' });
    await fixture.clock.advance(10_000);
    expect(tagsOf(fixture)).toEqual(['payments', 'payments', 'payments']);
    const done = await fixture.cloud.updateInPlace(wish);
    expect(done.state).toBe('checked');
    if (done.state === 'patched') return;
    const marked = { ...claim, metadata: { ...claim.metadata, annotations: { ...done.annotations } } };
    expect(await fixture.cloud.updateInPlace(request(fixture, marked, { team: 'payments' }))).toMatchObject({
      state: 'same',
    });
    expect(await fixture.cloud.updateInPlace(request(fixture, marked, {}))).toMatchObject({
      state: 'patched',
    });
    await fixture.clock.advance(10_000);
    expect(tagsOf(fixture), 'a tag that is no longer wanted').toEqual([undefined, undefined, undefined]);
  });

  test('does not believe the hash of somebody else, looks, and patches nothing that is right', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    const adopted = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'karpenter.azure.com/in-place-update-hash': '1' } },
    };
    const before = fixture.server.resources.totalCalls;
    expect(await fixture.cloud.updateInPlace(request(fixture, adopted, {}))).toMatchObject({
      state: 'checked',
    });
    const calls = fixture.server.resources.calls().slice(before);
    expect(calls.map((call) => call.method)).toEqual(['GET']);
  });
});
