/** Links to further pages come from answers, so they decide neither where a token is sent nor for how long pages are read. */
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError, BAD_ANSWER } from './arm-error.ts';
import { createArmClients } from './clients.ts';
import { AZURE_PUBLIC_CLOUD } from './environments.ts';
import { jsonPages, pagesOf } from './pages.ts';

const ARM = 'https://management.azure.com';
const PATH = '/subscriptions/s/providers/Microsoft.Compute/locations/westeurope/usages';

/** Answers every request with one item and this link, and a challenge where no token is sent. */
function azure(nextLink: (page: number) => string | undefined) {
  const asked: { readonly url: string; readonly token: string | null }[] = [];
  const clients = createArmClients({
    world: virtualWorld(),
    fetch: async (input, init) => {
      const token = new Headers(init?.headers).get('authorization');
      asked.push({ url: String(input), token });
      if (token === null)
        return new Response('{}', {
          status: 401,
          headers: {
            'www-authenticate':
              'Bearer authorization="https://login.microsoftonline.com/t", resource="https://vault.azure.net"',
          },
        });
      const kid = 'https://v.vault.azure.net/keys/k';
      return Response.json({
        value: [{ unit: 'Count', currentValue: 1, limit: 2, name: { value: 'cores' }, kid }],
        nextLink: nextLink(asked.length),
      });
    },
    environment: AZURE_PUBLIC_CLOUD,
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
    subscriptionId: 's',
    rates: { read: { perSecond: 1e6, burst: 1e6 } },
    version: '0.0.0',
  });
  const usages = async () => {
    const found = [];
    for await (const each of pagesOf((await clients.compute()).usage.list('westeurope'))) found.push(each);
    return found;
  };
  return { asked, clients, usages };
}

const FOREIGN = [
  ['another host', 'https://evil.example/page/2'],
  ['another scheme', 'http://management.azure.com/page/2'],
  ['a host with the same beginning', 'https://management.azure.com.evil.example/page/2'],
  ['another port', 'https://management.azure.com:8443/page/2'],
] as const;

describe('a link to the next page at', () => {
  test.each(FOREIGN)('%s gets no token from an SDK', async (_, link) => {
    const { asked, usages } = azure(() => link);
    await expect(usages()).rejects.toThrow(/another origin|Bearer token/);
    expect(asked.map(({ url }) => new URL(url).origin)).toEqual([ARM]);
  });

  test.each(FOREIGN)('%s gets no token from a list that is read as JSON', async (_, link) => {
    const { asked, clients } = azure(() => link);
    const error: unknown = await jsonPages(clients, PATH).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArmError);
    expect((error as ArmError).code).toBe(BAD_ANSWER);
    expect(asked.map(({ url }) => new URL(url).origin)).toEqual([ARM]);
  });

  test('another vault gets no token of a key vault', async () => {
    const { asked, clients } = azure(() => 'https://evil.example/keys?page=2');
    const keys = await clients.keys('https://v.vault.azure.net/');
    const read = async () => {
      for await (const _ of keys.listPropertiesOfKeys());
    };
    await expect(read()).rejects.toThrow(/v\.vault\.azure\.net/);
    expect(asked.map(({ url }) => new URL(url).origin)).not.toContain('https://evil.example');
  });

  test('the port of its scheme is followed', async () => {
    const { usages } = azure((page) =>
      page === 1 ? `https://management.azure.com:443${PATH}?p=2` : undefined,
    );
    expect(await usages()).toHaveLength(2);
  });
});

describe('a list that does not end', () => {
  test('is an invalid answer of Azure, of an SDK', async () => {
    const { asked, usages } = azure(() => `${ARM}${PATH}?again`);
    await expect(usages()).rejects.toMatchObject({ code: BAD_ANSWER });
    expect(asked.length).toBeLessThan(2_000);
  });

  test('is an invalid answer of Azure, as JSON', async () => {
    const { asked, clients } = azure(() => `${ARM}${PATH}?again`);
    await expect(jsonPages(clients, PATH)).rejects.toMatchObject({ code: BAD_ANSWER });
    expect(asked.length).toBeLessThan(2_000);
  });
});
