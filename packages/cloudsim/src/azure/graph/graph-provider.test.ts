import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COMPUTE, type TestArm, testArm } from '../arm-server.fixture.ts';
import { runQuery } from './evaluate.ts';
import { parseQuery } from './kql.ts';
import { QueryError } from './kql-tokens.ts';

const ask = ({ call }: TestArm, query: string, options?: Record<string, unknown>) =>
  call('POST', '/providers/Microsoft.ResourceGraph/resources', { query, options }, { version: '2024-04-01' });

const vmQuery = ({ server }: TestArm) =>
  `Resources | where type == 'microsoft.compute/virtualmachines' | where resourceGroup == '${server.settings.nodeResourceGroup.toLowerCase()}' | where tags has_cs 'karpenter.sh_nodepool' | where not(tags has_cs 'karpenter.azure.com_aksmachine_nodeclaim')`;

const names = (called: Awaited<ReturnType<typeof ask>>) =>
  called.json['data']!.map((row) => String(row['name']));

describe('the resource graph', () => {
  test('answers the query that lists the VMs of the controller', async () => {
    const azure = await testArm({ latencies: { graphLagMs: 0 } });
    await azure.launch('aks-ours');
    await azure.launch('aks-other', { tags: { team: 'x' } });
    await azure.launch('aks-machine', {
      tags: { 'karpenter.sh_nodepool': 'a', 'karpenter.azure.com_aksmachine_nodeclaim': 'b' },
    });
    const called = await ask(azure, vmQuery(azure), { resultFormat: 'objectArray' });
    expect(names(called)).toEqual(['aks-ours']);
    const [row] = called.json['data']!;
    expect(row).toMatchObject({
      type: 'microsoft.compute/virtualmachines',
      resourceGroup: azure.server.settings.nodeResourceGroup.toLowerCase(),
      tags: { 'karpenter.sh_nodepool': 'default' },
      zones: ['1'],
    });
    expect(String(row!['id'])).toContain(azure.server.settings.nodeResourceGroup);
  });

  test('lags behind, for created and for deleted resources', async () => {
    const azure = await testArm({ latencies: { graphLagMs: 10_000 } });
    await azure.launch('aks-a');
    expect(names(await ask(azure, vmQuery(azure)))).toEqual([]);
    await azure.advance(10_000);
    expect(names(await ask(azure, vmQuery(azure)))).toEqual(['aks-a']);
    await azure.call('DELETE', `${COMPUTE}/virtualMachines/aks-a`);
    await azure.advance(1000);
    expect(names(await ask(azure, vmQuery(azure)))).toEqual(['aks-a']);
    await azure.advance(10_000);
    expect(names(await ask(azure, vmQuery(azure)))).toEqual([]);
  });

  test('with the fault graph-pages returns short pages, in an order only if the query sorts', async () => {
    const azure = await testArm({ latencies: { graphLagMs: 0 } });
    const launched = ['aks-a', 'aks-b', 'aks-c', 'aks-d', 'aks-e'];
    for (const name of launched) await azure.launch(name);
    azure.server.faults.add('graph-pages');
    const readAll = async (query: string) => {
      const found: string[][] = [];
      for (let token: unknown; found.length === 0 || token !== undefined; ) {
        const page = await ask(azure, query, token === undefined ? {} : { $skipToken: token });
        found.push(names(page));
        token = page.json['$skipToken'];
      }
      return found;
    };
    const sorted = await readAll(`${vmQuery(azure)} | order by id asc`);
    expect(sorted).toEqual([['aks-a', 'aks-b'], ['aks-c', 'aks-d'], ['aks-e']]);
    const orders = new Set<string>();
    for (let time = 0; time < 10; time++) orders.add((await readAll(vmQuery(azure))).flat().join());
    expect(orders.size).toBeGreaterThan(1);
  });

  test('returns pages that are linked by a token', async () => {
    const azure = await testArm({ latencies: { graphLagMs: 0 } });
    for (const name of ['aks-c', 'aks-a', 'aks-b']) await azure.launch(name);
    const first = await ask(azure, vmQuery(azure), { $top: 2 });
    expect([names(first), first.json['totalRecords'], first.json['count']]).toEqual([
      ['aks-a', 'aks-b'],
      3,
      2,
    ]);
    const second = await ask(azure, vmQuery(azure), { $top: 2, $skipToken: first.json['$skipToken'] });
    expect([names(second), second.json['$skipToken']]).toEqual([['aks-c'], undefined]);
    const wrong = await ask(azure, vmQuery(azure), { $skipToken: 'x' });
    expect(wrong.error.details?.[0]?.code).toBe('InvalidSkipToken');
  });

  test('returns only what the caller may read', async () => {
    const azure = await testArm({ latencies: { graphLagMs: 0 }, actions: ['Microsoft.Network/*'] });
    await azure.nic('aks-a');
    const called = await ask(azure, 'Resources | distinct type');
    expect(
      called.json['data']!.map((row) => String(row['type'])).every((type) =>
        type.startsWith('microsoft.network/'),
      ),
    ).toBe(true);
  });

  test.each([
    ['', 'InvalidParameter'],
    ['Toasters', 'BadRequest'],
    ['Resources | where', 'BadRequest'],
    ['Resources | fry name', 'BadRequest'],
    ["Resources | where name = 'a'", 'BadRequest'],
    ["Resources | where name == 'a", 'BadRequest'],
    ['Resources | where explode(name)', 'BadRequest'],
    ['Resources | where (name == 1', 'BadRequest'],
  ])('rejects the query %j with %s', async (query, code) => {
    const refused = await ask(await testArm(), query);
    expect([refused.status, refused.error.code]).toEqual([400, code]);
    if (code === 'BadRequest')
      expect(refused.error.details?.map((one) => one.code)).toEqual(['InvalidQuery', 'ParserFailure']);
  });
});

describe('the query language', () => {
  const rows = [
    { name: 'a', n: 1, tags: { 'karpenter.sh_nodepool': 'default' }, properties: { size: { name: 'D4' } } },
    { name: 'B', n: 2, tags: { xkarpenter: '1' }, properties: {} },
    { name: 'c', n: 3, tags: null, properties: { list: [1, 2] } },
  ];
  const found = (query: string) =>
    runQuery(parseQuery(`Resources | ${query}`), rows).map((row) => row['name'] ?? row);

  test.each([
    ["where name == 'b'", []],
    ["where name =~ 'b'", ['B']],
    ["where name !~ 'b'", ['a', 'c']],
    ["where name in~ ('A', 'b')", ['a', 'B']],
    ["where name !in ('a')", ['B', 'c']],
    ["where tags has_cs 'karpenter.sh_nodepool'", ['a']],
    ["where tags has 'NODEPOOL'", ['a']],
    ["where tags has 'karpenter'", ['a']],
    ["where tags contains 'karpenter'", ['a', 'B']],
    ["where tags['karpenter.sh_nodepool'] == 'default'", ['a']],
    ['where isnotempty(tags)', ['a', 'B']],
    ["where properties.size.name startswith 'd'", ['a']],
    ['where n >= 2 and n < 3 or n == 1', ['a', 'B']],
    ['where not(n == 1) and (n == 2 or n == 3)', ['B', 'c']],
    ["where tolower(name) == 'b'", ['B']],
    ['where properties.list[1] == 2', ['c']],
    ['order by n desc | take 2', ['c', 'B']],
    ['extend up = toupper(name) | project name = up', ['A', 'B', 'C']],
    ['count', [{ Count: 3 }]],
    ['project n | limit 1', [{ n: 1 }]],
    ["// a comment\nwhere name == @'a'", ['a']],
  ])('%s', (query, expected) => expect(found(query)).toEqual(expected));

  test('any text is either a query or rejected with a position', () => {
    const words = fc.constantFrom(
      'Resources',
      '|',
      'where',
      'not',
      '(',
      ')',
      "'a'",
      'tags',
      '.',
      '[',
      ']',
      '==',
      'has',
      'and',
      ',',
      '1',
      'in',
      '~',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(words).map((list) => list.join(' ')),
        ),
        (text) => {
          try {
            runQuery(parseQuery(text), rows);
          } catch (error) {
            expect(error).toBeInstanceOf(QueryError);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
