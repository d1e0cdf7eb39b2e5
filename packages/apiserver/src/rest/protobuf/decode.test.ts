import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, PODS, smallServer } from '../small-server.fixture.ts';
import { decodeProtobuf } from './decode.ts';

/** The other direction, as far as the tests need it: fields as [number, value]. */
type Value = string | number | boolean | Buffer | Fields;
type Fields = readonly (readonly [number, Value])[];

const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Buffer.from(bytes);
};

const encode = (fields: Fields): Buffer =>
  Buffer.concat(
    fields.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
      if (typeof value === 'boolean') return Buffer.concat([varint(number << 3), varint(value ? 1 : 0)]);
      const bytes =
        typeof value === 'string'
          ? Buffer.from(value)
          : Buffer.isBuffer(value)
            ? value
            : encode(value as Fields);
      return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
    }),
  );

const envelope = (apiVersion: string, kind: string, object: Fields) =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    encode([
      [
        1,
        [
          [1, apiVersion],
          [2, kind],
        ],
      ],
      [2, encode(object)],
      [3, ''],
      [4, ''],
    ]),
  ]);

const quantity = (text: string): Fields => [[1, text]];

const entry = (key: string, value: Value): Fields => [
  [1, key],
  [2, value],
];
const port: Fields = [
  [1, 1],
  [3, 'http'],
];
const probe: Fields = [
  [
    1,
    [
      [
        2,
        [
          [1, '/healthz'],
          [2, port],
        ],
      ],
    ],
  ],
  [2, 5],
];
const claim: Fields = [
  [
    10,
    [
      [1, 'claim'],
      [2, true],
    ],
  ],
];
const requests: Fields = [[2, entry('cpu', quantity('100m'))]];

const POD = envelope('v1', 'Pod', [
  [
    1,
    [
      [1, 'p'],
      [2, ''],
      [11, entry('app', 'web')],
      [8, []],
    ],
  ],
  [
    2,
    [
      [
        1,
        [
          [1, 'data'],
          [2, claim],
        ],
      ],
      [
        2,
        [
          [1, 'main'],
          [2, 'image'],
          [8, requests],
          [10, probe],
        ],
      ],
      [4, 30],
    ],
  ],
]);

describe('a protobuf body', () => {
  test('decodes to the same object as its JSON', () => {
    expect(decodeProtobuf(POD, { apiVersion: 'v1', kind: 'Pod' })).toEqual({
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'p', generateName: '', labels: { app: 'web' }, creationTimestamp: null },
      spec: {
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'claim', readOnly: true } }],
        containers: [
          {
            name: 'main',
            image: 'image',
            resources: { requests: { cpu: '100m' } },
            livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, initialDelaySeconds: 5 },
          },
        ],
        terminationGracePeriodSeconds: 30,
      },
    });
  });

  test('keeps numbers, times and bytes', () => {
    const lease = envelope('coordination.k8s.io/v1', 'Lease', [
      [
        1,
        [
          [1, 'l'],
          [8, [[1, 1_700_000_000]]],
        ],
      ],
      [
        2,
        [
          [1, 'me'],
          [2, 15],
          [
            4,
            [
              [1, 1_700_000_000],
              [2, 123_456_000],
            ],
          ],
          [5, -1],
        ],
      ],
    ]);
    expect(decodeProtobuf(lease, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' })).toMatchObject({
      metadata: { creationTimestamp: '2023-11-14T22:13:20Z' },
      spec: {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        renewTime: '2023-11-14T22:13:20.123456Z',
        leaseTransitions: -1,
      },
    });
    const secret = envelope('v1', 'Secret', [
      [
        2,
        [
          [1, 'k'],
          [2, Buffer.from([0, 255])],
        ],
      ],
    ]);
    expect(decodeProtobuf(secret, { apiVersion: 'v1', kind: 'Secret' })).toMatchObject({
      data: { k: 'AP8=' },
    });
  });

  test('that is malformed or truncated is rejected, and so is a kind without a protobuf form', () => {
    const expected = { apiVersion: 'v1', kind: 'Pod' };
    expect(() => decodeProtobuf(Buffer.from('{}'), expected)).toThrow(
      'does not appear to be a protobuf message',
    );
    expect(() => decodeProtobuf(POD.subarray(0, POD.length - 20), expected)).toThrow('unexpected EOF');
    expect(decodeProtobuf(envelope('x.io/v1', 'Widget', []), expected)).toBeUndefined();
  });

  test('creates and deletes like any other', async () => {
    const { server, ask } = await smallServer();
    const send = (method: string, target: string, body: Buffer) =>
      server.adminFetch(`https://local${target}`, {
        method,
        body: new Uint8Array(body),
        headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      });
    const configMap = envelope('v1', 'ConfigMap', [
      [1, [[1, 'bin']]],
      [
        2,
        [
          [1, 'k'],
          [2, 'ü'],
        ],
      ],
    ]);
    expect((await send('POST', CONFIG_MAPS, configMap)).status).toBe(201);
    expect((await ask(`GET ${CONFIG_MAPS}/bin`)).body['data']).toEqual({ k: 'ü' });
    const options = envelope('v1', 'DeleteOptions', [[2, [[1, 'wrong']]]]);
    expect((await send('DELETE', `${CONFIG_MAPS}/bin`, options)).status).toBe(409);
    expect((await send('POST', PODS, POD)).status).toBe(201);
  });
});
