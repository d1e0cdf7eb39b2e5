import { beforeEach, describe, expect, test } from 'vitest';
import { aConfigMap, CONFIG_MAPS, type SmallServer, smallServer } from './small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
  for (const name of ['e', 'b', 'd', 'a', 'c']) {
    await api.ask(
      `POST ${CONFIG_MAPS}`,
      aConfigMap(name, { labels: { half: name < 'c' ? 'first' : 'second' } }),
    );
  }
});

const namesIn = ({ body }: { body: { items: { metadata: { name?: string } }[] } }) =>
  body.items.map(({ metadata }) => metadata.name).join('');

describe('a list', () => {
  test('is in the order of names and has the revision at which it was read', async () => {
    const reply = await api.ask(`GET ${CONFIG_MAPS}`);
    expect(reply.body.kind).toBe('ConfigMapList');
    expect(namesIn(reply)).toBe('abcde');
    expect(reply.body.items[0]?.kind).toBeUndefined();
    expect(reply.body.metadata.resourceVersion).toMatch(/^\d+$/);
  });

  test('shows what is selected', async () => {
    expect(namesIn(await api.ask(`GET ${CONFIG_MAPS}?labelSelector=half%3Dfirst`))).toBe('ab');
    expect(namesIn(await api.ask(`GET ${CONFIG_MAPS}?fieldSelector=metadata.name!%3Da`))).toBe('bcde');
  });

  test('in pages is one consistent list, whatever is written between the pages', async () => {
    const first = await api.ask(`GET ${CONFIG_MAPS}?limit=2`);
    expect(namesIn(first)).toBe('ab');
    const meta = first.body.metadata as {
      continue?: string;
      remainingItemCount?: number;
      resourceVersion?: string;
    };
    expect(meta.remainingItemCount).toBe(3);
    await api.ask(`DELETE ${CONFIG_MAPS}/d`);
    await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('bb'));
    const second = await api.ask(`GET ${CONFIG_MAPS}?limit=2&continue=${meta.continue}`);
    expect(namesIn(second)).toBe('cd');
    expect(second.body.metadata.resourceVersion).toBe(meta.resourceVersion);
    const third = await api.ask(
      `GET ${CONFIG_MAPS}?limit=2&continue=${(second.body.metadata as typeof meta).continue}`,
    );
    expect(namesIn(third)).toBe('e');
    expect((third.body.metadata as typeof meta).continue).toBeUndefined();
    expect(namesIn(await api.ask(`GET ${CONFIG_MAPS}`))).toBe('abbbce');
  });

  test('across namespaces is paged too', async () => {
    await api.ask('POST /api/v1/namespaces/kube-system/configmaps', aConfigMap('z'));
    const first = await api.ask('GET /api/v1/configmaps?limit=4');
    const { continue: token } = first.body.metadata as { continue?: string };
    expect(namesIn(first) + namesIn(await api.ask(`GET /api/v1/configmaps?continue=${token}`))).toBe(
      'abcdez',
    );
  });

  test('with an expired continue token says so, and offers a token for an inconsistent continuation', async () => {
    const first = await api.ask(`GET ${CONFIG_MAPS}?limit=2`);
    await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('cc'));
    api.server.compact();
    const { continue: token } = first.body.metadata as { continue?: string };
    const gone = await api.ask(`GET ${CONFIG_MAPS}?continue=${token}`);
    expect(gone.code).toBe(410);
    expect(gone.body.reason).toBe('Expired');
    expect(gone.body.message).toMatch(
      /^The provided continue parameter is too old to display a consistent list result/,
    );
    const { continue: onward } = gone.body.metadata as { continue?: string };
    expect(namesIn(await api.ask(`GET ${CONFIG_MAPS}?continue=${onward}`))).toBe('cccde');
  });

  test('can be read at an exact revision', async () => {
    const { resourceVersion } = (await api.ask(`GET ${CONFIG_MAPS}`)).body.metadata;
    await api.ask(`DELETE ${CONFIG_MAPS}/a`);
    const exact = `resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`;
    expect(namesIn(await api.ask(`GET ${CONFIG_MAPS}?${exact}`))).toBe('abcde');
    expect(namesIn(await api.ask(`GET ${CONFIG_MAPS}?resourceVersion=${resourceVersion}`))).toBe('bcde');
    api.server.compact();
    const gone = await api.ask(`GET ${CONFIG_MAPS}?${exact}`);
    expect(`${gone.code} ${gone.body.message}`).toBe(
      '410 The resourceVersion for the provided list is too old.',
    );
  });

  test.each([
    [
      'resourceVersion=abc',
      '400 invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    ['resourceVersion=99999999', /^504 Timeout: Too large resource version: 99999999, current: \d+$/],
    [
      'resourceVersionMatch=Exact',
      '422 ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    ['limit=abc', '400 strconv.ParseInt: parsing "abc": invalid syntax'],
    [
      'continue=abc',
      "400 invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
    ],
    [
      'sendInitialEvents=true',
      '422 ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  ])('with %s is rejected', async (query, expected) => {
    const { code, body } = await api.ask(`GET ${CONFIG_MAPS}?${query}`);
    expect(`${code} ${body.message}`).toMatch(expected);
  });

  test('comes as a Table, as metadata only, or as YAML', async () => {
    const as = (accept: string) => api.ask(`GET ${CONFIG_MAPS}?limit=1`, undefined, { accept });
    expect((await as('application/json;as=Table;v=v1;g=meta.k8s.io,application/json')).body).toMatchObject({
      kind: 'Table',
      rows: [{ cells: ['a', 0, expect.any(String)] }],
    });
    expect((await as('application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io')).body).toMatchObject(
      {
        kind: 'PartialObjectMetadataList',
        items: [{ kind: 'PartialObjectMetadata', metadata: { name: 'a' } }],
      },
    );
    expect((await as('application/yaml')).body).toMatch(/^apiVersion: v1\nitems:\n- metadata:\n/);
    expect((await as('application/vnd.kubernetes.protobuf,application/json')).body.kind).toBe(
      'ConfigMapList',
    );
    const html = await as('text/html');
    expect(html.code).toBe(406);
    expect(html.body.message).toMatch(/^406: Not Acceptable\n\nAvailable representations: application\/json/);
    expect((await as('application/json;as=Table;v=v2;g=meta.k8s.io')).body.message).toMatch(
      /^only the following media types/,
    );
  });
});
