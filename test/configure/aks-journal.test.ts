/** What `chandler configure aks` takes from its journal: undo finds resources by the recorded IDs, whatever else is there or gone. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { anAks, type TestAks } from './aks.fixture.ts';

const APPLY = ['--apply', '--yes'];
const UNDO = ['--undo', '--yes'];
const IDENTITIES = 'Microsoft.ManagedIdentity/userAssignedIdentities';

let cloud: TestAks | undefined;
afterEach(async () => {
  await cloud?.close();
  cloud = undefined;
});

describe('chandler configure aks --undo', () => {
  test('removes what the journal names, also without the options of --apply', async () => {
    cloud = await anAks();
    const before = cloud.made();
    await cloud.aks([...APPLY, '--identity-name', 'special']);
    const undone = await cloud.aks(UNDO);
    expect(undone).toMatchObject({
      code: 0,
      err: expect.stringContaining('removed managed identity special'),
    });
    expect(undone.err).not.toContain('already gone');
    expect(cloud.made()).toEqual(before);
    expect(cloud.journal()).toBeUndefined();
  });

  test('does not touch an identity that has the default name and is not in the journal', async () => {
    cloud = await anAks();
    await cloud.aks([...APPLY, '--journal', join(cloud.folder, 'theirs.json')]);
    const before = cloud.made();
    expect(await cloud.aks([...APPLY, '--identity-name', 'special'])).toMatchObject({ code: 0 });
    expect(await cloud.aks(UNDO)).toMatchObject({ code: 0 });
    expect(cloud.made()).toEqual(before);
  });

  test('leaves an identity that it may not read, and its credential, in the journal', async () => {
    cloud = await anAks();
    const before = cloud.made();
    await cloud.aks(APPLY);
    const allow = cloud.azure.withhold(`${IDENTITIES}/read`);
    const { code, err } = await cloud.aks(UNDO);
    expect(code).toBe(1);
    expect(err).toContain(
      `left federated credential chandler: you do not have the permission ${IDENTITIES}/read`,
    );
    expect(err).toContain('left managed identity chandler-playground: ');
    expect(cloud.made().assignments).toEqual(before.assignments);
    allow();
    expect(await cloud.aks(UNDO)).toMatchObject({ code: 0 });
    expect(cloud.made()).toEqual(before);
  });

  test('removes the role assignments of an identity that somebody deleted before', async () => {
    cloud = await anAks();
    const before = cloud.made();
    await cloud.aks(APPLY);
    deleteIdentity(cloud);
    const { code, err } = await cloud.aks(UNDO);
    expect({ code, err }).toMatchObject({
      code: 0,
      err: expect.stringContaining('removed role assignment Reader on cluster playground'),
    });
    expect(err).toContain('already gone managed identity chandler-playground');
    expect(cloud.made()).toEqual(before);
  });

  test('leaves an identity that somebody deleted and created again under the same name', async () => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const { store } = cloud.server.context;
    const identity = store.get(identityId(cloud))!;
    store.put({ ...identity, properties: { ...identity.properties, principalId: 'somebody-else' } });
    const { code, err } = await cloud.aks(UNDO);
    expect(code).toBe(1);
    expect(err).toContain(
      'left federated credential chandler: somebody else deleted and created the managed identity chandler-playground',
    );
    expect(err).toContain(
      'left managed identity chandler-playground: it has the federated credential chandler',
    );
    expect(cloud.made().identities).toContain(identity.id);
    expect(cloud.made().credentials).toHaveLength(1);
  });

  test('does not change a credential that somebody created again with their own identity', async () => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const { store } = cloud.server.context;
    const identity = store.get(identityId(cloud))!;
    store.put({ ...identity, properties: { ...identity.properties, principalId: 'somebody-else' } });
    const credential = store.get(`${identity.id}/federatedIdentityCredentials/chandler`)!;
    store.put({ ...credential, properties: { ...credential.properties, subject: 'theirs' } });
    const { code, err } = await cloud.aks(APPLY);
    expect(code).toBe(1);
    expect(err).toContain('federated credential chandler exists and differs (subject is "theirs"');
  });

  test.each(['is gone', 'has no OIDC issuer any more'])('works if the cluster %s', async (how) => {
    cloud = await anAks();
    const before = cloud.made();
    await cloud.aks(APPLY);
    const { store } = cloud.server.context;
    const cluster = cloud.server.resources.list('Microsoft.ContainerService/managedClusters')[0]!;
    if (how === 'is gone') store.delete(cluster.id);
    else
      store.put({ ...cluster, properties: { ...cluster.properties, oidcIssuerProfile: { enabled: false } } });
    expect(await cloud.aks([])).toMatchObject({ code: 1 });
    expect(await cloud.aks(UNDO)).toMatchObject({ code: 0 });
    expect(cloud.made()).toEqual(before);
  });

  test('leaves an entry without an ID, and says what to do', async () => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const path = join(cloud.folder, 'journal.json');
    const content = JSON.parse(cloud.journal()!.text);
    writeFileSync(
      path,
      JSON.stringify({
        ...content,
        entries: content.entries.map(({ id: _, ...rest }: { id: string }) => rest),
      }),
    );
    const before = cloud.made();
    expect(await cloud.aks(UNDO)).toMatchObject({
      code: 1,
      err: expect.stringContaining('the journal does not have its ID; run --apply again, then --undo'),
    });
    expect(cloud.made()).toEqual(before);
  });
});

describe('chandler configure aks --apply', () => {
  test.each([
    ['another identity', ['--identity-name', 'second'], 'managed identity second'],
    ['other roles', ['--roles', 'built-in'], 'role assignment Virtual Machine Contributor on'],
  ])('is refused if the journal names %s', async (_, args, what) => {
    cloud = await anAks();
    await cloud.aks(APPLY);
    const [before, journal] = [cloud.made(), cloud.journal()];
    const { code, out, err } = await cloud.aks([...APPLY, ...args]);
    expect(code).toBe(1);
    expect(out).toContain(`! ${what}`);
    expect(err).toContain(
      'the journal says that configure created another one in its place, /subscriptions/',
    );
    expect([cloud.made(), cloud.journal()]).toEqual([before, journal]);
  });

  test('is refused if the identity of recorded role assignments is gone, until --undo has removed them', async () => {
    cloud = await anAks();
    const before = cloud.made();
    await cloud.aks(APPLY);
    deleteIdentity(cloud);
    expect(await cloud.aks(APPLY)).toMatchObject({
      code: 1,
      err: expect.stringContaining('remove that one first with --undo'),
    });
    expect(await cloud.aks(UNDO)).toMatchObject({ code: 0 });
    expect(await cloud.aks(APPLY)).toMatchObject({ code: 0 });
    expect(cloud.made().assignments).toHaveLength(before.assignments.length + 4);
  });
});

// ---------------------------------------------------------------------------------------------------------------

function identityId({ server }: TestAks): string {
  const { subscriptionId, clusterResourceGroup } = server.settings;
  return `/subscriptions/${subscriptionId}/resourceGroups/${clusterResourceGroup}/providers/${IDENTITIES}/chandler-playground`;
}

function deleteIdentity(aks: TestAks): void {
  const { store } = aks.server.context;
  for (const { id } of aks.server.resources.list(`${IDENTITIES}/federatedIdentityCredentials`))
    store.delete(id);
  store.delete(identityId(aks));
}
