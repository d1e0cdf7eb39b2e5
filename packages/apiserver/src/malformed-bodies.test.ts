import { beforeEach, describe, expect, test } from 'vitest';
import { CONFIG_MAPS, PODS, type SmallServer, smallServer } from './rest/small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const THINGS = '/apis/b.io/v1/namespaces/default/things';
const JSON_PATCH = { 'content-type': 'application/json-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const YAML = { 'content-type': 'application/yaml' };

/** `spec` is the schema of the field, as JSON text: object literals would not keep `__proto__`. */
async function define(spec: string, version = ''): Promise<void> {
  const { code, body } = await api.ask(
    `POST ${CRDS}`,
    `{"metadata":{"name":"things.b.io"},"spec":{"group":"b.io","scope":"Namespaced",
      "names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,"storage":true${version},
      "schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":${spec}}}}}]}}`,
  );
  expect(code, body.message).toBe(201);
}

const aThing = (spec: string, name = 'a') =>
  `{"apiVersion":"b.io/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`;

const ANYTHING = '{"type":"object","x-kubernetes-preserve-unknown-fields":true}';

describe('names with a meaning in JavaScript', () => {
  test('are ordinary fields in every operation', async () => {
    await define(ANYTHING);
    const spec = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":3}';
    expect((await api.ask(`POST ${THINGS}`, aThing(spec))).code).toBe(201);
    const merged = await api.ask(`PATCH ${THINGS}/a`, '{"spec":{"__proto__":{"c":3},"valueOf":4}}');
    expect(JSON.stringify(merged.body['spec'])).toBe(
      '{"__proto__":{"a":1,"c":3},"constructor":{"prototype":{"b":2}},"toString":3,"valueOf":4}',
    );
    const applied = await api.ask(
      `PATCH ${THINGS}/a?fieldManager=m&force=true`,
      aThing('{"__proto__":{"q":1},"constructor":"s"}'),
      APPLY,
    );
    expect(JSON.stringify(applied.body['spec'])).toBe(
      '{"__proto__":{"a":1,"c":3,"q":1},"constructor":"s","toString":3,"valueOf":4}',
    );
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });

  test('are defaulted, keyed and seen by rules only where an object has them', async () => {
    await define(`{"type":"object","properties":{
      "constructor":{"type":"string"},
      "d":{"type":"object","default":{},"properties":{"__proto__":{"type":"integer","default":3}}},
      "l":{"type":"array","maxItems":5,"x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["constructor"],
        "items":{"type":"object","required":["constructor"],"properties":{"constructor":{"type":"string"}}}}},
      "x-kubernetes-validations":[{"rule":"!has(self.constructor) || self.constructor != 'bad'","message":"no bad"}]}`);
    const plain = await api.ask(`POST ${THINGS}`, aThing('{}'));
    expect(plain.code).toBe(201);
    expect(JSON.stringify(plain.body['spec'])).toBe('{"d":{"__proto__":3}}');
    const bad = await api.ask(`POST ${THINGS}`, aThing('{"constructor":"bad"}', 'b'));
    expect(bad.body.message).toContain('no bad');
    const keyless = await api.ask(`POST ${THINGS}`, aThing('{"l":[{}]}', 'c'));
    expect(keyless.body.message).toContain('spec.l[0].constructor: Required value');
  });

  test('do not reach the prototype through the path of a scale', async () => {
    const scale = (path: string) =>
      `,"subresources":{"scale":{"specReplicasPath":"${path}","statusReplicasPath":".status.replicas"}}`;
    for (const path of ['.spec.__proto__.polluted', '.spec.constructor.prototype.polluted']) {
      await define(ANYTHING, scale(path));
      await api.ask(`POST ${THINGS}`, aThing('{}'));
      const body = { metadata: { name: 'a' }, spec: { replicas: 7 } };
      const scaled = await api.ask(`PUT ${THINGS}/a/scale`, body);
      expect(scaled.body['spec']).toEqual({ replicas: 7 });
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      await api.ask(`DELETE ${CRDS}/things.b.io`);
    }
  });

  test('are not accepted as an operation, a type of Secret or a known priority class', async () => {
    await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'a' } });
    const patched = await api.ask(`PATCH ${CONFIG_MAPS}/a`, [{ op: 'constructor', path: '/x' }], JSON_PATCH);
    expect(patched.code).toBe(422);
    const secret = '{"metadata":{"name":"s"},"type":"__proto__","stringData":{"__proto__":"x"}}';
    const made = await api.ask('POST /api/v1/namespaces/default/secrets', secret);
    expect(made.code).toBe(201);
    expect(JSON.stringify(made.body['data'])).toBe('{"__proto__":"eA=="}');
    const priority = { metadata: { name: 'constructor' }, value: 5 };
    expect((await api.ask('POST /apis/scheduling.k8s.io/v1/priorityclasses', priority)).code).toBe(201);
  });
});

describe('bodies that expand', () => {
  test('warn about unknown fields within the limit of headers', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`odd${index}`, 1]));
    const { code, headers } = await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'a' }, ...unknown });
    expect(code).toBe(201);
    expect(headers.get('warning')!.length).toBeLessThan(6000);
    expect(headers.get('warning')).toContain('unknown field \\"odd0\\"');
  });

  test('copy no more than three megabytes by a JSON patch', async () => {
    await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'a' }, data: { k: 'x'.repeat(1000) } });
    const doubling = Array.from({ length: 40 }, (_, at) => ({
      op: 'copy',
      from: '/data',
      path: `/data/c${at}`,
    }));
    const { code, body } = await api.ask(`PATCH ${CONFIG_MAPS}/a`, doubling, JSON_PATCH);
    expect([code, body.reason]).toEqual([422, 'Invalid']);
  });

  test('are not stored when they are larger than what etcd takes', async () => {
    const env = Array.from({ length: 6 }, (_, index) => ({ name: `E${index}`, value: 'x'.repeat(300_000) }));
    const spec = { containers: [{ name: 'a', image: 'i', env }] };
    const { code, body } = await api.ask(`POST ${PODS}`, { metadata: { name: 'a' }, spec });
    expect([code, body.message]).toEqual([500, 'etcdserver: request is too large']);
    expect((await api.ask(`GET ${PODS}/a`)).code).toBe(404);
  });

  test('are read in time when their lists are long', async () => {
    const finalizers = Array.from({ length: 50_000 }, (_, index) => `a.io/f${index}`);
    const ownerReferences = Array.from({ length: 10_000 }, (_, index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `p${index}`,
      uid: `u${index}`,
    }));
    const metadata = { name: 'a', finalizers, ownerReferences };
    const { code } = await api.ask(`POST ${CONFIG_MAPS}?dryRun=All`, { metadata });
    expect(code).toBe(201);
    await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { name: 'a' } });
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    const order = { '$setElementOrder/finalizers': finalizers, finalizers: [...finalizers].reverse() };
    const reordered = await api.ask(
      `PATCH ${CONFIG_MAPS}/a?dryRun=All`,
      { metadata: { finalizers } },
      strategic,
    );
    expect(reordered.body.metadata.finalizers).toEqual(finalizers);
    const contradicting = await api.ask(`PATCH ${CONFIG_MAPS}/a?dryRun=All`, { metadata: order }, strategic);
    expect(contradicting.code).toBe(500);
  });

  test('have a maximum depth, and store nothing that cannot be returned', async () => {
    await define(ANYTHING);
    const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    for (const depth of [1500, 9000]) {
      expect((await api.ask(`POST ${THINGS}`, aThing(nested(depth)))).code).toBe(400);
    }
    expect((await api.ask(`POST ${THINGS}`, aThing(nested(500)))).code).toBe(201);
    const deeper = await api.ask(`PATCH ${THINGS}/a`, `{"spec":{"b":${nested(9000)}}}`);
    expect([deeper.code, deeper.body.reason]).toEqual([400, 'BadRequest']);
    const tooDeep = await api.ask(`PATCH ${THINGS}/a`, nested(20_000));
    expect(tooDeep.body.message).toBe("error decoding patch: invalid character '{' exceeded max depth");
    expect((await api.ask(`GET ${THINGS}`)).body.items).toHaveLength(1);
    expect(api.world.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('rules and patterns', () => {
  test('cannot block the server', async () => {
    await define(`{"type":"object","properties":{
      "s":{"type":"string","pattern":"^(a+)+$"},
      "l":{"type":"array","items":{"type":"string"}}},
      "x-kubernetes-validations":[{"rule":"self.l.all(x, self.l.all(y, self.l.all(z, x != y + z)))"},{"rule":"false"}]}`);
    const l = Array.from({ length: 1000 }, (_, index) => `v${index}`);
    const slow = await api.ask(`POST ${THINGS}`, aThing(JSON.stringify({ l })));
    expect(slow.body.details?.causes).toEqual([
      expect.objectContaining({ message: expect.stringContaining('call cost exceeds limit for rule') }),
    ]);
    const s = `${'a'.repeat(50_000)}!`;
    const refused = await api.ask(`POST ${THINGS}`, aThing(JSON.stringify({ s, l: [] })));
    expect(refused.body.message).toContain("should match '^(a+)+$'");
  });

  test('of built-in kinds cannot either: an image may have any name', async () => {
    const spec = { containers: [{ name: 'a', image: `${'a'.repeat(20_000)}!` }] };
    expect((await api.ask(`POST ${PODS}`, { metadata: { name: 'a' }, spec })).code).toBe(201);
  });
});

describe('YAML and numbers that JSON has no form for', () => {
  test.each([
    ['a number that is none', 'foo: .nan', 'json: unsupported value: NaN'],
    ['infinity', 'foo: -.inf', 'json: unsupported value: -Inf'],
    ['a list as a key', '? [a]\n: b', 'yaml: invalid map key: []interface {}{"a"}'],
    ['no key', 'null: 4', 'unsupported map key of type: %!s(<nil>), key: <nil>, value: 4'],
    [
      'thousands of aliases',
      `a: &a x\nb: [${'*a,'.repeat(5000)}*a]`,
      'yaml: document contains excessive aliasing',
    ],
  ])('are rejected: %s', async (_, text, why) => {
    const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, `metadata: {name: x}\n${text}\n`, YAML);
    expect(code).toBe(400);
    expect(body.message).toContain(`(must be of type ConfigMap): ${why} (`);
  });

  test('are rejected in JSON too, where they would become nothing', async () => {
    await define(ANYTHING);
    const { code, body } = await api.ask(`POST ${THINGS}`, aThing('{"s":"1e999","a":[1e999]}'));
    expect([code, body.message]).toEqual([
      400,
      'Thing in version "v1" cannot be handled as a Thing: json: cannot unmarshal number 1e999 into Go value of type float64',
    ]);
    expect((await api.ask(`POST ${THINGS}`, aThing('{"s":"1e999","a":1e200}'))).code).toBe(201);
  });
});
