import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  aClaim,
  inventory,
  NOTHING,
  removeVm,
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

async function launched(fixture: VmCloud, name: string, changes: object = {}): Promise<Stored<NodeClaim>> {
  const claim = aClaim(name, changes);
  const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
  const { providerID, annotations } = last.instance;
  return {
    ...claim,
    metadata: { ...claim.metadata, annotations: { ...annotations } },
    status: { providerID },
  };
}

const reference = (claim: Stored<NodeClaim>) => ({
  name: claim.metadata.name!,
  uid: claim.metadata.uid!,
  ...(claim.status?.providerID === undefined ? {} : { providerID: claim.status.providerID }),
});

describe('garbage', () => {
  test('VMs, interfaces and disks without a claim are found and deleted, those with one stay', async () => {
    const fixture = await azure();
    const kept = await launched(fixture, 'kept');
    const alone = await launched(fixture, 'alone', { labels: {} });
    await launched(fixture, 'lost');
    await fixture.clock.advance(10 * 60_000);
    const { cloud } = fixture.startProcess();
    const orphans = await cloud.garbage.find([reference(kept), reference(alone)], neverAborted());
    expect(orphans.map((orphan) => `${orphan.part} ${orphan.name}`)).toEqual(['vm aks-lost']);
    for (let steps = 0; steps < 20; steps++) {
      const step = await cloud.garbage.remove(orphans[0]!, neverAborted());
      if (step.state === 'gone') break;
      await fixture.clock.advance(step.retryAfterMs);
    }
    expect(inventory(fixture)).toMatchObject({
      vms: ['aks-alone', 'aks-kept'],
      nics: ['aks-alone', 'aks-kept'],
      disks: ['aks-alone', 'aks-kept'],
    });
  });

  test('the VM of a claim that a user created and deleted by force is found by its UID', async () => {
    const fixture = await azure();
    await launched(fixture, 'alone', { labels: {} });
    await fixture.clock.advance(10 * 60_000);
    const orphans = await fixture.startProcess().cloud.garbage.find([], neverAborted());
    expect(orphans.map((orphan) => orphan.part)).toEqual(['vm']);
  });

  test('a NIC without a VM is found', async () => {
    const fixture = await azure();
    const claim = aClaim('a');
    await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass() }, neverAborted());
    await fixture.clock.advance(10 * 60_000);
    expect(inventory(fixture).nics).toEqual(['aks-a']);
    const { garbage } = fixture.startProcess().cloud;
    expect(await garbage.find([reference(claim)], neverAborted())).toEqual([]);
    const [orphan] = await garbage.find([], neverAborted());
    expect(orphan).toMatchObject({ part: 'nic', name: 'aks-a' });
    await garbage.remove(orphan!, neverAborted());
    await fixture.clock.advance(10_000);
    expect(await garbage.remove(orphan!, neverAborted())).toEqual({ state: 'gone' });
    expect(inventory(fixture)).toEqual(NOTHING);
  });
});

describe('the list', () => {
  interface GraphAnswer {
    readonly data: readonly object[];
    readonly totalRecords?: number;
  }

  /** Changes what Resource Graph answers. */
  const graphWith =
    (inner: Fetch, change: (answer: GraphAnswer) => object): Fetch =>
    async (input, init) => {
      const answer = await inner(input, init);
      if (!String(input).includes('Microsoft.ResourceGraph')) return answer;
      const body = (await answer.json()) as GraphAnswer;
      const text = JSON.stringify({ ...body, ...change(body) });
      return new Response(text, { status: answer.status, headers: { 'content-type': 'application/json' } });
    };

  test.each([
    ['has no id', { name: 'no-id', tags: {} }],
    ['has no tags', { id: '/x', name: 'no-tags' }],
    ['is nothing', null],
    ['is text', 'text'],
  ])(
    'with a row that %s is not whole: the row is logged, and nothing is decided by the rest',
    async (_, broken) => {
      const fixture = await azure();
      for (const name of ['a', 'b']) await launched(fixture, name);
      await fixture.clock.advance(10 * 60_000);
      const { cloud } = fixture.startProcess(
        graphWith(fixture.fetch, ({ data }) => ({ data: [broken, ...data.slice(1)] })),
      );
      await expect(cloud.list(neverAborted())).rejects.toMatchObject({ kind: 'Unreachable' });
      expect(fixture.lines.filter((line) => line.message.includes('invalid row'))).toHaveLength(1);
    },
  );

  test.each<[string, (answer: GraphAnswer) => object]>([
    ['of which rows are missing', ({ data }) => ({ data: data.slice(1) })],
    ['that shows a row twice and another not at all', ({ data }) => ({ data: [data[0], data[0]] })],
    ['that Azure has cut', () => ({ resultTruncated: 'true' })],
    ['that does not say how long it is', () => ({ totalRecords: undefined })],
  ])('%s is not the fleet: no VM counts as gone because of it', async (_, change) => {
    const fixture = await azure();
    for (const name of ['a', 'b']) await launched(fixture, name);
    await fixture.clock.advance(10 * 60_000);
    const { cloud } = fixture.startProcess(graphWith(fixture.fetch, change));
    await expect(cloud.list(neverAborted())).rejects.toMatchObject({ kind: 'Unreachable' });
    await expect(cloud.garbage.find([], neverAborted())).rejects.toMatchObject({ kind: 'Unreachable' });
  });

  test('leaves out the VMs of another cluster in the same resource group, which are not garbage either', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    await fixture.clock.advance(10 * 60_000);
    const named = (cluster: string) =>
      setVmTags(fixture, (tags) => ({ ...tags, 'karpenter.azure.com_cluster': cluster }));
    const found = async () => {
      await fixture.clock.advance(10 * 60_000);
      const { cloud } = fixture.startProcess();
      const [listed, orphans] = [
        await cloud.list(neverAborted()),
        await cloud.garbage.find([], neverAborted()),
      ];
      return { listed: listed.map(({ name }) => name), orphans: orphans.map(({ name }) => name) };
    };
    await named(fixture.server.settings.clusterName.toUpperCase());
    expect(await found()).toEqual({ listed: ['aks-a'], orphans: ['aks-a'] });
    await named('somebody-else');
    expect(await found()).toEqual({ listed: [], orphans: [] });
    expect(fixture.lines.filter(({ message }) => message.includes('another cluster'))).toHaveLength(1);
    const { cloud } = fixture.startProcess();
    expect(
      await cloud.get(claim.status!.providerID!, neverAborted()),
      'who knows it still finds it',
    ).toMatchObject({
      name: 'aks-a',
    });
  });

  test('that is not a list is an invalid answer, not an empty fleet', async () => {
    const fixture = await azure();
    const { cloud } = fixture.startProcess(graphWith(fixture.fetch, () => ({ data: {} })));
    await expect(cloud.list(neverAborted())).rejects.toMatchObject({ kind: 'Unreachable' });
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
    expect((await cloud.list(neverAborted())).map((instance) => instance.name).sort()).toEqual([
      'aks-a',
      'aks-b',
      'aks-c',
    ]);
    expect(bodies.length).toBeGreaterThan(1);
  });

  test('never shows VMs that AKS made, and never deletes one', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    await setVmTags(fixture, (tags) => ({ ...tags, 'karpenter.azure.com_aksmachine_nodeclaim': 'x' }));
    await fixture.clock.advance(10 * 60_000);
    const { cloud } = fixture.startProcess();
    expect(await cloud.list(neverAborted())).toEqual([]);
    await expect(cloud.get(claim.status!.providerID!, neverAborted())).rejects.toMatchObject({
      reason: 'ManagedByAKS',
    });
    expect(await removeVm(fixture, cloud, claim)).toBe(1);
    expect(inventory(fixture).vms).toEqual(['aks-a']);
    const ofAks = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'karpenter.azure.com/aks-machine-resource-id': '/m' } },
    };
    await expect(cloud.delete(ofAks, neverAborted())).rejects.toMatchObject({ reason: 'ManagedByAKS' });
  });
});

describe('an update in place', () => {
  const tagsOf = (fixture: VmCloud, name = 'team') =>
    [
      ...fixture.server.resources.vms(),
      ...fixture.server.resources.nics(),
      ...fixture.server.resources.extensions(),
    ].map((resource) => (resource.tags as Record<string, string>)[name]);
  const request = (fixture: VmCloud, claim: Stored<NodeClaim>, tags: Record<string, string>) => ({
    claim,
    nodeClass: fixture.nodeClass({ tags }),
  });

  /** Steps until it is done. */
  async function updated(fixture: VmCloud, update: ReturnType<typeof request>) {
    for (let steps = 1; steps < 20; steps++) {
      const done = await fixture.cloud.updateInPlace(update, neverAborted());
      if (done.state !== 'patched') return { steps, done };
      await fixture.clock.advance(done.retryAfterMs);
    }
    throw new Error('the update does not end');
  }

  test('of a VM that is as it should be costs nothing', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    const before = fixture.server.resources.totalCalls;
    expect(await fixture.cloud.updateInPlace(request(fixture, claim, {}), neverAborted())).toMatchObject({
      state: 'same',
    });
    expect(fixture.server.resources.totalCalls).toBe(before);
  });

  test('sets new tags on VM, interface and extension, and is done when Azure shows them', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    const update = request(fixture, claim, { team: 'payments' });
    const { steps, done } = await updated(fixture, update);
    // Azure refuses a write of the VM while one of its extensions is being written.
    expect(steps).toBe(3);
    expect(tagsOf(fixture)).toEqual(['payments', 'payments', 'payments']);
    const marked = { ...claim, metadata: { ...claim.metadata, annotations: { ...done.annotations } } };
    expect(
      await fixture.cloud.updateInPlace(request(fixture, marked, { team: 'payments' }), neverAborted()),
    ).toMatchObject({
      state: 'same',
    });
    await updated(fixture, request(fixture, marked, {}));
    expect(tagsOf(fixture), 'a tag that is no longer wanted').toEqual([undefined, undefined, undefined]);
  });

  test('is done although a policy adds a tag to every extension that is written', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    for (const extension of fixture.server.resources.extensions())
      (extension as { tags?: Record<string, string> }).tags = {
        ...extension.tags,
        costCenter: 'added by a policy',
      };
    const { steps } = await updated(fixture, request(fixture, claim, { team: 'payments' }));
    expect(steps).toBe(3);
    expect(tagsOf(fixture)).toEqual(['payments', 'payments', 'payments']);
    expect(fixture.server.resources.extensions().map(({ tags }) => tags?.['costCenter'])).toContain(
      'added by a policy',
    );
  });

  test('ends although a policy replaces the value of a tag, and the log names it once', async () => {
    const fixture = await azure({ mode: 'bootstrappingclient' });
    const claim = await launched(fixture, 'a');
    fixture.server.faults.add('retag=team:central');
    const before = fixture.server.resources.totalCalls;
    const update = request(fixture, claim, { team: 'payments', stage: 'test' });
    const { done } = await updated(fixture, update);
    const writes = fixture.server.resources
      .calls()
      .slice(before)
      .filter(({ method }) => method === 'PATCH');
    expect(writes.map(({ path }) => path.split('/').at(-2))).toEqual([
      'extensions',
      'extensions',
      'networkInterfaces',
      'virtualMachines',
    ]);
    expect(new Set(tagsOf(fixture))).toEqual(new Set(['central']));
    expect(new Set(tagsOf(fixture, 'stage'))).toEqual(new Set(['test']));
    const replaced = fixture.lines.filter(({ message }) => message === 'Azure replaces tags of a VM');
    expect(replaced.map(({ fields }) => fields)).toMatchObject([{ vm: 'aks-a', tags: ['team'] }]);
    const marked = { ...claim, metadata: { ...claim.metadata, annotations: { ...done.annotations } } };
    expect(await fixture.cloud.updateInPlace({ ...update, claim: marked }, neverAborted())).toMatchObject({
      state: 'same',
    });
  });

  test('after one that a policy changed sends the next goal again', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    fixture.server.faults.add('retag=team:central');
    const { done } = await updated(fixture, request(fixture, claim, { team: 'payments' }));
    fixture.server.faults.clear();
    const marked = { ...claim, metadata: { ...claim.metadata, annotations: { ...done.annotations } } };
    await updated(fixture, request(fixture, marked, { team: 'search' }));
    expect(tagsOf(fixture)).toEqual(['search', 'search', 'search']);
  });

  test('leaves the tags that others put on the interface alone', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    const [nic] = fixture.server.resources.nics();
    fixture.server.context.store.put({ ...nic!, tags: { ...nic!.tags, owner: 'network-team' } });
    await updated(fixture, request(fixture, claim, { team: 'payments' }));
    expect(fixture.server.resources.nics()[0]!.tags).toMatchObject({
      owner: 'network-team',
      team: 'payments',
    });
  });

  test('does not trust a hash that another controller wrote: it reads the VM and patches only what differs', async () => {
    const fixture = await azure();
    const claim = await launched(fixture, 'a');
    const adopted = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'karpenter.azure.com/in-place-update-hash': '1' } },
    };
    const before = fixture.server.resources.totalCalls;
    expect(await fixture.cloud.updateInPlace(request(fixture, adopted, {}), neverAborted())).toMatchObject({
      state: 'checked',
    });
    const calls = fixture.server.resources.calls().slice(before);
    expect(calls.map((call) => call.method)).toEqual(['GET']);
  });
});
